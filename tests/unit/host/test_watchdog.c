/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: CPU time without a step, and a task that sleeps in a call of the host.
 */
#include <sim/event.h>
#include <sim/trace.h>

#include "host_private.h"

#include "child.h"

static volatile bool always = true;

static void loop(void *argument) {
    (void)argument;
    while (always) {
    }
}

static void endless_loop(void) {
    struct sim_world *world = make_world();
    sim_host_watchdog(1);
    CHECK(run_task(world, loop) == SIM_RUN_FINDING);
    const struct sim_finding *finding = sim_finding_at(world, 0);
    CHECK(finding->verdict == SIM_VERDICT_STUCK);
    CHECK(finding->wall_clock);
    CHECK(strstr(finding->sentence, "host.task[0]") != NULL);
    CHECK(finding->site_count == 1 && finding->sites[0].frame_count >= 1);
    CHECK(sim_host_is_spent());
    CHECK(sim_host_cpu_ns() < 5 * SIM_NS_PER_S);
}

static void an_endless_loop_is_a_stuck_verdict_of_the_wall_clock(void **state) {
    (void)state;
    assert_child_succeeds(endless_loop);
}

static void be_interrupted_and_loop(void *argument) {
    (void)raise(SIGTERM);
    loop(argument);
}

static void interrupted_loop(void) {
    struct sim_world *world = make_world();
    sim_host_catch_interrupts();
    sim_host_watchdog(10);
    CHECK(run_task(world, be_interrupted_and_loop) == SIM_RUN_INTERRUPTED);
    CHECK(sim_finding_count(world) == 0);
    CHECK(sim_host_is_spent());
    CHECK(sim_host_cpu_ns() < 5 * SIM_NS_PER_S);
}

static void an_endless_loop_is_left_on_an_interrupt(void **state) {
    (void)state;
    assert_child_succeeds(interrupted_loop);
}

static void step_for_long(void *argument) {
    uint64_t end_ns = sim_host_cpu_ns() + 1500 * SIM_NS_PER_MS;
    (void)argument;
    while (sim_host_cpu_ns() < end_ns) {
        sim_point(&node, SIM_ACCESS_NONE, 20);
    }
}

static void long_run(void) {
    struct sim_world *world = make_world();
    sim_host_watchdog(1);
    CHECK(run_task(world, step_for_long) == SIM_RUN_IDLE);
    /* Between runs the world stands still as long as it likes. */
    uint64_t end_ns = sim_host_cpu_ns() + 1500 * SIM_NS_PER_MS;
    while (sim_host_cpu_ns() < end_ns) {
    }
    CHECK(run_task(world, step_for_long) == SIM_RUN_IDLE);
    sim_host_watchdog(0);
}

static void a_long_run_that_steps_is_not_suspected(void **state) {
    (void)state;
    assert_child_succeeds(long_run);
}

static void on_event(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
    loop(NULL);
}

static void endless_delivery(void) {
    struct sim_event event;
    struct sim_world *world = make_world();
    sim_host_watchdog(1);
    sim_event_init(&event, "bad", &node, on_event);
    sim_event_schedule(world, &event, 10);
    (void)sim_run(world, NULL, NULL, SIM_TIME_NEVER);
}

static void an_endless_delivery_is_an_error_of_ours(void **state) {
    (void)state;
    assert_child_asserts(endless_delivery);
}

/* Nobody writes to it. */
static void read_pipe(void *argument) {
    int ends[2];
    char byte;
    (void)argument;
    CHECK(pipe(ends) == 0);
    (void)read(ends[0], &byte, 1);
}

static void blocked_task(void) {
    struct sim_world *world = make_world();
    sim_host_watchdog_tick(20);
    sim_host_watchdog(2);
    CHECK(run_task(world, read_pipe) == SIM_RUN_FINDING);
    const struct sim_finding *finding = sim_finding_at(world, 0);
    CHECK(finding->verdict == SIM_VERDICT_STUCK);
    CHECK(strcmp(finding->id, "blocked") == 0);
    CHECK(finding->wall_clock);
    CHECK(strstr(finding->sentence, "host.task[0] is blocked") != NULL);
    CHECK(sim_host_is_spent());
    CHECK(sim_host_cpu_ns() < SIM_NS_PER_S);
}

static void a_task_that_sleeps_in_the_host_is_a_stuck_verdict(void **state) {
    (void)state;
    assert_child_succeeds(blocked_task);
}

/* A reader who comes late; the byte is what the task waits for, and the parent has stopped. */
static int late[2];

static void write_late(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                       const char *text) {
    char byte;
    (void)sink;
    (void)world;
    (void)who;
    (void)text;
    CHECK(read(late[0], &byte, 1) == 1);
}

static void say(void *argument) {
    (void)argument;
    sim_text(sim_task_world(sim_task_current()), &node, "said");
}

/* Until that many ticks of the other's watchdog are over by far. */
static void let_pass(uint32_t ticks) {
    uint64_t end_ns = sim_host_wall_ns() + ticks * 20 * SIM_NS_PER_MS;
    while (sim_host_wall_ns() < end_ns) {
    }
}

static void slow_sink(void) {
    struct sim_sink sink = {.text = write_late};
    struct sim_world *world = make_world();
    CHECK(pipe(late) == 0);
    sim_host_watchdog_tick(20);
    if (fork() == 0) {
        let_pass(12);
        CHECK(write(late[1], "x", 1) == 1);
        _exit(0);
    }
    sim_sink_set(world, &sink);
    sim_host_watchdog(2);
    CHECK(run_task(world, say) == SIM_RUN_IDLE);
    sim_sink_set(world, NULL);
}

static void output_that_waits_for_its_reader_is_not_suspected(void **state) {
    (void)state;
    assert_child_succeeds(slow_sink);
}

static void stop_and_read(void *argument) {
    char byte;
    (void)argument;
    (void)raise(SIGSTOP);
    CHECK(read(late[0], &byte, 1) == 1);
}

static void stopped_task(void) {
    struct sim_world *world = make_world();
    pid_t stopped = getpid();
    CHECK(pipe(late) == 0);
    CHECK(write(late[1], "x", 1) == 1);
    sim_host_watchdog_tick(20);
    if (fork() == 0) {
        let_pass(12);
        (void)kill(stopped, SIGCONT);
        _exit(0);
    }
    sim_host_watchdog(2);
    CHECK(run_task(world, stop_and_read) == SIM_RUN_IDLE);
}

static void a_process_that_was_stopped_is_not_suspected(void **state) {
    (void)state;
    assert_child_succeeds(stopped_task);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_loop_is_a_stuck_verdict_of_the_wall_clock),
        cmocka_unit_test(an_endless_loop_is_left_on_an_interrupt),
        cmocka_unit_test(a_long_run_that_steps_is_not_suspected),
        cmocka_unit_test(an_endless_delivery_is_an_error_of_ours),
        cmocka_unit_test(a_task_that_sleeps_in_the_host_is_a_stuck_verdict),
        cmocka_unit_test(output_that_waits_for_its_reader_is_not_suspected),
        cmocka_unit_test(a_process_that_was_stopped_is_not_suspected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
