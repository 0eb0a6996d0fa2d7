/* SPDX-License-Identifier: Apache-2.0 */
/* Adapters' addresses, neighbours and routes as IP helper tells them. */
#include <ntddk.h>

#include <netioapi.h>

#include "node.h"

static const struct krn_ip addresses[] = {
    {4, 24, {10, 0, 0, 1}},
    {6, 64, {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
};
static const struct krn_neighbour neighbours[] = {
    {{4, 32, {10, 0, 0, 2}}, {2, 0, 0, 0, 0, 2}, false},
    {{4, 32, {10, 0, 0, 254}}, {2, 0, 0, 0, 0, 9}, true},
};

static int setup(void **state) {
    struct krn_adapter_config config = {.name = "nic0",
                                        .interface_index = 5,
                                        .addresses = addresses,
                                        .address_count = 2,
                                        .neighbours = neighbours,
                                        .neighbour_count = 2};

    make_node(state);
    krn_adapter_add(node, &config);
    return 0;
}

static SOCKADDR_INET ipv4(UCHAR a, UCHAR b, UCHAR c, UCHAR d) {
    SOCKADDR_INET address;
    UCHAR bytes[] = {a, b, c, d};

    memset(&address, 0, sizeof(address));
    address.Ipv4.sin_family = AF_INET;
    memcpy(&address.Ipv4.sin_addr, bytes, 4);
    return address;
}

static void tables(void *argument) {
    PMIB_UNICASTIPADDRESS_TABLE unicast;
    PMIB_IPNET_TABLE2 net;
    MIB_IPNET_ROW2 row = {.InterfaceIndex = 5};
    NET_LUID luid;
    NET_IFINDEX index;
    WCHAR alias[8];

    (void)argument;
    assert_int_equal(GetUnicastIpAddressTable(AF_UNSPEC, &unicast), STATUS_SUCCESS);
    assert_int_equal(unicast->NumEntries, 2);
    assert_int_equal(unicast->Table[1].Address.si_family, 23);
    assert_int_equal(unicast->Table[1].OnLinkPrefixLength, 64);
    assert_int_equal(unicast->Table[0].InterfaceIndex, 5);
    FreeMibTable(unicast);
    assert_int_equal(GetIpNetTable2(AF_INET, &net), STATUS_SUCCESS);
    assert_int_equal(net->NumEntries, 2);
    assert_int_equal(net->Table[0].PhysicalAddress[5], 2);
    assert_true(net->Table[1].IsRouter);
    FreeMibTable(net);
    assert_int_equal(GetIpNetTable2(AF_INET6, &net), STATUS_NOT_FOUND);
    row.Address = ipv4(10, 0, 0, 254);
    assert_int_equal(GetIpNetEntry2(&row), STATUS_SUCCESS);
    assert_int_equal(row.PhysicalAddress[5], 9);
    row.Address = ipv4(10, 0, 0, 3);
    assert_int_equal(GetIpNetEntry2(&row), STATUS_NOT_FOUND);
    assert_int_equal(ConvertInterfaceIndexToLuid(5, &luid), STATUS_SUCCESS);
    assert_int_equal(ConvertInterfaceLuidToIndex(&luid, &index), STATUS_SUCCESS);
    assert_int_equal(index, 5);
    assert_int_equal(ConvertInterfaceLuidToAlias(&luid, alias, 8), STATUS_SUCCESS);
    assert_int_equal(alias[3], '0');
    assert_int_equal(ConvertInterfaceIndexToLuid(6, &luid), STATUS_INVALID_PARAMETER);
    assert_int_equal(krn_pool_live_count(node), 0);
}

static void tables_come_from_the_scenario(void **state) {
    (void)state;
    in_thread(tables, NULL);
}

static void routes(void *argument) {
    SOCKADDR_INET near_one = ipv4(10, 0, 0, 77);
    SOCKADDR_INET far_one = ipv4(192, 168, 1, 1);
    SOCKADDR_INET router = ipv4(10, 0, 0, 254);
    SOCKADDR_INET source;
    SOCKADDR_INET six;
    MIB_IPFORWARD_ROW2 route;

    (void)argument;
    assert_int_equal(GetBestRoute2(NULL, 0, NULL, &near_one, 0, &route, &source), STATUS_SUCCESS);
    assert_int_equal(route.InterfaceIndex, 5);
    assert_int_equal(*(ULONG *)(void *)&route.NextHop.Ipv4.sin_addr, 0);
    assert_memory_equal(&source.Ipv4.sin_addr, addresses[0].bytes, 4);
    assert_int_equal(GetBestRoute2(NULL, 0, NULL, &far_one, 0, &route, &source), STATUS_SUCCESS);
    assert_memory_equal(&route.NextHop.Ipv4.sin_addr, &router.Ipv4.sin_addr, 4);
    memset(&six, 0, sizeof(six));
    six.Ipv6.sin6_family = AF_INET6;
    assert_int_equal(GetBestRoute2(NULL, 0, NULL, &six, 0, &route, &source),
                     STATUS_NETWORK_UNREACHABLE);
}

static void routes_are_on_link_or_by_a_router(void **state) {
    (void)state;
    in_thread(routes, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_come_from_the_scenario, setup, end_node),
        cmocka_unit_test_setup_teardown(routes_are_on_link_or_by_a_router, setup, end_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
