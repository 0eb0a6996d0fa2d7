/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a pointer that a consumer handed over lies, kept until the answer comes: a pool block, or a
 * frame of a task's stack. A frame is known by its return address: while it lives, that word stays
 * what it was; once it returned, the next call from the same depth writes another one there.
 */
#ifndef VRF_PLACE_H
#define VRF_PLACE_H

#include <krn/memory.h>

struct vrf_place {
    const void *address;
    uint64_t stamp;          /* pool: krn_place_stamp */
    const uintptr_t *anchor; /* stack: the frame's return address, NULL when it was not found */
    uintptr_t back;          /* stack: what stood there */
    uint32_t task_id;        /* stack: whose it was */
    uint8_t kind;            /* enum krn_place_kind */
};

enum vrf_place_fate {
    VRF_PLACE_HOLDS, /* as it was, or never known */
    VRF_PLACE_FRAME_DIED,
    VRF_PLACE_FREED,
    VRF_PLACE_UNLOADED,
};

/* `frame`: a frame pointer of the current task at or below the frame that may hold `address`. */
void vrf_place_take(struct sim_world *world, const void *address, uintptr_t frame,
                    struct vrf_place *place);
enum vrf_place_fate vrf_place_fate(struct sim_world *world, const struct vrf_place *place);

#endif
