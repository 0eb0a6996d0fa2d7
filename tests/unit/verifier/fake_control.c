/* SPDX-License-Identifier: Apache-2.0 */
/* The fake provider: adapters, connectors, listeners and shared endpoints. */
#include "fake_note.h"

static NTSTATUS adapter_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                        NDK_EXTENSION_INTERFACE *a3) {
    NOTE("adapter.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS adapter_query_adapter_info(NDK_ADAPTER *a0, NDK_ADAPTER_INFO *a1, ULONG *a2) {
    NOTE("adapter.NdkQueryAdapterInfo", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS adapter_create_cq(NDK_ADAPTER *a0, ULONG a1, NDK_FN_CQ_NOTIFICATION_CALLBACK a2,
                                  PVOID a3, GROUP_AFFINITY *a4, NDK_FN_CREATE_COMPLETION a5,
                                  PVOID a6, NDK_CQ **a7) {
    NOTE("adapter.NdkCreateCq", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7));
    if (fake.status == STATUS_SUCCESS) {
        *a7 = fake.object != NULL ? fake.object : (void *)&fake.cq;
    }
    return fake.status;
}

static NTSTATUS adapter_create_pd(NDK_ADAPTER *a0, NDK_FN_CREATE_COMPLETION a1, PVOID a2,
                                  NDK_PD **a3) {
    NOTE("adapter.NdkCreatePd", V(a0), V(a1), V(a2), V(a3));
    if (fake.status == STATUS_SUCCESS) {
        *a3 = fake.object != NULL ? fake.object : (void *)&fake.pd;
    }
    return fake.status;
}

static NTSTATUS adapter_create_shared_endpoint(NDK_ADAPTER *a0, const struct sockaddr *a1, ULONG a2,
                                               NDK_FN_CREATE_COMPLETION a3, PVOID a4,
                                               NDK_SHARED_ENDPOINT **a5) {
    NOTE("adapter.NdkCreateSharedEndpoint", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5));
    if (fake.status == STATUS_SUCCESS) {
        *a5 = fake.object != NULL ? fake.object : (void *)&fake.endpoint;
    }
    return fake.status;
}

static NTSTATUS adapter_create_connector(NDK_ADAPTER *a0, NDK_FN_CREATE_COMPLETION a1, PVOID a2,
                                         NDK_CONNECTOR **a3) {
    NOTE("adapter.NdkCreateConnector", V(a0), V(a1), V(a2), V(a3));
    if (fake.status == STATUS_SUCCESS) {
        *a3 = fake.object != NULL ? fake.object : (void *)&fake.connector;
    }
    return fake.status;
}

static NTSTATUS adapter_create_listener(NDK_ADAPTER *a0, NDK_FN_CONNECT_EVENT_CALLBACK a1, PVOID a2,
                                        NDK_FN_CREATE_COMPLETION a3, PVOID a4, NDK_LISTENER **a5) {
    NOTE("adapter.NdkCreateListener", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5));
    if (fake.status == STATUS_SUCCESS) {
        *a5 = fake.object != NULL ? fake.object : (void *)&fake.listener;
    }
    return fake.status;
}

static NTSTATUS adapter_buildlam(NDK_ADAPTER *a0, MDL *a1, SIZE_T a2, NDK_FN_REQUEST_COMPLETION a3,
                                 PVOID a4, NDK_LOGICAL_ADDRESS_MAPPING *a5, ULONG *a6, ULONG *a7) {
    NOTE("adapter.NdkBuildLAM", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7));
    return fake.status;
}

static VOID adapter_releaselam(NDK_ADAPTER *a0, NDK_LOGICAL_ADDRESS_MAPPING *a1) {
    NOTE("adapter.NdkReleaseLAM", V(a0), V(a1));
}

static NTSTATUS connector_close_connector(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1,
                                          PVOID a2) {
    NOTE("connector.NdkCloseConnector", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS connector_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                          NDK_EXTENSION_INTERFACE *a3) {
    NOTE("connector.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS connector_connect(NDK_CONNECTOR *a0, NDK_QP *a1, const struct sockaddr *a2,
                                  ULONG a3, const struct sockaddr *a4, ULONG a5, ULONG a6, ULONG a7,
                                  CONST PVOID a8, ULONG a9, NDK_FN_REQUEST_COMPLETION a10,
                                  PVOID a11) {
    NOTE("connector.NdkConnect", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8),
         V(a9), V(a10), V(a11));
    return fake.status;
}

static NTSTATUS connector_connect_with_shared_endpoint(NDK_CONNECTOR *a0, NDK_QP *a1,
                                                       NDK_SHARED_ENDPOINT *a2,
                                                       const struct sockaddr *a3, ULONG a4,
                                                       ULONG a5, ULONG a6, CONST PVOID a7, ULONG a8,
                                                       NDK_FN_REQUEST_COMPLETION a9, PVOID a10) {
    NOTE("connector.NdkConnectWithSharedEndpoint", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6),
         V(a7), V(a8), V(a9), V(a10));
    return fake.status;
}

static NTSTATUS connector_complete_connect(NDK_CONNECTOR *a0, NDK_FN_DISCONNECT_EVENT_CALLBACK a1,
                                           PVOID a2, NDK_FN_REQUEST_COMPLETION a3, PVOID a4) {
    NOTE("connector.NdkCompleteConnect", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS connector_accept(NDK_CONNECTOR *a0, NDK_QP *a1, ULONG a2, ULONG a3, CONST PVOID a4,
                                 ULONG a5, NDK_FN_DISCONNECT_EVENT_CALLBACK a6, PVOID a7,
                                 NDK_FN_REQUEST_COMPLETION a8, PVOID a9) {
    NOTE("connector.NdkAccept", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8),
         V(a9));
    return fake.status;
}

static NTSTATUS connector_reject(NDK_CONNECTOR *a0, CONST PVOID a1, ULONG a2) {
    NOTE("connector.NdkReject", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS connector_get_connection_data(NDK_CONNECTOR *a0, ULONG *a1, ULONG *a2, PVOID a3,
                                              ULONG *a4) {
    NOTE("connector.NdkGetConnectionData", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS connector_get_local_address(NDK_CONNECTOR *a0, PSOCKADDR a1, ULONG *a2) {
    NOTE("connector.NdkGetLocalAddress", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS connector_get_peer_address(NDK_CONNECTOR *a0, PSOCKADDR a1, ULONG *a2) {
    NOTE("connector.NdkGetPeerAddress", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS connector_disconnect(NDK_CONNECTOR *a0, NDK_FN_REQUEST_COMPLETION a1, PVOID a2) {
    NOTE("connector.NdkDisconnect", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS connector_complete_connect_ex(NDK_CONNECTOR *a0,
                                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX a1, PVOID a2,
                                              NDK_FN_REQUEST_COMPLETION a3, PVOID a4) {
    NOTE("connector.NdkCompleteConnectEx", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS connector_accept_ex(NDK_CONNECTOR *a0, NDK_QP *a1, ULONG a2, ULONG a3,
                                    CONST PVOID a4, ULONG a5,
                                    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX a6, PVOID a7,
                                    NDK_FN_REQUEST_COMPLETION a8, PVOID a9) {
    NOTE("connector.NdkAcceptEx", V(a0), V(a1), V(a2), V(a3), V(a4), V(a5), V(a6), V(a7), V(a8),
         V(a9));
    return fake.status;
}

static NTSTATUS listener_close_listener(NDK_OBJECT_HEADER *a0, NDK_FN_CLOSE_COMPLETION a1,
                                        PVOID a2) {
    NOTE("listener.NdkCloseListener", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS listener_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                         NDK_EXTENSION_INTERFACE *a3) {
    NOTE("listener.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS listener_listen(NDK_LISTENER *a0, const struct sockaddr *a1, ULONG a2,
                                NDK_FN_REQUEST_COMPLETION a3, PVOID a4) {
    NOTE("listener.NdkListen", V(a0), V(a1), V(a2), V(a3), V(a4));
    return fake.status;
}

static NTSTATUS listener_get_local_address(NDK_LISTENER *a0, PSOCKADDR a1, ULONG *a2) {
    NOTE("listener.NdkGetLocalAddress", V(a0), V(a1), V(a2));
    return fake.status;
}

static VOID listener_control_connect_events(NDK_LISTENER *a0, BOOLEAN a1) {
    NOTE("listener.NdkControlConnectEvents", V(a0), V(a1));
}

static NTSTATUS shared_endpoint_close_shared_endpoint(NDK_OBJECT_HEADER *a0,
                                                      NDK_FN_CLOSE_COMPLETION a1, PVOID a2) {
    NOTE("shared_endpoint.NdkCloseSharedEndpoint", V(a0), V(a1), V(a2));
    return fake.status;
}

static NTSTATUS shared_endpoint_query_extension(NDK_OBJECT_HEADER *a0, GUID *a1, NDK_VERSION a2,
                                                NDK_EXTENSION_INTERFACE *a3) {
    NOTE("shared_endpoint.NdkQueryExtension", V(a0), V(a1), a2.Major << 16 | a2.Minor, V(a3));
    return fake.status;
}

static NTSTATUS shared_endpoint_get_local_address(NDK_SHARED_ENDPOINT *a0, PSOCKADDR a1,
                                                  ULONG *a2) {
    NOTE("shared_endpoint.NdkGetLocalAddress", V(a0), V(a1), V(a2));
    return fake.status;
}

const NDK_ADAPTER_DISPATCH fake_adapter_table = {
    .NdkQueryExtension = adapter_query_extension,
    .NdkQueryAdapterInfo = adapter_query_adapter_info,
    .NdkCreateCq = adapter_create_cq,
    .NdkCreatePd = adapter_create_pd,
    .NdkCreateSharedEndpoint = adapter_create_shared_endpoint,
    .NdkCreateConnector = adapter_create_connector,
    .NdkCreateListener = adapter_create_listener,
    .NdkBuildLAM = adapter_buildlam,
    .NdkReleaseLAM = adapter_releaselam,
};

const NDK_CONNECTOR_DISPATCH fake_connector_table = {
    .NdkCloseConnector = connector_close_connector,
    .NdkQueryExtension = connector_query_extension,
    .NdkConnect = connector_connect,
    .NdkConnectWithSharedEndpoint = connector_connect_with_shared_endpoint,
    .NdkCompleteConnect = connector_complete_connect,
    .NdkAccept = connector_accept,
    .NdkReject = connector_reject,
    .NdkGetConnectionData = connector_get_connection_data,
    .NdkGetLocalAddress = connector_get_local_address,
    .NdkGetPeerAddress = connector_get_peer_address,
    .NdkDisconnect = connector_disconnect,
    .NdkCompleteConnectEx = connector_complete_connect_ex,
    .NdkAcceptEx = connector_accept_ex,
};

const NDK_LISTENER_DISPATCH fake_listener_table = {
    .NdkCloseListener = listener_close_listener,
    .NdkQueryExtension = listener_query_extension,
    .NdkListen = listener_listen,
    .NdkGetLocalAddress = listener_get_local_address,
    .NdkControlConnectEvents = listener_control_connect_events,
};

const NDK_SHARED_ENDPOINT_DISPATCH fake_shared_endpoint_table = {
    .NdkCloseSharedEndpoint = shared_endpoint_close_shared_endpoint,
    .NdkQueryExtension = shared_endpoint_query_extension,
    .NdkGetLocalAddress = shared_endpoint_get_local_address,
};
