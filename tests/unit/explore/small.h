/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world to explore: actors on CPUs of their own, each a routine that goes through points.
 */
#ifndef TEST_SMALL_H
#define TEST_SMALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sim/cpu.h>
#include <sim/explore.h>
#include <sim/run.h>
#include <sim/trace.h>

#define SMALL_ACTOR_MAX 8u
#define SMALL_OBJECT_MAX 8u

struct small;

struct small_actor {
    struct small *small;
    uint32_t number;
};

/* Lives in host memory: its world's memory is only what tasks and names take. */
struct small {
    struct sim_world *world;
    struct sim_object node;
    struct sim_object objects[SMALL_OBJECT_MAX];
    struct small_actor actors[SMALL_ACTOR_MAX];
    uint32_t actor_count;
    void (*act)(struct small *small, uint32_t actor);
    uint64_t memory[8]; /* of the shape; zeroed before each run */
    bool has_failed;
};

static inline void small_entry(void *argument) {
    struct small_actor *actor = argument;

    actor->small->act(actor->small, actor->number);
}

static inline void small_point(struct small *small, uint32_t object) {
    (void)sim_point(object < SMALL_OBJECT_MAX ? &small->objects[object] : &small->node,
                    SIM_ACCESS_WRITE, SIM_POINT_COST_NS);
}

static inline void small_points(struct small *small, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        small_point(small, SMALL_OBJECT_MAX);
    }
}

/* Tells that an object is created or closed. */
static inline void small_life(struct small *small, uint32_t object, enum sim_access access) {
    (void)sim_trace(small->world, SIM_TRACE_SCENARIO, access, &small->objects[object], NULL, NULL,
                    0, 0);
}

/* Without the snapshot: more may be set up. */
static inline void small_set_up(struct small *small, uint32_t actor_count,
                                void (*act)(struct small *small, uint32_t actor)) {
    static const char *const names[] = {"test.event"};
    const struct sim_config config = {.seed = 1};

    memset(small, 0, sizeof(*small));
    small->world = sim_world_create(&config);
    assert_non_null(small->world);
    small->act = act;
    small->actor_count = actor_count;
    sim_trace_register(small->world, SIM_TRACE_SCENARIO, names, 1);
    sim_object_init(small->world, &small->node, NULL, "node", SIM_NAME_PLAIN);
    for (uint32_t i = 0; i < SMALL_OBJECT_MAX; i++) {
        sim_object_init(small->world, &small->objects[i], &small->node, "thing", SIM_NAME_INDEXED);
    }
    for (uint32_t i = 0; i < actor_count; i++) {
        struct sim_cpu *cpu = sim_cpu_create(small->world, &small->node);

        small->actors[i] = (struct small_actor){small, i};
        (void)sim_task_create(cpu, &small->node, "actor", small_entry, &small->actors[i], NULL);
    }
}

static inline void small_create(struct small *small, uint32_t actor_count,
                                void (*act)(struct small *small, uint32_t actor)) {
    small_set_up(small, actor_count, act);
    sim_world_snapshot(small->world);
}

/* True if the run has failed. */
static inline bool small_run(struct small *small, struct sim_explorer *explorer, uint64_t index) {
    const struct sim_config config = {.seed = 1, .chooser = sim_explorer_begin(explorer, index)};

    memset(small->memory, 0, sizeof(small->memory));
    small->has_failed = false;
    sim_world_reset(small->world, &config);
    sim_explorer_watch(explorer, small->world);
    assert_int_equal(sim_run(small->world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    return small->has_failed;
}

/* The world lets go of the explorer's chooser with its next reset. */
static inline void small_explorer_destroy(struct small *small, struct sim_explorer *explorer) {
    const struct sim_config config = {.seed = 1};

    sim_world_reset(small->world, &config);
    sim_explorer_destroy(explorer);
}

static inline void small_destroy(struct small *small) {
    sim_world_destroy(small->world);
}

static inline struct sim_explorer *small_explorer(const char *strategy, uint64_t seed) {
    const struct sim_explorer_options options = {.strategy = strategy, .seed = seed};
    char error[128] = "";
    struct sim_explorer *explorer = sim_explorer_create(&options, error, sizeof(error));

    assert_string_equal(error, "");
    assert_non_null(explorer);
    return explorer;
}

#endif
