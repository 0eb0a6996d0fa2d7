/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pacing and the clocks.
 */
#include "child.h"

static void virtual_time_is_held_back_to_real_time(void **state) {
    struct sim_pacer *pacer = sim_pacer_create(2000000);
    uint64_t start_ns = sim_host_wall_ns();
    (void)state;
    assert_true(sim_pacer_due(pacer, 0));
    assert_false(sim_pacer_due(pacer, 60 * SIM_NS_PER_MS));
    sim_pacer_wait(pacer, 60 * SIM_NS_PER_MS);
    assert_true(sim_pacer_due(pacer, 60 * SIM_NS_PER_MS));
    assert_true(sim_host_wall_ns() - start_ns >= 29 * SIM_NS_PER_MS);
    sim_pacer_destroy(pacer);
}

static void a_pacer_that_is_off_holds_nothing_back(void **state) {
    struct sim_pacer *pacer = sim_pacer_create(0);
    (void)state;
    assert_true(sim_pacer_due(pacer, SIM_TIME_NEVER));
    sim_pacer_wait(pacer, SIM_TIME_NEVER);
    sim_pacer_destroy(pacer);
    sim_pacer_destroy(NULL);
}

static void the_clocks_go_on(void **state) {
    uint64_t wall_ns = sim_host_wall_ns(), cpu_ns = sim_host_cpu_ns();
    (void)state;
    while (sim_host_cpu_ns() - cpu_ns < SIM_NS_PER_MS) {
    }
    assert_true(sim_host_wall_ns() > wall_ns);
    assert_true(sim_host_peak_bytes() > 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_time_is_held_back_to_real_time),
        cmocka_unit_test(a_pacer_that_is_off_holds_nothing_back),
        cmocka_unit_test(the_clocks_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
