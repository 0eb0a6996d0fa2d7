/* SPDX-License-Identifier: Apache-2.0 */
/* Births, names, look-up, the swap of tables, antecedents. */
#include "callback.h"
#include "fixture.h"
#include "shadow.h"

#define MANY 300

static void births(void *argument) {
    NDK_PD *pd;
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    open_connector();
}

static void objects_are_named_by_their_owner_in_birth_order(void **state) {
    (void)state;
    run(births);
    assert_string_equal(name_of(&fake.adapter), "host.nic0.adapter[0]");
    assert_string_equal(name_of(&fake.pd), "host.nic0.pd[0]");
    assert_string_equal(name_of(&fake.cq), "host.nic0.cq[0]");
    assert_string_equal(name_of(&fake.qp), "host.nic0.qp[0]");
    assert_string_equal(name_of(&fake.connector), "host.nic0.connector[0]");
    assert_string_equal(name_of(&fake.listener), "-");
    assert_string_equal(name_of(NULL), "-");
}

static void failed_birth(void *argument) {
    NDK_CQ *cq = NULL;
    static NDK_CQ second;
    void *handle;

    (void)argument;
    open_adapter();
    fake.status = STATUS_INSUFFICIENT_RESOURCES;
    fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, hear_cq, NULL, NULL, hear_create, NULL,
                                       &cq);
    CHECK(cq == NULL);
    fake.status = STATUS_PENDING;
    fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, hear_cq, NULL, NULL, hear_create, &heard,
                                       &cq);
    vrf_on_create(FAKE_POINTER(6), STATUS_INSUFFICIENT_RESOURCES, NULL);
    CHECK(heard.status == STATUS_INSUFFICIENT_RESOURCES && heard.object == NULL);
    fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, hear_cq, NULL, NULL, hear_create, &heard,
                                       &cq);
    handle = FAKE_POINTER(6);
    fake_object(&second, NdkObjectTypeCq);
    CHECK(second.Dispatch != &vrf_cq_table);
    vrf_on_create(handle, STATUS_SUCCESS, &second.Header);
    CHECK(heard.object == &second.Header && second.Dispatch == &vrf_cq_table);
    CHECK(strcmp(name_of(&second), "host.nic0.cq[0]") == 0);
    fake.status = STATUS_SUCCESS;
}

static void a_create_that_failed_takes_no_number(void **state) {
    (void)state;
    run(failed_birth);
    expect_no_finding();
}

static void many_closes(void *argument) {
    const struct vrf_world *verifier = vrf_world_of(fixture.world);

    (void)argument;
    open_adapter();
    open_pd();
    for (int i = 0; i < MANY; i++) {
        NDK_CQ *cq;

        fake_object(&fake.cq, NdkObjectTypeCq);
        cq = open_cq();
        CHECK(verifier->live_last == vrf_shadow_find(verifier, cq));
        close_object(cq);
    }
    CHECK(verifier->live_first == vrf_shadow_find(verifier, &fake.adapter));
    CHECK(verifier->live_last == vrf_shadow_find(verifier, &fake.pd));
    CHECK(verifier->live_first->live_next == verifier->live_last);
    CHECK(verifier->live_last->live_next == NULL);
    CHECK(verifier->live_last->live_previous == verifier->live_first);
}

static void who_looks_at_the_live_does_not_meet_the_closed(void **state) {
    (void)state;
    run(many_closes);
    expect_no_finding();
}

static void reused(void *argument) {
    NDK_CQ *cq;
    struct sim_object *first;

    (void)argument;
    open_adapter();
    cq = open_cq();
    first = vrf_interposer.name(fixture.world, cq);
    close_object(cq);
    CHECK(first->closed && strcmp(first->state, "closed") == 0);
    fake_object(&fake.cq, NdkObjectTypeCq);
    CHECK(open_cq() == cq);
    CHECK(vrf_interposer.name(fixture.world, cq) != first);
    CHECK(strcmp(name_of(cq), "host.nic0.cq[1]") == 0);
    CHECK(first->closed && !vrf_interposer.name(fixture.world, cq)->closed);
    close_object(cq);
}

static void an_address_used_again_is_a_new_object(void **state) {
    (void)state;
    run(reused);
    expect_no_finding();
}

static void many(void *argument) {
    static NDK_CQ made[MANY];
    NDK_CQ *cq = NULL;
    char expected[40];

    (void)argument;
    open_adapter();
    for (int i = 0; i < MANY; i++) {
        fake_object(&made[i], NdkObjectTypeCq);
        fake.object = &made[i];
        fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 4, hear_cq, NULL, NULL, hear_create, NULL,
                                           &cq);
        CHECK(cq == &made[i]);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(expected, sizeof(expected), "host.nic0.cq[%d]", i);
        CHECK(strcmp(name_of(&made[i]), expected) == 0);
        close_object(&made[i]);
    }
}

static void many_objects_are_all_found(void **state) {
    (void)state;
    run(many);
    expect_no_finding();
}

static NDK_CONNECTOR offered;

static void on_connect(PVOID context, NDK_CONNECTOR *connector) {
    CHECK(context == &heard && connector == &offered);
    CHECK(connector->Dispatch == &vrf_connector_table);
    CHECK(strcmp(name_of(connector), "host.nic0.connector[0]") == 0);
    CHECK(strcmp(vrf_interposer.name(fixture.world, connector)->state, "offered") == 0);
    heard.count++;
}

static void connect_event(void *argument) {
    NDK_LISTENER *listener;

    (void)argument;
    open_adapter();
    listener = open_listener(on_connect, &heard);
    CHECK(listener->Dispatch == &vrf_listener_table);
    fake_object(&offered, NdkObjectTypeConnector);
    vrf_on_connect_event(FAKE_POINTER(2), &offered);
    CHECK(heard.count == 1);
    CHECK(offered.Dispatch->NdkReject(&offered, NULL, 0) == STATUS_SUCCESS);
    CHECK(strcmp(vrf_interposer.name(fixture.world, &offered)->state, "rejected") == 0);
    close_object(&offered);
    close_object(listener);
}

static void a_connector_of_an_event_is_born_before_the_consumer_sees_it(void **state) {
    (void)state;
    run(connect_event);
    expect_no_finding();
}

static void hear_disconnect(PVOID context) {
    hear_close(context);
}

static void disconnect_event(void *argument) {
    static uint64_t contexts[2];
    NDK_CONNECTOR *connector;
    void *event;

    (void)argument;
    open_adapter();
    connector = open_connector();
    connector->Dispatch->NdkCompleteConnect(connector, hear_disconnect, &contexts[0], hear_request,
                                            NULL);
    event = FAKE_POINTER(2);
    /* A second call that is refused must not take the first one's event over. */
    fake.status = STATUS_CONNECTION_INVALID;
    connector->Dispatch->NdkCompleteConnect(connector, hear_disconnect, &contexts[1], hear_request,
                                            NULL);
    fake.status = STATUS_SUCCESS;
    vrf_on_disconnect_event(event);
    CHECK(heard.count == 1 && heard.context == &contexts[0]);
    connector->Dispatch->NdkCompleteConnect(connector, NULL, NULL, hear_request, NULL);
    CHECK(FAKE_POINTER(1) == NULL && FAKE_POINTER(2) == NULL);
    close_object(connector);
}

static void each_call_brings_its_own_disconnect_event(void **state) {
    (void)state;
    run(disconnect_event);
    expect_no_finding();
}

static void adapters(void *argument) {
    const void *own = fake.adapter.Dispatch;

    (void)argument;
    open_adapter();
    CHECK(fake.adapter.Dispatch == &vrf_adapter_table);
    vrf_interposer.closing(fixture.adapter, NULL, &fake.adapter);
    CHECK(fake.adapter.Dispatch == &vrf_adapter_table);
    vrf_interposer.closed(fixture.adapter, NULL, &fake.adapter);
    vrf_interposer.opened(fixture.adapter, NULL, &fake.adapter);
    CHECK(vrf_shadow_find(vrf_active(), &fake.adapter)->dispatch == own);
    vrf_interposer.closing(fixture.adapter, NULL, &fake.adapter);
    vrf_interposer.closed(fixture.adapter, NULL, &fake.adapter);
}

static void an_adapter_keeps_our_table_at_close_and_is_opened_again(void **state) {
    (void)state;
    run(adapters);
    expect_no_finding();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(objects_are_named_by_their_owner_in_birth_order),
        VRF_TEST(a_create_that_failed_takes_no_number),
        VRF_TEST(who_looks_at_the_live_does_not_meet_the_closed),
        VRF_TEST(an_address_used_again_is_a_new_object),
        VRF_TEST(many_objects_are_all_found),
        VRF_TEST(a_connector_of_an_event_is_born_before_the_consumer_sees_it),
        VRF_TEST(each_call_brings_its_own_disconnect_event),
        VRF_TEST(an_adapter_keeps_our_table_at_close_and_is_opened_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
