/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that connects to its own listener and waits before anybody accepts. */
#include <ntddk.h>
#include <ws2ipdef.h>

#include "callback.h"
#include "fixture.h"

static NDK_CONNECTOR offered;
static KEVENT event;
static struct sockaddr_in listening;
static struct sockaddr_in destination;
static bool has_limit;
static bool accepts;
static bool owes_pd;

static void on_connect(PVOID context, NDK_CONNECTOR *connector) {
    (void)context;
    if (accepts) {
        connector->Dispatch->NdkAccept(connector, &fake.qp, 0, 0, NULL, 0, NULL, NULL, hear_request,
                                       NULL);
    }
}

static void offer(void *argument) {
    vrf_on_connect_event(argument, &offered);
}

static void connect_and_wait(void *argument) {
    NDK_LISTENER *listener;
    NDK_CONNECTOR *connector;
    NDK_PD *pd;
    NDK_CQ *cq;
    LARGE_INTEGER limit;
    void *handle;

    (void)argument;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    connector = open_connector();
    listener = open_listener(on_connect, NULL);
    handle = FAKE_POINTER(2);
    listener->Dispatch->NdkListen(listener, (struct sockaddr *)&listening, sizeof(listening),
                                  hear_request, NULL);
    fake_object(&offered, NdkObjectTypeConnector);
    fake.status = STATUS_PENDING;
    connector->Dispatch->NdkConnect(connector, &fake.qp, (struct sockaddr *)&destination,
                                    sizeof(destination), (struct sockaddr *)&destination,
                                    sizeof(destination), 0, 0, NULL, 0, hear_request, NULL);
    if (owes_pd) {
        fake.adapter.Dispatch->NdkCreatePd(&fake.adapter, hear_create, &heard, &pd);
    }
    krn_node_thread(fixture.node, "provider", offer, handle);
    limit.QuadPart = -10 * 1000 * 1000;
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, has_limit ? &limit : NULL);
}

static void prepare(void) {
    memset(&listening, 0, sizeof(listening));
    listening.sin_family = AF_INET;
    listening.sin_port = 0x3412;
    listening.sin_addr.s_addr = 0x0200000A;
    destination = listening;
    has_limit = false;
    accepts = false;
    owes_pd = false;
}

/* The event's thread is the driver's own here; it comes to rest in the kernel's idle wait. */
static void rest(void *argument) {
    (void)argument;
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void connect_wait_and_rest(void *argument) {
    krn_node_thread(fixture.node, "other", rest, NULL);
    connect_and_wait(argument);
}

static void the_cycle_is_named_when_the_last_thread_waits(void **state) {
    const struct sim_finding *finding;

    (void)state;
    prepare();
    run(connect_wait_and_rest);
    assert_int_equal(sim_finding_count(fixture.world), 1);
    finding = sim_finding_at(fixture.world, 0);
    assert_string_equal(finding->id, "deadlock");
    assert_int_equal(finding->verdict, SIM_VERDICT_STUCK);
    assert_non_null(strstr(finding->detail, "cycle: host.test[0] -> connect of"));
    assert_non_null(strstr(finding->sentence, "accept of host.nic0.connector[1]"));
    assert_true(finding->time_ns < SIM_NS_PER_MS);
}

static void an_accept_in_the_event_is_no_deadlock(void **state) {
    (void)state;
    prepare();
    accepts = true;
    run(connect_wait_and_rest);
    expect_no_finding();
}

static void a_wait_with_a_limit_is_no_deadlock(void **state) {
    (void)state;
    prepare();
    has_limit = true;
    run(connect_and_wait);
    expect_no_finding();
}

/* Its completion may be what makes somebody accept. */
static void a_create_that_the_provider_owes_is_no_deadlock(void **state) {
    (void)state;
    prepare();
    owes_pd = true;
    run(connect_wait_and_rest);
    expect_no_finding();
}

static void a_connect_to_somebody_else_is_no_deadlock(void **state) {
    (void)state;
    prepare();
    destination.sin_port = 0x3413;
    run(connect_wait_and_rest);
    expect_no_finding();
}

static void a_wildcard_listener_is_reached_by_any_address(void **state) {
    (void)state;
    prepare();
    listening.sin_addr.s_addr = 0;
    run(connect_wait_and_rest);
    assert_int_equal(sim_finding_count(fixture.world), 1);
}

static void on_step(struct sim_world *world, struct sim_event *scheduled) {
    (void)world;
    (void)scheduled;
}

static void a_step_still_to_come_may_resolve_it(void **state) {
    static struct sim_event step;

    (void)state;
    prepare();
    sim_event_init(&step, "scenario.step", NULL, on_step);
    sim_event_schedule(fixture.world, &step, SIM_NS_PER_S);
    run(connect_wait_and_rest);
    expect_no_finding();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(the_cycle_is_named_when_the_last_thread_waits),
        VRF_TEST(an_accept_in_the_event_is_no_deadlock),
        VRF_TEST(a_wait_with_a_limit_is_no_deadlock),
        VRF_TEST(a_create_that_the_provider_owes_is_no_deadlock),
        VRF_TEST(a_connect_to_somebody_else_is_no_deadlock),
        VRF_TEST(a_wildcard_listener_is_reached_by_any_address),
        VRF_TEST(a_step_still_to_come_may_resolve_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
