/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge and the calls share about bad pointers. */
#ifndef KRN_PLACE_H
#define KRN_PLACE_H

#include <krn/memory.h>

/* The bugcheck of touching such a place at such a level. */
uint32_t krn_place_code(const struct krn_place *place, uint8_t level, bool is_write);
/* ... and its parameters, as Windows has them for that code. */
void krn_place_parameters(const struct sim_world *world, const struct krn_place *place,
                          const void *address, uint32_t code, uint8_t level, bool is_write,
                          struct sim_finding *finding);

/*
 * The address lies in a frame of the running task that is there for certain: above the one where
 * this is asked. Most pointers do, and no other look at the address is as short.
 */
static inline bool krn_is_in_own_frames(const void *address) {
    const struct sim_task *task = sim_task_current();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t low;
    uintptr_t high;

    if (task == NULL) {
        return false;
    }
    sim_task_stack(task, &low, &high);
    /* A signal handler has a stack of its own. */
    return here - low < high - low && (uintptr_t)address - here < high - here;
}

/*
 * True if the address lies in a live stack frame; in the stack of the running task only at or above
 * `frame` (NULL: as sim_stack_is_live).
 */
bool krn_stack_is_live(struct sim_world *world, const void *address, const void *frame);

/* Offset of an address in a driver's image. */
uint64_t krn_driver_offset(const struct krn_driver *driver, const void *address);

#endif
