/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C: the first ends the run cleanly, the second the process.
 */
#include "child.h"

static void interrupt_myself(void *argument) {
    (void)argument;
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            (void)raise(SIGINT);
        }
        sim_point(&node, SIM_ACCESS_NONE, 20);
    }
}

static void interrupt_once(void) {
    struct sim_world *world = make_world();
    sim_host_catch_interrupts();
    CHECK(!sim_host_interrupted());
    CHECK(run_task(world, interrupt_myself) == SIM_RUN_INTERRUPTED);
    CHECK(sim_host_interrupted());
    CHECK(sim_run(world, NULL, NULL, SIM_TIME_NEVER) == SIM_RUN_IDLE);
}

static void interrupt_twice(void) {
    interrupt_once();
    (void)raise(SIGTERM);
    _exit(0);
}

static void an_interrupt_ends_the_run_between_steps(void **state) {
    (void)state;
    assert_child_succeeds(interrupt_once);
}

static void a_second_interrupt_ends_the_process(void **state) {
    (void)state;
    assert_int_equal(run_in_child(interrupt_twice, false), SIM_VERDICT_INTERRUPTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_ends_the_run_between_steps),
        cmocka_unit_test(a_second_interrupt_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
