/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records with handles. What a provider gets in place of a consumer's context is a handle: kind,
 * index and generation of a record, never its address, so that a context that comes back twice, too
 * late or from nowhere is known for what it is without touching anything.
 *
 * A record that was given back keeps its contents until it is used again, oldest first, and not
 * before VRF_SLAB_KEPT_COUNT others wait: a finding can still tell what a late answer belonged to.
 */
#ifndef VRF_SLAB_H
#define VRF_SLAB_H

#include <sim/base.h>

#define VRF_SLAB_KEPT_COUNT 16u
#define VRF_SLAB_CHUNK_COUNT 4u

/* First in every record; index 0 is used. */
struct vrf_slot {
    uint32_t index;
    uint32_t generation; /* from 1; counts the uses */
    uint32_t next_free;  /* index + 1; 0: none */
    bool is_live;
};

struct vrf_slab {
    struct sim_world *world;
    unsigned char **chunks;
    uint32_t item_bytes;
    uint32_t chunk_capacity;
    uint32_t count; /* records ever made */
    uint32_t kind;
    uint32_t free_first; /* index + 1 */
    uint32_t free_last;
    uint32_t free_count;
};

void vrf_slab_init(struct vrf_slab *slab, struct sim_world *world, uint32_t kind,
                   uint32_t item_bytes);
/* A zeroed record, but for its slot. */
void *vrf_slab_take(struct vrf_slab *slab);
void vrf_slab_give(struct vrf_slab *slab, void *record);

static inline void *vrf_slab_at(const struct vrf_slab *slab, uint32_t index) {
    return slab->chunks[index / VRF_SLAB_CHUNK_COUNT] +
           (size_t)(index % VRF_SLAB_CHUNK_COUNT) * slab->item_bytes;
}

#define VRF_HANDLE_INDEX_BITS 28u
static inline void *vrf_handle(const struct vrf_slab *slab, const void *record) {
    const struct vrf_slot *slot = record;
    uint64_t handle = (uint64_t)slot->generation << 32 |
                      (uint64_t)slab->kind << VRF_HANDLE_INDEX_BITS | slot->index;

    return (void *)(uintptr_t)handle;
}

/*
 * The record of a handle, live or given back and not used again yet. NULL when it is no handle of
 * this slab; `*is_old` (may be NULL) is true when it once was.
 */
static inline void *vrf_slab_find(const struct vrf_slab *slab, const void *handle, bool *is_old) {
    uint64_t bits = (uint64_t)(uintptr_t)handle;
    uint32_t index = (uint32_t)bits & ((1u << VRF_HANDLE_INDEX_BITS) - 1);
    uint32_t kind = (uint32_t)bits >> VRF_HANDLE_INDEX_BITS;
    uint32_t generation = (uint32_t)(bits >> 32);
    struct vrf_slot *slot;

    if (is_old != NULL) {
        *is_old = false;
    }
    if (kind != slab->kind || index >= slab->count || generation == 0) {
        return NULL;
    }
    slot = vrf_slab_at(slab, index);
    if (SIM_LIKELY(slot->generation == generation)) {
        return slot;
    }
    if (is_old != NULL) {
        *is_old = generation < slot->generation;
    }
    return NULL;
}

#endif
