/* SPDX-License-Identifier: Apache-2.0 */
/* Results in an armed queue when nothing moves any more: R-CQ-07. */
#include <ntddk.h>

#include "callback.h"
#include "fixture.h"

#define PROVIDER "provider"
#define CONSUMER "consumer the program"
#define NOT_ARMED 99u

static ULONG arm_type;
static bool was_notified;
static bool polls;
static void *event;

static void prepare(void) {
    arm_type = NDK_CQ_NOTIFY_ANY;
    was_notified = false;
    polls = true;
}

/* A receive is out and the queue armed, after a notification if asked. */
static void arm(void *argument) {
    LARGE_INTEGER pause;
    NDK_RESULT result;
    KEVENT never;
    NDK_CQ *cq;
    NDK_QP *qp;

    (void)argument;
    open_adapter();
    cq = open_cq();
    event = FAKE_POINTER(3);
    qp = open_qp(open_pd(), cq, NULL);
    qp->Dispatch->NdkReceive(qp, NULL, NULL, 0);
    if (was_notified) {
        cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
        vrf_on_cq_event(event, STATUS_SUCCESS);
        if (polls) {
            cq->Dispatch->NdkGetCqResults(cq, &result, 1);
        }
    }
    if (arm_type != NOT_ARMED) {
        cq->Dispatch->NdkArmCq(cq, arm_type);
    }
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    pause.QuadPart = -10 * 1000 * 1000;
    KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, &pause);
}

static bool blame(uint32_t result_count) {
    for (uint32_t i = 0; i < result_count; i++) {
        fake_result(STATUS_SUCCESS, NULL, NULL);
    }
    return vrf_blame_arms(fixture.world);
}

static void a_result_in_a_queue_that_was_armed_long_ago_is_r_cq_07(void **state) {
    (void)state;
    prepare();
    run(arm);
    assert_true(blame(1));
    expect_finding("R-CQ-07", PROVIDER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "cq[0]"));
}

static void an_empty_queue_blames_nobody(void **state) {
    (void)state;
    prepare();
    run(arm);
    assert_false(blame(0));
    expect_no_finding();
}

static void other_arms_need_not_be_met_by_any_result(void **state) {
    (void)state;
    prepare();
    arm_type = NDK_CQ_NOTIFY_SOLICITED;
    run(arm);
    assert_false(blame(1));
    expect_no_finding();
}

static void what_came_after_a_drained_notification_counts(void **state) {
    (void)state;
    prepare();
    was_notified = true;
    run(arm);
    assert_true(blame(1));
    expect_finding("R-CQ-07", PROVIDER);
}

static void what_the_consumer_has_left_lying_there_does_not(void **state) {
    (void)state;
    prepare();
    was_notified = true;
    polls = false;
    run(arm);
    assert_false(blame(1));
    expect_no_finding();
}

static void results_in_a_queue_that_is_not_armed_again_are_r_cq_24(void **state) {
    (void)state;
    prepare();
    was_notified = true;
    arm_type = NOT_ARMED;
    run(arm);
    fake_result(STATUS_SUCCESS, last_qp_stamp, NULL);
    assert_false(vrf_blame_arms(fixture.world));
    assert_true(vrf_blame_forgotten(fixture.world));
    expect_finding("R-CQ-24", CONSUMER);
}

static void results_that_were_left_before_it_was_armed_are_r_cq_24(void **state) {
    (void)state;
    prepare();
    was_notified = true;
    polls = false;
    run(arm);
    fake_result(STATUS_SUCCESS, last_qp_stamp, NULL);
    assert_false(vrf_blame_arms(fixture.world));
    assert_true(vrf_blame_forgotten(fixture.world));
    expect_finding("R-CQ-24", CONSUMER);
}

static void a_queue_that_is_only_polled_is_nobodys_oversight(void **state) {
    (void)state;
    prepare();
    arm_type = NOT_ARMED;
    run(arm);
    fake_result(STATUS_SUCCESS, last_qp_stamp, NULL);
    assert_false(vrf_blame_forgotten(fixture.world));
    expect_no_finding();
}

static void what_was_cancelled_is_nobodys_oversight(void **state) {
    (void)state;
    prepare();
    was_notified = true;
    arm_type = NOT_ARMED;
    run(arm);
    fake_result(STATUS_CANCELLED, last_qp_stamp, NULL);
    assert_false(vrf_blame_forgotten(fixture.world));
    expect_no_finding();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_result_in_a_queue_that_was_armed_long_ago_is_r_cq_07),
        VRF_TEST(an_empty_queue_blames_nobody),
        VRF_TEST(other_arms_need_not_be_met_by_any_result),
        VRF_TEST(what_came_after_a_drained_notification_counts),
        VRF_TEST(what_the_consumer_has_left_lying_there_does_not),
        VRF_TEST(results_in_a_queue_that_is_not_armed_again_are_r_cq_24),
        VRF_TEST(results_that_were_left_before_it_was_armed_are_r_cq_24),
        VRF_TEST(a_queue_that_is_only_polled_is_nobodys_oversight),
        VRF_TEST(what_was_cancelled_is_nobodys_oversight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
