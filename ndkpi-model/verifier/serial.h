/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that must come one at a time. A call from within another one of the same task (a callback
 * that came inside the call) is no second one.
 */
#ifndef VRF_SERIAL_H
#define VRF_SERIAL_H

#include <sim/cpu.h>

struct vrf_serial {
    const struct sim_task *task; /* whose call is running */
    uint32_t depth;
};

/* False: another task's call is running. Count it all the same: vrf_serial_leave follows. */
static inline bool vrf_serial_enter(struct vrf_serial *serial) {
    const struct sim_task *task = sim_task_current();
    bool is_alone = serial->depth == 0 || serial->task == task;

    if (serial->depth++ == 0) {
        serial->task = task;
    }
    return is_alone;
}

static inline void vrf_serial_leave(struct vrf_serial *serial) {
    serial->depth--;
}

#endif
