/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return type and parameters of every function type of the RDMA interface.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndisndk.h"
#include "ndkpi.h"
#include "wskndk.h"

#define PROTOTYPE_IS(type, ...)                                                                    \
    _Static_assert(__builtin_types_compatible_p(type, __VA_ARGS__), #type)

static void async_request_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_ACCEPT, NTSTATUS(*)(NDK_CONNECTOR *, NDK_QP *, ULONG, ULONG, CONST PVOID,
                                            ULONG, NDK_FN_DISCONNECT_EVENT_CALLBACK, PVOID,
                                            NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_ACCEPT_EX, NTSTATUS(*)(NDK_CONNECTOR *, NDK_QP *, ULONG, ULONG, CONST PVOID,
                                               ULONG, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX, PVOID,
                                               NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_BUILD_LAM,
                 NTSTATUS(*)(NDK_ADAPTER *, MDL *, SIZE_T, NDK_FN_REQUEST_COMPLETION, PVOID,
                             NDK_LOGICAL_ADDRESS_MAPPING *, ULONG *, ULONG *));
    PROTOTYPE_IS(NDK_FN_COMPLETE_CONNECT,
                 NTSTATUS(*)(NDK_CONNECTOR *, NDK_FN_DISCONNECT_EVENT_CALLBACK, PVOID,
                             NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_COMPLETE_CONNECT_EX,
                 NTSTATUS(*)(NDK_CONNECTOR *, NDK_FN_DISCONNECT_EVENT_CALLBACK_EX, PVOID,
                             NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_CONNECT, NTSTATUS(*)(NDK_CONNECTOR *, NDK_QP *, const struct sockaddr *,
                                             ULONG, const struct sockaddr *, ULONG, ULONG, ULONG,
                                             CONST PVOID, ULONG, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_CONNECT_WITH_SHARED_ENDPOINT,
                 NTSTATUS(*)(NDK_CONNECTOR *, NDK_QP *, NDK_SHARED_ENDPOINT *,
                             const struct sockaddr *, ULONG, ULONG, ULONG, CONST PVOID, ULONG,
                             NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_DEREGISTER_MR, NTSTATUS(*)(NDK_MR *, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_DISCONNECT, NTSTATUS(*)(NDK_CONNECTOR *, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_INITIALIZE_FAST_REGISTER_MR,
                 NTSTATUS(*)(NDK_MR *, ULONG, BOOLEAN, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_LISTEN, NTSTATUS(*)(NDK_LISTENER *, const struct sockaddr *, ULONG,
                                            NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_MODIFY_SRQ,
                 NTSTATUS(*)(NDK_SRQ *, ULONG, ULONG, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_REGISTER_MR,
                 NTSTATUS(*)(NDK_MR *, MDL *, SIZE_T, ULONG, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_RESIZE_CQ, NTSTATUS(*)(NDK_CQ *, ULONG, NDK_FN_REQUEST_COMPLETION, PVOID));
    PROTOTYPE_IS(NDK_FN_DISCONNECT_EX,
                 NTSTATUS(*)(NDK_CONNECTOR *, BOOLEAN, NDK_FN_REQUEST_COMPLETION, PVOID));
}

static void sync_void_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_ARM_CQ, VOID(*)(NDK_CQ *, ULONG));
    PROTOTYPE_IS(NDK_FN_CONTROL_CONNECT_EVENTS, VOID(*)(NDK_LISTENER *, BOOLEAN));
    PROTOTYPE_IS(NDK_FN_FLUSH, VOID(*)(NDK_QP *));
    PROTOTYPE_IS(NDK_FN_GET_PRIVILEGED_MEMORY_REGION_TOKEN, VOID(*)(NDK_PD *, UINT32 *));
    PROTOTYPE_IS(NDK_FN_RELEASE_LAM, VOID(*)(NDK_ADAPTER *, NDK_LOGICAL_ADDRESS_MAPPING *));
}

static void post_initiator_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_BIND,
                 NTSTATUS(*)(NDK_QP *, PVOID, NDK_MR *, NDK_MW *, PVOID, SIZE_T, ULONG));
    PROTOTYPE_IS(NDK_FN_FAST_REGISTER,
                 NTSTATUS(*)(NDK_QP *, PVOID, NDK_MR *, ULONG, CONST NDK_LOGICAL_ADDRESS *, ULONG,
                             SIZE_T, PVOID, ULONG));
    PROTOTYPE_IS(NDK_FN_INVALIDATE, NTSTATUS(*)(NDK_QP *, PVOID, NDK_OBJECT_HEADER *, ULONG));
    PROTOTYPE_IS(NDK_FN_READ,
                 NTSTATUS(*)(NDK_QP *, PVOID, CONST NDK_SGE *, ULONG, UINT64, UINT32, ULONG));
    PROTOTYPE_IS(NDK_FN_SEND, NTSTATUS(*)(NDK_QP *, PVOID, CONST NDK_SGE *, ULONG, ULONG));
    PROTOTYPE_IS(NDK_FN_SEND_AND_INVALIDATE,
                 NTSTATUS(*)(NDK_QP *, PVOID, CONST NDK_SGE *, ULONG, ULONG, UINT32));
    PROTOTYPE_IS(NDK_FN_WRITE,
                 NTSTATUS(*)(NDK_QP *, PVOID, CONST NDK_SGE *, ULONG, UINT64, UINT32, ULONG));
}

static void callbacks_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_CLOSE_COMPLETION, VOID(*)(PVOID));
    PROTOTYPE_IS(NDK_FN_CONNECT_EVENT_CALLBACK, VOID(*)(PVOID, NDK_CONNECTOR *));
    PROTOTYPE_IS(NDK_FN_CQ_NOTIFICATION_CALLBACK, VOID(*)(PVOID, NTSTATUS));
    PROTOTYPE_IS(NDK_FN_CREATE_COMPLETION, VOID(*)(PVOID, NTSTATUS, NDK_OBJECT_HEADER *));
    PROTOTYPE_IS(NDK_FN_DISCONNECT_EVENT_CALLBACK, VOID(*)(PVOID));
    PROTOTYPE_IS(NDK_FN_DISCONNECT_EVENT_CALLBACK_EX, VOID(*)(PVOID, ULONG));
    PROTOTYPE_IS(NDK_FN_REQUEST_COMPLETION, VOID(*)(PVOID, NTSTATUS));
    PROTOTYPE_IS(NDK_FN_SRQ_NOTIFICATION_CALLBACK, VOID(*)(PVOID, NTSTATUS));
}

static void async_close_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_CLOSE_OBJECT,
                 NTSTATUS(*)(NDK_OBJECT_HEADER *, NDK_FN_CLOSE_COMPLETION, PVOID));
}

static void sync_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_CONTROL_CQ_INTERRUPT_MODERATION, NTSTATUS(*)(NDK_CQ *, ULONG, ULONG));
    PROTOTYPE_IS(NDK_FN_GET_CONNECTION_DATA,
                 NTSTATUS(*)(NDK_CONNECTOR *, ULONG *, ULONG *, PVOID, ULONG *));
    PROTOTYPE_IS(NDK_FN_GET_LISTENER_LOCAL_ADDRESS,
                 NTSTATUS(*)(NDK_LISTENER *, PSOCKADDR, ULONG *));
    PROTOTYPE_IS(NDK_FN_GET_LOCAL_ADDRESS, NTSTATUS(*)(NDK_CONNECTOR *, PSOCKADDR, ULONG *));
    PROTOTYPE_IS(NDK_FN_GET_PEER_ADDRESS, NTSTATUS(*)(NDK_CONNECTOR *, PSOCKADDR, ULONG *));
    PROTOTYPE_IS(NDK_FN_GET_SHARED_ENDPOINT_LOCAL_ADDRESS,
                 NTSTATUS(*)(NDK_SHARED_ENDPOINT *, PSOCKADDR, ULONG *));
    PROTOTYPE_IS(NDK_FN_QUERY_ADAPTER_INFO,
                 NTSTATUS(*)(NDK_ADAPTER *, NDK_ADAPTER_INFO *, ULONG *));
    PROTOTYPE_IS(NDK_FN_QUERY_EXTENSION_INTERFACE,
                 NTSTATUS(*)(NDK_OBJECT_HEADER *, GUID *, NDK_VERSION, NDK_EXTENSION_INTERFACE *));
    PROTOTYPE_IS(NDK_FN_REJECT, NTSTATUS(*)(NDK_CONNECTOR *, CONST PVOID, ULONG));
    PROTOTYPE_IS(NDK_FN_QUERY_ADAPTER_INFO_EX,
                 NTSTATUS(*)(NDK_ADAPTER *, NDK_VERSION, NDK_ADAPTER_INFO *, ULONG *));
}

static void async_create_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_CREATE_CONNECTOR,
                 NTSTATUS(*)(NDK_ADAPTER *, NDK_FN_CREATE_COMPLETION, PVOID, NDK_CONNECTOR **));
    PROTOTYPE_IS(NDK_FN_CREATE_LISTENER,
                 NTSTATUS(*)(NDK_ADAPTER *, NDK_FN_CONNECT_EVENT_CALLBACK, PVOID,
                             NDK_FN_CREATE_COMPLETION, PVOID, NDK_LISTENER **));
    PROTOTYPE_IS(NDK_FN_CREATE_MR,
                 NTSTATUS(*)(NDK_PD *, BOOLEAN, NDK_FN_CREATE_COMPLETION, PVOID, NDK_MR **));
    PROTOTYPE_IS(NDK_FN_CREATE_MW,
                 NTSTATUS(*)(NDK_PD *, NDK_FN_CREATE_COMPLETION, PVOID, NDK_MW **));
    PROTOTYPE_IS(NDK_FN_CREATE_PD,
                 NTSTATUS(*)(NDK_ADAPTER *, NDK_FN_CREATE_COMPLETION, PVOID, NDK_PD **));
    PROTOTYPE_IS(NDK_FN_CREATE_CQ,
                 NTSTATUS(*)(NDK_ADAPTER *, ULONG, NDK_FN_CQ_NOTIFICATION_CALLBACK, PVOID,
                             GROUP_AFFINITY *, NDK_FN_CREATE_COMPLETION, PVOID, NDK_CQ **));
    PROTOTYPE_IS(NDK_FN_CREATE_QP,
                 NTSTATUS(*)(NDK_PD *, NDK_CQ *, NDK_CQ *, PVOID, ULONG, ULONG, ULONG, ULONG, ULONG,
                             NDK_FN_CREATE_COMPLETION, PVOID, NDK_QP **));
    PROTOTYPE_IS(NDK_FN_CREATE_QP_WITH_SRQ,
                 NTSTATUS(*)(NDK_PD *, NDK_CQ *, NDK_CQ *, NDK_SRQ *, PVOID, ULONG, ULONG, ULONG,
                             NDK_FN_CREATE_COMPLETION, PVOID, NDK_QP **));
    PROTOTYPE_IS(NDK_FN_CREATE_SHARED_ENDPOINT,
                 NTSTATUS(*)(NDK_ADAPTER *, const struct sockaddr *, ULONG,
                             NDK_FN_CREATE_COMPLETION, PVOID, NDK_SHARED_ENDPOINT **));
    PROTOTYPE_IS(NDK_FN_CREATE_SRQ,
                 NTSTATUS(*)(NDK_PD *, ULONG, ULONG, ULONG, NDK_FN_SRQ_NOTIFICATION_CALLBACK, PVOID,
                             GROUP_AFFINITY *, NDK_FN_CREATE_COMPLETION, PVOID, NDK_SRQ **));
}

static void sync_count_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_GET_CQ_RESULTS, ULONG(*)(NDK_CQ *, NDK_RESULT *, ULONG));
    PROTOTYPE_IS(NDK_FN_GET_CQ_RESULTS_EX, ULONG(*)(NDK_CQ *, NDK_RESULT_EX *, ULONG));
}

static void sync_value_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_GET_LOCAL_TOKEN_FROM_MR, UINT32(*)(NDK_MR *));
    PROTOTYPE_IS(NDK_FN_GET_REMOTE_TOKEN_FROM_MR, UINT32(*)(NDK_MR *));
    PROTOTYPE_IS(NDK_FN_GET_REMOTE_TOKEN_FROM_MW, UINT32(*)(NDK_MW *));
}

static void post_receive_functions_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(NDK_FN_RECEIVE, NTSTATUS(*)(NDK_QP *, PVOID, CONST NDK_SGE *, ULONG));
    PROTOTYPE_IS(NDK_FN_SRQ_RECEIVE, NTSTATUS(*)(NDK_SRQ *, PVOID, CONST NDK_SGE *, ULONG));
}

static void ndis_handlers_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(OPEN_NDK_ADAPTER_HANDLER,
                 NDIS_STATUS(*)(NDIS_HANDLE, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *, NDK_ADAPTER **));
    PROTOTYPE_IS(CLOSE_NDK_ADAPTER_HANDLER, VOID(*)(NDIS_HANDLE, NDK_ADAPTER *));
}

static void wsk_entries_have_their_documented_prototype(void **state) {
    (void)state;
    PROTOTYPE_IS(PFN_WSK_NDK_OPEN_ADAPTER,
                 NTSTATUS(*)(PWSK_CLIENT, NDK_VERSION, NET_IFINDEX, NDK_ADAPTER **));
    PROTOTYPE_IS(PFN_WSK_NDK_CLOSE_ADAPTER, VOID(*)(PWSK_CLIENT, NDK_ADAPTER *));
    PROTOTYPE_IS(PFN_WSK_CONTROL_CLIENT,
                 NTSTATUS(*)(PWSK_CLIENT, ULONG, SIZE_T, PVOID, SIZE_T, PVOID, SIZE_T *, PIRP));
    PROTOTYPE_IS(__typeof__(&WskRegister), NTSTATUS (*)(PWSK_CLIENT_NPI, PWSK_REGISTRATION));
    PROTOTYPE_IS(__typeof__(&WskCaptureProviderNPI),
                 NTSTATUS (*)(PWSK_REGISTRATION, ULONG, PWSK_PROVIDER_NPI));
    PROTOTYPE_IS(__typeof__(&WskReleaseProviderNPI), VOID (*)(PWSK_REGISTRATION));
    PROTOTYPE_IS(__typeof__(&WskDeregister), VOID (*)(PWSK_REGISTRATION));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(async_request_functions_have_their_documented_prototype),
        cmocka_unit_test(sync_void_functions_have_their_documented_prototype),
        cmocka_unit_test(post_initiator_functions_have_their_documented_prototype),
        cmocka_unit_test(callbacks_have_their_documented_prototype),
        cmocka_unit_test(async_close_functions_have_their_documented_prototype),
        cmocka_unit_test(sync_functions_have_their_documented_prototype),
        cmocka_unit_test(async_create_functions_have_their_documented_prototype),
        cmocka_unit_test(sync_count_functions_have_their_documented_prototype),
        cmocka_unit_test(sync_value_functions_have_their_documented_prototype),
        cmocka_unit_test(post_receive_functions_have_their_documented_prototype),
        cmocka_unit_test(ndis_handlers_have_their_documented_prototype),
        cmocka_unit_test(wsk_entries_have_their_documented_prototype),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
