/* SPDX-License-Identifier: Apache-2.0 */
/* Work requests: contexts put in and taken out, one result each, from live buffers. */
#include <ntddk.h>

#include <sim/fault.h>

#include "fixture.h"
#include "shadow.h"
#include "work.h"

#define CONSUMER "consumer the program"
#define PROVIDER "provider"
#define TAG 0x74736554u

static uint64_t token[8]; /* contexts of the consumer */

static NDK_QP *make_qp(void) {
    NDK_PD *pd;
    NDK_CQ *cq;

    open_adapter();
    pd = open_pd();
    cq = open_cq();
    return open_qp(pd, cq, &token[7]);
}

/* Answers the RequestContext that the provider was given. */
static void *send(NDK_QP *qp, void *context, ULONG flags) {
    CHECK(qp->Dispatch->NdkSend(qp, context, NULL, 0, flags) == fake.status);
    return FAKE_POINTER(1);
}

static void *receive(NDK_QP *qp, void *context) {
    CHECK(qp->Dispatch->NdkReceive(qp, context, NULL, 0) == fake.status);
    return FAKE_POINTER(1);
}

static ULONG poll(NDK_RESULT *results, ULONG asked) {
    memset(results, 0xEE, asked * sizeof(*results));
    return fake.cq.Dispatch->NdkGetCqResults(&fake.cq, results, asked);
}

/* ---- Kept ---- */

static void keep_contexts(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[4];
    void *a = send(qp, &token[0], 0);
    void *b = receive(qp, NULL);

    (void)argument;
    CHECK(a != &token[0] && b != NULL && a != b && last_qp_stamp != &token[7]);
    fake_result(STATUS_CANCELLED, last_qp_stamp, b);
    fake_result(STATUS_SUCCESS, last_qp_stamp, a);
    CHECK(poll(results, 4) == 2);
    CHECK(results[0].RequestContext == NULL && results[0].QPContext == &token[7]);
    CHECK(results[1].RequestContext == &token[0] && results[1].QPContext == &token[7]);
    CHECK(results[0].Status == STATUS_CANCELLED && results[1].Status == STATUS_SUCCESS);
    CHECK(results[2].RequestContext != NULL);
}

static void results_carry_the_consumers_contexts(void **state) {
    (void)state;
    run(keep_contexts);
    expect_no_finding();
}

static void be_of_version(USHORT major, USHORT minor) {
    const NDK_VERSION version = {major, minor};

    fake.adapter.Header.Version = version;
    fake.pd.Header.Version = version;
    fake.cq.Header.Version = version;
    fake.qp.Header.Version = version;
}

static void keep_extended(void *argument) {
    NDK_RESULT_EX results[2];
    void *a;

    (void)argument;
    be_of_version(1, 2);
    a = send(make_qp(), &token[0], 0);
    memset(results, 0xEE, sizeof(results));
    fake_result(STATUS_SUCCESS, last_qp_stamp, a);
    fake.results[0].TypeSpecificCompletionOutput = 77;
    CHECK(fake.cq.Dispatch->NdkGetCqResultsEx(&fake.cq, results, 2) == 1);
    CHECK(results[0].RequestContext == &token[0] && results[0].QPContext == &token[7]);
    CHECK(results[0].TypeSpecificCompletionOutput == 77);
    /* The member that an older consumer's record lacks is neither read nor written. */
    CHECK(results[0].ProviderErrorCode == 0xEEEEEEEE);
}

static void extended_results_keep_their_other_members(void **state) {
    (void)state;
    run(keep_extended);
    expect_no_finding();
}

static void keep_silent(void *argument) {
    NDK_QP *qp = make_qp();
    struct vrf_world *verifier = vrf_world_of(fixture.world);
    NDK_RESULT results[4];
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, qp);
    void *last;

    (void)argument;
    for (uint32_t i = 0; i < 100; i++) {
        send(qp, NULL, NDK_OP_FLAG_SILENT_SUCCESS);
    }
    CHECK(shadow->part.qp.initiator->count == 4);
    last = send(qp, &token[1], 0);
    fake_result(STATUS_SUCCESS, last_qp_stamp, last);
    CHECK(poll(results, 4) == 1 && results[0].RequestContext == &token[1]);
    CHECK(shadow->part.qp.initiator->count == 0);
    /* A silent one that fails gives a result after all. */
    last = send(qp, &token[2], NDK_OP_FLAG_SILENT_SUCCESS);
    fake_result(STATUS_IO_TIMEOUT, last_qp_stamp, last);
    CHECK(poll(results, 4) == 1 && results[0].RequestContext == &token[2]);
}

static void silent_requests_are_over_when_a_later_one_is(void **state) {
    (void)state;
    run(keep_silent);
    expect_no_finding();
}

static void keep_after_close(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[4];
    void *a = send(qp, &token[0], 0);
    void *b = receive(qp, &token[1]);

    (void)argument;
    close_object(qp);
    fake_result(STATUS_CANCELLED, last_qp_stamp, a);
    CHECK(poll(results, 1) == 1 && results[0].QPContext == &token[7]);
    fake_result(STATUS_CANCELLED, last_qp_stamp, b);
    CHECK(poll(results, 4) == 1 && results[0].RequestContext == &token[1]);
    CHECK(poll(results, 4) == 0);
    close_object(&fake.cq);
}

static void results_outlive_their_qp(void **state) {
    (void)state;
    run(keep_after_close);
    expect_no_finding();
}

static void keep_undrained(void *argument) {
    NDK_QP *qp = make_qp();

    (void)argument;
    receive(qp, &token[1]);
    close_object(qp);
    close_object(&fake.cq);
    close_object(&fake.pd);
    close_adapter();
}

static void results_of_a_closed_cq_are_nobodys(void **state) {
    (void)state;
    run(keep_undrained);
    expect_no_finding();
}

static void keep_early(void) {
    /* The result is there, and taken, before the post returns. */
    void *context = FAKE_POINTER(1);
    NDK_RESULT results[2];

    fake.inside = NULL;
    fake_result(STATUS_SUCCESS, last_qp_stamp, context);
    CHECK(poll(results, 2) == 1 && results[0].RequestContext == &token[3]);
}

static void keep_early_result(void *argument) {
    NDK_QP *qp = make_qp();

    (void)argument;
    fake.inside = keep_early;
    send(qp, &token[3], 0);
}

static void a_result_may_be_taken_before_its_post_returns(void **state) {
    (void)state;
    run(keep_early_result);
    expect_no_finding();
}

static void keep_srq(void *argument) {
    NDK_PD *pd;
    NDK_CQ *cq;
    NDK_SRQ *srq = NULL;
    NDK_QP *qp = NULL;
    NDK_RESULT results[2];
    void *context;

    (void)argument;
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    pd->Dispatch->NdkCreateSrq(pd, 4, 1, 0, NULL, NULL, NULL, hear_create, NULL, &srq);
    CHECK(FAKE_POINTER(4) == NULL); /* no routine stays no routine */
    pd->Dispatch->NdkCreateQpWithSrq(pd, cq, cq, srq, &token[7], 4, 1, 0, hear_create, NULL, &qp);
    last_qp_stamp = FAKE_POINTER(4);
    srq->Dispatch->NdkSrqReceive(srq, &token[0], NULL, 0);
    context = FAKE_POINTER(1);
    srq->Dispatch->NdkSrqReceive(srq, &token[1], NULL, 0);
    fake_result(STATUS_SUCCESS, last_qp_stamp, context);
    CHECK(poll(results, 2) == 1);
    CHECK(results[0].RequestContext == &token[0] && results[0].QPContext == &token[7]);
    close_object(qp);
    close_object(srq);
}

static void receives_of_a_shared_queue_come_through_a_qp(void **state) {
    (void)state;
    run(keep_srq);
    expect_no_finding();
}

/* ---- R-OWN-12 ---- */

static void break_12(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_SGE sge = {.Length = 64, .MemoryRegionToken = 5};
    NDK_RESULT results[2];

    (void)argument;
    sge.VirtualAddress = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    CHECK(qp->Dispatch->NdkReceive(qp, &token[0], &sge, 1) == STATUS_SUCCESS);
    ExFreePoolWithTag(sge.VirtualAddress, TAG);
    fake_result(STATUS_CANCELLED, last_qp_stamp, FAKE_POINTER(1));
    (void)poll(results, 2);
    CHECK(false);
}

static void a_buffer_freed_before_its_result_is_r_own_12(void **state) {
    (void)state;
    run(break_12);
    expect_finding("R-OWN-12", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "receive of"));
}

static void keep_12(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_SGE sge = {.Length = 64, .MemoryRegionToken = 5};
    NDK_RESULT results[2];
    void *context;

    (void)argument;
    sge.VirtualAddress = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    CHECK(qp->Dispatch->NdkReceive(qp, &token[0], &sge, 1) == STATUS_SUCCESS);
    context = FAKE_POINTER(1);
    CHECK(FAKE_POINTER(2) == &sge);
    close_object(qp);
    ExFreePoolWithTag(sge.VirtualAddress, TAG);
    fake_result(STATUS_CANCELLED, last_qp_stamp, context);
    CHECK(poll(results, 2) == 1);
}

static void a_buffer_freed_after_the_qps_close_is_kept(void **state) {
    (void)state;
    run(keep_12);
    expect_no_finding();
}

/* ---- R-OWN-14, 15, 16 ---- */

static void break_14(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[2];
    void *a = send(qp, &token[0], 0);

    (void)argument;
    fake_result(STATUS_SUCCESS, last_qp_stamp, a);
    fake_result(STATUS_CANCELLED, last_qp_stamp, a);
    (void)poll(results, 2);
    CHECK(false);
}

static void two_results_for_one_request_are_r_own_14(void **state) {
    (void)state;
    run(break_14);
    expect_finding("R-OWN-14", PROVIDER);
}

static void break_15(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[2];
    void *a;

    (void)argument;
    fake.status = STATUS_NO_MORE_ENTRIES;
    a = send(qp, &token[0], 0);
    fake_result(STATUS_SUCCESS, last_qp_stamp, a);
    (void)poll(results, 2);
    CHECK(false);
}

static void a_result_of_a_post_that_failed_is_r_own_15(void **state) {
    (void)state;
    run(break_15);
    expect_finding("R-OWN-15", PROVIDER);
}

static void break_15_unknown(void *argument) {
    NDK_RESULT results[2];

    (void)argument;
    (void)make_qp();
    fake_result(STATUS_SUCCESS, last_qp_stamp, &token[0]);
    (void)poll(results, 2);
    CHECK(false);
}

static void a_result_of_nobody_is_r_own_15(void **state) {
    (void)state;
    run(break_15_unknown);
    expect_finding("R-OWN-15", PROVIDER);
}

static void break_15_qp(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[2];
    void *a = send(qp, &token[0], 0);

    (void)argument;
    fake_result(STATUS_SUCCESS, &token[7], a);
    (void)poll(results, 2);
    CHECK(false);
}

static void a_result_with_another_qps_context_is_r_own_15(void **state) {
    (void)state;
    run(break_15_qp);
    expect_finding("R-OWN-15", PROVIDER);
}

static void break_16(void *argument) {
    NDK_QP *qp = make_qp();
    NDK_RESULT results[4];
    void *a = send(qp, &token[0], 0);

    (void)argument;
    receive(qp, &token[1]);
    send(qp, &token[2], NDK_OP_FLAG_SILENT_SUCCESS);
    close_object(qp);
    fake_result(STATUS_CANCELLED, last_qp_stamp, a);
    (void)poll(results, 4);
    CHECK(false);
}

static void a_result_that_never_comes_is_r_own_16(void **state) {
    (void)state;
    run(break_16);
    expect_finding("R-OWN-16", PROVIDER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "receive of"));
}

/* The consumer closed the QP and drained its CQ; the send's result never came. */
static void lose_result(NDK_QP *qp) {
    NDK_RESULT results[4];

    send(qp, &token[0], 0);
    close_object(qp);
    CHECK(poll(results, 4) == 0);
}

/* One CQ of a QP has failed: the QP reports nothing more in the other one either (R-CQ-13). */
static void keep_16_other_cq(void *argument) {
    NDK_QP *qp = make_qp();
    struct vrf_world *verifier = vrf_world_of(fixture.world);
    struct vrf_shadow *other =
        vrf_shadow_expect(verifier, vrf_shadow_find(verifier, &fake.adapter), NdkObjectTypeCq);

    (void)argument;
    other->part.cq.may_overrun = true;
    vrf_shadow_find(verifier, qp)->part.qp.receive->cq = other;
    lose_result(qp);
}

static void what_a_qp_with_a_failed_cq_owes_elsewhere_is_lost_by_right(void **state) {
    (void)state;
    run(keep_16_other_cq);
    expect_no_finding();
}

static struct sim_fault_point device_point = {
    .name = "test.cq_fail", .layer = "device", .about = "A CQ fails."};

/* A failure that nobody armed for is not reported yet (C-03). */
static void keep_16_planned(void *argument) {
    (void)argument;
    CHECK(sim_fault_hit(fixture.world, &device_point, NULL, NULL));
    lose_result(make_qp());
}

static void what_a_device_lost_that_was_made_to_fail_is_lost_by_right(void **state) {
    struct sim_fault_point *const points[] = {&device_point};
    const struct sim_fault_plan plan = {.point = &device_point, .to_ns = SIM_TIME_NEVER};

    (void)state;
    sim_fault_register(fixture.world, points, 1);
    sim_fault_plan_add(fixture.world, &plan);
    run(keep_16_planned);
    expect_no_finding();
}

static void break_16_not_fired(void *argument) {
    (void)argument;
    lose_result(make_qp());
}

static void a_plan_that_did_not_fire_excuses_nobody(void **state) {
    struct sim_fault_point *const points[] = {&device_point};
    const struct sim_fault_plan plan = {.point = &device_point, .to_ns = SIM_TIME_NEVER};

    (void)state;
    sim_fault_register(fixture.world, points, 1);
    sim_fault_plan_add(fixture.world, &plan);
    run(break_16_not_fired);
    expect_finding("R-OWN-16", PROVIDER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(results_carry_the_consumers_contexts),
        VRF_TEST(extended_results_keep_their_other_members),
        VRF_TEST(silent_requests_are_over_when_a_later_one_is),
        VRF_TEST(results_outlive_their_qp),
        VRF_TEST(results_of_a_closed_cq_are_nobodys),
        VRF_TEST(a_result_may_be_taken_before_its_post_returns),
        VRF_TEST(receives_of_a_shared_queue_come_through_a_qp),
        VRF_TEST(a_buffer_freed_before_its_result_is_r_own_12),
        VRF_TEST(a_buffer_freed_after_the_qps_close_is_kept),
        VRF_TEST(two_results_for_one_request_are_r_own_14),
        VRF_TEST(a_result_of_a_post_that_failed_is_r_own_15),
        VRF_TEST(a_result_of_nobody_is_r_own_15),
        VRF_TEST(a_result_with_another_qps_context_is_r_own_15),
        VRF_TEST(a_result_that_never_comes_is_r_own_16),
        VRF_TEST(what_a_qp_with_a_failed_cq_owes_elsewhere_is_lost_by_right),
        VRF_TEST(what_a_device_lost_that_was_made_to_fail_is_lost_by_right),
        VRF_TEST(a_plan_that_did_not_fire_excuses_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
