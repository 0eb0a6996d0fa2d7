/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frames a device may reach: non-paged live pool, and what an MDL has locked. A device that
 * touches anything else was told so by a driver that freed too early: bugcheck 0xE6.
 */
#include "pins.h"

#include <krn/bugcheck.h>
#include <krn/memory.h>

#include <sim/bus.h>

#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "pool.h"
#include "window.h"

#define TABLE_CAPACITY_FIRST 64u

struct pin {
    uint64_t frame; /* 0: free slot (no page has frame 0) */
    uint32_t count;
};

struct krn_pins {
    struct pin *slots;
    uint32_t capacity;
    uint32_t used; /* slots ever taken: a frame keeps its slot */
};

static struct pin *slot_of(const struct krn_pins *pins, uint64_t frame) {
    uint32_t slot = (uint32_t)sim_hash_mix(1, frame) & (pins->capacity - 1);

    while (pins->slots[slot].frame != 0 && pins->slots[slot].frame != frame + 1) {
        slot = (slot + 1) & (pins->capacity - 1);
    }
    return &pins->slots[slot];
}

static void grow(struct krn_world *krn, struct krn_pins *pins) {
    struct krn_pins old = *pins;

    pins->capacity = old.capacity != 0 ? 2 * old.capacity : TABLE_CAPACITY_FIRST;
    pins->slots = sim_alloc(krn->world, pins->capacity * sizeof(pins->slots[0]));
    pins->used = 0;
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].count != 0) {
            *slot_of(pins, old.slots[i].frame - 1) = old.slots[i];
            pins->used++;
        }
    }
    if (old.slots != NULL) {
        sim_free(krn->world, old.slots, old.capacity * sizeof(old.slots[0]));
    }
}

void krn_pin(struct krn_world *krn, uint64_t frame, bool pin) {
    struct krn_pins *pins = krn->pins;
    struct pin *slot;

    if (pins == NULL) {
        pins = sim_alloc(krn->world, sizeof(*pins));
        krn->pins = pins;
    }
    if (2 * (pins->used + 1) > pins->capacity) {
        grow(krn, pins);
    }
    slot = slot_of(pins, frame);
    if (slot->frame == 0) {
        slot->frame = frame + 1;
        pins->used++;
    }
    SIM_ASSERT(pin || slot->count > 0);
    slot->count = pin ? slot->count + 1 : slot->count - 1;
}

static bool is_locked(const struct krn_world *krn, uint64_t frame) {
    return krn->pins != NULL && krn->pins->capacity != 0 && slot_of(krn->pins, frame)->count != 0;
}

bool krn_frame_is_pinned(const struct sim_world *world, uint64_t frame) {
    const struct krn_world *krn = krn_world_of(world);
    const struct krn_chunk *chunk;
    const void *page = sim_frame_page(world, frame);

    if (frame >= KRN_WINDOW_FRAME_FIRST) {
        return krn_window_page(krn, frame, &chunk) != NULL;
    }
    return page != NULL && (krn_pool_page_is_resident(krn, page) || is_locked(krn, frame));
}

static void violation(struct sim_world *world, struct sim_bus_device *device, const void *page,
                      bool write) {
    struct sim_finding finding;
    char story[KRN_POINTER_TEXT_BYTES];
    struct krn_place place;
    char name[SIM_NAME_BYTES];

    krn_place_of(world, page, &place);
    krn_bugcheck_begin(&finding, 0xE6, 0x26, 0, 0, 0);
    sim_finding_say(&finding, "%s %s memory that is not for it: the page of %s",
                    sim_object_name(&device->object, name, sizeof(name)),
                    write ? "wrote to" : "read from",
                    krn_pointer_story(world, page, story, sizeof(story)));
    sim_finding_object(&finding, &device->object);
    if (place.block.serial != 0) {
        krn_bugcheck_blame(&finding, krn_driver_of_object(world, place.block.owner));
    }
    krn_pointer_sites(world, page, &finding);
    sim_find(world, &finding);
}

static void *dma_translate(struct sim_world *world, struct sim_bus_device *device, uint64_t frame,
                           bool write) {
    const struct krn_world *krn = krn_world_of(world);
    const struct krn_chunk *chunk;
    void *page;

    if (frame >= KRN_WINDOW_FRAME_FIRST) {
        page = krn_window_page(krn, frame, &chunk);
        if (page == NULL && chunk != NULL) {
            violation(world, device, chunk->start, write);
        }
        return page;
    }
    page = sim_frame_page(world, frame);
    if (page != NULL && !krn_pool_page_is_resident(krn, page) && !is_locked(krn, frame)) {
        violation(world, device, page, write);
        return NULL;
    }
    return page;
}

void krn_dma_check_install(struct krn_world *krn) {
    sim_dma_translate_set(krn->world, dma_translate);
}
