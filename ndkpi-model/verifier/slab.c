/* SPDX-License-Identifier: Apache-2.0 */
/* Records with handles; see slab.h. */
#include "slab.h"

#include <string.h>

#include <sim/memory.h>

#define CHUNKS_FIRST 8u

void vrf_slab_init(struct vrf_slab *slab, struct sim_world *world, uint32_t kind,
                   uint32_t item_bytes) {
    memset(slab, 0, sizeof(*slab));
    SIM_ASSERT(kind != 0 && kind < 16);
    slab->world = world;
    slab->kind = kind;
    slab->item_bytes = (item_bytes + 7u) & ~7u;
}

static void add_chunk(struct vrf_slab *slab) {
    uint32_t number = slab->count / VRF_SLAB_CHUNK_COUNT;

    if (number == slab->chunk_capacity) {
        uint32_t capacity = number == 0 ? CHUNKS_FIRST : number * 2;
        unsigned char **chunks = sim_alloc(slab->world, capacity * sizeof(unsigned char *));

        if (number != 0) {
            memcpy(chunks, slab->chunks, number * sizeof(unsigned char *));
            sim_free(slab->world, slab->chunks, number * sizeof(unsigned char *));
        }
        slab->chunks = chunks;
        slab->chunk_capacity = capacity;
    }
    slab->chunks[number] =
        sim_alloc(slab->world, (uint64_t)VRF_SLAB_CHUNK_COUNT * slab->item_bytes);
}

void *vrf_slab_take(struct vrf_slab *slab) {
    struct vrf_slot *slot;
    uint32_t index;
    uint32_t generation = 0;

    if (slab->free_count > VRF_SLAB_KEPT_COUNT) {
        index = slab->free_first - 1;
        slot = vrf_slab_at(slab, index);
        slab->free_first = slot->next_free;
        slab->free_count--;
        generation = slot->generation;
        memset(slot, 0, slab->item_bytes);
    } else {
        if (slab->count % VRF_SLAB_CHUNK_COUNT == 0) {
            add_chunk(slab);
        }
        index = slab->count++;
        SIM_ASSERT(index < 1u << VRF_HANDLE_INDEX_BITS);
        slot = vrf_slab_at(slab, index);
    }
    slot->index = index;
    slot->generation = generation + 1;
    slot->is_live = true;
    return slot;
}

void vrf_slab_give(struct vrf_slab *slab, void *record) {
    struct vrf_slot *slot = record;

    SIM_ASSERT(slot->is_live);
    slot->is_live = false;
    slot->next_free = 0;
    if (slab->free_count == 0) {
        slab->free_first = slot->index + 1;
    } else {
        struct vrf_slot *last = vrf_slab_at(slab, slab->free_last - 1);

        last->next_free = slot->index + 1;
    }
    slab->free_last = slot->index + 1;
    slab->free_count++;
}
