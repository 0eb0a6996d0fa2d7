/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's part of the world: CPUs, tasks, steps.
 */
#ifndef SIM_SCHED_H
#define SIM_SCHED_H

#include <sim/cpu.h>

struct sim_sched {
    struct sim_cpu *cpus[SIM_CPU_COUNT_MAX];
    uint32_t cpu_count;
};

/* The world's life, called by world.c: zeroed structure; after a restore; before the end. */
void sim_sched_init(struct sim_world *world);
void sim_sched_restored(struct sim_world *world);
void sim_sched_deinit(struct sim_world *world);

/* Leaves the current task for the scheduler, for good: a finding ended the run. */
SIM_NORETURN void sim_step_abandon(void);

#endif
