/* SPDX-License-Identifier: Apache-2.0 */
/* Loading, talking to and unloading the hello driver. */
#include <ntstatus.h>

#include "node.h"

#define HELLO TEST_DRIVER_DIR "/test_hello.so"
#define COUNT 0x222000u
#define TICKS 0x222004u
#define HOLD 0x222008u

static char log_text[4096];

static void on_text(struct sim_sink *sink, struct sim_world *in, struct sim_object *who,
                    const char *text) {
    char name[SIM_NAME_BYTES];

    (void)sink;
    (void)in;
    strcat(log_text, sim_object_name(who, name, sizeof(name)));
    strcat(log_text, ": ");
    strcat(log_text, text);
    strcat(log_text, "\n");
}

static void on_record(struct sim_sink *sink, struct sim_world *in,
                      const struct sim_record *record) {
    (void)sink;
    (void)in;
    (void)record;
}

static struct sim_sink sink = {on_record, on_text};

static struct krn_driver *make_driver_of_lives(struct krn_node *on, const char *name,
                                               uint32_t load_count) {
    struct krn_driver_config config = {.name = name, .module = HELLO, .load_count = load_count};
    char error[256] = "";
    struct krn_driver *driver = krn_driver_create(on, &config, error, sizeof(error));

    if (driver == NULL) {
        fail_msg("%s", error);
    }
    return driver;
}

static struct krn_driver *make_driver(struct krn_node *on, const char *name) {
    return make_driver_of_lives(on, name, 1);
}

static bool step_done(struct sim_world *in, void *step) {
    (void)in;
    return ((struct krn_step *)step)->is_done;
}

static int32_t finish(struct krn_step *step) {
    enum sim_run_end end = sim_run(world, step_done, step, SIM_TIME_NEVER);

    if (end == SIM_RUN_FINDING) {
        fail_msg("%s %s", sim_finding_at(world, 0)->id, sim_finding_at(world, 0)->sentence);
    }
    assert_int_equal(end, SIM_RUN_UNTIL);
    return step->status;
}

static int32_t load(struct krn_driver *driver) {
    static struct krn_step step;

    memset(&step, 0, sizeof(step));
    krn_driver_load(driver, &step);
    return finish(&step);
}

static int32_t unload(struct krn_driver *driver) {
    static struct krn_step step;

    memset(&step, 0, sizeof(step));
    krn_driver_unload(driver, &step);
    return finish(&step);
}

static int32_t control(struct krn_node *on, uint32_t code) {
    static struct krn_ioctl ioctl;
    static int32_t value;

    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Hello";
    ioctl.code = code;
    ioctl.out = &value;
    ioctl.out_bytes = sizeof(value);
    krn_ioctl_send(on, &ioctl);
    assert_int_equal(finish(&ioctl.step), 0);
    assert_int_equal(ioctl.step.information, sizeof(value));
    return value;
}

static void hello_loads_answers_and_unloads(void **state) {
    struct krn_driver *driver = make_driver(node, "hello");
    struct krn_leftovers left;

    (void)state;
    log_text[0] = '\0';
    sim_sink_set(world, &sink);
    assert_int_equal(load(driver), 0);
    assert_int_equal(krn_driver_state(driver), KRN_DRIVER_LOADED);
    assert_int_equal(control(node, COUNT), 1001);
    assert_int_equal(control(node, COUNT), 1002);
    assert_int_equal(control(node, TICKS), 3);
    assert_true(sim_now_ns(world) >= 3 * SIM_NS_PER_MS);
    assert_int_equal(unload(driver), 0);
    assert_int_equal(krn_driver_state(driver), KRN_DRIVER_UNLOADED);
    krn_driver_leftovers(driver, &left);
    assert_int_equal(left.pool_blocks, 0);
    assert_int_equal(left.handles, 0);
    assert_string_equal(log_text,
                        "hello: hello: \\Registry\\Machine\\System\\CurrentControlSet\\Services"
                        "\\hello, IRQL 0, count 1000\nhello: hello: good bye, 1002\n");
}

static void a_driver_on_two_nodes_has_two_sets_of_globals(void **state) {
    struct krn_node_config config = {.name = "target"};
    struct krn_node *other = krn_node_create(world, &config);
    struct krn_driver *here = make_driver(node, "hello");
    struct krn_driver *there = make_driver(other, "hello");
    char name[SIM_NAME_BYTES];

    (void)state;
    assert_string_equal(sim_object_name(krn_driver_object(there), name, sizeof(name)),
                        "target.hello");
    load(here);
    load(there);
    assert_int_equal(control(node, COUNT), 1001);
    assert_int_equal(control(node, COUNT), 1002);
    assert_int_equal(control(other, COUNT), 1001);
}

static void a_reset_brings_the_globals_back(void **state) {
    struct krn_driver *driver = make_driver(node, "hello");
    uint64_t digest;

    (void)state;
    load(driver);
    assert_int_equal(control(node, COUNT), 1001);
    sim_world_snapshot(world);
    assert_int_equal(control(node, COUNT), 1002);
    assert_int_equal(unload(driver), 0);
    digest = sim_digest(world);
    sim_world_reset(world, sim_world_config(world));
    assert_int_equal(krn_driver_state(driver), KRN_DRIVER_LOADED);
    assert_int_equal(control(node, COUNT), 1002);
    assert_int_equal(unload(driver), 0);
    assert_true(digest == sim_digest(world));
}

static void a_driver_made_after_the_snapshot_is_made_again(void **state) {
    (void)state;
    sim_world_snapshot(world);
    for (int i = 0; i < 3; i++) {
        struct krn_driver *driver = make_driver(node, "hello");

        load(driver);
        assert_int_equal(control(node, COUNT), 1001);
        assert_int_equal(unload(driver), 0);
        sim_world_reset(world, sim_world_config(world));
        assert_null(krn_driver_find(node, "hello"));
    }
}

static void a_new_world_finds_the_module_pristine(void **state) {
    struct krn_driver *driver = make_driver(node, "hello");
    uint64_t digest;

    load(driver);
    assert_int_equal(control(node, COUNT), 1001);
    digest = sim_digest(world);
    end_node(state);
    make_node(state);
    driver = make_driver(node, "hello");
    load(driver);
    assert_int_equal(control(node, COUNT), 1001);
    assert_true(digest == sim_digest(world));
}

static void a_held_request_can_be_cancelled(void **state) {
    static struct krn_ioctl ioctl;
    struct krn_driver *driver = make_driver(node, "hello");

    (void)state;
    load(driver);
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "\\\\.\\Hello";
    ioctl.code = HOLD;
    krn_ioctl_send(node, &ioctl);
    assert_int_equal(sim_run(world, step_done, &ioctl.step, 2 * SIM_NS_PER_MS), SIM_RUN_UNTIL);
    assert_false(ioctl.step.is_done);
    krn_ioctl_cancel(&ioctl);
    assert_int_equal(finish(&ioctl.step), (int32_t)0xC0000120);
}

static void an_unknown_device_or_code_is_refused(void **state) {
    static struct krn_ioctl ioctl;

    (void)state;
    load(make_driver(node, "hello"));
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Nobody";
    krn_ioctl_send(node, &ioctl);
    assert_int_equal(finish(&ioctl.step), (int32_t)0xC0000034);
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Hello";
    ioctl.code = 0x22200C;
    krn_ioctl_send(node, &ioctl);
    assert_int_equal(finish(&ioctl.step), (int32_t)0xC0000010);
}

static void a_missing_module_is_said(void **state) {
    struct krn_driver_config config = {.name = "x", .module = "/nowhere/x.so"};
    char error[256];

    (void)state;
    assert_null(krn_driver_create(node, &config, error, sizeof(error)));
    assert_string_equal(error, "/nowhere/x.so: no such module");
}

static void a_driver_is_loaded_once(void **state) {
    struct krn_driver *driver = make_driver(node, "hello");

    (void)state;
    assert_int_equal(load(driver), 0);
    assert_int_equal(load(driver), STATUS_IMAGE_ALREADY_LOADED);
    assert_int_equal(unload(driver), 0);
    assert_int_equal(load(driver), STATUS_IMAGE_ALREADY_LOADED);
}

static void a_driver_is_loaded_again_in_a_fresh_image(void **state) {
    struct krn_driver *driver = make_driver_of_lives(node, "hello", 2);

    (void)state;
    for (int life = 0; life < 2; life++) {
        assert_int_equal(load(driver), 0);
        assert_int_equal(load(driver), STATUS_IMAGE_ALREADY_LOADED);
        assert_int_equal(control(node, COUNT), 1001);
        assert_int_equal(unload(driver), 0);
        assert_int_equal(krn_driver_state(driver), KRN_DRIVER_UNLOADED);
    }
    assert_int_equal(load(driver), STATUS_IMAGE_ALREADY_LOADED);
}

static void two_loads_at_once_are_one(void **state) {
    struct krn_driver *driver = make_driver(node, "hello");
    static struct krn_step first, second;

    (void)state;
    krn_driver_load(driver, &first);
    krn_driver_load(driver, &second);
    assert_int_equal(second.status, STATUS_IMAGE_ALREADY_LOADED);
    assert_int_equal(finish(&first), 0);
}

static void an_unload_while_a_request_is_pending_is_a_bugcheck(void **state) {
    static struct krn_ioctl ioctl;
    static struct krn_step step;
    struct krn_driver *driver = make_driver(node, "hello");

    (void)state;
    load(driver);
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Hello";
    ioctl.code = HOLD;
    krn_ioctl_send(node, &ioctl);
    sim_run(world, NULL, NULL, sim_now_ns(world) + SIM_NS_PER_MS);
    krn_driver_unload(driver, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_FINDING);
    assert_string_equal(sim_finding_at(world, 0)->id, "0x36");
    assert_string_equal(sim_finding_at(world, 0)->guilty, "consumer hello");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(hello_loads_answers_and_unloads),
        KERNEL_TEST(a_driver_on_two_nodes_has_two_sets_of_globals),
        KERNEL_TEST(a_reset_brings_the_globals_back),
        KERNEL_TEST(a_driver_made_after_the_snapshot_is_made_again),
        KERNEL_TEST(a_new_world_finds_the_module_pristine),
        KERNEL_TEST(a_held_request_can_be_cancelled),
        KERNEL_TEST(an_unknown_device_or_code_is_refused),
        KERNEL_TEST(a_missing_module_is_said),
        KERNEL_TEST(a_driver_is_loaded_once),
        KERNEL_TEST(a_driver_is_loaded_again_in_a_fresh_image),
        KERNEL_TEST(two_loads_at_once_are_one),
        KERNEL_TEST(an_unload_while_a_request_is_pending_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
