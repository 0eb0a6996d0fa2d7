/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strategies that look at every option have in common.
 *
 * The head event is an option long before it is due: picking it means that whoever is ready takes
 * so long. That is drawn within a horizon of the run, beyond which an event does not come before
 * those who are ready: else time would leap from timer to timer while nobody gets anything done.
 */
#ifndef SIM_PICK_H
#define SIM_PICK_H

#include "actors.h"
#include "draw.h"

#define SIM_PICK_ROW_MAX 1000u

/* From 1 us to 1 ms, each power of two alike. */
static inline uint64_t sim_pick_horizon_ns(uint64_t run_hash) {
    return SIM_NS_PER_US << sim_draw_below(sim_hash_mix(run_hash, 0x686F72697AU), 11);
}

static inline bool sim_pick_may(const struct sim_option *option, uint64_t horizon_ns) {
    return option->wait_ns <= horizon_ns;
}

/* Notices an actor that goes on and on while others are ready: it polls for something. */
struct sim_row {
    uint32_t id;
    uint32_t count;
};

/* The actor of `id` was picked; true once in each row of SIM_PICK_ROW_MAX. */
static inline bool sim_row_is_over(struct sim_row *row, uint32_t id) {
    if (row->id != id) {
        *row = (struct sim_row){.id = id};
    }
    if (++row->count < SIM_PICK_ROW_MAX) {
        return false;
    }
    row->count = 0;
    return true;
}

#endif
