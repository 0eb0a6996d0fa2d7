/* SPDX-License-Identifier: Apache-2.0 */
/* Points of coverage: what a watched world has seen, and their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sim/machine.h>
#include <sim/memory.h>
#include <sim/object.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "run/coverage.h"

static const char *const names[] = {"ndk.call", "ndk.close_qp", "ndk.close_connector"};
enum { CALL = SIM_TRACE_NDK, CLOSE_QP, CLOSE_CONNECTOR };

static const char *const states[] = {"Idle", "Busy", "Done"};
static const uint64_t next[] = {2, 5, 0};
static const struct sim_machine machine = {
    .name = "toy", .event = "toy.state", .state_count = 3, .states = states, .next = next};

static struct sim_world *world;
static struct sim_object *client;
static struct scn_coverage_map *map;
static uint64_t bits[64];

static struct sim_object *birth(struct sim_object *owner, const char *label) {
    struct sim_object *object = sim_alloc(world, sizeof(*object));

    sim_object_init(world, object, owner, label, SIM_NAME_INDEXED);
    object->state = "open";
    return object;
}

static int setup(void **state) {
    const struct sim_config config = {0};

    (void)state;
    world = sim_world_create(&config);
    sim_trace_register(world, SIM_TRACE_NDK, names, 3);
    client = birth(NULL, "client");
    sim_machine_register(world, &machine);
    sim_machine_register(world, &machine);
    map = scn_coverage_map_create(world);
    assert_in_range(scn_coverage_words(map), 1, SIM_ARRAY_COUNT(bits));
    scn_coverage_begin(world, map, bits);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    scn_coverage_map_free(map);
    sim_world_destroy(world);
    return 0;
}

static void ask_close(struct sim_object *object, uint16_t type) {
    sim_trace(world, CALL, SIM_ACCESS_CLOSE, object, NULL, NULL, type, 1);
    object->state = "closing";
}

static bool seen(const char *group, const char *point) {
    char name[SCN_COVERAGE_NAME_BYTES];

    for (uint32_t i = 0; i < scn_coverage_point_count(map); i++)
        if (strcmp(scn_coverage_name(map, i, name, sizeof(name)), group) == 0 &&
            strcmp(name, point) == 0)
            return (bits[i / 64] >> (i % 64) & 1) != 0;
    return false;
}

static void a_close_comes_before_all_that_is_open_then(void **state) {
    struct sim_object *qp = birth(client, "qp"), *cq = birth(client, "cq");
    struct sim_object *pd = birth(client, "pd"), *other = birth(birth(NULL, "else"), "mr");

    (void)state;
    (void)other;
    cq->closed = true;
    ask_close(qp, CLOSE_QP);
    assert_int_equal(seen("close_order", "qp before pd"), 1);
    assert_int_equal(seen("close_order", "qp before cq"), 0);
    assert_int_equal(seen("close_order", "qp before mr"), 0);
    assert_int_equal(seen("close_order", "qp before qp"), 0);
    assert_int_equal(seen("close_order", "pd before qp"), 0);
    (void)pd;
}

static void a_connector_is_closed_in_a_state_of_two_views(void **state) {
    struct sim_object *connector = birth(client, "connector");
    uint16_t type = sim_trace_type_of(world, "connector.state");

    (void)state;
    sim_trace(world, type, SIM_ACCESS_NONE, connector, NULL, NULL, 1, 3);
    connector->state = "connect done";
    ask_close(connector, CLOSE_CONNECTOR);
    sim_trace(world, type, SIM_ACCESS_NONE, connector, NULL, NULL, 4, 20);
    sim_trace(world, CLOSE_CONNECTOR, SIM_ACCESS_CLOSE, connector, NULL, NULL, 0, 1);
    assert_int_equal(seen("connector_at_close", "connect done"), 1);
    assert_int_equal(seen("provider_connector_at_close", "4"), 1);
    assert_int_equal(seen("provider_connector_at_close", "3"), 0);
    assert_int_equal(seen("provider_connector_at_close", "20"), 0);
}

static void a_state_that_a_close_does_not_change_counts_too(void **state) {
    struct sim_object *connector = birth(client, "connector");
    uint16_t type = sim_trace_type_of(world, "connector.state");

    (void)state;
    sim_trace(world, type, SIM_ACCESS_NONE, connector, NULL, NULL, 18, 20);
    ask_close(connector, CLOSE_CONNECTOR);
    sim_trace(world, CLOSE_CONNECTOR, SIM_ACCESS_CLOSE, connector, NULL, NULL, 0, 1);
    assert_int_equal(seen("provider_connector_at_close", "20"), 1);
}

static bool is_point(const char *group, const char *point) {
    char name[SCN_COVERAGE_NAME_BYTES];

    for (uint32_t i = 0; i < scn_coverage_point_count(map); i++)
        if (strcmp(scn_coverage_name(map, i, name, sizeof(name)), group) == 0 &&
            strcmp(name, point) == 0)
            return true;
    return false;
}

static void steps_of_machines_are_seen(void **state) {
    (void)state;
    assert_int_equal(sim_machine_count(world), 1);
    assert_true(is_point("transition", "toy: Busy to Idle"));
    assert_false(is_point("transition", "toy: Idle to Done"));
    sim_trace(world, sim_trace_type_of(world, "toy.state"), SIM_ACCESS_NONE, client, NULL, NULL, 0,
              1);
    assert_true(seen("state", "toy: Idle") && seen("state", "toy: Busy"));
    assert_false(seen("state", "toy: Done"));
    assert_true(seen("transition", "toy: Idle to Busy"));
    assert_false(seen("transition", "toy: Busy to Idle"));
}

static void events_are_seen_by_name(void **state) {
    (void)state;
    assert_false(seen("event", "ndk.close_qp"));
    sim_trace(world, CLOSE_QP, SIM_ACCESS_CLOSE, birth(client, "qp"), NULL, NULL, 0, 1);
    assert_true(seen("event", "ndk.close_qp"));
    assert_false(seen("event", "ndk.close_connector"));
}

static void orders_are_those_of_one_consumer(void **state) {
    struct sim_object *other = birth(NULL, "other");

    (void)state;
    sim_trace(world, CLOSE_QP, SIM_ACCESS_CLOSE, birth(client, "qp"), NULL, NULL, 0, 1);
    sim_trace(world, CLOSE_CONNECTOR, SIM_ACCESS_CLOSE, birth(other, "connector"), NULL, NULL, 0,
              1);
    scn_coverage_end(world, map, bits);
    assert_false(seen("order", "close_qp before close_connector"));
    sim_trace(world, CLOSE_CONNECTOR, SIM_ACCESS_CLOSE, birth(client, "connector"), NULL, NULL, 0,
              1);
    scn_coverage_end(world, map, bits);
    assert_true(seen("order", "close_qp before close_connector"));
    assert_false(seen("order", "close_connector before close_qp"));
    sim_trace(world, CLOSE_QP, SIM_ACCESS_CLOSE, birth(client, "qp"), NULL, NULL, 0, 1);
    scn_coverage_end(world, map, bits);
    assert_true(seen("order", "close_connector before close_qp"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_close_comes_before_all_that_is_open_then, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_connector_is_closed_in_a_state_of_two_views, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_state_that_a_close_does_not_change_counts_too, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(steps_of_machines_are_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(events_are_seen_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(orders_are_those_of_one_consumer, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
