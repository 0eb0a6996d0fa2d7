/* SPDX-License-Identifier: Apache-2.0 */
/* Registered checks: when they are looked at, what a failed one is, and those of sim itself. */
#include <sim/check.h>
#include <sim/event.h>
#include <sim/trace.h>

#include "node.h"
#include "world.h"

static uint64_t looks;
static uint64_t fails_at; /* 0: never */

static bool counts(struct sim_world *world, char *text, size_t size) {
    (void)world;
    assert_null(sim_task_current());
    looks++;
    snprintf(text, size, "look %u", (unsigned)looks);
    return looks != fails_at;
}

static const struct sim_check counted[] = {{"test.counted", "It is looked at.", counts}};

static void work(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < 100; i++) {
        pass();
        sim_trace(sim_world_active(), SIM_TRACE_DRIVER, SIM_ACCESS_WRITE, &node, NULL, NULL, i, 0);
    }
}

/* A run of two tasks with a look every `steps` steps; its digest. */
static uint64_t run_with(struct sim_world *world, uint64_t steps) {
    const struct sim_config config = {.seed = 1, .check_steps = steps};

    sim_world_reset(world, &config);
    looks = 0;
    (void)run_all(world);
    return sim_digest(world);
}

static void make(struct sim_world *world) {
    fails_at = 0;
    make_node(world);
    sim_check_register(world, counted, 1);
    (void)start(cpus[0], work, NULL);
    (void)start(cpus[1], work, NULL);
    sim_world_snapshot(world);
}

static void checks_are_looked_at_every_so_many_steps(void **state) {
    struct sim_world *world = *state;

    make(world);
    (void)run_with(world, 0);
    assert_int_equal(looks, 0);
    /* A step that a context is entered with may be over only with the next one. */
    (void)run_with(world, 1);
    assert_in_range(looks, sim_step_count(world) - 2, sim_step_count(world));
    (void)run_with(world, 10);
    assert_int_equal(looks, sim_step_count(world) / 10);
}

static void looking_changes_neither_digest_nor_steps(void **state) {
    struct sim_world *world = *state;
    uint64_t digest, steps;

    make(world);
    digest = run_with(world, 0);
    steps = sim_step_count(world);
    for (uint64_t every = 1; every < 20; every += 3) {
        assert_true(run_with(world, every) == digest);
        assert_int_equal(sim_step_count(world), steps);
    }
}

static void a_failed_check_ends_the_run_with_its_name(void **state) {
    struct sim_world *world = *state;
    const struct sim_finding *finding;

    make(world);
    fails_at = 7;
    (void)run_with(world, 3);
    assert_int_equal(looks, 7);
    assert_int_equal(sim_step_count(world), 21);
    assert_int_equal(sim_finding_count(world), 1);
    finding = sim_finding_at(world, 0);
    assert_int_equal(finding->verdict, SIM_VERDICT_INTERNAL);
    assert_string_equal(finding->name, "test.counted");
    assert_string_equal(finding->sentence, "the check test.counted does not hold: look 7");
}

static void ignore_event(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
}

/* All hold now, and after `spoil` the named one does not. */
static void expect_spoilt(struct sim_world *world, void (*spoil)(struct sim_world *world),
                          const char *name) {
    assert_true(sim_check_all(world));
    spoil(world);
    assert_false(sim_check_all(world));
    assert_string_equal(sim_finding_at(world, 0)->name, name);
}

static void spoil_enabled(struct sim_world *world) {
    world->sched.enabled ^= 1;
}
static void spoil_pinned(struct sim_world *world) {
    world->sched.cpus[0]->pinned = world->sched.cpus[0]->ready.first;
    sim_cpu_update(world->sched.cpus[0]);
}
static void spoil_ready(struct sim_world *world) {
    world->sched.cpus[0]->ready.first->linked = false;
}
static void spoil_count(struct sim_world *world) {
    world->queue.count++;
}
static void spoil_order(struct sim_world *world) {
    (void)sim_event_head(world);
    world->queue.bottom.head->due_ns = 1000;
}

static void sim_itself_sees_what_is_spoilt(void **state) {
    static const struct {
        void (*spoil)(struct sim_world *world);
        const char *name;
    } cases[] = {{spoil_enabled, "sim.cpus"},
                 {spoil_pinned, "sim.cpus"},
                 {spoil_ready, "sim.cpus"},
                 {spoil_count, "sim.events"},
                 {spoil_order, "sim.events"}};
    struct sim_world *world = *state;
    struct sim_event *events = sim_alloc(world, 2 * sizeof(*events));

    make_node(world);
    (void)start(cpus[0], work, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        sim_event_init(&events[i], "test", NULL, ignore_event);
        sim_event_schedule_at(world, &events[i], 100 + i);
    }
    sim_world_snapshot(world);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        reset_with_seed(world, 1);
        expect_spoilt(world, cases[i].spoil, cases[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(checks_are_looked_at_every_so_many_steps),
        WORLD_TEST(looking_changes_neither_digest_nor_steps),
        WORLD_TEST(a_failed_check_ends_the_run_with_its_name),
        WORLD_TEST(sim_itself_sees_what_is_spoilt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
