/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size, member offsets and member types of the RDMA interface structures, on a 64-bit machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndkpi.h"

#define OFFSET_IS(type, member, offset)                                                            \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)

#define TYPE_IS(type, member, wanted)                                                              \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted),          \
                   "type of " #type "." #member)

static void ndk_version_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_VERSION, 4);
    OFFSET_IS(NDK_VERSION, Major, 0);
    TYPE_IS(NDK_VERSION, Major, USHORT);
    OFFSET_IS(NDK_VERSION, Minor, 2);
    TYPE_IS(NDK_VERSION, Minor, USHORT);
}

static void ndk_object_header_reserved_block_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_OBJECT_HEADER_RESERVED_BLOCK, 32);
    OFFSET_IS(NDK_OBJECT_HEADER_RESERVED_BLOCK, rf, 0);
    TYPE_IS(NDK_OBJECT_HEADER_RESERVED_BLOCK, rf, PVOID[4]);
}

static void ndk_object_header_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_OBJECT_HEADER, 40);
    OFFSET_IS(NDK_OBJECT_HEADER, Version, 0);
    TYPE_IS(NDK_OBJECT_HEADER, Version, NDK_VERSION);
    OFFSET_IS(NDK_OBJECT_HEADER, ObjectType, 4);
    TYPE_IS(NDK_OBJECT_HEADER, ObjectType, NDK_OBJECT_TYPE);
    OFFSET_IS(NDK_OBJECT_HEADER, NdkReserved, 8);
    TYPE_IS(NDK_OBJECT_HEADER, NdkReserved, NDK_OBJECT_HEADER_RESERVED_BLOCK);
}

static void ndk_adapter_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_ADAPTER, 48);
    OFFSET_IS(NDK_ADAPTER, Header, 0);
    TYPE_IS(NDK_ADAPTER, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_ADAPTER, Dispatch, 40);
    TYPE_IS(NDK_ADAPTER, Dispatch, CONST NDK_ADAPTER_DISPATCH *);
}

static void ndk_connector_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_CONNECTOR, 48);
    OFFSET_IS(NDK_CONNECTOR, Header, 0);
    TYPE_IS(NDK_CONNECTOR, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_CONNECTOR, Dispatch, 40);
    TYPE_IS(NDK_CONNECTOR, Dispatch, CONST NDK_CONNECTOR_DISPATCH *);
}

static void ndk_cq_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_CQ, 48);
    OFFSET_IS(NDK_CQ, Header, 0);
    TYPE_IS(NDK_CQ, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_CQ, Dispatch, 40);
    TYPE_IS(NDK_CQ, Dispatch, CONST NDK_CQ_DISPATCH *);
}

static void ndk_listener_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_LISTENER, 48);
    OFFSET_IS(NDK_LISTENER, Header, 0);
    TYPE_IS(NDK_LISTENER, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_LISTENER, Dispatch, 40);
    TYPE_IS(NDK_LISTENER, Dispatch, CONST NDK_LISTENER_DISPATCH *);
}

static void ndk_mr_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_MR, 48);
    OFFSET_IS(NDK_MR, Header, 0);
    TYPE_IS(NDK_MR, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_MR, Dispatch, 40);
    TYPE_IS(NDK_MR, Dispatch, CONST NDK_MR_DISPATCH *);
}

static void ndk_mw_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_MW, 48);
    OFFSET_IS(NDK_MW, Header, 0);
    TYPE_IS(NDK_MW, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_MW, Dispatch, 40);
    TYPE_IS(NDK_MW, Dispatch, CONST NDK_MW_DISPATCH *);
}

static void ndk_pd_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_PD, 48);
    OFFSET_IS(NDK_PD, Header, 0);
    TYPE_IS(NDK_PD, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_PD, Dispatch, 40);
    TYPE_IS(NDK_PD, Dispatch, CONST NDK_PD_DISPATCH *);
}

static void ndk_qp_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_QP, 48);
    OFFSET_IS(NDK_QP, Header, 0);
    TYPE_IS(NDK_QP, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_QP, Dispatch, 40);
    TYPE_IS(NDK_QP, Dispatch, CONST NDK_QP_DISPATCH *);
}

static void ndk_shared_endpoint_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_SHARED_ENDPOINT, 48);
    OFFSET_IS(NDK_SHARED_ENDPOINT, Header, 0);
    TYPE_IS(NDK_SHARED_ENDPOINT, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_SHARED_ENDPOINT, Dispatch, 40);
    TYPE_IS(NDK_SHARED_ENDPOINT, Dispatch, CONST NDK_SHARED_ENDPOINT_DISPATCH *);
}

static void ndk_srq_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_SRQ, 48);
    OFFSET_IS(NDK_SRQ, Header, 0);
    TYPE_IS(NDK_SRQ, Header, NDK_OBJECT_HEADER);
    OFFSET_IS(NDK_SRQ, Dispatch, 40);
    TYPE_IS(NDK_SRQ, Dispatch, CONST NDK_SRQ_DISPATCH *);
}

static void ndk_result_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_RESULT, 24);
    OFFSET_IS(NDK_RESULT, Status, 0);
    TYPE_IS(NDK_RESULT, Status, NTSTATUS);
    OFFSET_IS(NDK_RESULT, BytesTransferred, 4);
    TYPE_IS(NDK_RESULT, BytesTransferred, ULONG);
    OFFSET_IS(NDK_RESULT, QPContext, 8);
    TYPE_IS(NDK_RESULT, QPContext, PVOID);
    OFFSET_IS(NDK_RESULT, RequestContext, 16);
    TYPE_IS(NDK_RESULT, RequestContext, PVOID);
}

static void ndk_result_ex_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_RESULT_EX, 40);
    OFFSET_IS(NDK_RESULT_EX, Status, 0);
    TYPE_IS(NDK_RESULT_EX, Status, NTSTATUS);
    OFFSET_IS(NDK_RESULT_EX, BytesTransferred, 4);
    TYPE_IS(NDK_RESULT_EX, BytesTransferred, ULONG);
    OFFSET_IS(NDK_RESULT_EX, QPContext, 8);
    TYPE_IS(NDK_RESULT_EX, QPContext, PVOID);
    OFFSET_IS(NDK_RESULT_EX, RequestContext, 16);
    TYPE_IS(NDK_RESULT_EX, RequestContext, PVOID);
    OFFSET_IS(NDK_RESULT_EX, Type, 24);
    TYPE_IS(NDK_RESULT_EX, Type, NDK_OPERATION_TYPE);
    OFFSET_IS(NDK_RESULT_EX, ProviderErrorCode, 28);
    TYPE_IS(NDK_RESULT_EX, ProviderErrorCode, ULONG);
    OFFSET_IS(NDK_RESULT_EX, TypeSpecificCompletionOutput, 32);
    TYPE_IS(NDK_RESULT_EX, TypeSpecificCompletionOutput, ULONG_PTR);
}

static void ndk_sge_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_SGE, 16);
    OFFSET_IS(NDK_SGE, VirtualAddress, 0);
    TYPE_IS(NDK_SGE, VirtualAddress, PVOID);
    OFFSET_IS(NDK_SGE, LogicalAddress, 0);
    TYPE_IS(NDK_SGE, LogicalAddress, NDK_LOGICAL_ADDRESS);
    OFFSET_IS(NDK_SGE, Length, 8);
    TYPE_IS(NDK_SGE, Length, ULONG);
    OFFSET_IS(NDK_SGE, MemoryRegionToken, 12);
    TYPE_IS(NDK_SGE, MemoryRegionToken, UINT32);
}

static void ndk_logical_address_mapping_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_LOGICAL_ADDRESS_MAPPING, 24);
    OFFSET_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterContext, 0);
    TYPE_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterContext, PVOID);
    OFFSET_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageCount, 8);
    TYPE_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageCount, ULONG);
    OFFSET_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray, 16);
    TYPE_IS(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray, NDK_LOGICAL_ADDRESS[1]);
}

static void ndk_extension_interface_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_EXTENSION_INTERFACE, 8);
    OFFSET_IS(NDK_EXTENSION_INTERFACE, Dispatch, 0);
    TYPE_IS(NDK_EXTENSION_INTERFACE, Dispatch, CONST VOID *);
}

static void ndk_adapter_info_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(NDK_ADAPTER_INFO, 104);
    OFFSET_IS(NDK_ADAPTER_INFO, Version, 0);
    TYPE_IS(NDK_ADAPTER_INFO, Version, NDK_VERSION);
    OFFSET_IS(NDK_ADAPTER_INFO, VendorId, 4);
    TYPE_IS(NDK_ADAPTER_INFO, VendorId, UINT32);
    OFFSET_IS(NDK_ADAPTER_INFO, DeviceId, 8);
    TYPE_IS(NDK_ADAPTER_INFO, DeviceId, UINT32);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxRegistrationSize, 16);
    TYPE_IS(NDK_ADAPTER_INFO, MaxRegistrationSize, SIZE_T);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxWindowSize, 24);
    TYPE_IS(NDK_ADAPTER_INFO, MaxWindowSize, SIZE_T);
    OFFSET_IS(NDK_ADAPTER_INFO, FRMRPageCount, 32);
    TYPE_IS(NDK_ADAPTER_INFO, FRMRPageCount, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxInitiatorRequestSge, 36);
    TYPE_IS(NDK_ADAPTER_INFO, MaxInitiatorRequestSge, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxReceiveRequestSge, 40);
    TYPE_IS(NDK_ADAPTER_INFO, MaxReceiveRequestSge, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxReadRequestSge, 44);
    TYPE_IS(NDK_ADAPTER_INFO, MaxReadRequestSge, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxTransferLength, 48);
    TYPE_IS(NDK_ADAPTER_INFO, MaxTransferLength, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxInlineDataSize, 52);
    TYPE_IS(NDK_ADAPTER_INFO, MaxInlineDataSize, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxInboundReadLimit, 56);
    TYPE_IS(NDK_ADAPTER_INFO, MaxInboundReadLimit, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxOutboundReadLimit, 60);
    TYPE_IS(NDK_ADAPTER_INFO, MaxOutboundReadLimit, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxReceiveQueueDepth, 64);
    TYPE_IS(NDK_ADAPTER_INFO, MaxReceiveQueueDepth, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxInitiatorQueueDepth, 68);
    TYPE_IS(NDK_ADAPTER_INFO, MaxInitiatorQueueDepth, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxSrqDepth, 72);
    TYPE_IS(NDK_ADAPTER_INFO, MaxSrqDepth, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxCqDepth, 76);
    TYPE_IS(NDK_ADAPTER_INFO, MaxCqDepth, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, LargeRequestThreshold, 80);
    TYPE_IS(NDK_ADAPTER_INFO, LargeRequestThreshold, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxCallerData, 84);
    TYPE_IS(NDK_ADAPTER_INFO, MaxCallerData, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, MaxCalleeData, 88);
    TYPE_IS(NDK_ADAPTER_INFO, MaxCalleeData, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, AdapterFlags, 92);
    TYPE_IS(NDK_ADAPTER_INFO, AdapterFlags, ULONG);
    OFFSET_IS(NDK_ADAPTER_INFO, RdmaTechnology, 96);
    TYPE_IS(NDK_ADAPTER_INFO, RdmaTechnology, NDK_RDMA_TECHNOLOGY);
}

static void mdl_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(MDL, 48);
    OFFSET_IS(MDL, Next, 0);
    TYPE_IS(MDL, Next, MDL *);
    OFFSET_IS(MDL, Size, 8);
    TYPE_IS(MDL, Size, CSHORT);
    OFFSET_IS(MDL, MdlFlags, 10);
    TYPE_IS(MDL, MdlFlags, CSHORT);
    OFFSET_IS(MDL, Process, 16);
    OFFSET_IS(MDL, MappedSystemVa, 24);
    TYPE_IS(MDL, MappedSystemVa, PVOID);
    OFFSET_IS(MDL, StartVa, 32);
    TYPE_IS(MDL, StartVa, PVOID);
    OFFSET_IS(MDL, ByteCount, 40);
    TYPE_IS(MDL, ByteCount, ULONG);
    OFFSET_IS(MDL, ByteOffset, 44);
    TYPE_IS(MDL, ByteOffset, ULONG);
}

static void group_affinity_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(GROUP_AFFINITY, 16);
    OFFSET_IS(GROUP_AFFINITY, Mask, 0);
    TYPE_IS(GROUP_AFFINITY, Mask, KAFFINITY);
    OFFSET_IS(GROUP_AFFINITY, Group, 8);
    TYPE_IS(GROUP_AFFINITY, Group, USHORT);
    OFFSET_IS(GROUP_AFFINITY, Reserved, 10);
    TYPE_IS(GROUP_AFFINITY, Reserved, USHORT[3]);
}

static void sockaddr_inet_has_its_documented_layout(void **state) {
    (void)state;
    SIZE_IS(SOCKADDR_INET, 28);
    OFFSET_IS(SOCKADDR_INET, Ipv4, 0);
    TYPE_IS(SOCKADDR_INET, Ipv4, SOCKADDR_IN);
    OFFSET_IS(SOCKADDR_INET, Ipv6, 0);
    TYPE_IS(SOCKADDR_INET, Ipv6, SOCKADDR_IN6);
    OFFSET_IS(SOCKADDR_INET, si_family, 0);
    TYPE_IS(SOCKADDR_INET, si_family, ADDRESS_FAMILY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndk_version_has_its_documented_layout),
        cmocka_unit_test(ndk_object_header_reserved_block_has_its_documented_layout),
        cmocka_unit_test(ndk_object_header_has_its_documented_layout),
        cmocka_unit_test(ndk_adapter_has_its_documented_layout),
        cmocka_unit_test(ndk_connector_has_its_documented_layout),
        cmocka_unit_test(ndk_cq_has_its_documented_layout),
        cmocka_unit_test(ndk_listener_has_its_documented_layout),
        cmocka_unit_test(ndk_mr_has_its_documented_layout),
        cmocka_unit_test(ndk_mw_has_its_documented_layout),
        cmocka_unit_test(ndk_pd_has_its_documented_layout),
        cmocka_unit_test(ndk_qp_has_its_documented_layout),
        cmocka_unit_test(ndk_shared_endpoint_has_its_documented_layout),
        cmocka_unit_test(ndk_srq_has_its_documented_layout),
        cmocka_unit_test(ndk_result_has_its_documented_layout),
        cmocka_unit_test(ndk_result_ex_has_its_documented_layout),
        cmocka_unit_test(ndk_sge_has_its_documented_layout),
        cmocka_unit_test(ndk_logical_address_mapping_has_its_documented_layout),
        cmocka_unit_test(ndk_extension_interface_has_its_documented_layout),
        cmocka_unit_test(ndk_adapter_info_has_its_documented_layout),
        cmocka_unit_test(mdl_has_its_documented_layout),
        cmocka_unit_test(group_affinity_has_its_documented_layout),
        cmocka_unit_test(sockaddr_inet_has_its_documented_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
