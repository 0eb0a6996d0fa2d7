/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a place; see place.h. */
#include "place.h"

#include <string.h>

#include <sim/cpu.h>

#if defined(__x86_64__) || defined(__aarch64__)
/*
 * The frame whose locals hold `address`: the first one above it. Frames are a chain of pairs
 * {caller's frame, return address}. Looks at stacks that a sanitizer watches.
 */
__attribute__((no_sanitize("address", "undefined"))) static const uintptr_t *
anchor_of(uintptr_t frame, uintptr_t address, uintptr_t low, uintptr_t high) {
    while (frame >= low && frame % sizeof(uintptr_t) == 0 &&
           frame <= high - 2 * sizeof(uintptr_t)) {
        const uintptr_t *words = (const uintptr_t *)frame;

        if (frame > address) {
            return &words[1];
        }
        if (words[0] <= frame) {
            break;
        }
        frame = words[0];
    }
    return NULL;
}
#else
static const uintptr_t *anchor_of(uintptr_t frame, uintptr_t address, uintptr_t low,
                                  uintptr_t high) {
    (void)frame;
    (void)address;
    (void)low;
    (void)high;
    return NULL;
}
#endif

__attribute__((no_sanitize("address"))) static uintptr_t word_at(const uintptr_t *word) {
    return *word;
}

static void take_stack(const struct krn_place *found, uintptr_t frame, struct vrf_place *place) {
    uintptr_t low;
    uintptr_t high;

    place->task_id = sim_task_object(found->task)->id;
    if (found->task != sim_task_current()) {
        return;
    }
    sim_task_stack(found->task, &low, &high);
    place->anchor = anchor_of(frame, (uintptr_t)place->address, low, high);
    if (place->anchor != NULL) {
        place->back = word_at(place->anchor);
    }
}

void vrf_place_take(struct sim_world *world, const void *address, uintptr_t frame,
                    struct vrf_place *place) {
    struct krn_place found;

    memset(place, 0, sizeof(*place));
    place->address = address;
    krn_place_of(world, address, &found);
    place->kind = (uint8_t)found.kind;
    if (found.kind == KRN_PLACE_POOL) {
        place->stamp = krn_place_stamp(world, address);
    } else if (found.kind == KRN_PLACE_STACK) {
        take_stack(&found, frame, place);
    }
}

static enum vrf_place_fate fate_of_stack(const struct vrf_place *place,
                                         const struct krn_place *found) {
    if (found->kind != KRN_PLACE_STACK || sim_task_object(found->task)->id != place->task_id) {
        return VRF_PLACE_FRAME_DIED;
    }
    if (place->anchor != NULL && word_at(place->anchor) != place->back) {
        return VRF_PLACE_FRAME_DIED;
    }
    return VRF_PLACE_HOLDS;
}

enum vrf_place_fate vrf_place_fate(struct sim_world *world, const struct vrf_place *place) {
    struct krn_place found;

    switch (place->kind) {
    case KRN_PLACE_POOL:
        if (krn_place_kind_of(world, place->address) == KRN_PLACE_POOL &&
            krn_place_stamp(world, place->address) == place->stamp) {
            return VRF_PLACE_HOLDS;
        }
        return VRF_PLACE_FREED;
    case KRN_PLACE_STACK:
        krn_place_of(world, place->address, &found);
        return fate_of_stack(place, &found);
    case KRN_PLACE_IMAGE:
        krn_place_of(world, place->address, &found);
        return found.kind == KRN_PLACE_IMAGE_UNLOADED ? VRF_PLACE_UNLOADED : VRF_PLACE_HOLDS;
    case KRN_PLACE_POOL_FREED:
    case KRN_PLACE_POOL_GUARD:
        return VRF_PLACE_FREED;
    case KRN_PLACE_STACK_DEAD:
        return VRF_PLACE_FRAME_DIED;
    default:
        return VRF_PLACE_HOLDS;
    }
}
