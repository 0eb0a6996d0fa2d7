/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of protection domains. */
#include "callback.h"
#include "interpose.h"
#include "query.h"
#include "work.h"

VRF_CLOSE(Pd, PD)
VRF_QUERY_EXTENSION(Pd)

static NTSTATUS create_mr(NDK_PD *pd, BOOLEAN fast_register, NDK_FN_CREATE_COMPLETION completion,
                          PVOID context, NDK_MR **out) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_MR, NdkObjectTypePd, pd, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeMr, VRF_ROUTINE(completion), context);
    call.args = (struct vrf_args){.out = (void **)out, .plain = {fast_register, 0}};
    vrf_before(&call);
    return vrf_create_leave(&call,
                            VRF_PROVIDER(call, PD)->NdkCreateMr(pd, fast_register,
                                                                VRF_OURS(completion, vrf_on_create),
                                                                handle, out),
                            (void **)out);
}

static NTSTATUS create_mw(NDK_PD *pd, NDK_FN_CREATE_COMPLETION completion, PVOID context,
                          NDK_MW **out) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_MW, NdkObjectTypePd, pd, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeMw, VRF_ROUTINE(completion), context);
    call.args.out = (void **)out;
    vrf_before(&call);
    return vrf_create_leave(
        &call,
        VRF_PROVIDER(call, PD)->NdkCreateMw(pd, VRF_OURS(completion, vrf_on_create), handle, out),
        (void **)out);
}

static NTSTATUS create_srq(NDK_PD *pd, ULONG depth, ULONG sge_max, ULONG threshold,
                           NDK_FN_SRQ_NOTIFICATION_CALLBACK notification,
                           PVOID notification_context, GROUP_AFFINITY *affinity,
                           NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_SRQ **out) {
    struct vrf_call call;
    struct vrf_shadow *born;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_CREATE_SRQ, NdkObjectTypePd, pd, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeSrq, VRF_ROUTINE(completion), context);
    born = call.request->born;
    born->part.srq.receive = vrf_queue_make(call.verifier, born, NULL, depth);
    born->part.srq.event = vrf_subscribe(call.verifier, born, VRF_ROUTINE(notification),
                                         notification_context, VRF_FRAME);
    call.request->event = born->part.srq.event;
    call.args = (struct vrf_args){.out = (void **)out,
                                  .create_srq = {.affinity = affinity,
                                                 .depth = depth,
                                                 .sge_max = sge_max,
                                                 .threshold = threshold,
                                                 .has_routine = notification != NULL}};
    vrf_before(&call);
    return vrf_create_leave(&call,
                            VRF_PROVIDER(call, PD)->NdkCreateSrq(
                                pd, depth, sge_max, threshold,
                                VRF_OURS(notification, vrf_on_srq_event),
                                vrf_handle(&call.verifier->subscriptions, born->part.srq.event),
                                affinity, VRF_OURS(completion, vrf_on_create), handle, out),
                            (void **)out);
}

/* What the shadow of a QP knows from its birth; answers the handle that stands for QPContext. */
static void *expect_qp(struct vrf_call *call, NDK_CQ *receive_cq, NDK_CQ *initiator_cq,
                       void *qp_context, ULONG receive_depth, ULONG initiator_depth) {
    struct vrf_shadow *born = call->request->born;
    struct vrf_shadow *receive = vrf_also(call, NdkObjectTypeCq, receive_cq);
    struct vrf_shadow *initiator = vrf_also(call, NdkObjectTypeCq, initiator_cq);

    born->part.qp.receive = vrf_queue_make(call->verifier, born, receive, receive_depth);
    born->part.qp.initiator = vrf_queue_make(call->verifier, born, initiator, initiator_depth);
    vrf_shadow_rely(born, receive);
    vrf_shadow_rely(born, initiator);
    born->part.qp.context = qp_context;
    call->second = NULL;
    return vrf_handle(&call->verifier->shadows, born);
}

static NTSTATUS create_qp(NDK_PD *pd, NDK_CQ *receive_cq, NDK_CQ *initiator_cq, PVOID qp_context,
                          ULONG receive_depth, ULONG initiator_depth, ULONG receive_sge_max,
                          ULONG initiator_sge_max, ULONG inline_bytes,
                          NDK_FN_CREATE_COMPLETION completion, PVOID context, NDK_QP **out) {
    struct vrf_call call;
    void *handle;
    void *stamp;

    if (!vrf_enter(&call, VRF_FN_CREATE_QP, NdkObjectTypePd, pd, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeQp, VRF_ROUTINE(completion), context);
    stamp = expect_qp(&call, receive_cq, initiator_cq, qp_context, receive_depth, initiator_depth);
    call.args =
        (struct vrf_args){.out = (void **)out,
                          .create_qp = {.receive_cq = call.request->born->part.qp.receive->cq,
                                        .initiator_cq = call.request->born->part.qp.initiator->cq,
                                        .receive_depth = receive_depth,
                                        .initiator_depth = initiator_depth,
                                        .receive_sge_max = receive_sge_max,
                                        .initiator_sge_max = initiator_sge_max,
                                        .inline_bytes = inline_bytes}};
    vrf_before(&call);
    return vrf_create_leave(&call,
                            VRF_PROVIDER(call, PD)->NdkCreateQp(
                                pd, receive_cq, initiator_cq, stamp, receive_depth, initiator_depth,
                                receive_sge_max, initiator_sge_max, inline_bytes,
                                VRF_OURS(completion, vrf_on_create), handle, out),
                            (void **)out);
}

static NTSTATUS create_qp_with_srq(NDK_PD *pd, NDK_CQ *receive_cq, NDK_CQ *initiator_cq,
                                   NDK_SRQ *srq, PVOID qp_context, ULONG initiator_depth,
                                   ULONG initiator_sge_max, ULONG inline_bytes,
                                   NDK_FN_CREATE_COMPLETION completion, PVOID context,
                                   NDK_QP **out) {
    struct vrf_call call;
    struct vrf_shadow *known;
    void *handle;
    void *stamp;

    if (!vrf_enter(&call, VRF_FN_CREATE_QP_WITH_SRQ, NdkObjectTypePd, pd, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_create_open(&call, NdkObjectTypeQp, VRF_ROUTINE(completion), context);
    stamp = expect_qp(&call, receive_cq, initiator_cq, qp_context, 0, initiator_depth);
    known = vrf_also(&call, NdkObjectTypeSrq, srq);
    vrf_shadow_rely(call.request->born, known);
    call.second = NULL;
    call.args =
        (struct vrf_args){.out = (void **)out,
                          .create_qp = {.receive_cq = call.request->born->part.qp.receive->cq,
                                        .initiator_cq = call.request->born->part.qp.initiator->cq,
                                        .srq = known,
                                        .initiator_depth = initiator_depth,
                                        .initiator_sge_max = initiator_sge_max,
                                        .inline_bytes = inline_bytes}};
    vrf_before(&call);
    return vrf_create_leave(&call,
                            VRF_PROVIDER(call, PD)->NdkCreateQpWithSrq(
                                pd, receive_cq, initiator_cq, srq, stamp, initiator_depth,
                                initiator_sge_max, inline_bytes,
                                VRF_OURS(completion, vrf_on_create), handle, out),
                            (void **)out);
}

static VOID get_privileged_token(NDK_PD *pd, UINT32 *token) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_GET_PRIVILEGED_TOKEN, NdkObjectTypePd, pd, VRF_FRAME)) {
        return;
    }
    call.args.out = (void **)token;
    vrf_before(&call);
    VRF_PROVIDER(call, PD)->NdkGetPrivilegedMemoryRegionToken(pd, token);
    call.shadow->part.pd.privileged_token = *token;
    vrf_leave(&call, STATUS_SUCCESS, 0);
}

const NDK_PD_DISPATCH vrf_pd_table = {
    .NdkClosePd = close_object,
    .NdkQueryExtension = query_extension,
    .NdkCreateMr = create_mr,
    .NdkCreateMw = create_mw,
    .NdkCreateSrq = create_srq,
    .NdkCreateQp = create_qp,
    .NdkCreateQpWithSrq = create_qp_with_srq,
    .NdkGetPrivilegedMemoryRegionToken = get_privileged_token,
};
