/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of listeners. */
#include <string.h>

#include "callback.h"
#include "interpose.h"
#include "query.h"

VRF_CLOSE(Listener, LISTENER)
VRF_QUERY_EXTENSION(Listener)

static NTSTATUS listen_on(NDK_LISTENER *listener, const struct sockaddr *address, ULONG length,
                          NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    struct vrf_listener_part *part;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_LISTEN, NdkObjectTypeListener, listener, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.address = (struct vrf_address_args){.address = address, .length = length};
    vrf_before(&call);
    part = &call.shadow->part.listener;
    memset(part->address, 0, sizeof(part->address));
    if (length <= sizeof(part->address) &&
        krn_place_serves(call.verifier->world, address, KRN_USE_READ)) {
        memcpy(part->address, address, length);
    }
    vrf_connector_called(&call);
    return vrf_request_leave(&call, VRF_PROVIDER(call, LISTENER)
                                        ->NdkListen(listener, address, length,
                                                    VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS get_local_address(NDK_LISTENER *listener, PSOCKADDR address, ULONG *length) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_LISTENER_ADDRESS, NdkObjectTypeListener, listener,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.address = (struct vrf_address_args){.address = address, .size = length};
    vrf_before(&call);
    return vrf_leave_status(
        &call, VRF_PROVIDER(call, LISTENER)->NdkGetLocalAddress(listener, address, length));
}

static VOID control_connect_events(NDK_LISTENER *listener, BOOLEAN pause) {
    struct vrf_call call;

    if (vrf_enter(&call, VRF_FN_CONTROL_CONNECT_EVENTS, NdkObjectTypeListener, listener,
                  VRF_FRAME)) {
        call.args.plain = (struct vrf_plain_args){pause, 0};
        vrf_before(&call);
        VRF_PROVIDER(call, LISTENER)->NdkControlConnectEvents(listener, pause);
        vrf_leave(&call, STATUS_SUCCESS, pause);
    }
}

const NDK_LISTENER_DISPATCH vrf_listener_table = {
    .NdkCloseListener = close_object,
    .NdkQueryExtension = query_extension,
    .NdkListen = listen_on,
    .NdkGetLocalAddress = get_local_address,
    .NdkControlConnectEvents = control_connect_events,
};
