/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: points, waits, wakes, deadlines, spins, moves, ends, stacks, snapshots in the middle.
 */
#include <sim/event.h>
#include <sim/trace.h>

#include "node.h"

static void three_points(void *argument) {
    for (int i = 0; i < 3; i++) {
        note(*(const char *)argument);
        sim_point(&node, SIM_ACCESS_WRITE, SIM_POINT_COST_NS);
    }
}

static void a_task_goes_on_until_it_ends_when_nobody_chooses(void **state) {
    make_node(*state);
    start(cpus[0], three_points, "a");
    start(cpus[0], three_points, "b");
    start(cpus[1], three_points, "c");
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "aaabbbccc");
    assert_int_equal(sim_now_ns(*state), 9 * SIM_POINT_COST_NS);
}

static uint64_t wake_reason;

static void wait_until(void *argument) {
    note('w');
    wake_reason = sim_task_wait(&node, "the test", *(const uint64_t *)argument);
    note('g');
}

static void wake_other(void *argument) {
    sim_point(&node, SIM_ACCESS_WRITE, 100);
    note(sim_task_wake(argument, 7) ? 'y' : 'n');
}

static void a_wake_gives_its_reason_to_who_waits(void **state) {
    uint64_t never = SIM_TIME_NEVER;
    make_node(*state);
    struct sim_task *waiter = start(cpus[0], wait_until, &never);
    start(cpus[1], wake_other, waiter);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "wyg");
    assert_int_equal(wake_reason, 7);
    assert_int_equal(sim_task_state(waiter), SIM_TASK_DONE);
}

static void a_wait_ends_at_its_deadline(void **state) {
    uint64_t deadline_ns = 5000;
    make_node(*state);
    start(cpus[0], wait_until, &deadline_ns);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "wg");
    assert_true(wake_reason == SIM_WAKE_TIMEOUT);
    assert_int_equal(sim_now_ns(*state), 5000);
}

static void a_wake_before_the_deadline_takes_the_timeout_back(void **state) {
    uint64_t deadline_ns = 5000;
    make_node(*state);
    struct sim_task *waiter = start(cpus[0], wait_until, &deadline_ns);
    start(cpus[1], wake_other, waiter);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_int_equal(wake_reason, 7);
    assert_int_equal(sim_event_count(*state), 0);
    assert_true(sim_now_ns(*state) < 5000);
}

static void a_wake_after_the_deadline_says_that_it_came_late(void **state) {
    uint64_t deadline_ns = 50;
    make_node(*state);
    struct sim_task *waiter = start(cpus[0], wait_until, &deadline_ns);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    start(cpus[1], wake_other, waiter);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "wgn");
    assert_true(wake_reason == SIM_WAKE_TIMEOUT);
}

static void hold_lock(void *argument) {
    (void)argument;
    sim_cpu_raise(cpus[0], SIM_LEVEL_DISPATCH);
    note('h');
    sim_point(&node, SIM_ACCESS_LOCK, 1);
    sim_point(&node, SIM_ACCESS_LOCK, 1);
    note('r');
    sim_spin_release(sim_task_world(sim_task_current()), 42);
    sim_cpu_lower(cpus[0], SIM_LEVEL_PASSIVE);
}

static void spin_for_lock(void *argument) {
    sim_cpu_raise(cpus[1], SIM_LEVEL_DISPATCH);
    note('s');
    sim_task_spin(42, argument);
    note('t');
    sim_cpu_lower(cpus[1], SIM_LEVEL_PASSIVE);
}

static void a_spinner_on_another_cpu_goes_on_after_the_release(void **state) {
    make_node(*state);
    struct sim_task *spinner = start(cpus[1], spin_for_lock, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_int_equal(sim_task_state(spinner), SIM_TASK_SPINNING);
    start(cpus[1], three_points, "x");
    start(cpus[0], hold_lock, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    /* Its CPU is blocked below DISPATCH until it has the lock. */
    assert_string_equal(done, "shrtxxx");
}

struct blocked_seen {
    uint32_t count;
    const struct sim_object *holder[4];
    const struct sim_object *task[4];
    const char *why[4];
};

static void see_blocked(void *context, const struct sim_blocked *blocked) {
    struct blocked_seen *seen = context;
    seen->task[seen->count] = blocked->task;
    seen->holder[seen->count] = blocked->holder;
    seen->why[seen->count++] = blocked->why;
}

static struct sim_task *pair[2];

static void spin_on_each_other(void *argument) {
    uint32_t self = *(const uint32_t *)argument;
    sim_cpu_raise(cpus[self], SIM_LEVEL_DISPATCH);
    sim_task_spin(self, pair[1 - self]);
}

static void a_deadlock_is_seen_with_its_holders(void **state) {
    static const uint32_t numbers[2] = {0, 1};
    struct blocked_seen seen = {0};
    uint64_t never = SIM_TIME_NEVER;
    make_node(*state);
    pair[0] = start(cpus[0], spin_on_each_other, (void *)(uintptr_t)&numbers[0]);
    pair[1] = start(cpus[1], spin_on_each_other, (void *)(uintptr_t)&numbers[1]);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    start(cpus[0], wait_until, &never);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    sim_blocked_visit(*state, see_blocked, &seen);
    assert_int_equal(seen.count, 2);
    assert_ptr_equal(seen.task[0], sim_task_object(pair[0]));
    assert_ptr_equal(seen.holder[0], sim_task_object(pair[1]));
    assert_ptr_equal(seen.task[1], sim_task_object(pair[1]));
    assert_ptr_equal(seen.holder[1], sim_task_object(pair[0]));
}

static void a_waiting_task_is_seen_with_what_it_waits_for(void **state) {
    struct blocked_seen seen = {0};
    uint64_t never = SIM_TIME_NEVER;
    make_node(*state);
    struct sim_task *waiter = start(cpus[0], wait_until, &never);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    sim_blocked_visit(*state, see_blocked, &seen);
    assert_int_equal(seen.count, 1);
    assert_ptr_equal(seen.task[0], sim_task_object(waiter));
    assert_string_equal(seen.why[0], "the test");
}

static void move_over(void *argument) {
    (void)argument;
    assert_ptr_equal(sim_task_cpu(sim_task_current()), cpus[0]);
    sim_task_move(cpus[1]);
    assert_ptr_equal(sim_task_cpu(sim_task_current()), cpus[1]);
    note('m');
}

static void a_thread_moves_to_another_cpu(void **state) {
    make_node(*state);
    start(cpus[0], move_over, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "m");
}

static uintptr_t stack_low;

static void tell_stack(void *argument) {
    uintptr_t high;
    volatile unsigned char frame[256];
    (void)argument;
    frame[0] = 1;
    sim_task_stack(sim_task_current(), &stack_low, &high);
    assert_in_range((uintptr_t)frame, stack_low, high - 1);
    assert_int_equal(high - stack_low, SIM_TASK_STACK_BYTES);
}

static void a_stack_is_used_again_after_its_task_ended(void **state) {
    uintptr_t first;
    make_node(*state);
    start(cpus[0], tell_stack, NULL);
    run_all(*state);
    first = stack_low;
    start(cpus[1], tell_stack, NULL);
    run_all(*state);
    assert_int_equal(stack_low, first);
}

static const void *live_address, *dead_address;

static __attribute__((noinline)) const void *dead_frame(void) {
    volatile unsigned char frame[512];
    volatile uintptr_t address = (uintptr_t)frame;
    frame[0] = 1;
    return (const void *)address;
}

static void check_own_frames(void *argument) {
    struct sim_world *world = sim_task_world(sim_task_current());
    struct sim_task *task = NULL;
    volatile int local = 0;
    (void)argument;
    live_address = (const void *)&local;
    dead_address = dead_frame();
    assert_true(sim_stack_is_live(world, live_address, &task));
    assert_ptr_equal(task, sim_task_current());
    assert_false(sim_stack_is_live(world, dead_address, &task));
    assert_ptr_equal(task, sim_task_current());
    sim_point(&node, SIM_ACCESS_NONE, 1);
    sim_task_wait(NULL, "for the check", SIM_TIME_NEVER);
}

static void frames_are_live_until_their_function_returns(void **state) {
    struct sim_task *task = NULL;
    make_node(*state);
    struct sim_task *owner = start(cpus[0], check_own_frames, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_true(sim_stack_is_live(*state, live_address, &task));
    assert_ptr_equal(task, owner);
    assert_false(sim_stack_is_live(*state, (const char *)live_address - 4096, &task));
    assert_ptr_equal(task, owner);
    assert_false(sim_stack_is_live(*state, &node, &task));
    assert_null(task);
}

/* ---- Snapshots ---- */

static uint64_t sum;

static void count_with_locals(void *argument) {
    struct sim_world *world = sim_task_world(sim_task_current());
    uint64_t locals[32];
    (void)argument;
    for (uint64_t i = 0; i < SIM_ARRAY_COUNT(locals); i++) {
        locals[i] = i;
    }
    for (int round = 0; round < 10; round++) {
        uint64_t reason = sim_task_wait(&node, "round", sim_now_ns(world) + 1000);
        locals[round] += reason == SIM_WAKE_TIMEOUT ? 1 : 2;
        sim_trace(world, sim_trace_type_of(world, "test.round"), SIM_ACCESS_WRITE, &node, NULL,
                  NULL, locals[round], (uint64_t)round);
    }
    for (uint64_t i = 0; i < SIM_ARRAY_COUNT(locals); i++) {
        sum += locals[i];
    }
}

static void set_up_waiters(struct sim_world *world) {
    make_node(world);
    for (int i = 0; i < 8; i++) {
        start(cpus[i % 2], count_with_locals, NULL);
    }
    assert_int_equal(sim_run(world, NULL, NULL, 3500), SIM_RUN_UNTIL);
    sum = 0;
}

static void a_reset_brings_blocked_tasks_back_in_the_middle(void **state) {
    struct sim_config config = {.seed = 1};
    uint64_t digest, end_ns;
    set_up_waiters(*state);
    sim_world_snapshot(*state);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    digest = sim_digest(*state);
    end_ns = sim_now_ns(*state);
    assert_int_equal(sum, 8 * (31 * 32 / 2 + 10));
    for (int round = 0; round < 5; round++) {
        sim_world_reset(*state, &config);
        sum = 0;
        assert_int_equal(sim_now_ns(*state), 3500);
        assert_int_equal(run_all(*state), SIM_RUN_IDLE);
        assert_int_equal(sum, 8 * (31 * 32 / 2 + 10));
        assert_true(sim_digest(*state) == digest);
        assert_int_equal(sim_now_ns(*state), end_ns);
    }
    sim_world_destroy(*state);
    *state = sim_world_create(&config);
    set_up_waiters(*state);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_true(sim_digest(*state) == digest);
}

static uint64_t garbage;

/* What a frame would find in its locals before it writes them. */
static __attribute__((noinline, no_sanitize("address", "undefined"))) void read_garbage(void) {
    uintptr_t low, high;
    sim_task_stack(sim_task_current(), &low, &high);
    uintptr_t from = (uintptr_t)__builtin_frame_address(0) - 8192;
    garbage = 0;
    for (uintptr_t at = from; at < from + 7936; at += sizeof(uint64_t)) {
        garbage = sim_hash_mix(garbage, *(const volatile uint64_t *)at);
    }
}

static __attribute__((noinline)) void go_deep(uint32_t levels) {
    volatile unsigned char frame[300];
    memset((void *)(uintptr_t)frame, (int)levels, sizeof(frame));
    if (levels != 0) {
        go_deep(levels - 1);
    }
    frame[1] = 1;
}

static void wait_then_read_garbage(void *argument) {
    (void)argument;
    go_deep(20);
    sim_task_wait(NULL, "start", SIM_TIME_NEVER);
    read_garbage();
    go_deep(60);
}

static void what_lies_below_the_frames_is_the_same_in_every_run(void **state) {
    struct sim_config config = {.seed = 1};
    uint64_t first = 0;
    make_node(*state);
    struct sim_task *task = start(cpus[0], wait_then_read_garbage, NULL);
    run_all(*state);
    sim_world_snapshot(*state);
    for (int round = 0; round < 4; round++) {
        if (round != 0) {
            sim_world_reset(*state, &config);
        }
        sim_task_wake(task, 0);
        assert_int_equal(run_all(*state), SIM_RUN_IDLE);
        first = round == 0 ? garbage : first;
        assert_true(garbage == first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_task_goes_on_until_it_ends_when_nobody_chooses),
        WORLD_TEST(a_wake_gives_its_reason_to_who_waits),
        WORLD_TEST(a_wait_ends_at_its_deadline),
        WORLD_TEST(a_wake_before_the_deadline_takes_the_timeout_back),
        WORLD_TEST(a_wake_after_the_deadline_says_that_it_came_late),
        WORLD_TEST(a_spinner_on_another_cpu_goes_on_after_the_release),
        WORLD_TEST(a_deadlock_is_seen_with_its_holders),
        WORLD_TEST(a_waiting_task_is_seen_with_what_it_waits_for),
        WORLD_TEST(a_thread_moves_to_another_cpu),
        WORLD_TEST(a_stack_is_used_again_after_its_task_ended),
        WORLD_TEST(frames_are_live_until_their_function_returns),
        WORLD_TEST(a_reset_brings_blocked_tasks_back_in_the_middle),
        WORLD_TEST(what_lies_below_the_frames_is_the_same_in_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
