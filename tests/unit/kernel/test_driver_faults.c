/* SPDX-License-Identifier: Apache-2.0 */
/* Fault points that modules declare. */
#include "node.h"

#define POINTS TEST_DRIVER_DIR "/test_points.so"
#define PASS 0x222000u
#define PASS_UNKNOWN 0x222004u

static char error[512];

static struct krn_driver *make(const char *name, const char *module) {
    const struct krn_driver_config config = {.name = name, .module = module};

    error[0] = '\0';
    return krn_driver_create(node, &config, error, sizeof(error));
}

static bool step_done(struct sim_world *in, void *step) {
    (void)in;
    return ((struct krn_step *)step)->is_done;
}

static void load(struct krn_driver *driver) {
    static struct krn_step step;

    memset(&step, 0, sizeof(step));
    krn_driver_load(driver, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_UNTIL);
    assert_int_equal(step.status, 0);
}

/* Sends the code; the answer when the run went on until it came. */
static enum sim_run_end control(uint32_t code, int32_t *value) {
    static struct krn_ioctl ioctl;

    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Points";
    ioctl.code = code;
    ioctl.out = value;
    ioctl.out_bytes = sizeof(*value);
    krn_ioctl_send(node, &ioctl);
    return sim_run(world, step_done, &ioctl.step, SIM_TIME_NEVER);
}

static void declared_points_are_known_before_the_driver_runs(void **state) {
    size_t before = sim_fault_point_count(world);
    const struct sim_fault_point *point;

    (void)state;
    assert_non_null(make("points", POINTS));
    assert_int_equal(sim_fault_point_count(world), before + 2);
    point = sim_fault_point_find(world, "points.first");
    assert_non_null(point);
    assert_string_equal(point->layer, "driver");
    assert_string_equal(point->about, "The first thing fails.");
    assert_true(point->free);
}

static void modules_with_the_same_name_share_a_point(void **state) {
    size_t count;

    (void)state;
    assert_non_null(make("one", POINTS));
    count = sim_fault_point_count(world);
    assert_non_null(make("two", POINTS));
    assert_int_equal(sim_fault_point_count(world), count);
}

static void a_plan_fires_at_the_drivers_point(void **state) {
    struct sim_fault_plan plan = {.nth = 2, .subject = "points"};
    struct krn_driver *driver = make("points", POINTS);
    int32_t fired = -1;

    (void)state;
    plan.point = sim_fault_point_find(world, "points.other");
    sim_fault_plan_add(world, &plan);
    load(driver);
    assert_int_equal(control(PASS, &fired), SIM_RUN_UNTIL);
    assert_int_equal(fired, 1);
    assert_int_equal(sim_fault_plan_at(world, 0)->passed_count, 3);
}

static void a_name_outside_of_the_modules_table_is_a_bugcheck(void **state) {
    int32_t value;

    (void)state;
    load(make("points", POINTS));
    assert_int_equal(control(PASS_UNKNOWN, &value), SIM_RUN_FINDING);
    assert_string_equal(sim_finding_at(world, 0)->id, "0xC4");
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "\"points.unknown\""));
}

static void tables_that_cannot_be_are_refused_with_a_sentence(void **state) {
    static const struct {
        const char *module;
        const char *says;
    } cases[] = {
        {TEST_DRIVER_DIR "/bad/test_points_taken.so",
         "\"pool.fail\" is a fault point of the simulation itself"},
        {TEST_DRIVER_DIR "/bad/test_points_twice.so", "has \"points.a\" twice"},
        {TEST_DRIVER_DIR "/bad/test_points_named.so", "\"points a\" is no name of a fault point"},
        {TEST_DRIVER_DIR "/bad/test_points_mute.so", "\"points.a\" has no sentence"},
    };

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        assert_null(make("points", cases[i].module));
        if (strstr(error, cases[i].says) == NULL) {
            fail_msg("%s", error);
        }
    }
}

static void count_and_name(void *context, const char *name, const char *about) {
    size_t *count = context;

    assert_string_equal(name, *count == 0 ? "points.first" : "points.other");
    assert_true(strlen(about) > 0);
    (*count)++;
}

static void a_modules_points_can_be_asked_without_a_driver(void **state) {
    size_t count = 0;

    (void)state;
    assert_true(krn_module_faults(POINTS, count_and_name, &count, error, sizeof(error)));
    assert_int_equal(count, 2);
    assert_true(krn_module_faults(TEST_DRIVER_DIR "/test_hello.so", count_and_name, &count, error,
                                  sizeof(error)));
    assert_int_equal(count, 2);
    assert_false(krn_module_faults(TEST_DRIVER_DIR "/test_none.so", count_and_name, &count, error,
                                   sizeof(error)));
}

static void count_setting(void *context, const struct krn_setting *setting) {
    size_t *count = context;

    assert_true(setting->name[0] != '\0' && setting->about[0] != '\0');
    assert_true(setting->value_min <= setting->value_max);
    (*count)++;
}

static void a_modules_settings_can_be_asked_without_a_driver(void **state) {
    size_t count = 0;

    (void)state;
    assert_true(krn_module_settings(POINTS, count_setting, &count, error, sizeof(error)));
    assert_int_equal(count, 2);
    assert_true(krn_module_settings(TEST_DRIVER_DIR "/test_hello.so", count_setting, &count, error,
                                    sizeof(error)));
    assert_int_equal(count, 2);
    assert_false(krn_module_settings(TEST_DRIVER_DIR "/test_none.so", count_setting, &count, error,
                                     sizeof(error)));
    assert_false(krn_module_settings(TEST_DRIVER_DIR "/bad/test_points_untold.so", count_setting,
                                     &count, error, sizeof(error)));
    assert_non_null(strstr(error, "NdksimSettings: \"Second\" has no sentence"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(declared_points_are_known_before_the_driver_runs),
        KERNEL_TEST(modules_with_the_same_name_share_a_point),
        KERNEL_TEST(a_plan_fires_at_the_drivers_point),
        KERNEL_TEST(a_name_outside_of_the_modules_table_is_a_bugcheck),
        KERNEL_TEST(tables_that_cannot_be_are_refused_with_a_sentence),
        KERNEL_TEST(a_modules_points_can_be_asked_without_a_driver),
        KERNEL_TEST(a_modules_settings_can_be_asked_without_a_driver),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
