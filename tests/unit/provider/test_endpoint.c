/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and ports in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "endpoint.c"

static RNIC_ADAPTER adapter;
static const RNIC_IP any_v4 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}};
static const RNIC_IP any_v6;
static const RNIC_IP one_v4 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1}};
static const RNIC_IP two_v4 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2}};
static const RNIC_IP one_v6 = {{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T Bytes, ULONG Tag) {
    (void)Flags;
    (void)Tag;
    return test_calloc(1, Bytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID Block, ULONG Tag) {
    (void)Tag;
    test_free(Block);
}

VOID NTAPI RtlAssert(PVOID Text, PVOID File, ULONG Line, PSTR Message) {
    (void)Message;
    mock_assert(0, Text, File, (int)Line);
}

BOOLEAN IpIsV4(const RNIC_IP *Ip) {
    return Ip->Bytes[10] == 0xFF && Ip->Bytes[0] == 0;
}

BOOLEAN IpIsWildcard(const RNIC_IP *Ip) {
    return IpEqual(Ip, &any_v4) || IpEqual(Ip, &any_v6);
}

static int make(void **state) {
    (void)state;
    memset(&adapter, 0, sizeof(adapter));
    EndpointsInit(&adapter.Cm.Endpoints);
    adapter.Settings.PortFirst = 50000;
    adapter.Settings.PortLast = 50002;
    return 0;
}

static int empty(void **state) {
    (void)state;
    assert_true(IsListEmpty(&adapter.Cm.Endpoints.All));
    return 0;
}

static PRNIC_ENDPOINT taken(const RNIC_IP *ip, USHORT port) {
    PRNIC_ENDPOINT endpoint = NULL;
    assert_int_equal(EndpointOpen(&adapter, ip, port, EndpointOfListener, &endpoint),
                     STATUS_SUCCESS);
    return endpoint;
}

static void refused(const RNIC_IP *ip, USHORT port, NTSTATUS status) {
    PRNIC_ENDPOINT endpoint = NULL;
    assert_int_equal(EndpointOpen(&adapter, ip, port, EndpointOfListener, &endpoint), status);
    assert_null(endpoint);
}

static void an_address_is_taken_once(void **state) {
    (void)state;
    PRNIC_ENDPOINT first = taken(&one_v4, 445);
    refused(&one_v4, 445, STATUS_SHARING_VIOLATION);
    PRNIC_ENDPOINT other = taken(&two_v4, 445);
    PRNIC_ENDPOINT family = taken(&one_v6, 445);
    EndpointPut(first);
    first = taken(&one_v4, 445);
    EndpointPut(first);
    EndpointPut(other);
    EndpointPut(family);
}

static void a_wildcard_clashes_within_its_family(void **state) {
    (void)state;
    PRNIC_ENDPOINT any = taken(&any_v4, 445);
    refused(&one_v4, 445, STATUS_SHARING_VIOLATION);
    PRNIC_ENDPOINT family = taken(&any_v6, 445);
    refused(&one_v6, 445, STATUS_SHARING_VIOLATION);
    EndpointPut(any);
    EndpointPut(family);
}

static void an_address_is_free_after_the_last_reference(void **state) {
    (void)state;
    RNIC_CONNECTOR accepted = {.State = CmEstablished};
    PRNIC_ENDPOINT listener = taken(&one_v4, 445);
    EndpointJoin(listener, &accepted);
    EndpointPut(listener);
    refused(&one_v4, 445, STATUS_SHARING_VIOLATION);
    EndpointLeave(&accepted);
    EndpointLeave(&accepted);
    EndpointPut(taken(&one_v4, 445));
}

static void a_peer_is_connected_once_over_an_endpoint(void **state) {
    (void)state;
    RNIC_CONNECTOR first = {.State = CmReqSent, .PeerIp = two_v4, .PeerPort = 445};
    RNIC_CONNECTOR second = {.State = CmIdle, .PeerIp = two_v4, .PeerPort = 445};
    PRNIC_ENDPOINT shared = taken(&one_v4, 0);
    EndpointJoin(shared, &first);
    EndpointJoin(shared, &second);
    assert_true(EndpointHasPeer(shared, &second, &two_v4, 445));
    assert_false(EndpointHasPeer(shared, &first, &two_v4, 445));
    assert_false(EndpointHasPeer(shared, &second, &two_v4, 446));
    assert_false(EndpointHasPeer(shared, &second, &one_v6, 445));
    /* Until it is closed, however it ended. */
    first.State = CmEnded;
    assert_true(EndpointHasPeer(shared, &second, &two_v4, 445));
    EndpointLeave(&first);
    assert_false(EndpointHasPeer(shared, &second, &two_v4, 445));
    EndpointLeave(&second);
    EndpointPut(shared);
}

static void every_port_of_the_range_is_there_once(void **state) {
    (void)state;
    static PRNIC_ENDPOINT all[65536 - 49152];
    size_t count = sizeof all / sizeof *all;
    adapter.Settings.PortFirst = 49152;
    adapter.Settings.PortLast = 65535;
    for (size_t i = 0; i < count; i++)
        all[i] = taken(&one_v4, 0);
    refused(&one_v4, 0, STATUS_TOO_MANY_ADDRESSES);
    EndpointPut(all[77]);
    all[77] = taken(&one_v4, 0);
    assert_int_equal(all[77]->Port, 49152 + 77);
    for (size_t i = 0; i < count; i++)
        EndpointPut(all[i]);
}

static void ephemeral_ports_go_round_and_run_out(void **state) {
    (void)state;
    PRNIC_ENDPOINT a = taken(&one_v4, 0);
    PRNIC_ENDPOINT b = taken(&one_v4, 0);
    assert_int_equal(a->Port, 50000);
    assert_int_equal(b->Port, 50001);
    EndpointPut(a);
    a = taken(&one_v4, 0);
    assert_int_equal(a->Port, 50002);
    PRNIC_ENDPOINT c = taken(&one_v4, 0);
    refused(&one_v4, 0, STATUS_TOO_MANY_ADDRESSES);
    PRNIC_ENDPOINT other = taken(&two_v4, 0);
    EndpointPut(a);
    EndpointPut(b);
    EndpointPut(c);
    EndpointPut(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_address_is_taken_once, make, empty),
        cmocka_unit_test_setup_teardown(a_wildcard_clashes_within_its_family, make, empty),
        cmocka_unit_test_setup_teardown(an_address_is_free_after_the_last_reference, make, empty),
        cmocka_unit_test_setup_teardown(a_peer_is_connected_once_over_an_endpoint, make, empty),
        cmocka_unit_test_setup_teardown(every_port_of_the_range_is_there_once, make, empty),
        cmocka_unit_test_setup_teardown(ephemeral_ports_go_round_and_run_out, make, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
