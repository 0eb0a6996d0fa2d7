/* SPDX-License-Identifier: Apache-2.0 */
/* Where contexts lie: stack frames that return, pool that is freed. R-OWN-01 and R-OWN-02. */
#include <ntddk.h>

#include "callback.h"
#include "fixture.h"

#define CONSUMER "consumer the program"
#define TAG 0x74736554u

static void *handle;

static NTSTATUS listen_with(NDK_LISTENER *listener, void *context) {
    static const struct sockaddr address = {.sa_family = AF_INET};
    NTSTATUS status =
        listener->Dispatch->NdkListen(listener, &address, sizeof(address), hear_request, context);

    handle = FAKE_POINTER(4);
    return status;
}

static void no_event(PVOID context, NDK_CONNECTOR *connector) {
    (void)context;
    (void)connector;
}

static NDK_LISTENER *make_listener(void) {
    open_adapter();
    return open_listener(no_event, NULL);
}

/* ---- Stack ---- */

/* A consumer that waits: the frame lives when the completion comes, in the call or later. */
__attribute__((noinline)) static void wait_in_frame(NDK_LISTENER *listener) {
    volatile uint64_t context = 1;

    fake.status = STATUS_PENDING;
    listen_with(listener, (void *)&context);
    sim_point(NULL, SIM_ACCESS_NONE, 1000);
    vrf_on_request(handle, STATUS_SUCCESS);
    CHECK(context == 1);
}

static void keep_01(void *argument) {
    (void)argument;
    wait_in_frame(make_listener());
}

static void a_context_in_a_frame_that_waits_is_kept(void **state) {
    (void)state;
    run(keep_01);
    expect_no_finding();
}

/* A consumer that gives up: the frame returns while the request is pending. */
__attribute__((noinline)) static void give_up(NDK_LISTENER *listener) {
    volatile uint64_t context = 1;

    fake.status = STATUS_PENDING;
    listen_with(listener, (void *)&context);
    sim_point(NULL, SIM_ACCESS_NONE, 1000);
    CHECK(context == 1);
}

/* Later calls cover the dead frame: the stack pointer alone could not tell. */
__attribute__((noinline)) static void complete_deep(uint32_t depth) {
    volatile uint64_t room[64];

    room[depth] = depth;
    if (depth != 0) {
        complete_deep(depth - 1);
    } else {
        vrf_on_request(handle, STATUS_SUCCESS);
    }
    CHECK(room[depth] == depth);
}

static void break_01(void *argument) {
    (void)argument;
    give_up(make_listener());
    complete_deep(8);
    CHECK(false);
}

static void a_context_in_a_frame_that_returned_is_r_own_01(void **state) {
    (void)state;
    run(break_01);
    expect_finding("R-OWN-01", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "listen of"));
}

static void break_01_at_once(void *argument) {
    (void)argument;
    give_up(make_listener());
    vrf_on_request(handle, STATUS_SUCCESS);
    CHECK(false);
}

static void a_frame_that_nothing_covers_yet_is_r_own_01_too(void **state) {
    (void)state;
    run(break_01_at_once);
    expect_finding("R-OWN-01", CONSUMER);
}

static void give_up_in_thread(void *argument) {
    (void)argument;
    give_up(make_listener());
}

static void complete_in_thread(void *argument) {
    (void)argument;
    complete_deep(4);
    CHECK(false);
}

static void a_context_on_the_stack_of_a_thread_that_ended_is_r_own_01(void **state) {
    (void)state;
    run(give_up_in_thread);
    expect_no_finding();
    run(complete_in_thread);
    expect_finding("R-OWN-01", CONSUMER);
}

static void complete_elsewhere(void *argument) {
    (void)argument;
    vrf_on_request(handle, STATUS_SUCCESS);
}

static void keep_01_elsewhere(void *argument) {
    volatile uint64_t context = 1;
    NDK_LISTENER *listener = make_listener();

    (void)argument;
    fake.status = STATUS_PENDING;
    listen_with(listener, (void *)&context);
    krn_node_thread(fixture.node, "completes", complete_elsewhere, NULL);
    while (heard.count == 0) {
        sim_point(NULL, SIM_ACCESS_NONE, 1000);
    }
    CHECK(context == 1);
}

static void a_completion_from_another_thread_finds_the_frame_alive(void **state) {
    (void)state;
    run(keep_01_elsewhere);
    expect_no_finding();
}

/* ---- Pool ---- */

static void keep_02(void *argument) {
    void *context = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    NDK_LISTENER *listener = make_listener();

    (void)argument;
    fake.status = STATUS_PENDING;
    listen_with(listener, context);
    vrf_on_request(handle, STATUS_SUCCESS);
    CHECK(heard.context == context);
    ExFreePoolWithTag(context, TAG);
}

static void a_context_in_live_pool_is_kept(void **state) {
    (void)state;
    run(keep_02);
    expect_no_finding();
}

static void break_02(void *argument) {
    NDK_LISTENER *listener = make_listener();
    uint64_t *context = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    (void)argument;
    fake.status = STATUS_PENDING;
    listen_with(listener, context + 3);
    ExFreePoolWithTag(context, TAG);
    vrf_on_request(handle, STATUS_SUCCESS);
    CHECK(false);
}

static void a_context_in_freed_pool_is_r_own_02(void **state) {
    (void)state;
    run(break_02);
    expect_finding("R-OWN-02", CONSUMER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "pool#"));
}

static void break_02_given(void *argument) {
    NDK_LISTENER *listener = make_listener();
    void *context = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    (void)argument;
    ExFreePoolWithTag(context, TAG);
    listen_with(listener, context);
    CHECK(false);
}

static void a_context_that_was_freed_before_the_call_is_r_own_02(void **state) {
    (void)state;
    run(break_02_given);
    expect_finding("R-OWN-02", CONSUMER);
}

static void break_02_event(void *argument) {
    void *context = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    NDK_CQ *cq = NULL;
    void *event;

    (void)argument;
    open_adapter();
    fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, hear_cq, context, NULL, hear_create, NULL,
                                       &cq);
    event = FAKE_POINTER(3);
    cq->Dispatch->NdkArmCq(cq, NDK_CQ_NOTIFY_ANY);
    vrf_on_cq_event(event, STATUS_SUCCESS);
    CHECK(heard.count == 1 && heard.context == context);
    ExFreePoolWithTag(context, TAG);
    vrf_on_cq_event(event, STATUS_SUCCESS);
    CHECK(false);
}

static void an_event_context_in_freed_pool_is_r_own_02(void **state) {
    (void)state;
    run(break_02_event);
    expect_finding("R-OWN-02", CONSUMER);
}

__attribute__((noinline)) static void build_and_give_up(void) {
    volatile NDK_LOGICAL_ADDRESS_MAPPING mapping = {.AdapterPageCount = 1};
    static ULONG size = sizeof(mapping);
    static MDL mdl;
    static ULONG fbo;

    fake.status = STATUS_PENDING;
    fake.adapter.Dispatch->NdkBuildLAM(&fake.adapter, &mdl, 1, hear_request, NULL,
                                       (NDK_LOGICAL_ADDRESS_MAPPING *)&mapping, &size, &fbo);
    handle = FAKE_POINTER(4);
    CHECK(mapping.AdapterPageCount == 1);
}

static void break_01_out(void *argument) {
    (void)argument;
    open_adapter();
    build_and_give_up();
    complete_deep(8);
    CHECK(false);
}

static void an_answers_memory_in_a_dead_frame_is_r_own_01(void **state) {
    (void)state;
    run(break_01_out);
    expect_finding("R-OWN-01", CONSUMER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_context_in_a_frame_that_waits_is_kept),
        VRF_TEST(a_context_in_a_frame_that_returned_is_r_own_01),
        VRF_TEST(a_frame_that_nothing_covers_yet_is_r_own_01_too),
        VRF_TEST(a_context_on_the_stack_of_a_thread_that_ended_is_r_own_01),
        VRF_TEST(a_completion_from_another_thread_finds_the_frame_alive),
        VRF_TEST(a_context_in_live_pool_is_kept),
        VRF_TEST(a_context_in_freed_pool_is_r_own_02),
        VRF_TEST(a_context_that_was_freed_before_the_call_is_r_own_02),
        VRF_TEST(an_event_context_in_freed_pool_is_r_own_02),
        VRF_TEST(an_answers_memory_in_a_dead_frame_is_r_own_01),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
