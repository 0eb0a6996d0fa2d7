/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of connectors. */
#include <string.h>

#include "callback.h"
#include "interpose.h"
#include "pointers.h"
#include "query.h"

VRF_CLOSE(Connector, CONNECTOR)
VRF_QUERY_EXTENSION(Connector)

/* Opens a connect: the QP is tied to the connector, the destination is kept for deadlocks. */
static void *connect_open(struct vrf_call *call, NDK_QP *qp, const struct vrf_connect_args *args,
                          void (*routine)(void), void *context) {
    struct vrf_connector_part *part = &call->shadow->part.connector;
    struct vrf_shadow *tied = vrf_also(call, NdkObjectTypeQp, qp);
    void *handle = vrf_request_open(call, routine, context);

    call->args.connect = *args;
    call->args.connect.qp = tied;
    vrf_before(call);
    call->request->tied = tied;
    vrf_shadow_rely(call->shadow, tied);
    memset(part->address, 0, sizeof(part->address));
    if (args->destination_length <= sizeof(part->address) &&
        krn_place_serves(call->verifier->world, args->destination, KRN_USE_READ)) {
        memcpy(part->address, args->destination, args->destination_length);
    }
    vrf_connector_called(call);
    return handle;
}

static NTSTATUS connect_to(NDK_CONNECTOR *connector, NDK_QP *qp, const struct sockaddr *source,
                           ULONG source_length, const struct sockaddr *destination,
                           ULONG destination_length, ULONG inbound_reads, ULONG outbound_reads,
                           CONST PVOID data, ULONG data_length,
                           NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    struct vrf_connect_args args;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CONNECT, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    args = (struct vrf_connect_args){.destination = destination,
                                     .data = data,
                                     .destination_length = destination_length,
                                     .inbound_reads = inbound_reads,
                                     .outbound_reads = outbound_reads,
                                     .data_length = data_length,
                                     .source = source,
                                     .source_length = source_length};
    handle = connect_open(&call, qp, &args, VRF_ROUTINE(completion), context);
    return vrf_request_leave(&call, VRF_PROVIDER(call, CONNECTOR)
                                        ->NdkConnect(connector, qp, source, source_length,
                                                     destination, destination_length, inbound_reads,
                                                     outbound_reads, data, data_length,
                                                     VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS connect_with_shared_endpoint(NDK_CONNECTOR *connector, NDK_QP *qp,
                                             NDK_SHARED_ENDPOINT *endpoint,
                                             const struct sockaddr *destination,
                                             ULONG destination_length, ULONG inbound_reads,
                                             ULONG outbound_reads, CONST PVOID data,
                                             ULONG data_length,
                                             NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    struct vrf_shadow *known;
    struct vrf_connect_args args;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CONNECT_WITH_SHARED_ENDPOINT, NdkObjectTypeConnector, connector,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    known = vrf_also(&call, NdkObjectTypeSharedEndpoint, endpoint);
    call.second = NULL;
    args = (struct vrf_connect_args){.destination = destination,
                                     .data = data,
                                     .destination_length = destination_length,
                                     .inbound_reads = inbound_reads,
                                     .outbound_reads = outbound_reads,
                                     .data_length = data_length,
                                     .endpoint = known};
    handle = connect_open(&call, qp, &args, VRF_ROUTINE(completion), context);
    vrf_shadow_rely(call.shadow, known);
    return vrf_request_leave(
        &call,
        VRF_PROVIDER(call, CONNECTOR)
            ->NdkConnectWithSharedEndpoint(connector, qp, endpoint, destination, destination_length,
                                           inbound_reads, outbound_reads, data, data_length,
                                           VRF_OURS(completion, vrf_on_request), handle));
}

/* Opens a request that brings a disconnect event; answers the event's handle, or NULL for none. */
static void *subscribe(struct vrf_call *call, void (*routine)(void), void *context) {
    if (routine == NULL) {
        return NULL;
    }
    vrf_routine_judge(call, routine, "disconnect event's routine");
    call->request->event =
        vrf_subscribe(call->verifier, call->shadow, routine, context, call->frame);
    return vrf_handle(&call->verifier->subscriptions, call->request->event);
}

static NTSTATUS complete_connect(NDK_CONNECTOR *connector,
                                 NDK_FN_DISCONNECT_EVENT_CALLBACK disconnect_event,
                                 PVOID event_context, NDK_FN_REQUEST_COMPLETION completion,
                                 PVOID context) {
    struct vrf_call call;
    void *handle;
    void *event;

    if (!vrf_enter(&call, VRF_FN_COMPLETE_CONNECT, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.connect = (struct vrf_connect_args){.has_routine = disconnect_event != NULL};
    vrf_before(&call);
    vrf_connector_called(&call);
    event = subscribe(&call, VRF_ROUTINE(disconnect_event), event_context);
    return vrf_request_leave(
        &call,
        VRF_PROVIDER(call, CONNECTOR)
            ->NdkCompleteConnect(connector, VRF_OURS(disconnect_event, vrf_on_disconnect_event),
                                 event, VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS complete_connect_ex(NDK_CONNECTOR *connector,
                                    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX disconnect_event,
                                    PVOID event_context, NDK_FN_REQUEST_COMPLETION completion,
                                    PVOID context) {
    struct vrf_call call;
    void *handle;
    void *event;

    if (!vrf_enter(&call, VRF_FN_COMPLETE_CONNECT_EX, NdkObjectTypeConnector, connector,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.connect = (struct vrf_connect_args){.has_routine = disconnect_event != NULL};
    vrf_before(&call);
    vrf_connector_called(&call);
    event = subscribe(&call, VRF_ROUTINE(disconnect_event), event_context);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, CONNECTOR)
                   ->NdkCompleteConnectEx(connector,
                                          VRF_OURS(disconnect_event, vrf_on_disconnect_event_ex),
                                          event, VRF_OURS(completion, vrf_on_request), handle));
}

static void *accept_open(struct vrf_call *call, NDK_QP *qp, const struct vrf_connect_args *args,
                         void (*routine)(void), void *context) {
    struct vrf_shadow *tied = vrf_also(call, NdkObjectTypeQp, qp);
    void *handle = vrf_request_open(call, routine, context);

    call->args.connect = *args;
    call->args.connect.qp = tied;
    vrf_before(call);
    call->request->tied = tied;
    vrf_shadow_rely(call->shadow, tied);
    vrf_connector_called(call);
    return handle;
}

static NTSTATUS accept_connection(NDK_CONNECTOR *connector, NDK_QP *qp, ULONG inbound_reads,
                                  ULONG outbound_reads, CONST PVOID data, ULONG data_length,
                                  NDK_FN_DISCONNECT_EVENT_CALLBACK disconnect_event,
                                  PVOID event_context, NDK_FN_REQUEST_COMPLETION completion,
                                  PVOID context) {
    struct vrf_call call;
    struct vrf_connect_args args;
    void *handle;
    void *event;

    if (!vrf_enter(&call, VRF_FN_ACCEPT, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    args = (struct vrf_connect_args){.data = data,
                                     .inbound_reads = inbound_reads,
                                     .outbound_reads = outbound_reads,
                                     .data_length = data_length,
                                     .has_routine = disconnect_event != NULL};
    handle = accept_open(&call, qp, &args, VRF_ROUTINE(completion), context);
    event = subscribe(&call, VRF_ROUTINE(disconnect_event), event_context);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, CONNECTOR)
                   ->NdkAccept(connector, qp, inbound_reads, outbound_reads, data, data_length,
                               VRF_OURS(disconnect_event, vrf_on_disconnect_event), event,
                               VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS accept_connection_ex(NDK_CONNECTOR *connector, NDK_QP *qp, ULONG inbound_reads,
                                     ULONG outbound_reads, CONST PVOID data, ULONG data_length,
                                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX disconnect_event,
                                     PVOID event_context, NDK_FN_REQUEST_COMPLETION completion,
                                     PVOID context) {
    struct vrf_call call;
    struct vrf_connect_args args;
    void *handle;
    void *event;

    if (!vrf_enter(&call, VRF_FN_ACCEPT_EX, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    args = (struct vrf_connect_args){.data = data,
                                     .inbound_reads = inbound_reads,
                                     .outbound_reads = outbound_reads,
                                     .data_length = data_length,
                                     .has_routine = disconnect_event != NULL};
    handle = accept_open(&call, qp, &args, VRF_ROUTINE(completion), context);
    event = subscribe(&call, VRF_ROUTINE(disconnect_event), event_context);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, CONNECTOR)
                   ->NdkAcceptEx(connector, qp, inbound_reads, outbound_reads, data, data_length,
                                 VRF_OURS(disconnect_event, vrf_on_disconnect_event_ex), event,
                                 VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS reject(NDK_CONNECTOR *connector, CONST PVOID data, ULONG data_length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_REJECT, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.connect = (struct vrf_connect_args){.data = data, .data_length = data_length};
    vrf_before(&call);
    vrf_connector_called(&call);
    return vrf_leave_status(&call,
                            VRF_PROVIDER(call, CONNECTOR)->NdkReject(connector, data, data_length));
}

static NTSTATUS get_connection_data(NDK_CONNECTOR *connector, ULONG *inbound_reads,
                                    ULONG *outbound_reads, PVOID data, ULONG *data_length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_CONNECTION_DATA, NdkObjectTypeConnector, connector,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.connection_data =
        (struct vrf_connection_data_args){inbound_reads, outbound_reads, data, data_length};
    vrf_before(&call);
    return vrf_leave_status(&call, VRF_PROVIDER(call, CONNECTOR)
                                       ->NdkGetConnectionData(connector, inbound_reads,
                                                              outbound_reads, data, data_length));
}

static NTSTATUS get_local_address(NDK_CONNECTOR *connector, PSOCKADDR address, ULONG *length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_LOCAL_ADDRESS, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.address = (struct vrf_address_args){.address = address, .size = length};
    vrf_before(&call);
    return vrf_leave_status(
        &call, VRF_PROVIDER(call, CONNECTOR)->NdkGetLocalAddress(connector, address, length));
}

static NTSTATUS get_peer_address(NDK_CONNECTOR *connector, PSOCKADDR address, ULONG *length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_PEER_ADDRESS, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.address = (struct vrf_address_args){.address = address, .size = length};
    vrf_before(&call);
    return vrf_leave_status(
        &call, VRF_PROVIDER(call, CONNECTOR)->NdkGetPeerAddress(connector, address, length));
}

static NTSTATUS disconnect(NDK_CONNECTOR *connector, NDK_FN_REQUEST_COMPLETION completion,
                           PVOID context) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_DISCONNECT, NdkObjectTypeConnector, connector, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    vrf_before(&call);
    vrf_connector_called(&call);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, CONNECTOR)
                   ->NdkDisconnect(connector, VRF_OURS(completion, vrf_on_request), handle));
}

const NDK_CONNECTOR_DISPATCH vrf_connector_table = {
    .NdkCloseConnector = close_object,
    .NdkQueryExtension = query_extension,
    .NdkConnect = connect_to,
    .NdkConnectWithSharedEndpoint = connect_with_shared_endpoint,
    .NdkCompleteConnect = complete_connect,
    .NdkAccept = accept_connection,
    .NdkReject = reject,
    .NdkGetConnectionData = get_connection_data,
    .NdkGetLocalAddress = get_local_address,
    .NdkGetPeerAddress = get_peer_address,
    .NdkDisconnect = disconnect,
    .NdkCompleteConnectEx = complete_connect_ex,
    .NdkAcceptEx = accept_connection_ex,
};
