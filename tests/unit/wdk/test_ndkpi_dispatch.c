/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order and type of every slot of the dispatch tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndkpi.h"
#include "wskndk.h"

#define OFFSET_IS(type, member, offset)                                                            \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)

#define TYPE_IS(type, member, wanted)                                                              \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted),          \
                   "type of " #type "." #member)

static void ndk_adapter_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_ADAPTER_DISPATCH, 0x48);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkQueryExtension, 0x0);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkQueryAdapterInfo, 0x8);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkQueryAdapterInfo, NDK_FN_QUERY_ADAPTER_INFO);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkCreateCq, 0x10);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkCreateCq, NDK_FN_CREATE_CQ);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkCreatePd, 0x18);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkCreatePd, NDK_FN_CREATE_PD);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkCreateSharedEndpoint, 0x20);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkCreateSharedEndpoint, NDK_FN_CREATE_SHARED_ENDPOINT);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkCreateConnector, 0x28);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkCreateConnector, NDK_FN_CREATE_CONNECTOR);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkCreateListener, 0x30);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkCreateListener, NDK_FN_CREATE_LISTENER);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkBuildLAM, 0x38);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkBuildLAM, NDK_FN_BUILD_LAM);
    OFFSET_IS(NDK_ADAPTER_DISPATCH, NdkReleaseLAM, 0x40);
    TYPE_IS(NDK_ADAPTER_DISPATCH, NdkReleaseLAM, NDK_FN_RELEASE_LAM);
}

static void ndk_connector_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_CONNECTOR_DISPATCH, 0x68);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkCloseConnector, 0x0);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkCloseConnector, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkConnect, 0x10);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkConnect, NDK_FN_CONNECT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkConnectWithSharedEndpoint, 0x18);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkConnectWithSharedEndpoint,
            NDK_FN_CONNECT_WITH_SHARED_ENDPOINT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkCompleteConnect, 0x20);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkCompleteConnect, NDK_FN_COMPLETE_CONNECT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkAccept, 0x28);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkAccept, NDK_FN_ACCEPT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkReject, 0x30);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkReject, NDK_FN_REJECT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkGetConnectionData, 0x38);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkGetConnectionData, NDK_FN_GET_CONNECTION_DATA);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkGetLocalAddress, 0x40);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkGetLocalAddress, NDK_FN_GET_LOCAL_ADDRESS);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkGetPeerAddress, 0x48);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkGetPeerAddress, NDK_FN_GET_PEER_ADDRESS);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkDisconnect, 0x50);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkDisconnect, NDK_FN_DISCONNECT);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkCompleteConnectEx, 0x58);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkCompleteConnectEx, NDK_FN_COMPLETE_CONNECT_EX);
    OFFSET_IS(NDK_CONNECTOR_DISPATCH, NdkAcceptEx, 0x60);
    TYPE_IS(NDK_CONNECTOR_DISPATCH, NdkAcceptEx, NDK_FN_ACCEPT_EX);
}

static void ndk_cq_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_CQ_DISPATCH, 0x38);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkCloseCq, 0x0);
    TYPE_IS(NDK_CQ_DISPATCH, NdkCloseCq, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_CQ_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkResizeCq, 0x10);
    TYPE_IS(NDK_CQ_DISPATCH, NdkResizeCq, NDK_FN_RESIZE_CQ);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkArmCq, 0x18);
    TYPE_IS(NDK_CQ_DISPATCH, NdkArmCq, NDK_FN_ARM_CQ);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkGetCqResults, 0x20);
    TYPE_IS(NDK_CQ_DISPATCH, NdkGetCqResults, NDK_FN_GET_CQ_RESULTS);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkControlCqInterruptModeration, 0x28);
    TYPE_IS(NDK_CQ_DISPATCH, NdkControlCqInterruptModeration,
            NDK_FN_CONTROL_CQ_INTERRUPT_MODERATION);
    OFFSET_IS(NDK_CQ_DISPATCH, NdkGetCqResultsEx, 0x30);
    TYPE_IS(NDK_CQ_DISPATCH, NdkGetCqResultsEx, NDK_FN_GET_CQ_RESULTS_EX);
}

static void ndk_listener_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_LISTENER_DISPATCH, 0x28);
    OFFSET_IS(NDK_LISTENER_DISPATCH, NdkCloseListener, 0x0);
    TYPE_IS(NDK_LISTENER_DISPATCH, NdkCloseListener, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_LISTENER_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_LISTENER_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_LISTENER_DISPATCH, NdkListen, 0x10);
    TYPE_IS(NDK_LISTENER_DISPATCH, NdkListen, NDK_FN_LISTEN);
    OFFSET_IS(NDK_LISTENER_DISPATCH, NdkGetLocalAddress, 0x18);
    TYPE_IS(NDK_LISTENER_DISPATCH, NdkGetLocalAddress, NDK_FN_GET_LISTENER_LOCAL_ADDRESS);
    OFFSET_IS(NDK_LISTENER_DISPATCH, NdkControlConnectEvents, 0x20);
    TYPE_IS(NDK_LISTENER_DISPATCH, NdkControlConnectEvents, NDK_FN_CONTROL_CONNECT_EVENTS);
}

static void ndk_mr_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_MR_DISPATCH, 0x38);
    OFFSET_IS(NDK_MR_DISPATCH, NdkCloseMr, 0x0);
    TYPE_IS(NDK_MR_DISPATCH, NdkCloseMr, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_MR_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_MR_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_MR_DISPATCH, NdkRegisterMr, 0x10);
    TYPE_IS(NDK_MR_DISPATCH, NdkRegisterMr, NDK_FN_REGISTER_MR);
    OFFSET_IS(NDK_MR_DISPATCH, NdkDeregisterMr, 0x18);
    TYPE_IS(NDK_MR_DISPATCH, NdkDeregisterMr, NDK_FN_DEREGISTER_MR);
    OFFSET_IS(NDK_MR_DISPATCH, NdkInitializeFastRegisterMr, 0x20);
    TYPE_IS(NDK_MR_DISPATCH, NdkInitializeFastRegisterMr, NDK_FN_INITIALIZE_FAST_REGISTER_MR);
    OFFSET_IS(NDK_MR_DISPATCH, NdkGetRemoteTokenFromMr, 0x28);
    TYPE_IS(NDK_MR_DISPATCH, NdkGetRemoteTokenFromMr, NDK_FN_GET_REMOTE_TOKEN_FROM_MR);
    OFFSET_IS(NDK_MR_DISPATCH, NdkGetLocalTokenFromMr, 0x30);
    TYPE_IS(NDK_MR_DISPATCH, NdkGetLocalTokenFromMr, NDK_FN_GET_LOCAL_TOKEN_FROM_MR);
}

static void ndk_mw_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_MW_DISPATCH, 0x18);
    OFFSET_IS(NDK_MW_DISPATCH, NdkCloseMw, 0x0);
    TYPE_IS(NDK_MW_DISPATCH, NdkCloseMw, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_MW_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_MW_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_MW_DISPATCH, NdkGetRemoteTokenFromMw, 0x10);
    TYPE_IS(NDK_MW_DISPATCH, NdkGetRemoteTokenFromMw, NDK_FN_GET_REMOTE_TOKEN_FROM_MW);
}

static void ndk_pd_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_PD_DISPATCH, 0x40);
    OFFSET_IS(NDK_PD_DISPATCH, NdkClosePd, 0x0);
    TYPE_IS(NDK_PD_DISPATCH, NdkClosePd, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_PD_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_PD_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_PD_DISPATCH, NdkCreateMr, 0x10);
    TYPE_IS(NDK_PD_DISPATCH, NdkCreateMr, NDK_FN_CREATE_MR);
    OFFSET_IS(NDK_PD_DISPATCH, NdkCreateMw, 0x18);
    TYPE_IS(NDK_PD_DISPATCH, NdkCreateMw, NDK_FN_CREATE_MW);
    OFFSET_IS(NDK_PD_DISPATCH, NdkCreateSrq, 0x20);
    TYPE_IS(NDK_PD_DISPATCH, NdkCreateSrq, NDK_FN_CREATE_SRQ);
    OFFSET_IS(NDK_PD_DISPATCH, NdkCreateQp, 0x28);
    TYPE_IS(NDK_PD_DISPATCH, NdkCreateQp, NDK_FN_CREATE_QP);
    OFFSET_IS(NDK_PD_DISPATCH, NdkCreateQpWithSrq, 0x30);
    TYPE_IS(NDK_PD_DISPATCH, NdkCreateQpWithSrq, NDK_FN_CREATE_QP_WITH_SRQ);
    OFFSET_IS(NDK_PD_DISPATCH, NdkGetPrivilegedMemoryRegionToken, 0x38);
    TYPE_IS(NDK_PD_DISPATCH, NdkGetPrivilegedMemoryRegionToken,
            NDK_FN_GET_PRIVILEGED_MEMORY_REGION_TOKEN);
}

static void ndk_qp_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_QP_DISPATCH, 0x58);
    OFFSET_IS(NDK_QP_DISPATCH, NdkCloseQp, 0x0);
    TYPE_IS(NDK_QP_DISPATCH, NdkCloseQp, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_QP_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_QP_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_QP_DISPATCH, NdkFlush, 0x10);
    TYPE_IS(NDK_QP_DISPATCH, NdkFlush, NDK_FN_FLUSH);
    OFFSET_IS(NDK_QP_DISPATCH, NdkSend, 0x18);
    TYPE_IS(NDK_QP_DISPATCH, NdkSend, NDK_FN_SEND);
    OFFSET_IS(NDK_QP_DISPATCH, NdkReceive, 0x20);
    TYPE_IS(NDK_QP_DISPATCH, NdkReceive, NDK_FN_RECEIVE);
    OFFSET_IS(NDK_QP_DISPATCH, NdkBind, 0x28);
    TYPE_IS(NDK_QP_DISPATCH, NdkBind, NDK_FN_BIND);
    OFFSET_IS(NDK_QP_DISPATCH, NdkFastRegister, 0x30);
    TYPE_IS(NDK_QP_DISPATCH, NdkFastRegister, NDK_FN_FAST_REGISTER);
    OFFSET_IS(NDK_QP_DISPATCH, NdkInvalidate, 0x38);
    TYPE_IS(NDK_QP_DISPATCH, NdkInvalidate, NDK_FN_INVALIDATE);
    OFFSET_IS(NDK_QP_DISPATCH, NdkRead, 0x40);
    TYPE_IS(NDK_QP_DISPATCH, NdkRead, NDK_FN_READ);
    OFFSET_IS(NDK_QP_DISPATCH, NdkWrite, 0x48);
    TYPE_IS(NDK_QP_DISPATCH, NdkWrite, NDK_FN_WRITE);
    OFFSET_IS(NDK_QP_DISPATCH, NdkSendAndInvalidate, 0x50);
    TYPE_IS(NDK_QP_DISPATCH, NdkSendAndInvalidate, NDK_FN_SEND_AND_INVALIDATE);
}

static void ndk_shared_endpoint_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_SHARED_ENDPOINT_DISPATCH, 0x18);
    OFFSET_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkCloseSharedEndpoint, 0x0);
    TYPE_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkCloseSharedEndpoint, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkGetLocalAddress, 0x10);
    TYPE_IS(NDK_SHARED_ENDPOINT_DISPATCH, NdkGetLocalAddress,
            NDK_FN_GET_SHARED_ENDPOINT_LOCAL_ADDRESS);
}

static void ndk_srq_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(NDK_SRQ_DISPATCH, 0x20);
    OFFSET_IS(NDK_SRQ_DISPATCH, NdkCloseSrq, 0x0);
    TYPE_IS(NDK_SRQ_DISPATCH, NdkCloseSrq, NDK_FN_CLOSE_OBJECT);
    OFFSET_IS(NDK_SRQ_DISPATCH, NdkQueryExtension, 0x8);
    TYPE_IS(NDK_SRQ_DISPATCH, NdkQueryExtension, NDK_FN_QUERY_EXTENSION_INTERFACE);
    OFFSET_IS(NDK_SRQ_DISPATCH, NdkModifySrq, 0x10);
    TYPE_IS(NDK_SRQ_DISPATCH, NdkModifySrq, NDK_FN_MODIFY_SRQ);
    OFFSET_IS(NDK_SRQ_DISPATCH, NdkSrqReceive, 0x18);
    TYPE_IS(NDK_SRQ_DISPATCH, NdkSrqReceive, NDK_FN_SRQ_RECEIVE);
}

static void wsk_provider_ndk_dispatch_has_its_slots_in_order(void **state) {
    (void)state;
    SIZE_IS(WSK_PROVIDER_NDK_DISPATCH, 0x10);
    OFFSET_IS(WSK_PROVIDER_NDK_DISPATCH, WskOpenNdkAdapter, 0x0);
    TYPE_IS(WSK_PROVIDER_NDK_DISPATCH, WskOpenNdkAdapter, PFN_WSK_NDK_OPEN_ADAPTER);
    OFFSET_IS(WSK_PROVIDER_NDK_DISPATCH, WskCloseNdkAdapter, 0x8);
    TYPE_IS(WSK_PROVIDER_NDK_DISPATCH, WskCloseNdkAdapter, PFN_WSK_NDK_CLOSE_ADAPTER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndk_adapter_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_connector_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_cq_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_listener_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_mr_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_mw_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_pd_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_qp_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_shared_endpoint_dispatch_has_its_slots_in_order),
        cmocka_unit_test(ndk_srq_dispatch_has_its_slots_in_order),
        cmocka_unit_test(wsk_provider_ndk_dispatch_has_its_slots_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
