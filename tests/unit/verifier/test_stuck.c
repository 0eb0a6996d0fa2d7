/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when nothing moves, at unload, at the end: R-OWN-08, R-OWN-09, R-OWN-11. */
#include <ntddk.h>

#include "callback.h"
#include "fixture.h"

#define CONSUMER "consumer the program"
#define PROVIDER "provider"

static const struct sockaddr address = {.sa_family = AF_INET};
static void *handle;

static void no_event(PVOID context, NDK_CONNECTOR *connector) {
    (void)context;
    (void)connector;
}

static void listen_pending(void *argument) {
    NDK_LISTENER *listener;

    (void)argument;
    open_adapter();
    listener = open_listener(no_event, NULL);
    fake.status = STATUS_PENDING;
    listener->Dispatch->NdkListen(listener, &address, sizeof(address), hear_request, NULL);
    handle = FAKE_POINTER(4);
}

static void a_request_that_nobody_will_answer_is_r_own_09(void **state) {
    (void)state;
    run(listen_pending);
    expect_no_finding();
    assert_true(vrf_blame_stuck(fixture.world));
    expect_finding("R-OWN-09", PROVIDER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->detail, "owed: provider: listen of"));
}

static void nothing_owed(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    close_object(cq);
    close_adapter();
}

static void nothing_owed_blames_nobody(void **state) {
    (void)state;
    run(nothing_owed);
    assert_false(vrf_blame_stuck(fixture.world));
    vrf_check_end(fixture.world);
    vrf_interposer.unloaded(NULL);
    vrf_check_end(fixture.world);
    expect_no_finding();
}

static void close_pending(void *argument) {
    NDK_PD *pd;

    (void)argument;
    open_adapter();
    pd = open_pd();
    fake.status = STATUS_PENDING;
    pd->Dispatch->NdkClosePd(&pd->Header, hear_close, NULL);
}

static void a_close_that_waits_for_nothing_is_r_own_09(void **state) {
    (void)state;
    run(close_pending);
    assert_true(vrf_blame_stuck(fixture.world));
    expect_finding("R-OWN-09", PROVIDER);
}

/* A consumer that waits for a close which only it could let complete. */
static void wait_for_close(void *argument) {
    NDK_PD *pd;
    NDK_CQ *cq;
    KEVENT event;

    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    fake.status = STATUS_PENDING;
    pd->Dispatch->NdkClosePd(&pd->Header, hear_close, NULL);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void a_close_held_up_by_the_waiter_itself_is_r_own_08(void **state) {
    (void)state;
    run(wait_for_close);
    assert_true(vrf_blame_stuck(fixture.world));
    expect_finding("R-OWN-08", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "qp[0] is open"));
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "pd[0]"));
}

/* A consumer in the adapter's close, with objects open and an accept pending. */
static void wait_in_adapter_close(void *argument) {
    NDK_CONNECTOR *connector;
    NDK_PD *pd;
    NDK_CQ *cq;
    KEVENT event;

    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    connector = open_connector();
    fake.status = STATUS_PENDING;
    connector->Dispatch->NdkAccept(connector, &fake.qp, 0, 0, NULL, 0, NULL, NULL, hear_request,
                                   NULL);
    vrf_interposer.closing(fixture.adapter, NULL, &fake.adapter);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void an_adapter_close_with_objects_open_is_r_own_08(void **state) {
    const char *detail;

    (void)state;
    run(wait_in_adapter_close);
    assert_true(vrf_blame_stuck(fixture.world));
    expect_finding("R-OWN-08", CONSUMER);
    detail = sim_finding_at(fixture.world, 0)->detail;
    assert_non_null(strstr(detail, "open: pd[0], cq[0], qp[0], connector[0]"));
    assert_non_null(strstr(detail, "accept of host.nic0.connector[0]"));
}

/* ---- Unload and end ---- */

static void leave_open(void *argument) {
    (void)argument;
    open_adapter();
    open_cq();
}

static void an_object_left_open_at_unload_is_r_own_08(void **state) {
    (void)state;
    run(leave_open);
    vrf_interposer.unloaded(NULL);
    expect_finding("R-OWN-08", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->detail, "open: adapter[0], cq[0]"));
}

static void objects_may_stay_open_while_the_driver_is_loaded(void **state) {
    (void)state;
    run(leave_open);
    vrf_check_end(fixture.world);
    expect_no_finding();
}

static void a_request_pending_at_the_end_is_r_own_09(void **state) {
    (void)state;
    run(listen_pending);
    vrf_check_end(fixture.world);
    expect_finding("R-OWN-09", PROVIDER);
}

static void complete(void *argument) {
    (void)argument;
    vrf_on_request(handle, STATUS_CANCELLED);
}

static void an_unload_with_a_request_pending_is_r_own_11(void **state) {
    (void)state;
    run(listen_pending);
    vrf_interposer.unloaded(NULL);
    expect_finding("R-OWN-11", CONSUMER);
}

static void so_is_its_completion_when_it_comes(void **state) {
    (void)state;
    vrf_rule_set(fixture.world, "R-OWN-11", SIM_SEVERITY_WARN, "to see the next one");
    run(listen_pending);
    vrf_interposer.unloaded(NULL);
    run(complete);
    assert_int_equal(sim_finding_count(fixture.world), 2);
    assert_string_equal(sim_finding_at(fixture.world, 1)->id, "R-OWN-11");
    assert_non_null(strstr(sim_finding_at(fixture.world, 1)->sentence, "calls into"));
}

static void close_adapter_early(void *argument) {
    listen_pending(argument);
    close_adapter();
    CHECK(false);
}

static void an_adapter_closed_with_a_request_pending_is_r_own_09(void **state) {
    (void)state;
    run(close_adapter_early);
    expect_finding("R-OWN-09", PROVIDER);
}

static void owed_tells_both_sides(void **state) {
    struct sim_finding finding;

    (void)state;
    run(listen_pending);
    sim_finding_init(&finding, SIM_VERDICT_STUCK, "stuck", NULL);
    vrf_say_owed(fixture.world, &finding);
    assert_string_equal(finding.detail,
                        "owed: provider: listen of host.nic0.listener[0] (request 2) since "
                        "0.000040 ms\n"
                        "owed: the program: close adapter[0], listener[0]");
}

static void judging_off(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    close_object(cq);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
}

static void nothing_is_found_with_judging_off(void **state) {
    (void)state;
    vrf_judge_set(fixture.world, false);
    run(judging_off);
    assert_false(vrf_blame_stuck(fixture.world));
    vrf_interposer.unloaded(NULL);
    vrf_check_end(fixture.world);
    expect_no_finding();
    assert_string_equal(fake.slot, "cq.NdkArmCq");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_request_that_nobody_will_answer_is_r_own_09),
        VRF_TEST(nothing_owed_blames_nobody),
        VRF_TEST(a_close_that_waits_for_nothing_is_r_own_09),
        VRF_TEST(a_close_held_up_by_the_waiter_itself_is_r_own_08),
        VRF_TEST(an_adapter_close_with_objects_open_is_r_own_08),
        VRF_TEST(an_object_left_open_at_unload_is_r_own_08),
        VRF_TEST(objects_may_stay_open_while_the_driver_is_loaded),
        VRF_TEST(a_request_pending_at_the_end_is_r_own_09),
        VRF_TEST(an_unload_with_a_request_pending_is_r_own_11),
        VRF_TEST(so_is_its_completion_when_it_comes),
        VRF_TEST(an_adapter_closed_with_a_request_pending_is_r_own_09),
        VRF_TEST(owed_tells_both_sides),
        VRF_TEST(nothing_is_found_with_judging_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
