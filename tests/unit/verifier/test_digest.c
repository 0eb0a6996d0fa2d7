/* SPDX-License-Identifier: Apache-2.0 */
/* Judging only looks: digest, names, choices and time are the same with it on and off. */
#include <ntddk.h>

#include "callback.h"
#include "fixture.h"

#define TAG 0x74736554u

static volatile uint32_t posts_left;

static void post(void *argument) {
    NDK_RESULT results[4];

    (void)argument;
    while (posts_left > 0) {
        NDK_SGE sge = {.Length = 8, .MemoryRegionToken = 5};
        void *buffer;

        posts_left--;
        buffer = ExAllocatePoolWithTag(NonPagedPoolNx, 8, TAG);
        sge.VirtualAddress = buffer;
        fake.qp.Dispatch->NdkSend(&fake.qp, buffer, &sge, 1, 0);
        fake_result(STATUS_SUCCESS, last_qp_stamp, FAKE_POINTER(1));
        CHECK(fake.cq.Dispatch->NdkGetCqResults(&fake.cq, results, 4) <= 4);
        ExFreePoolWithTag(buffer, TAG);
    }
}

/* Everything that the verifier does: rules kept and broken, warnings, stray answers, births. */
static void workload(void *argument) {
    NDK_CQ *cq;
    NDK_PD *pd;
    NDK_LISTENER *listener;
    void *handle;

    (void)argument;
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    handle = FAKE_POINTER(0);
    vrf_on_request(handle, STATUS_SUCCESS); /* stray */
    vrf_on_cq_event(handle, STATUS_SUCCESS);
    posts_left = 200;
    krn_node_thread(fixture.node, "other", post, NULL);
    post(NULL);
    listener = open_listener(NULL, NULL);
    fake.status = STATUS_PENDING;
    listener->Dispatch->NdkListen(listener, NULL, 0, hear_request, NULL);
    handle = FAKE_POINTER(4);
    vrf_on_request(handle, STATUS_SUCCESS);
    vrf_on_request(handle, STATUS_SUCCESS); /* twice */
    close_object(cq);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);                 /* closed */
    cq->Dispatch->NdkArmCq((NDK_CQ *)&fake.mr, NDK_CQ_NOTIFY_ANY); /* never seen */
}

struct outcome {
    uint64_t digest;
    uint64_t order;
    uint64_t choices;
    uint64_t now_ns;
    uint64_t records;
    uint64_t names;
    size_t findings;
};

static struct outcome run_with(bool judging, uint32_t step_ppm) {
    const struct sim_chooser_random_options options = {.step_ppm = step_ppm, .other_ppm = 100000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);
    struct outcome outcome;

    fixture_end();
    fixture_make(chooser, true);
    vrf_judge_set(fixture.world, judging);
    posts_left = 0;
    run(workload);
    vrf_interposer.unloaded(NULL);
    (void)vrf_blame_stuck(fixture.world);
    vrf_check_end(fixture.world);
    outcome = (struct outcome){
        .digest = sim_digest(fixture.world),
        .order = sim_order_hash(fixture.world),
        .choices = sim_choice_count(fixture.world),
        .now_ns = sim_now_ns(fixture.world),
        .records = sim_trace_count(fixture.world),
        .findings = sim_finding_count(fixture.world),
    };
    for (uint32_t id = 1; id <= sim_object_count(fixture.world); id++) {
        const struct sim_object *object = sim_object_by_id(fixture.world, id);

        outcome.names = sim_hash_mix(outcome.names, object->name_hash);
    }
    fixture_end();
    sim_chooser_destroy(chooser);
    fixture_make(NULL, false);
    return outcome;
}

static void judging_changes_nothing_but_findings(void **state) {
    (void)state;
    for (uint32_t step_ppm = 0; step_ppm <= 200000; step_ppm += 100000) {
        struct outcome on = run_with(true, step_ppm);
        struct outcome off = run_with(false, step_ppm);

        assert_true(on.findings >= 4);
        assert_int_equal(off.findings, 0);
        assert_true(on.digest == off.digest);
        assert_true(on.order == off.order);
        assert_true(on.choices == off.choices);
        assert_true(on.now_ns == off.now_ns);
        assert_true(on.records == off.records);
        assert_true(on.names == off.names);
    }
}

static void one_seed_gives_one_digest(void **state) {
    struct outcome first;
    struct outcome second;

    (void)state;
    first = run_with(true, 100000);
    second = run_with(true, 100000);
    assert_true(first.digest == second.digest);
    assert_true(first.findings == second.findings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(judging_changes_nothing_but_findings),
        VRF_TEST(one_seed_gives_one_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
