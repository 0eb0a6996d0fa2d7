/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver may not leave behind, and what it may not do with an IRP. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sim/host.h>

#include "node.h"

static struct krn_step step;

static struct krn_driver *make_faulty(const char *fault) {
    struct krn_keyword value = {"Fault", fault};
    struct krn_driver_config config = {.name = "faulty",
                                       .module = TEST_DRIVER_DIR "/test_faulty.so",
                                       .values = &value,
                                       .value_count = 1};
    char error[256] = "";
    struct krn_driver *driver = krn_driver_create(node, &config, error, sizeof(error));

    if (driver == NULL) {
        fail_msg("%s", error);
    }
    return driver;
}

static bool step_done(struct sim_world *in, void *which) {
    (void)in;
    return ((struct krn_step *)which)->is_done;
}

static void expect_found(const char *id, const char *part) {
    const struct sim_finding *finding = sim_finding_at(world, 0);

    assert_int_equal(sim_finding_count(world), 1);
    if (strcmp(finding->id, id) != 0 || strstr(finding->sentence, part) == NULL) {
        fail_msg("%s: %s", finding->id, finding->sentence);
    }
    assert_string_equal(finding->guilty, "consumer faulty");
}

static void expect_leftover(const char *fault, const char *id, const char *part) {
    struct krn_driver *driver = make_faulty(fault);

    krn_driver_load(driver, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_UNTIL);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000);
    krn_driver_unload(driver, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_FINDING);
    expect_found(id, part);
}

static void expect_ioctl(uint32_t code, const char *id, const char *part) {
    static struct krn_ioctl ioctl;

    krn_driver_load(make_faulty("0"), &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_UNTIL);
    memset(&ioctl, 0, sizeof(ioctl));
    ioctl.device = "Faulty";
    ioctl.code = 0x222000u + 4 * code;
    krn_ioctl_send(node, &ioctl);
    assert_int_equal(sim_run(world, step_done, &ioctl.step, SIM_TIME_NEVER), SIM_RUN_FINDING);
    expect_found(id, part);
}

static void a_clean_unload_is_clean(void **state) {
    struct krn_driver *driver = make_faulty("0");
    struct krn_leftovers left;

    (void)state;
    krn_driver_load(driver, &step);
    sim_run(world, step_done, &step, SIM_TIME_NEVER);
    krn_driver_unload(driver, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_UNTIL);
    krn_driver_leftovers(driver, &left);
    for (size_t i = 0; i < sizeof(left); i++) {
        assert_int_equal(((const unsigned char *)&left)[i], 0);
    }
}

static void a_set_timer_is_a_leftover(void **state) {
    (void)state;
    expect_leftover("1", "0xCE", "left a timer set: faulty.timer[0]");
}

static void a_running_thread_is_a_leftover(void **state) {
    (void)state;
    expect_leftover("2", "0xCE", "left a system thread running: faulty.thread[0]");
}

static void pool_is_a_leftover(void **state) {
    (void)state;
    expect_leftover("3", "0xC4", "left 1 pool block, 200 bytes");
    assert_int_equal(sim_finding_at(world, 0)->parameters[0], 0x62);
    assert_non_null(strstr(sim_finding_at(world, 0)->detail, "tag Fult"));
}

static void a_lookaside_list_is_a_leftover(void **state) {
    (void)state;
    expect_leftover("5", "0xCE", "left a lookaside list: faulty.lookaside[0]");
}

static void locked_pages_are_a_leftover(void **state) {
    (void)state;
    expect_leftover("6", "0xCB", "left 1 MDL locked");
}

/* A work item whose routine returns into an image that is gone: its own process. */
static void run_item(void) {
    struct krn_driver *driver;

    sim_host_contain(krn_bugcheck_judge);
    make_node(NULL);
    driver = make_faulty("4");
    krn_driver_load(driver, &step);
    sim_run(world, step_done, &step, SIM_TIME_NEVER);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000);
    krn_driver_unload(driver, &step);
    sim_run(world, NULL, NULL, SIM_TIME_NEVER);
    if (sim_finding_count(world) != 1 || strcmp(sim_finding_at(world, 0)->id, "0xCE") != 0 ||
        strcmp(sim_finding_at(world, 0)->guilty, "consumer faulty") != 0) {
        fprintf(stderr, "%zu %s %s\n", sim_finding_count(world), sim_finding_at(world, 0)->id,
                sim_finding_at(world, 0)->sentence);
        _exit(1);
    }
    _exit(0);
}

static void code_that_runs_after_the_unload_is_a_bugcheck(void **state) {
    pid_t child = fork();
    int status = -1;

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        run_item();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void write_read_only(void) {
    const struct sim_finding *finding;

    sim_host_contain(krn_bugcheck_judge);
    make_node(NULL);
    krn_driver_load(make_faulty("7"), &step);
    sim_run(world, NULL, NULL, SIM_TIME_NEVER);
    finding = sim_finding_at(world, 0);
    if (finding == NULL || strcmp(finding->id, "0xBE") != 0) {
        fprintf(stderr, "%s\n", finding != NULL ? finding->sentence : "nothing");
        _exit(1);
    }
    _exit(0);
}

static void a_write_to_constants_is_a_bugcheck(void **state) {
    pid_t child = fork();
    int status = -1;

    (void)state;
    if (child == 0) {
        write_read_only();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void an_irp_is_completed_once(void **state) {
    (void)state;
    expect_ioctl(0, "0x44", "completed before");
}

static void an_answer_needs_a_completion(void **state) {
    (void)state;
    expect_ioctl(1, "0xC9", "did not complete the IRP");
}

static void pending_must_be_marked(void **state) {
    (void)state;
    expect_ioctl(2, "0xC9", "without IoMarkIrpPending");
}

static void a_cancel_routine_must_be_taken_back(void **state) {
    (void)state;
    expect_ioctl(3, "0x48", "cancel routine");
}

static void pending_is_no_final_status(void **state) {
    (void)state;
    expect_ioctl(4, "0xC9", "status is STATUS_PENDING");
}

static void an_irp_needs_a_location_per_driver(void **state) {
    (void)state;
    expect_ioctl(5, "0x35", "no stack location left");
}

static void what_was_marked_pending_answers_pending(void **state) {
    (void)state;
    expect_ioctl(6, "0xC9", "marked the IRP pending and answered 0x00000000");
}

static void a_partial_mdl_must_fit(void **state) {
    (void)state;
    expect_ioctl(7, "0x40", "too small");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(a_clean_unload_is_clean),
        KERNEL_TEST(a_set_timer_is_a_leftover),
        KERNEL_TEST(a_running_thread_is_a_leftover),
        KERNEL_TEST(pool_is_a_leftover),
        KERNEL_TEST(a_lookaside_list_is_a_leftover),
        KERNEL_TEST(locked_pages_are_a_leftover),
        cmocka_unit_test(code_that_runs_after_the_unload_is_a_bugcheck),
        cmocka_unit_test(a_write_to_constants_is_a_bugcheck),
        KERNEL_TEST(an_irp_is_completed_once),
        KERNEL_TEST(an_answer_needs_a_completion),
        KERNEL_TEST(pending_must_be_marked),
        KERNEL_TEST(a_cancel_routine_must_be_taken_back),
        KERNEL_TEST(pending_is_no_final_status),
        KERNEL_TEST(an_irp_needs_a_location_per_driver),
        KERNEL_TEST(what_was_marked_pending_answers_pending),
        KERNEL_TEST(a_partial_mdl_must_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
