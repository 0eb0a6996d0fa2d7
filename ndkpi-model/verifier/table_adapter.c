/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of adapters. */
#include "callback.h"
#include "interpose.h"
#include "query.h"

VRF_QUERY_EXTENSION(Adapter)

static NTSTATUS query_adapter_info(NDK_ADAPTER *adapter, NDK_ADAPTER_INFO *info, ULONG *size) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_QUERY_ADAPTER_INFO, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.query = (struct vrf_query_args){.info = info, .size = size};
    vrf_before(&call);
    return vrf_leave_status(&call,
                            VRF_PROVIDER(call, ADAPTER)->NdkQueryAdapterInfo(adapter, info, size));
}

static NTSTATUS create_cq(NDK_ADAPTER *adapter, ULONG depth,
                          NDK_FN_CQ_NOTIFICATION_CALLBACK notification, PVOID notification_context,
                          GROUP_AFFINITY *affinity, NDK_FN_CREATE_COMPLETION completion,
                          PVOID context, NDK_CQ **out) {
    struct vrf_call call;
    struct vrf_shadow *born;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_CQ, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeCq, VRF_ROUTINE(completion), context);
    born = call.request->born;
    born->part.cq.depth = depth;
    born->part.cq.event = vrf_subscribe(call.verifier, born, VRF_ROUTINE(notification),
                                        notification_context, VRF_FRAME);
    call.request->event = born->part.cq.event;
    call.args = (struct vrf_args){
        .out = (void **)out,
        .create_cq = {.affinity = affinity, .depth = depth, .has_routine = notification != NULL}};
    vrf_before(&call);
    return vrf_create_leave(
        &call,
        VRF_PROVIDER(call, ADAPTER)
            ->NdkCreateCq(adapter, depth, VRF_OURS(notification, vrf_on_cq_event),
                          vrf_handle(&call.verifier->subscriptions, born->part.cq.event), affinity,
                          VRF_OURS(completion, vrf_on_create), handle, out),
        (void **)out);
}

static NTSTATUS create_pd(NDK_ADAPTER *adapter, NDK_FN_CREATE_COMPLETION completion, PVOID context,
                          NDK_PD **out) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_PD, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypePd, VRF_ROUTINE(completion), context);
    call.args.out = (void **)out;
    vrf_before(&call);
    return vrf_create_leave(
        &call,
        VRF_PROVIDER(call, ADAPTER)
            ->NdkCreatePd(adapter, VRF_OURS(completion, vrf_on_create), handle, out),
        (void **)out);
}

static NTSTATUS create_shared_endpoint(NDK_ADAPTER *adapter, const struct sockaddr *address,
                                       ULONG address_length, NDK_FN_CREATE_COMPLETION completion,
                                       PVOID context, NDK_SHARED_ENDPOINT **out) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_SHARED_ENDPOINT, NdkObjectTypeAdapter, adapter,
                   VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeSharedEndpoint, VRF_ROUTINE(completion), context);
    call.args = (struct vrf_args){.out = (void **)out,
                                  .address = {.address = address, .length = address_length}};
    vrf_before(&call);
    return vrf_create_leave(&call,
                            VRF_PROVIDER(call, ADAPTER)
                                ->NdkCreateSharedEndpoint(adapter, address, address_length,
                                                          VRF_OURS(completion, vrf_on_create),
                                                          handle, out),
                            (void **)out);
}

static NTSTATUS create_connector(NDK_ADAPTER *adapter, NDK_FN_CREATE_COMPLETION completion,
                                 PVOID context, NDK_CONNECTOR **out) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_CONNECTOR, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeConnector, VRF_ROUTINE(completion), context);
    call.args.out = (void **)out;
    vrf_before(&call);
    return vrf_create_leave(
        &call,
        VRF_PROVIDER(call, ADAPTER)
            ->NdkCreateConnector(adapter, VRF_OURS(completion, vrf_on_create), handle, out),
        (void **)out);
}

static NTSTATUS create_listener(NDK_ADAPTER *adapter, NDK_FN_CONNECT_EVENT_CALLBACK connect_event,
                                PVOID event_context, NDK_FN_CREATE_COMPLETION completion,
                                PVOID context, NDK_LISTENER **out) {
    struct vrf_call call;
    struct vrf_shadow *born;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_LISTENER, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeListener, VRF_ROUTINE(completion), context);
    born = call.request->born;
    born->part.listener.event =
        vrf_subscribe(call.verifier, born, VRF_ROUTINE(connect_event), event_context, VRF_FRAME);
    call.request->event = born->part.listener.event;
    call.args =
        (struct vrf_args){.out = (void **)out, .connect = {.has_routine = connect_event != NULL}};
    vrf_before(&call);
    return vrf_create_leave(
        &call,
        VRF_PROVIDER(call, ADAPTER)
            ->NdkCreateListener(
                adapter, VRF_OURS(connect_event, vrf_on_connect_event),
                vrf_handle(&call.verifier->subscriptions, born->part.listener.event),
                VRF_OURS(completion, vrf_on_create), handle, out),
        (void **)out);
}

static NTSTATUS build_lam(NDK_ADAPTER *adapter, MDL *mdl, SIZE_T length,
                          NDK_FN_REQUEST_COMPLETION completion, PVOID context,
                          NDK_LOGICAL_ADDRESS_MAPPING *mapping, ULONG *mapping_size, ULONG *fbo) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_BUILD_LAM, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    if (call.verifier->is_judging) {
        vrf_place_take(call.verifier->world, mapping, VRF_FRAME, &call.request->out_place);
    }
    call.args.memory = (struct vrf_memory_args){
        .mdl = mdl, .mapping = mapping, .mapping_size = mapping_size, .fbo = fbo, .length = length};
    vrf_before(&call);
    return vrf_request_leave(&call, VRF_PROVIDER(call, ADAPTER)
                                        ->NdkBuildLAM(adapter, mdl, length,
                                                      VRF_OURS(completion, vrf_on_request), handle,
                                                      mapping, mapping_size, fbo));
}

static VOID release_lam(NDK_ADAPTER *adapter, NDK_LOGICAL_ADDRESS_MAPPING *mapping) {
    struct vrf_call call;

    if (vrf_enter(&call, VRF_FN_RELEASE_LAM, NdkObjectTypeAdapter, adapter, VRF_FRAME)) {
        call.args.memory = (struct vrf_memory_args){.mapping = mapping};
        vrf_before(&call);
        VRF_PROVIDER(call, ADAPTER)->NdkReleaseLAM(adapter, mapping);
        vrf_leave(&call, STATUS_SUCCESS, 0);
    }
}

const NDK_ADAPTER_DISPATCH vrf_adapter_table = {
    .NdkQueryExtension = query_extension,
    .NdkQueryAdapterInfo = query_adapter_info,
    .NdkCreateCq = create_cq,
    .NdkCreatePd = create_pd,
    .NdkCreateSharedEndpoint = create_shared_endpoint,
    .NdkCreateConnector = create_connector,
    .NdkCreateListener = create_listener,
    .NdkBuildLAM = build_lam,
    .NdkReleaseLAM = release_lam,
};
