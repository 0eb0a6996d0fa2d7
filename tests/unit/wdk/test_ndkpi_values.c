/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of enumerations, flags, constants and OIDs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndis.h"
#include "ndisndk.h"
#include "ndkpi.h"
#include "wskndk.h"

#define VALUE_IS(name, value) _Static_assert((name) == (value), #name)

static void ndk_object_type_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NdkObjectTypeUndefined, 0);
    VALUE_IS(NdkObjectTypeAdapter, 1);
    VALUE_IS(NdkObjectTypeQp, 2);
    VALUE_IS(NdkObjectTypeCq, 3);
    VALUE_IS(NdkObjectTypeMr, 4);
    VALUE_IS(NdkObjectTypeMw, 5);
    VALUE_IS(NdkObjectTypePd, 6);
    VALUE_IS(NdkObjectTypeSharedEndpoint, 7);
    VALUE_IS(NdkObjectTypeConnector, 8);
    VALUE_IS(NdkObjectTypeListener, 9);
    VALUE_IS(NdkObjectTypeSrq, 10);
    VALUE_IS(NdkObjectTypeMax, 11);
}

static void ndk_operation_type_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NdkOperationTypeReceive, 0x1);
    VALUE_IS(NdkOperationTypeReceiveAndInvalidate, 0x8001);
    VALUE_IS(NdkOperationTypeSend, 0x2);
    VALUE_IS(NdkOperationTypeFastRegister, 0x4);
    VALUE_IS(NdkOperationTypeBind, 0x8);
    VALUE_IS(NdkOperationTypeInvalidate, 0x10);
    VALUE_IS(NdkOperationTypeRead, 0x20);
    VALUE_IS(NdkOperationTypeWrite, 0x40);
}

static void ndk_rdma_technology_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NdkUndefined, 0);
    VALUE_IS(NdkiWarp, 1);
    VALUE_IS(NdkInfiniBand, 2);
    VALUE_IS(NdkRoCE, 3);
    VALUE_IS(NdkRoCEv2, 4);
    VALUE_IS(NdkMaxTechnology, 5);
}

static void net_pnp_event_code_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NetEventNDKEnable, 13);
    VALUE_IS(NetEventNDKDisable, 14);
}

static void ndk_op_flag_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NDK_OP_FLAG_SILENT_SUCCESS, 0x00000001);
    VALUE_IS(NDK_OP_FLAG_READ_FENCE, 0x00000002);
    VALUE_IS(NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT, 0x00000004);
    VALUE_IS(NDK_OP_FLAG_ALLOW_REMOTE_READ, 0x00000008);
    VALUE_IS(NDK_OP_FLAG_ALLOW_LOCAL_WRITE, 0x00000010);
    VALUE_IS(NDK_OP_FLAG_ALLOW_REMOTE_WRITE, 0x00000030);
    VALUE_IS(NDK_OP_FLAG_INLINE, 0x00000040);
    VALUE_IS(NDK_OP_FLAG_RDMA_READ_SINK, 0x00000080);
    VALUE_IS(NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE, 0x00000100);
    VALUE_IS(NDK_OP_FLAG_DEFER, 0x00000200);
}

static void ndk_mr_flag_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NDK_MR_FLAG_ALLOW_LOCAL_READ, 0x00000000);
    VALUE_IS(NDK_MR_FLAG_ALLOW_LOCAL_WRITE, 0x00000001);
    VALUE_IS(NDK_MR_FLAG_ALLOW_REMOTE_READ, 0x00000002);
    VALUE_IS(NDK_MR_FLAG_ALLOW_REMOTE_WRITE, 0x00000005);
    VALUE_IS(NDK_MR_FLAG_RDMA_READ_SINK, 0x00000008);
}

static void ndk_adapter_flag_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NDK_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED, 0x00000001);
    VALUE_IS(NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED, 0x00000002);
    VALUE_IS(NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED, 0x00000004);
    VALUE_IS(NDK_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED, 0x00000008);
    VALUE_IS(NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED, 0x00000010);
    VALUE_IS(NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED, 0x00000100);
    VALUE_IS(NDK_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED, 0x00010000);
}

static void ndk_cq_notify_has_its_documented_values(void **state) {
    (void)state;
    VALUE_IS(NDK_CQ_NOTIFY_ERRORS, 0);
    VALUE_IS(NDK_CQ_NOTIFY_ANY, 1);
    VALUE_IS(NDK_CQ_NOTIFY_SOLICITED, 2);
}

static void constants_oids_and_events_have_their_documented_values(void **state) {
    (void)state;
    VALUE_IS(NDIS_OBJECT_TYPE_DEFAULT, 0x80);
    VALUE_IS(NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS, 0xB2);
    VALUE_IS(NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES, 0xB3);
    VALUE_IS(NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1, 1);
    VALUE_IS(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1, 1);
    VALUE_IS(NDIS_NDK_CAPABILITIES_REVISION_1, 1);
    VALUE_IS(NDIS_NDK_STATISTICS_INFO_REVISION_1, 1);
    VALUE_IS(NDIS_NDK_CONNECTIONS_REVISION_1, 1);
    VALUE_IS(NDIS_NDK_LOCAL_ENDPOINTS_REVISION_1, 1);
    VALUE_IS(NDIS_DEFAULT_SWITCH_ID, 0);
    VALUE_IS(NDIS_DEFAULT_VPORT_ID, 0);
    VALUE_IS(NDIS_QOS_CONDITION_NETDIRECT_PORT, 6);
    VALUE_IS(OID_NDK_SET_STATE, 0xFC040201);
    VALUE_IS(OID_NDK_STATISTICS, 0xFC040202);
    VALUE_IS(OID_NDK_CONNECTIONS, 0xFC040203);
    VALUE_IS(OID_NDK_LOCAL_ENDPOINTS, 0xFC040204);
    VALUE_IS(NetEventNDKEnable, 13);
    VALUE_IS(NetEventNDKDisable, 14);
    VALUE_IS(WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0x4E444B44);
    VALUE_IS(PAGE_SIZE, 4096);
    VALUE_IS(AF_INET, 2);
    VALUE_IS(AF_INET6, 23);
}

static void a_counter_mask_bit_is_the_counters_offset_by_eight(void **state) {
    (void)state;
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(Connect), 1ULL << 0);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(Accept), 1ULL << 1);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(ConnectFailure), 1ULL << 2);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(ConnectionError), 1ULL << 3);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(ActiveConnection), 1ULL << 4);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(CQError), 1ULL << 25);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(RDMAInOctets), 1ULL << 26);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(RDMAOutOctets), 1ULL << 27);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(RDMAInFrames), 1ULL << 28);
    VALUE_IS(NDIS_NDK_PERFORMANCE_COUNTER_MASK(RDMAOutFrames), 1ULL << 29);
}

static void base_types_have_windows_sizes(void **state) {
    (void)state;
    VALUE_IS(sizeof(ULONG), 4);
    VALUE_IS(sizeof(UINT32), 4);
    VALUE_IS(sizeof(USHORT), 2);
    VALUE_IS(sizeof(BOOLEAN), 1);
    VALUE_IS(sizeof(NTSTATUS), 4);
    VALUE_IS(sizeof(UINT64), 8);
    VALUE_IS(sizeof(SIZE_T), sizeof(void *));
    VALUE_IS(sizeof(ULONG_PTR), sizeof(void *));
    VALUE_IS(sizeof(PVOID), sizeof(void *));
    VALUE_IS(sizeof(NDK_OBJECT_TYPE), 4);
    VALUE_IS(sizeof(LONG), 4);
    VALUE_IS(sizeof(WCHAR), 2);
    VALUE_IS(sizeof(ULONG64), 8);
    VALUE_IS(sizeof(LONGLONG), 8);
    VALUE_IS(sizeof(LARGE_INTEGER), 8);
    _Static_assert((NTSTATUS)-1 < 0, "NTSTATUS is signed");
}

static void sizes_of_variable_length_answers_count_the_entries(void **state) {
    (void)state;
    VALUE_IS(NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(0), 16);
    VALUE_IS(NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(1), 80);
    VALUE_IS(NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(5), 336);
    VALUE_IS(NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(0), 16);
    VALUE_IS(NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(1), 52);
    VALUE_IS(NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(5), 196);
    VALUE_IS(offsetof(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray[3]), 16 + 8 * 3);
    VALUE_IS(NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1, 24);
    VALUE_IS(NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1, 56);
    VALUE_IS(NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1, 248);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndk_object_type_has_its_documented_values),
        cmocka_unit_test(ndk_operation_type_has_its_documented_values),
        cmocka_unit_test(ndk_rdma_technology_has_its_documented_values),
        cmocka_unit_test(net_pnp_event_code_has_its_documented_values),
        cmocka_unit_test(ndk_op_flag_has_its_documented_values),
        cmocka_unit_test(ndk_mr_flag_has_its_documented_values),
        cmocka_unit_test(ndk_adapter_flag_has_its_documented_values),
        cmocka_unit_test(ndk_cq_notify_has_its_documented_values),
        cmocka_unit_test(constants_oids_and_events_have_their_documented_values),
        cmocka_unit_test(a_counter_mask_bit_is_the_counters_offset_by_eight),
        cmocka_unit_test(base_types_have_windows_sizes),
        cmocka_unit_test(sizes_of_variable_length_answers_count_the_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
