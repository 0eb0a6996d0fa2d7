/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A miniport on a device, and a WSK client that opens its NDK adapter: registration, interrupts,
 * OIDs, device events, the door between them, leftovers.
 */
#include "mini.h"

static char seen[64];

static void a_miniport_is_initialised_interrupted_and_halted(void **state) {
    unsigned char byte = 0x42;

    (void)state;
    assert_int_equal(load(miniport), 0);
    assert_true(krn_ndk_is_enabled(adapter));
    assert_non_null(krn_ndk_capabilities(adapter));
    assert_ptr_equal(krn_ndk_provider(adapter), miniport);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000000);
    assert_int_equal(counter(miniport, "dpcs"), 1);
    assert_true(sim_dma_write(&device, shared_address + 8191, &byte, 1));
    sim_bus_interrupt(&device, 1);
    sim_bus_interrupt(&device, 1);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000000);
    /* Two of one message before its service routine ran are one. */
    assert_int_equal(counter(miniport, "dpcs"), 2);
    assert_int_equal(unload(miniport), 0);
    assert_null(krn_ndk_provider(adapter));
}

static void a_client_opens_and_closes_through_wsk(void **state) {
    (void)state;
    load(miniport);
    assert_int_equal(load(client), 0);
    assert_int_equal(control(OPEN, 1, 9), (int32_t)0xC0000225);
    assert_int_equal(control(OPEN, 2, 7), (int32_t)0xC00000BB);
    assert_int_equal(control(OPEN, 1, 7), 0);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)0xC00000A3);
    assert_int_equal(control(CLOSE, 0, 0), 0);
    assert_int_equal(unload(client), 0);
    assert_int_equal(unload(miniport), 0);
}

static void opened(struct krn_adapter *at, struct krn_driver *by, void *ndk) {
    assert_ptr_equal(at, adapter);
    assert_ptr_equal(by, client);
    assert_non_null(ndk);
    strcat(seen, "o");
}

static void closing(struct krn_adapter *at, struct krn_driver *by, void *ndk) {
    (void)at;
    (void)by;
    (void)ndk;
    strcat(seen, "c");
}

static void closed(struct krn_adapter *at, struct krn_driver *by, void *ndk) {
    (void)at;
    (void)by;
    (void)ndk;
    strcat(seen, "d");
}

static void unloaded(struct krn_driver *driver) {
    strcat(seen, krn_driver_name(driver));
}

static void an_interposer_stands_in_the_door(void **state) {
    static const struct krn_ndk_interposer interposer = {
        .opened = opened, .closing = closing, .closed = closed, .unloaded = unloaded};

    (void)state;
    seen[0] = '\0';
    krn_ndk_interposer_set(world, &interposer);
    load(miniport);
    load(client);
    control(OPEN, 1, 7);
    control(CLOSE, 0, 0);
    unload(client);
    assert_string_equal(seen, "ocdclient");
}

static void release_waits_for_the_open_adapter(void **state) {
    struct krn_ioctl *leave;

    (void)state;
    load(miniport);
    load(client);
    control(OPEN, 1, 7);
    leave = send(LEAVE, 0, 0);
    assert_int_equal(sim_run(world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_false(leave->step.is_done);
}

static void oids_are_answered_at_once_or_later(void **state) {
    uint32_t answer = 0;

    (void)state;
    load(miniport);
    assert_int_equal(oid(0x1234, false, 0, NULL), (int32_t)0xC00000BB);
    assert_int_equal(oid(OID_PENDS, false, 0, &answer), 0);
    assert_int_equal(answer, 77);
    assert_int_equal(step.information, 4);
}

static void disabling_ndk_tells_clients_and_waits_for_them(void **state) {
    (void)state;
    load(miniport);
    load(client);
    control(OPEN, 1, 7);
    assert_int_equal(oid(OID_NDK_SET_STATE, true, 0, NULL), 0);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000000);
    assert_false(krn_ndk_is_enabled(adapter));
    assert_int_equal(counter(client, "events"), 1);
    assert_int_equal(counter(miniport, "raised"), UINT64_MAX);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)0xC00000A3);
    control(CLOSE, 0, 0);
    sim_run(world, NULL, NULL, sim_now_ns(world) + 1000000);
    assert_int_equal(counter(miniport, "raised"), 0);
}

static void an_event_from_the_oid_handler_is_a_bugcheck(void **state) {
    static struct krn_oid request = {.oid = OID_EVENT};

    (void)state;
    load(miniport);
    krn_adapter_oid(adapter, &request, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_FINDING);
    assert_string_equal(sim_finding_at(world, 0)->id, "0x7C");
    assert_string_equal(sim_finding_at(world, 0)->guilty, "provider mini");
}

static void device_events_come_one_at_a_time(void **state) {
    static struct krn_step steps[2];

    (void)state;
    memset(steps, 0, sizeof(steps));
    load(miniport);
    load(client);
    assert_int_equal(control(OPEN, 1, 7), 0);
    krn_adapter_pnp(adapter, KRN_PNP_HALT, &steps[0]);
    krn_adapter_pnp(adapter, KRN_PNP_SURPRISE_REMOVE, &steps[1]);
    sim_run(world, NULL, NULL, sim_now_ns(world) + SIM_NS_PER_MS);
    assert_false(steps[0].is_done || steps[1].is_done);
    control(CLOSE, 0, 0);
    assert_int_equal(finish(&steps[0]), 0);
    assert_int_equal(finish(&steps[1]), 0);
    assert_int_equal(unload(miniport), 0);
}

static void an_adapter_is_disabled_enabled_and_removed(void **state) {
    (void)state;
    load(miniport);
    load(client);
    assert_int_equal(pnp(KRN_PNP_HALT), 0);
    assert_int_equal(counter(miniport, "halt"), 0);
    assert_int_equal(control(OPEN, 1, 7), (int32_t)0xC0000225);
    assert_int_equal(pnp(KRN_PNP_INITIALIZE), 0);
    assert_int_equal(control(OPEN, 1, 7), 0);
    control(CLOSE, 0, 0);
    assert_int_equal(pnp(KRN_PNP_SURPRISE_REMOVE), 0);
    assert_int_equal(counter(miniport, "pnp"), 2);
    assert_int_equal(counter(miniport, "halt"), 3);
    assert_int_equal(unload(miniport), 0);
}

static void an_unload_with_an_open_registration_is_a_bugcheck(void **state) {
    (void)state;
    load(miniport);
    load(client);
    control(FORGET, 0, 0);
    krn_driver_unload(client, &step);
    assert_int_equal(sim_run(world, step_done, &step, SIM_TIME_NEVER), SIM_RUN_FINDING);
    assert_string_equal(sim_finding_at(world, 0)->id, "0xCE");
    assert_non_null(strstr(sim_finding_at(world, 0)->sentence, "left a WSK registration"));
}

static void every_resource_may_fail_at_every_place(void **state) {
    static const char *const points[] = {"pool.fail",      "map.fail",    "sharedmemory.fail",
                                         "interrupt.fail", "device.fail", "wsk.capture_fail"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(points); i++) {
        struct sim_fault_plan plan = {.to_ns = SIM_TIME_NEVER, .nth = 1};

        end_node(state);
        setup(state);
        plan.point = sim_fault_point_find(world, points[i]);
        assert_non_null(plan.point);
        sim_fault_plan_add(world, &plan);
        krn_driver_load(client, &step);
        sim_run(world, step_done, &step, SIM_TIME_NEVER);
        krn_driver_load(miniport, &step);
        sim_run(world, step_done, &step, SIM_TIME_NEVER);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NDIS_TEST(a_miniport_is_initialised_interrupted_and_halted),
        NDIS_TEST(a_client_opens_and_closes_through_wsk),
        NDIS_TEST(an_interposer_stands_in_the_door),
        NDIS_TEST(release_waits_for_the_open_adapter),
        NDIS_TEST(oids_are_answered_at_once_or_later),
        NDIS_TEST(disabling_ndk_tells_clients_and_waits_for_them),
        NDIS_TEST(an_event_from_the_oid_handler_is_a_bugcheck),
        NDIS_TEST(device_events_come_one_at_a_time),
        NDIS_TEST(an_adapter_is_disabled_enabled_and_removed),
        NDIS_TEST(an_unload_with_an_open_registration_is_a_bugcheck),
        NDIS_TEST(every_resource_may_fail_at_every_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
