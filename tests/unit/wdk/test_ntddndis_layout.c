/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size, member offsets and member types of the NDIS structures around an RDMA provider.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndis.h"
#include "ndisndk.h"

#define OFFSET_IS(type, member, offset)                                                            \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)

#define TYPE_IS(type, member, wanted)                                                              \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted),          \
                   "type of " #type "." #member)

static void ndis_object_header_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_OBJECT_HEADER, 4);
    OFFSET_IS(NDIS_OBJECT_HEADER, Type, 0);
    TYPE_IS(NDIS_OBJECT_HEADER, Type, UCHAR);
    OFFSET_IS(NDIS_OBJECT_HEADER, Revision, 1);
    TYPE_IS(NDIS_OBJECT_HEADER, Revision, UCHAR);
    OFFSET_IS(NDIS_OBJECT_HEADER, Size, 2);
    TYPE_IS(NDIS_OBJECT_HEADER, Size, USHORT);
}

static void ndis_ndk_provider_characteristics_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, 24);
    OFFSET_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, Header, 0);
    TYPE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, Flags, 4);
    TYPE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, Flags, ULONG);
    OFFSET_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, OpenNDKAdapterHandler, 8);
    TYPE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, OpenNDKAdapterHandler, OPEN_NDK_ADAPTER_HANDLER);
    OFFSET_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, CloseNDKAdapterHandler, 16);
    TYPE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS, CloseNDKAdapterHandler, CLOSE_NDK_ADAPTER_HANDLER);
}

static void ndis_open_ndk_adapter_parameters_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, 12);
    OFFSET_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, Version, 0);
    TYPE_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, Version, NDK_VERSION);
    OFFSET_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, SwitchId, 4);
    TYPE_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, SwitchId, ULONG);
    OFFSET_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, VPortId, 8);
    TYPE_IS(NDIS_OPEN_NDK_ADAPTER_PARAMETERS, VPortId, ULONG);
}

static void ndis_miniport_adapter_ndk_attributes_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, 16);
    OFFSET_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, Header, 0);
    TYPE_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, Enabled, 4);
    TYPE_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, Enabled, BOOLEAN);
    OFFSET_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, NdkCapabilities, 8);
    TYPE_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, NdkCapabilities, NDIS_NDK_CAPABILITIES *);
}

static void ndis_ndk_capabilities_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_CAPABILITIES, 56);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, Header, 0);
    TYPE_IS(NDIS_NDK_CAPABILITIES, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, Flags, 4);
    TYPE_IS(NDIS_NDK_CAPABILITIES, Flags, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxQpCount, 8);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxQpCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxCqCount, 12);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxCqCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxMrCount, 16);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxMrCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxPdCount, 20);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxPdCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxInboundReadLimit, 24);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxInboundReadLimit, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxOutboundReadLimit, 28);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxOutboundReadLimit, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxMwCount, 32);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxMwCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MaxSrqCount, 36);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MaxSrqCount, ULONG);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, MissingCounterMask, 40);
    TYPE_IS(NDIS_NDK_CAPABILITIES, MissingCounterMask, ULONG64);
    OFFSET_IS(NDIS_NDK_CAPABILITIES, NdkInfo, 48);
    TYPE_IS(NDIS_NDK_CAPABILITIES, NdkInfo, NDK_ADAPTER_INFO *);
}

static void ndis_ndk_performance_counters_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, 240);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Connect, 0);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Connect, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Accept, 8);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Accept, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ConnectFailure, 16);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ConnectFailure, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ConnectionError, 24);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ConnectionError, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ActiveConnection, 32);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, ActiveConnection, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved01, 40);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved01, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved02, 48);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved02, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved03, 56);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved03, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved04, 64);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved04, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved05, 72);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved05, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved06, 80);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved06, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved07, 88);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved07, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved08, 96);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved08, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved09, 104);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved09, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved10, 112);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved10, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved11, 120);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved11, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved12, 128);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved12, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved13, 136);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved13, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved14, 144);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved14, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved15, 152);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved15, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved16, 160);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved16, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved17, 168);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved17, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved18, 176);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved18, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved19, 184);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved19, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved20, 192);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, Reserved20, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, CQError, 200);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, CQError, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAInOctets, 208);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAInOctets, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAOutOctets, 216);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAOutOctets, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAInFrames, 224);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAInFrames, ULONG64);
    OFFSET_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAOutFrames, 232);
    TYPE_IS(NDIS_NDK_PERFORMANCE_COUNTERS, RDMAOutFrames, ULONG64);
}

static void ndis_ndk_statistics_info_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_STATISTICS_INFO, 248);
    OFFSET_IS(NDIS_NDK_STATISTICS_INFO, Header, 0);
    TYPE_IS(NDIS_NDK_STATISTICS_INFO, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_NDK_STATISTICS_INFO, Flags, 4);
    TYPE_IS(NDIS_NDK_STATISTICS_INFO, Flags, ULONG);
    OFFSET_IS(NDIS_NDK_STATISTICS_INFO, CounterSet, 8);
    TYPE_IS(NDIS_NDK_STATISTICS_INFO, CounterSet, NDIS_NDK_PERFORMANCE_COUNTERS);
}

static void ndis_ndk_connection_entry_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_CONNECTION_ENTRY, 64);
    OFFSET_IS(NDIS_NDK_CONNECTION_ENTRY, Local, 0);
    TYPE_IS(NDIS_NDK_CONNECTION_ENTRY, Local, SOCKADDR_INET);
    OFFSET_IS(NDIS_NDK_CONNECTION_ENTRY, Remote, 28);
    TYPE_IS(NDIS_NDK_CONNECTION_ENTRY, Remote, SOCKADDR_INET);
    OFFSET_IS(NDIS_NDK_CONNECTION_ENTRY, UserModeOwner, 56);
    TYPE_IS(NDIS_NDK_CONNECTION_ENTRY, UserModeOwner, BOOLEAN);
    OFFSET_IS(NDIS_NDK_CONNECTION_ENTRY, OwnerPid, 60);
    TYPE_IS(NDIS_NDK_CONNECTION_ENTRY, OwnerPid, ULONG);
}

static void ndis_ndk_connections_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_CONNECTIONS, 80);
    OFFSET_IS(NDIS_NDK_CONNECTIONS, Header, 0);
    TYPE_IS(NDIS_NDK_CONNECTIONS, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_NDK_CONNECTIONS, Flags, 4);
    TYPE_IS(NDIS_NDK_CONNECTIONS, Flags, ULONG);
    OFFSET_IS(NDIS_NDK_CONNECTIONS, Count, 8);
    TYPE_IS(NDIS_NDK_CONNECTIONS, Count, ULONG);
    OFFSET_IS(NDIS_NDK_CONNECTIONS, NDConnectionsMappedtoTCPConnections, 12);
    TYPE_IS(NDIS_NDK_CONNECTIONS, NDConnectionsMappedtoTCPConnections, BOOLEAN);
    OFFSET_IS(NDIS_NDK_CONNECTIONS, Connections, 16);
    TYPE_IS(NDIS_NDK_CONNECTIONS, Connections, NDIS_NDK_CONNECTION_ENTRY[1]);
}

static void ndis_ndk_local_endpoint_entry_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, 36);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, Local, 0);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, Local, SOCKADDR_INET);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, UserModeOwner, 28);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, UserModeOwner, BOOLEAN);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, Listener, 29);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, Listener, BOOLEAN);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, OwnerPid, 32);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINT_ENTRY, OwnerPid, ULONG);
}

static void ndis_ndk_local_endpoints_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDIS_NDK_LOCAL_ENDPOINTS, 52);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINTS, Header, 0);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINTS, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINTS, Flags, 4);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINTS, Flags, ULONG);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINTS, Count, 8);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINTS, Count, ULONG);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINTS, NDLocalEndpointsMappedtoTCPLocalEndpoints, 12);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINTS, NDLocalEndpointsMappedtoTCPLocalEndpoints, BOOLEAN);
    OFFSET_IS(NDIS_NDK_LOCAL_ENDPOINTS, LocalEndpoints, 16);
    TYPE_IS(NDIS_NDK_LOCAL_ENDPOINTS, LocalEndpoints, NDIS_NDK_LOCAL_ENDPOINT_ENTRY[1]);
}

static void net_pnp_event_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NET_PNP_EVENT, 152);
    OFFSET_IS(NET_PNP_EVENT, NetEvent, 0);
    TYPE_IS(NET_PNP_EVENT, NetEvent, NET_PNP_EVENT_CODE);
    OFFSET_IS(NET_PNP_EVENT, Buffer, 8);
    TYPE_IS(NET_PNP_EVENT, Buffer, PVOID);
    OFFSET_IS(NET_PNP_EVENT, BufferLength, 16);
    TYPE_IS(NET_PNP_EVENT, BufferLength, ULONG);
    OFFSET_IS(NET_PNP_EVENT, NdisReserved, 24);
    TYPE_IS(NET_PNP_EVENT, NdisReserved, ULONG_PTR[4]);
    OFFSET_IS(NET_PNP_EVENT, TransportReserved, 56);
    TYPE_IS(NET_PNP_EVENT, TransportReserved, ULONG_PTR[4]);
    OFFSET_IS(NET_PNP_EVENT, TdiReserved, 88);
    TYPE_IS(NET_PNP_EVENT, TdiReserved, ULONG_PTR[4]);
    OFFSET_IS(NET_PNP_EVENT, TdiClientReserved, 120);
    TYPE_IS(NET_PNP_EVENT, TdiClientReserved, ULONG_PTR[4]);
}

static void net_pnp_event_notification_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NET_PNP_EVENT_NOTIFICATION, 176);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, Header, 0);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, Header, NDIS_OBJECT_HEADER);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, PortNumber, 4);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, PortNumber, ULONG);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, NetPnPEvent, 8);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, NetPnPEvent, NET_PNP_EVENT);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, Flags, 160);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, Flags, ULONG);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, SwitchId, 164);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, SwitchId, ULONG);
    OFFSET_IS(NET_PNP_EVENT_NOTIFICATION, VPortId, 168);
    TYPE_IS(NET_PNP_EVENT_NOTIFICATION, VPortId, ULONG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndis_object_header_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_provider_characteristics_has_its_documented_layout),
        cmocka_unit_test(ndis_open_ndk_adapter_parameters_has_its_documented_layout),
        cmocka_unit_test(ndis_miniport_adapter_ndk_attributes_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_capabilities_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_performance_counters_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_statistics_info_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_connection_entry_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_connections_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_local_endpoint_entry_has_its_documented_layout),
        cmocka_unit_test(ndis_ndk_local_endpoints_has_its_documented_layout),
        cmocka_unit_test(net_pnp_event_has_its_documented_layout),
        cmocka_unit_test(net_pnp_event_notification_has_its_documented_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
