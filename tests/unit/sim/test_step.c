/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stepper: who is offered to the chooser, yields, starvation, limits, and that a run is a pure
 * function of its choices.
 */
#include <sim/event.h>
#include <sim/trace.h>

#include "node.h"

/* A chooser that a test scripts: `pick` answers, and the last line-up is kept. */
struct scripted {
    struct sim_chooser base;
    uint32_t (*pick)(const struct sim_choice *choice);
    uint64_t asked;
};

static void scripted_begin(struct sim_chooser *chooser, uint64_t seed) {
    (void)chooser;
    (void)seed;
}

static void scripted_end(struct sim_chooser *chooser) {
    (void)chooser;
}

static uint32_t scripted_choose(struct sim_chooser *chooser, struct sim_world *world,
                                const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct scripted *scripted = SIM_CONTAINER_OF(chooser, struct scripted, base);
    (void)world;
    (void)key;
    scripted->asked++;
    return scripted->pick(choice);
}

static struct scripted scripted = {
    .base = {.name = "scripted",
             .begin = scripted_begin,
             .choose = scripted_choose,
             .end = scripted_end,
             .destroy = scripted_end},
};

static struct sim_world *make_scripted(uint32_t (*pick)(const struct sim_choice *choice)) {
    const struct sim_config config = {.seed = 1, .chooser = &scripted.base};
    struct sim_world *world = sim_world_create(&config);
    scripted.pick = pick;
    scripted.asked = 0;
    make_node(world);
    return world;
}

static void pass_three(void *argument) {
    for (int i = 0; i < 3; i++) {
        note(*(const char *)argument);
        pass();
    }
}

static struct sim_event event;
static bool event_came;

static void on_event(struct sim_world *world, struct sim_event *delivered) {
    (void)world;
    (void)delivered;
    event_came = true;
    note('e');
}

static void schedule(struct sim_world *world, uint64_t due_ns) {
    event_came = false;
    sim_event_init(&event, "packet", &node, on_event);
    sim_event_schedule_at(world, &event, due_ns);
}

/* ---- The line-up ---- */

static uint32_t seen_option_count;
static uint32_t seen_actors[8];
static uint32_t seen_subject;
static char seen_label[32];

static uint32_t look_and_go_on(const struct sim_choice *choice) {
    if (seen_option_count == 0) {
        seen_option_count = choice->option_count;
        seen_subject = choice->subject->id;
        for (uint32_t i = 0; i < choice->option_count && i < 8; i++) {
            seen_actors[i] = choice->options[i].actor_id;
        }
        const char *label = choice->options[choice->option_count - 1].label;
        snprintf(seen_label, sizeof(seen_label), "%s", label != NULL ? label : "");
    }
    return 0;
}

static void every_ready_thread_and_the_head_event_are_options(void **state) {
    struct sim_world *world = make_scripted(look_and_go_on);
    (void)state;
    seen_option_count = 0;
    struct sim_task *tasks[3] = {start(cpus[0], pass_three, "a"), start(cpus[0], pass_three, "b"),
                                 start(cpus[1], pass_three, "c")};
    schedule(world, 1000);
    assert_int_equal(run_all(world), SIM_RUN_IDLE);
    assert_int_equal(seen_option_count, 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(seen_actors[i], sim_task_object(tasks[i])->id);
    }
    assert_int_equal(seen_actors[3], 0);
    assert_string_equal(seen_label, "packet");
    assert_int_equal(seen_subject, sim_task_object(tasks[0])->id);
    assert_string_equal(done, "aaabbbccce");
    sim_world_destroy(world);
}

static void stay_high(void *argument) {
    (void)argument;
    sim_cpu_raise(own_cpu(), SIM_LEVEL_DISPATCH);
    pass();
    pass();
    sim_cpu_lower(own_cpu(), SIM_LEVEL_PASSIVE);
}

static uint32_t first_count, high_count;

static uint32_t count_options(const struct sim_choice *choice) {
    if (sim_cpu_level(cpus[0]) == SIM_LEVEL_DISPATCH) {
        high_count = choice->option_count;
    } else if (first_count == 0) {
        first_count = choice->option_count;
    }
    return 0;
}

static void a_cpu_at_dispatch_is_one_option(void **state) {
    struct sim_world *world = make_scripted(count_options);
    (void)state;
    first_count = 0;
    start(cpus[0], stay_high, NULL);
    start(cpus[0], pass_three, "a");
    start(cpus[0], pass_three, "b");
    start(cpus[1], pass_three, "c");
    assert_int_equal(run_all(world), SIM_RUN_IDLE);
    assert_int_equal(first_count, 4);
    assert_int_equal(high_count, 2);
    sim_world_destroy(world);
}

static uint32_t go_on(const struct sim_choice *choice) {
    (void)choice;
    return 0;
}

static bool count_looks(struct sim_world *world, void *context) {
    uint32_t *count = context;
    (void)world;
    (*count)++;
    return false;
}

static bool goes_on_unseen(struct sim_chooser *chooser, const struct sim_world *world,
                           const struct sim_choice_key *key, const struct sim_option *own) {
    (void)chooser;
    (void)world;
    (void)key;
    (void)own;
    return true;
}

static uint32_t looks(bool sees_options) {
    struct sim_world *world = make_scripted(go_on);
    uint32_t count = 0;
    scripted.base.goes_on = sees_options ? NULL : goes_on_unseen;
    start(cpus[0], pass_three, "a");
    start(cpus[0], pass_three, "b");
    start(cpus[1], pass_three, "c");
    schedule(world, 1000);
    assert_int_equal(sim_run(world, count_looks, &count, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_string_equal(done, "aaabbbccce");
    sim_world_destroy(world);
    return count;
}

/* One that sees all options asks no oftener than one that goes on without: else replays differ. */
static void the_condition_is_asked_alike_whatever_the_chooser_looks_at(void **state) {
    (void)state;
    uint32_t seen = looks(true);
    assert_int_equal(seen, looks(false));
    scripted.base.goes_on = NULL;
}

static uint32_t pick_last(const struct sim_choice *choice) {
    return choice->option_count - 1;
}

static void the_head_event_can_come_while_tasks_are_ready(void **state) {
    struct sim_world *world = make_scripted(pick_last);
    (void)state;
    start(cpus[0], pass_three, "a");
    schedule(world, 12345);
    assert_int_equal(run_all(world), SIM_RUN_IDLE);
    assert_string_equal(done, "eaaa");
    assert_int_equal(sim_now_ns(world), 12345 + 3 * SIM_POINT_COST_NS);
    sim_world_destroy(world);
}

static uint32_t pick_second(const struct sim_choice *choice) {
    (void)choice;
    return 1;
}

static void a_thread_can_be_preempted_at_every_point(void **state) {
    struct sim_world *world = make_scripted(pick_second);
    (void)state;
    start(cpus[0], pass_three, "a");
    start(cpus[0], pass_three, "b");
    assert_int_equal(run_all(world), SIM_RUN_IDLE);
    assert_string_equal(done, "bababa");
    sim_world_destroy(world);
}

static void nobody_is_asked_with_one_option(void **state) {
    struct sim_world *world = make_scripted(pick_last);
    (void)state;
    start(cpus[0], pass_three, "a");
    assert_int_equal(run_all(world), SIM_RUN_IDLE);
    assert_int_equal(scripted.asked, 0);
    sim_world_destroy(world);
}

/* ---- Yields ---- */

static uint64_t polls[2];

static void poll_for_event(void *argument) {
    uint64_t *count = argument;
    while (!event_came) {
        (*count)++;
        pass();
    }
}

static void a_poller_gets_its_event_however_far_off(void **state) {
    static const uint64_t dues_ns[] = {0, 10000, SIM_NS_PER_MS, SIM_NS_PER_S, 3600 * SIM_NS_PER_S};
    for (size_t i = 0; i < SIM_ARRAY_COUNT(dues_ns); i++) {
        polls[0] = polls[1] = 0;
        reset_with_seed(*state, 1);
        schedule(*state, dues_ns[i]);
        start(cpus[0], poll_for_event, &polls[0]);
        start(cpus[1], poll_for_event, &polls[1]);
        assert_int_equal(run_all(*state), SIM_RUN_IDLE);
        assert_true(event_came);
        assert_in_range(sim_step_count(*state), 1000, 200000);
    }
}

static void a_busy_task_does_not_fire_timers_of_seconds(void **state) {
    polls[0] = 0;
    schedule(*state, SIM_NS_PER_S);
    start(cpus[0], poll_for_event, &polls[0]);
    assert_int_equal(sim_run(*state, NULL, NULL, 3000 * SIM_POINT_COST_NS), SIM_RUN_UNTIL);
    assert_false(event_came);
    assert_int_equal(polls[0], 3000);
}

static void work_and_say_so(void *argument) {
    for (int i = 0; i < 1000000; i++) {
        if (i % 500 == 0) {
            sim_task_progress();
        }
        pass();
    }
    *(bool *)argument = event_came;
}

static void work_that_is_said_to_be_work_fires_no_later_timer(void **state) {
    bool came_early = true;
    schedule(*state, SIM_NS_PER_S);
    start(cpus[0], work_and_say_so, &came_early);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_false(came_early);
    assert_true(event_came);
    assert_int_equal(sim_now_ns(*state), SIM_NS_PER_S);
}

static void a_row_of_points_ends_after_a_thousand(void **state) {
    polls[0] = polls[1] = 0;
    schedule(*state, SIM_NS_PER_S);
    start(cpus[0], poll_for_event, &polls[0]);
    start(cpus[1], poll_for_event, &polls[1]);
    assert_int_equal(sim_run(*state, NULL, NULL, 1500 * SIM_POINT_COST_NS), SIM_RUN_UNTIL);
    assert_int_equal(polls[0], 1000);
    assert_int_equal(polls[1], 500);
}

static void pollers_of_one_cpu_take_turns(void **state) {
    polls[0] = polls[1] = 0;
    schedule(*state, SIM_NS_PER_S);
    start(cpus[0], poll_for_event, &polls[0]);
    start(cpus[0], poll_for_event, &polls[1]);
    assert_int_equal(sim_run(*state, NULL, NULL, 4000 * SIM_POINT_COST_NS), SIM_RUN_UNTIL);
    assert_int_equal(polls[0], 2000);
    assert_int_equal(polls[1], 2000);
}

/* ---- Starvation ---- */

static uint32_t favourite_id;

static uint32_t always_the_favourite(const struct sim_choice *choice) {
    for (uint32_t i = 0; i < choice->option_count; i++) {
        if (choice->options[i].actor_id == favourite_id) {
            return i;
        }
    }
    return 0;
}

static void work_long(void *argument) {
    uint64_t *count = argument;
    for (int i = 0; i < 900; i++) {
        (*count)++;
        sim_point(&node, SIM_ACCESS_WRITE, SIM_NS_PER_MS);
    }
}

static void a_cpu_that_is_passed_over_runs_without_a_choice(void **state) {
    struct sim_world *world = make_scripted(always_the_favourite);
    (void)state;
    polls[0] = polls[1] = 0;
    favourite_id = sim_task_object(start(cpus[0], work_long, &polls[0]))->id;
    start(cpus[1], work_long, &polls[1]);
    (void)sim_run(world, NULL, NULL, 500 * SIM_NS_PER_MS);
    assert_in_range(polls[1], 9, 11);
    /* Nearly all of the time was the other one's. */
    assert_in_range(sim_cpu_late_ns(cpus[1]), 430 * SIM_NS_PER_MS, 500 * SIM_NS_PER_MS);
    assert_in_range(sim_cpu_late_ns(cpus[0]), 0, 20 * SIM_NS_PER_MS);
    sim_world_destroy(world);
}

static void an_event_that_is_passed_over_comes_without_a_choice(void **state) {
    struct sim_world *world = make_scripted(always_the_favourite);
    (void)state;
    polls[0] = 0;
    favourite_id = sim_task_object(start(cpus[0], work_long, &polls[0]))->id;
    schedule(world, 10 * SIM_NS_PER_MS);
    (void)sim_run(world, NULL, NULL, 59 * SIM_NS_PER_MS);
    assert_false(event_came);
    (void)sim_run(world, NULL, NULL, 62 * SIM_NS_PER_MS);
    assert_true(event_came);
    sim_world_destroy(world);
}

/* ---- Determinism ---- */

static uint32_t shared_number;

static void race(void *argument) {
    struct sim_world *world = sim_task_world(sim_task_current());
    uint16_t type = sim_trace_type_of(world, "test.race");
    uint32_t number = *(const uint32_t *)argument;
    for (int i = 0; i < 20; i++) {
        uint32_t read = shared_number;
        pass();
        shared_number = read * 3 + number;
        sim_trace(world, type, SIM_ACCESS_WRITE, &node, NULL, NULL, shared_number, 0);
        if (i % 7 == 0) {
            (void)sim_task_wait(&node, "pause", sim_now_ns(world) + 100);
        }
    }
}

struct outcome {
    uint64_t digest, order, now_ns, choices;
};

static void set_up_race(void) {
    static const uint32_t numbers[4] = {1, 2, 3, 4};
    shared_number = 0;
    for (int i = 0; i < 4; i++) {
        start(cpus[i % 2], race, (void *)(uintptr_t)&numbers[i]);
    }
}

static struct outcome finish_race(struct sim_world *world, uint64_t cut_ns) {
    enum sim_run_end end = SIM_RUN_UNTIL;
    for (uint64_t until_ns = cut_ns; end == SIM_RUN_UNTIL; until_ns += cut_ns) {
        end = sim_run(world, NULL, NULL, cut_ns == 0 ? SIM_TIME_NEVER : until_ns);
    }
    assert_int_equal(end, SIM_RUN_IDLE);
    return (struct outcome){sim_digest(world), sim_order_hash(world), sim_now_ns(world),
                            sim_choice_count(world)};
}

static struct outcome run_race(uint64_t seed, uint64_t cut_ns) {
    static const struct sim_chooser_random_options options = {.step_ppm = 200000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);
    const struct sim_config config = {.seed = seed, .chooser = chooser};
    struct sim_world *world = sim_world_create(&config);
    make_node(world);
    set_up_race();
    struct outcome outcome = finish_race(world, cut_ns);
    sim_world_destroy(world);
    sim_chooser_destroy(chooser);
    return outcome;
}

static void one_seed_gives_one_run(void **state) {
    uint64_t distinct = 0, before = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct outcome first = run_race(seed, 0);
        struct outcome second = run_race(seed, 0);
        assert_memory_equal(&first, &second, sizeof(first));
        distinct += first.order != before ? 1 : 0;
        before = first.order;
    }
    assert_in_range(distinct, 45, 50);
}

static void cutting_a_run_into_calls_does_not_change_it(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct outcome whole = run_race(seed, 0);
        struct outcome cut = run_race(seed, 1 + seed * 7);
        assert_memory_equal(&whole, &cut, sizeof(whole));
    }
}

static void a_reset_gives_the_run_of_a_fresh_world(void **state) {
    static const struct sim_chooser_random_options options = {.step_ppm = 200000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);
    struct sim_config config = {.seed = 1, .chooser = chooser};
    (void)state;
    struct sim_world *world = sim_world_create(&config);
    make_node(world);
    sim_world_snapshot(world);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        config.seed = seed;
        sim_world_reset(world, &config);
        set_up_race();
        struct outcome again = finish_race(world, 0);
        config.seed = 1;
        assert_int_equal(again.digest == 0, 0);
        sim_world_reset(world, &config);
        config.seed = seed;
        sim_world_reset(world, &config);
        set_up_race();
        struct outcome twice = finish_race(world, 0);
        assert_memory_equal(&again, &twice, sizeof(again));
    }
    sim_world_destroy(world);
    struct outcome fresh = run_race(7, 0);
    config.seed = 7;
    world = sim_world_create(&config);
    make_node(world);
    sim_world_snapshot(world);
    set_up_race();
    finish_race(world, 0);
    sim_world_reset(world, &config);
    set_up_race();
    struct outcome reset = finish_race(world, 0);
    assert_memory_equal(&fresh, &reset, sizeof(fresh));
    sim_world_destroy(world);
    sim_chooser_destroy(chooser);
}

/* ---- What ends a run ---- */

static void limits_end_a_run(void **state) {
    struct sim_config config = {.seed = 1, .steps_max = 10};
    sim_world_reset(*state, &config);
    start(cpus[0], work_long, &polls[0]);
    assert_int_equal(run_all(*state), SIM_RUN_LIMIT);
    assert_int_equal(sim_step_count(*state), 10);
    config.steps_max = 0;
    config.time_max_ns = 5 * SIM_NS_PER_MS;
    sim_world_reset(*state, &config);
    start(cpus[0], work_long, &polls[0]);
    assert_int_equal(run_all(*state), SIM_RUN_LIMIT);
    assert_int_equal(sim_now_ns(*state), config.time_max_ns);
    sim_world_reset(*state, &config);
    schedule(*state, SIM_NS_PER_S);
    assert_int_equal(run_all(*state), SIM_RUN_LIMIT);
    assert_int_equal(sim_now_ns(*state), config.time_max_ns);
    assert_false(event_came);
}

static void time_stands_at_the_end_of_a_call(void **state) {
    schedule(*state, 1000);
    assert_int_equal(sim_run(*state, NULL, NULL, 400), SIM_RUN_UNTIL);
    assert_int_equal(sim_now_ns(*state), 400);
    assert_int_equal(sim_run(*state, NULL, NULL, 1000), SIM_RUN_UNTIL);
    assert_int_equal(sim_now_ns(*state), 1000);
    assert_true(event_came);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
}

static void an_interrupt_ends_the_next_call_once(void **state) {
    schedule(*state, 1000);
    sim_run_interrupt();
    assert_int_equal(run_all(*state), SIM_RUN_INTERRUPTED);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_true(event_came);
}

static void find_rule(void *argument) {
    struct sim_finding finding;
    (void)argument;
    note('f');
    sim_finding_init(&finding, SIM_VERDICT_RULE, "R-TEST-01", "");
    sim_finding_say(&finding, "A rule of the test was broken.");
    sim_find(sim_task_world(sim_task_current()), &finding);
    note('!');
}

static void a_finding_ends_the_run_and_a_reset_begins_a_new_one(void **state) {
    start(cpus[0], find_rule, NULL);
    start(cpus[0], pass_three, "a");
    for (int round = 0; round < 3; round++) {
        assert_int_equal(run_all(*state), SIM_RUN_FINDING);
        assert_string_equal(done, "f");
        assert_int_equal(sim_finding_count(*state), 1);
        assert_null(sim_task_current());
        assert_int_equal(run_all(*state), SIM_RUN_FINDING);
        reset_with_seed(*state, 1);
        done_count = 0;
        start(cpus[0], find_rule, NULL);
    }
}

static int node_setup(void **state) {
    int result = world_setup(state);
    make_node(*state);
    sim_world_snapshot(*state);
    return result;
}

#define NODE_TEST(function) cmocka_unit_test_setup_teardown(function, node_setup, world_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ready_thread_and_the_head_event_are_options),
        cmocka_unit_test(a_cpu_at_dispatch_is_one_option),
        cmocka_unit_test(the_condition_is_asked_alike_whatever_the_chooser_looks_at),
        cmocka_unit_test(the_head_event_can_come_while_tasks_are_ready),
        cmocka_unit_test(a_thread_can_be_preempted_at_every_point),
        cmocka_unit_test(nobody_is_asked_with_one_option),
        NODE_TEST(a_poller_gets_its_event_however_far_off),
        NODE_TEST(a_busy_task_does_not_fire_timers_of_seconds),
        NODE_TEST(work_that_is_said_to_be_work_fires_no_later_timer),
        NODE_TEST(a_row_of_points_ends_after_a_thousand),
        NODE_TEST(pollers_of_one_cpu_take_turns),
        cmocka_unit_test(a_cpu_that_is_passed_over_runs_without_a_choice),
        cmocka_unit_test(an_event_that_is_passed_over_comes_without_a_choice),
        cmocka_unit_test(one_seed_gives_one_run),
        cmocka_unit_test(cutting_a_run_into_calls_does_not_change_it),
        cmocka_unit_test(a_reset_gives_the_run_of_a_fresh_world),
        NODE_TEST(limits_end_a_run),
        NODE_TEST(time_stands_at_the_end_of_a_call),
        NODE_TEST(an_interrupt_ends_the_next_call_once),
        NODE_TEST(a_finding_ends_the_run_and_a_reset_begins_a_new_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
