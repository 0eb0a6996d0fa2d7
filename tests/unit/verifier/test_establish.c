/* SPDX-License-Identifier: Apache-2.0 */
/* What one side was told, against what the other side did: R-EP-05, R-OWN-17. */
#include <ntddk.h>
#include <ws2ipdef.h>

#include "callback.h"
#include "establish.h"
#include "fixture.h"

#define PROVIDER "provider"

static struct sockaddr_in address;
static NDK_LISTENER second;
static NDK_CONNECTOR offered;
static bool accepts;
static bool closes;
static bool is_early; /* accepted before the connect was asked for */

static void prepare(void) {
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = 0x3412;
    address.sin_addr.s_addr = 0x0200000A;
    accepts = true;
    closes = false;
    is_early = false;
}

static void on_connect(PVOID context, NDK_CONNECTOR *connector) {
    (void)context;
    if (accepts) {
        connector->Dispatch->NdkAccept(connector, &fake.qp, 0, 0, NULL, 0, NULL, NULL, hear_request,
                                       NULL);
    }
}

static NTSTATUS listen_with(NDK_LISTENER *listener) {
    return listener->Dispatch->NdkListen(listener, (struct sockaddr *)&address, sizeof(address),
                                         hear_request, NULL);
}

/* A listener with one connector that was handed over. */
static void serve(void) {
    NDK_LISTENER *listener;
    void *handle;

    open_adapter();
    open_qp(open_pd(), open_cq(), NULL);
    listener = open_listener(on_connect, NULL);
    handle = FAKE_POINTER(2);
    CHECK(listen_with(listener) == STATUS_SUCCESS);
    fake_object(&offered, NdkObjectTypeConnector);
    vrf_on_connect_event(handle, &offered);
}

static void listen_again(void *argument) {
    (void)argument;
    serve();
    if (closes) {
        close_object(&offered);
    }
    fake_object(&second, NdkObjectTypeListener);
    fake.object = &second;
    listen_with(open_listener(on_connect, NULL));
}

static void a_listen_over_the_address_of_a_live_connection_is_r_ep_05(void **state) {
    (void)state;
    prepare();
    run(listen_again);
    expect_finding("R-EP-05", PROVIDER);
    assert_non_null(strstr(sim_finding_at(fixture.world, 0)->sentence, "listener[0]"));
}

static void a_listen_after_the_connection_was_closed_is_fine(void **state) {
    (void)state;
    prepare();
    closes = true;
    run(listen_again);
    expect_no_finding();
}

static void a_connector_that_was_not_accepted_holds_no_address(void **state) {
    (void)state;
    prepare();
    accepts = false;
    run(listen_again);
    expect_no_finding();
}

static void listen_elsewhere(void *argument) {
    (void)argument;
    serve();
    fake_object(&second, NdkObjectTypeListener);
    fake.object = &second;
    address.sin_port++;
    listen_with(open_listener(on_connect, NULL));
}

static void another_port_is_another_address(void **state) {
    (void)state;
    prepare();
    run(listen_elsewhere);
    expect_no_finding();
}

static void connect_and_hear(void *argument) {
    NDK_CONNECTOR *connector;
    struct sockaddr_in to = address;

    (void)argument;
    if (is_early) {
        serve();
        sim_task_wait(NULL, "a while", sim_now_ns(fixture.world) + 1000);
    } else {
        open_adapter();
        open_qp(open_pd(), open_cq(), NULL);
    }
    connector = open_connector();
    fake.status = STATUS_SUCCESS;
    connector->Dispatch->NdkConnect(connector, &fake.qp, (struct sockaddr *)&to, sizeof(to),
                                    (struct sockaddr *)&to, sizeof(to), 0, 0, NULL, 0, hear_request,
                                    NULL);
}

static void a_connect_that_an_older_accept_answers_is_r_own_17(void **state) {
    (void)state;
    prepare();
    is_early = true;
    run(connect_and_hear);
    expect_finding("R-OWN-17", PROVIDER);
}

static void a_connect_to_somebody_unknown_is_nobodys_fault(void **state) {
    (void)state;
    prepare();
    run(connect_and_hear);
    expect_no_finding();
}

/* The accept comes while the connect is pending. */
static void connect_then_accept(void *argument) {
    NDK_LISTENER *listener;
    NDK_CONNECTOR *connector;
    void *event;
    void *request;
    void *accept;

    (void)argument;
    open_adapter();
    open_qp(open_pd(), open_cq(), NULL);
    listener = open_listener(on_connect, NULL);
    event = FAKE_POINTER(2);
    CHECK(listen_with(listener) == STATUS_SUCCESS);
    connector = open_connector();
    fake.status = STATUS_PENDING;
    connector->Dispatch->NdkConnect(connector, &fake.qp, (struct sockaddr *)&address,
                                    sizeof(address), (struct sockaddr *)&address, sizeof(address),
                                    0, 0, NULL, 0, hear_request, NULL);
    request = FAKE_POINTER(11);
    fake_object(&offered, NdkObjectTypeConnector);
    vrf_on_connect_event(event, &offered);
    accept = FAKE_POINTER(9);
    vrf_on_request(request, STATUS_SUCCESS);
    fake.status = STATUS_SUCCESS;
    CHECK(connector->Dispatch->NdkCompleteConnect(connector, NULL, NULL, hear_request, NULL) ==
          STATUS_SUCCESS);
    vrf_on_request(accept, STATUS_SUCCESS);
}

static void a_connect_that_its_own_accept_answers_is_fine(void **state) {
    (void)state;
    prepare();
    run(connect_then_accept);
    expect_no_finding();
}

static void wildcards_reach_and_families_differ(void **state) {
    uint8_t to[VRF_ADDRESS_BYTES] = {AF_INET, 0, 1, 2, 10, 0, 0, 1};
    uint8_t any[VRF_ADDRESS_BYTES] = {AF_INET, 0, 1, 2};
    uint8_t v6[VRF_ADDRESS_BYTES] = {AF_INET6, 0, 1, 2};

    (void)state;
    assert_true(vrf_address_reaches(to, any));
    assert_true(vrf_address_reaches(to, to));
    assert_false(vrf_address_reaches(to, v6));
    assert_false(vrf_address_reaches(any, to));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(a_listen_over_the_address_of_a_live_connection_is_r_ep_05),
        VRF_TEST(a_listen_after_the_connection_was_closed_is_fine),
        VRF_TEST(a_connector_that_was_not_accepted_holds_no_address),
        VRF_TEST(another_port_is_another_address),
        VRF_TEST(a_connect_that_an_older_accept_answers_is_r_own_17),
        VRF_TEST(a_connect_to_somebody_unknown_is_nobodys_fault),
        VRF_TEST(a_connect_that_its_own_accept_answers_is_fine),
        cmocka_unit_test(wildcards_reach_and_families_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
