/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node with two CPUs, and a log of what its contexts did.
 */
#ifndef TEST_NODE_H
#define TEST_NODE_H

#include <sim/cpu.h>

#include "fixture.h"

#define LOG_BYTES 512

static struct sim_object node;
static struct sim_cpu *cpus[2];
static char done[LOG_BYTES];
static size_t done_count;

static inline void note(char what) {
    assert_true(done_count + 1 < LOG_BYTES);
    done[done_count++] = what;
    done[done_count] = '\0';
}

static inline void make_node(struct sim_world *world) {
    done_count = 0;
    done[0] = '\0';
    memset(&node, 0, sizeof(node));
    sim_object_init(world, &node, NULL, "host", SIM_NAME_PLAIN);
    cpus[0] = sim_cpu_create(world, &node);
    cpus[1] = sim_cpu_create(world, &node);
}

static inline struct sim_task *start(struct sim_cpu *cpu, void (*entry)(void *), void *argument) {
    return sim_task_create(cpu, &node, "task", entry, argument, NULL);
}

static inline enum sim_run_end run_all(struct sim_world *world) {
    return sim_run(world, NULL, NULL, SIM_TIME_NEVER);
}

static inline struct sim_cpu *own_cpu(void) {
    return sim_task_cpu(sim_task_current());
}

static inline void pass(void) {
    sim_point(&node, SIM_ACCESS_WRITE, SIM_POINT_COST_NS);
}

#endif
