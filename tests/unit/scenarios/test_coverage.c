/* SPDX-License-Identifier: Apache-2.0 */
/* Points of coverage: watching a world, summing runs, the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sim/memory.h>
#include <sim/object.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "report/coverage_file.h"

#define FILE_NAME "test_coverage.json"

static const char *const names[] = {"ndk.call", "ndk.close_qp", "ndk.close_connector"};
enum { CALL = SIM_TRACE_NDK, CLOSE_QP, CLOSE_CONNECTOR };

static struct sim_world *world;
static struct sim_object *client;
static struct scn_coverage coverage;

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
    scn_coverage_begin(world, &coverage);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    sim_world_destroy(world);
    return 0;
}

static void ask_close(struct sim_object *object, uint16_t type) {
    sim_trace(world, CALL, SIM_ACCESS_CLOSE, object, NULL, NULL, type, 1);
    object->state = "closing";
}

static uint64_t seen(const char *group, const char *point) {
    struct scn_coverage_sum sum = {0};
    char name[64];

    scn_coverage_add(&sum, &coverage);
    for (uint32_t i = 0; i < SCN_COVERAGE_POINTS; i++)
        if (strcmp(scn_coverage_name(i, name, sizeof(name)), group) == 0 &&
            strcmp(name, point) == 0)
            return sum.seen[i];
    return 0;
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

static void the_file_counts_runs(void **state) {
    struct scn_coverage_sum sum = {0};
    char text[256] = "";
    FILE *file;

    (void)state;
    birth(client, "pd");
    ask_close(birth(client, "qp"), CLOSE_QP);
    scn_coverage_add(&sum, &coverage);
    scn_coverage_add(&sum, &coverage);
    assert_int_equal(scn_coverage_count(&sum, "close_order"), 1);
    assert_int_equal(scn_coverage_write(FILE_NAME, &sum), 0);
    file = fopen(FILE_NAME, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    remove(FILE_NAME);
    assert_string_equal(text,
                        "{\n \"runs\": 2,\n \"close_order\": {\n  \"qp before pd\": 2\n }\n}\n");
    assert_int_not_equal(scn_coverage_write("no/such/folder/file", &sum), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_close_comes_before_all_that_is_open_then, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_connector_is_closed_in_a_state_of_two_views, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_state_that_a_close_does_not_change_counts_too, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_file_counts_runs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
