/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common to the tests of the kernel: a world with one node, a thread that runs the test's code as
 * a driver's, and what the run found.
 */
#ifndef TESTS_UNIT_KERNEL_NODE_H
#define TESTS_UNIT_KERNEL_NODE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <krn/bugcheck.h>
#include <krn/driver.h>
#include <krn/memory.h>
#include <krn/node.h>
#include <krn/state.h>
#include <sim/fault.h>
#include <sim/run.h>

static struct sim_world *world;
static struct krn_node *node;

__attribute__((unused)) static int make_node(void **state) {
    struct sim_config config = {.seed = 1};
    struct krn_node_config node_config = {.name = "host"};

    (void)state;
    world = sim_world_create(&config);
    assert_non_null(world);
    node = krn_node_create(world, &node_config);
    return 0;
}

__attribute__((unused)) static int end_node(void **state) {
    (void)state;
    sim_world_destroy(world);
    return 0;
}

static enum sim_run_end run_all(void) {
    return sim_run(world, NULL, NULL, SIM_TIME_NEVER);
}

/* Runs `code` in a thread of the node until nothing moves any more; it must end well. */
__attribute__((unused)) static void in_thread(void (*code)(void *), void *argument) {
    size_t found = sim_finding_count(world);

    krn_node_thread(node, "test", code, argument);
    if (run_all() == SIM_RUN_FINDING || sim_finding_count(world) != found) {
        fail_msg("%s %s", sim_finding_at(world, found)->id, sim_finding_at(world, found)->sentence);
    }
}

/* Runs `code`, which must end in bugcheck `code_id` ("0xC2") whose sentence holds `part`. */
__attribute__((unused)) static void expect_bugcheck(void (*code)(void *), void *argument,
                                                    const char *id, const char *part) {
    const struct sim_finding *finding;

    krn_node_thread(node, "test", code, argument);
    assert_int_equal(run_all(), SIM_RUN_FINDING);
    assert_int_equal(sim_finding_count(world), 1);
    finding = sim_finding_at(world, 0);
    assert_int_equal(finding->verdict, SIM_VERDICT_BUGCHECK);
    if (strcmp(finding->id, id) != 0 || strstr(finding->sentence, part) == NULL) {
        fail_msg("%s: %s", finding->id, finding->sentence);
    }
}

#define KERNEL_TEST(name) cmocka_unit_test_setup_teardown(name, make_node, end_node)

#endif
