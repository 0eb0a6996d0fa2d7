/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State machines that say their states, so that coverage can tell which of them and of their steps
 * no run has come by. A machine's steps are trace records of one type; it is registered before the
 * world's snapshot.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <sim/base.h>

#define SIM_MACHINE_STATES_MAX 64u

/* In static storage or the world's. */
struct sim_machine {
    const char *name;          /* "device qp" */
    const char *event;         /* the trace event of its steps */
    bool is_packed;            /* value 0 is from << 8 | to; else value 0 is from, value 1 is to */
    uint32_t state_count;      /* at most SIM_MACHINE_STATES_MAX */
    const char *const *states; /* names */
    const uint64_t *next; /* by state: the bits of the states that may follow, itself not among */
                          /* them */
};

/* One of an equal name changes nothing: several drivers may be of one module. */
void sim_machine_register(struct sim_world *world, const struct sim_machine *machine);
size_t sim_machine_count(const struct sim_world *world);
const struct sim_machine *sim_machine_at(const struct sim_world *world, size_t index);

#endif
