/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that may pend, their answers, and the ledger's rules over them: kept and broken. */
#include "callback.h"
#include "fixture.h"

#define CONSUMER "consumer the program"
#define PROVIDER "provider"

static const struct sockaddr address = {.sa_family = AF_INET};

/* ---- Helpers of the tests ---- */

/* A connect that is answered `status`; what the provider was given is in fake.argument. */
static NTSTATUS ask_connect(NDK_CONNECTOR *connector, void *context,
                            NDK_FN_REQUEST_COMPLETION routine) {
    return connector->Dispatch->NdkConnect(connector, &fake.qp, &address, sizeof(address), &address,
                                           sizeof(address), 0, 0, NULL, 0, routine, context);
}

static void answer(void *context, NTSTATUS status) {
    vrf_on_request(context, status);
}

static NDK_CONNECTOR *make_connector(void) {
    NDK_PD *pd;
    NDK_CQ *cq;

    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    return open_connector();
}

/* ---- Kept ---- */

static void keep_pending_request(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_PENDING;
    CHECK(ask_connect(connector, &heard, hear_request) == STATUS_PENDING);
    CHECK(FAKE_POINTER(11) != &heard);
    CHECK(strcmp(vrf_interposer.name(fixture.world, connector)->state, "connecting") == 0);
    answer(FAKE_POINTER(11), STATUS_CONNECTION_REFUSED);
    CHECK(heard.count == 1 && heard.context == &heard);
    CHECK(heard.status == STATUS_CONNECTION_REFUSED);
    CHECK(strcmp(vrf_interposer.name(fixture.world, connector)->state, "connect failed") == 0);
    close_object(connector);
}

static void a_pending_request_is_answered_once_with_its_own_context(void **state) {
    (void)state;
    run(keep_pending_request);
    expect_no_finding();
}

static void close_in_completion(PVOID context, NTSTATUS status) {
    hear_request(context, status);
    fake.inside = NULL;
    fake.status = STATUS_PENDING;
    CHECK(fake.connector.Dispatch->NdkCloseConnector(&fake.connector.Header, hear_close, &heard) ==
          STATUS_PENDING);
}

static void *close_handle;

static void answer_inside(void) {
    void *context = FAKE_POINTER(11);

    fake.inside = NULL;
    answer(context, STATUS_IO_TIMEOUT);
    close_handle = FAKE_POINTER(2);
}

static void keep_close_in_completion(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_PENDING;
    fake.inside = answer_inside;
    CHECK(ask_connect(connector, &heard, close_in_completion) == STATUS_PENDING);
    CHECK(heard.count == 1);
    vrf_on_close(close_handle);
    CHECK(heard.count == 2);
}

static void a_completion_inside_the_call_may_close_the_object(void **state) {
    (void)state;
    run(keep_close_in_completion);
    expect_no_finding();
}

/* ---- R-OWN-03 ---- */

static void break_03(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    cq->Dispatch->NdkCloseCq(&cq->Header, NULL, NULL);
    CHECK(false);
}

static void a_close_without_a_routine_is_r_own_03(void **state) {
    (void)state;
    run(break_03);
    expect_finding("R-OWN-03", CONSUMER);
}

static void keep_03(void *argument) {
    static MDL mdl;
    ULONG size = 0;
    ULONG fbo;

    (void)argument;
    open_adapter();
    CHECK(fake.adapter.Dispatch->NdkBuildLAM(&fake.adapter, &mdl, 1, NULL, NULL, NULL, &size,
                                             &fbo) == STATUS_SUCCESS);
    CHECK(FAKE_POINTER(3) == NULL);
}

static void building_a_mapping_needs_no_routine(void **state) {
    (void)state;
    run(keep_03);
    expect_no_finding();
}

/* ---- R-OWN-04 ---- */

static void break_04(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_PENDING;
    ask_connect(connector, &heard, hear_request);
    connector->Dispatch->NdkCompleteConnect(connector, NULL, NULL, hear_request, &heard);
    CHECK(false);
}

static void a_context_that_a_pending_connect_owns_is_r_own_04(void **state) {
    (void)state;
    run(break_04);
    expect_finding("R-OWN-04", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "request "));
}

static void keep_04(void *argument) {
    static uint64_t counter;
    NDK_CONNECTOR *connector = make_connector();
    NDK_MR *mr[2] = {NULL, NULL};
    static NDK_MR second;

    (void)argument;
    fake_object(&second, NdkObjectTypeMr);
    fake.pd.Dispatch->NdkCreateMr(&fake.pd, TRUE, hear_create, NULL, &mr[0]);
    fake.object = &second;
    fake.pd.Dispatch->NdkCreateMr(&fake.pd, TRUE, hear_create, NULL, &mr[1]);
    fake.object = NULL;
    fake.status = STATUS_PENDING;
    /* One counter for several registrations. */
    for (int i = 0; i < 2; i++) {
        mr[i]->Dispatch->NdkInitializeFastRegisterMr(mr[i], 1, TRUE, hear_request, &counter);
        answer(FAKE_POINTER(4), STATUS_SUCCESS);
        mr[i]->Dispatch->NdkInitializeFastRegisterMr(mr[i], 1, TRUE, hear_request, &counter);
    }
    /* One connection structure for a request and the close that abandons it. */
    ask_connect(connector, &heard, hear_request);
    connector->Dispatch->NdkCloseConnector(&connector->Header, hear_close, &heard);
}

static void contexts_that_are_shared_by_design_are_no_finding(void **state) {
    (void)state;
    run(keep_04);
    expect_no_finding();
}

/* ---- R-OWN-05 ---- */

static void break_05(void *argument) {
    NDK_CONNECTOR *connector = make_connector();
    void *handle;

    (void)argument;
    fake.status = STATUS_PENDING;
    ask_connect(connector, &heard, hear_request);
    handle = FAKE_POINTER(11);
    answer(handle, STATUS_SUCCESS);
    answer(handle, STATUS_SUCCESS);
    CHECK(false);
}

static void a_second_completion_is_r_own_05(void **state) {
    (void)state;
    run(break_05);
    expect_finding("R-OWN-05", PROVIDER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "connector[0]"));
}

static void break_05_late(void *argument) {
    NDK_CONNECTOR *connector = make_connector();
    void *handle = NULL;

    (void)argument;
    fake.status = STATUS_PENDING;
    for (int i = 0; i < 100; i++) {
        ask_connect(connector, &heard, hear_request);
        handle = handle == NULL ? FAKE_POINTER(11) : handle;
        answer(FAKE_POINTER(11), STATUS_IO_TIMEOUT);
    }
    answer(handle, STATUS_SUCCESS);
    CHECK(false);
}

static void a_second_completion_long_after_is_r_own_05(void **state) {
    (void)state;
    run(break_05_late);
    expect_finding("R-OWN-05", PROVIDER);
}

static void break_05_close(void *argument) {
    NDK_CQ *cq;
    void *handle;

    (void)argument;
    open_adapter();
    cq = open_cq();
    fake.status = STATUS_PENDING;
    cq->Dispatch->NdkCloseCq(&cq->Header, hear_close, NULL);
    handle = FAKE_POINTER(2);
    vrf_on_close(handle);
    vrf_on_close(handle);
    CHECK(false);
}

static void a_second_close_completion_is_r_own_05(void **state) {
    (void)state;
    run(break_05_close);
    expect_finding("R-OWN-05", PROVIDER);
}

/* ---- R-OWN-06 ---- */

static void break_06(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_INSUFFICIENT_RESOURCES;
    ask_connect(connector, &heard, hear_request);
    answer(FAKE_POINTER(11), STATUS_SUCCESS);
    CHECK(false);
}

static void a_completion_after_an_inline_status_is_r_own_06(void **state) {
    (void)state;
    run(break_06);
    expect_finding("R-OWN-06", PROVIDER);
}

static void break_06_both(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_CONNECTION_REFUSED;
    fake.inside = answer_inside;
    ask_connect(connector, &heard, hear_request);
    CHECK(false);
}

static void a_completion_and_an_inline_status_are_r_own_06(void **state) {
    (void)state;
    run(break_06_both);
    expect_finding("R-OWN-06", PROVIDER);
}

static void break_06_unknown(void *argument) {
    (void)argument;
    open_adapter();
    vrf_on_create(&heard, STATUS_SUCCESS, NULL);
    CHECK(false);
}

static void a_completion_with_a_context_of_nobody_is_r_own_06(void **state) {
    (void)state;
    run(break_06_unknown);
    expect_finding("R-OWN-06", PROVIDER);
}

static void break_06_event(void *argument) {
    (void)argument;
    open_adapter();
    vrf_on_cq_event(&heard, STATUS_SUCCESS);
    CHECK(false);
}

static void an_event_with_a_context_of_nobody_is_r_own_06(void **state) {
    (void)state;
    run(break_06_event);
    expect_finding("R-OWN-06", PROVIDER);
}

/* ---- R-OWN-07 ---- */

static void break_07(void *argument) {
    NDK_CQ *cq;
    void *event;

    (void)argument;
    open_adapter();
    cq = open_cq();
    event = FAKE_POINTER(3);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
    vrf_on_cq_event(event, STATUS_SUCCESS);
    CHECK(heard.count == 1);
    close_object(cq);
    vrf_on_cq_event(event, STATUS_SUCCESS);
    CHECK(false);
}

static void a_notification_after_the_close_is_r_own_07(void **state) {
    (void)state;
    run(break_07);
    expect_finding("R-OWN-07", PROVIDER);
}

static void close_in_event(PVOID context, NTSTATUS status) {
    (void)context;
    (void)status;
    close_object(&fake.cq); /* answered success at once: the callback still runs */
}

static void break_07_running(void *argument) {
    NDK_CQ *cq = NULL;
    void *event;

    (void)argument;
    open_adapter();
    fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, close_in_event, NULL, NULL, hear_create,
                                       NULL, &cq);
    event = FAKE_POINTER(3);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
    vrf_on_cq_event(event, STATUS_SUCCESS);
    CHECK(false);
}

static void a_close_that_completes_under_a_callback_is_r_own_07(void **state) {
    (void)state;
    run(break_07_running);
    expect_finding("R-OWN-07", PROVIDER);
}

/* ---- R-OWN-09 at the close, R-OWN-10 ---- */

static void break_09(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    fake.status = STATUS_PENDING;
    ask_connect(connector, &heard, hear_request);
    close_object(connector);
    CHECK(false);
}

static void a_close_that_leaves_a_request_pending_is_r_own_09(void **state) {
    (void)state;
    run(break_09);
    expect_finding("R-OWN-09", PROVIDER);
}

static void break_10(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    fake.status = STATUS_PENDING;
    cq->Dispatch->NdkCloseCq(&cq->Header, hear_close, NULL);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
    CHECK(false);
}

static void use_after_the_close_was_asked_for_is_r_own_10(void **state) {
    (void)state;
    run(break_10);
    expect_finding("R-OWN-10", CONSUMER);
    assert_int_equal(sim_finding_at(fixture.world, 0)->site_count, 2);
}

static void break_10_twice(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    close_object(cq);
    close_object(cq);
    CHECK(false);
}

static void a_second_close_is_r_own_10(void **state) {
    (void)state;
    run(break_10_twice);
    expect_finding("R-OWN-10", CONSUMER);
}

static void break_10_other(void *argument) {
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    cq = open_cq();
    open_pd();
    cq->Dispatch->NdkArmCq((NDK_CQ *)&fake.pd, NDK_CQ_NOTIFY_ANY);
    CHECK(false);
}

static void an_object_of_another_type_is_r_own_10(void **state) {
    (void)state;
    run(break_10_other);
    expect_finding("R-OWN-10", CONSUMER);
}

static void break_10_second(void *argument) {
    NDK_CONNECTOR *connector = make_connector();

    (void)argument;
    close_object(&fake.qp);
    ask_connect(connector, &heard, hear_request);
    CHECK(false);
}

static void a_closed_object_beside_the_first_argument_is_r_own_10(void **state) {
    (void)state;
    run(break_10_second);
    expect_finding("R-OWN-10", CONSUMER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_pending_request_is_answered_once_with_its_own_context),
        VRF_TEST(a_completion_inside_the_call_may_close_the_object),
        VRF_TEST(a_close_without_a_routine_is_r_own_03),
        VRF_TEST(building_a_mapping_needs_no_routine),
        VRF_TEST(a_context_that_a_pending_connect_owns_is_r_own_04),
        VRF_TEST(contexts_that_are_shared_by_design_are_no_finding),
        VRF_TEST(a_second_completion_is_r_own_05),
        VRF_TEST(a_second_completion_long_after_is_r_own_05),
        VRF_TEST(a_second_close_completion_is_r_own_05),
        VRF_TEST(a_completion_after_an_inline_status_is_r_own_06),
        VRF_TEST(a_completion_and_an_inline_status_are_r_own_06),
        VRF_TEST(a_completion_with_a_context_of_nobody_is_r_own_06),
        VRF_TEST(an_event_with_a_context_of_nobody_is_r_own_06),
        VRF_TEST(a_notification_after_the_close_is_r_own_07),
        VRF_TEST(a_close_that_completes_under_a_callback_is_r_own_07),
        VRF_TEST(a_close_that_leaves_a_request_pending_is_r_own_09),
        VRF_TEST(use_after_the_close_was_asked_for_is_r_own_10),
        VRF_TEST(a_second_close_is_r_own_10),
        VRF_TEST(an_object_of_another_type_is_r_own_10),
        VRF_TEST(a_closed_object_beside_the_first_argument_is_r_own_10),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
