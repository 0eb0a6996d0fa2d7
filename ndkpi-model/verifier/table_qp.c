/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of queue pairs. */
#include "callback.h"
#include "interpose.h"
#include "query.h"
#include "work.h"

VRF_CLOSE(Qp, QP)
VRF_QUERY_EXTENSION(Qp)

static void *initiator_open(struct vrf_call *call, PVOID context, CONST NDK_SGE *sgl,
                            ULONG sge_count, ULONG flags) {
    return vrf_post_open(call, call->shadow->part.qp.initiator, context, sgl, sge_count, flags);
}

static VOID flush_qp(NDK_QP *qp) {
    struct vrf_call call;

    if (vrf_enter(&call, VRF_FN_FLUSH, NdkObjectTypeQp, qp, VRF_FRAME)) {
        vrf_before(&call);
        call.shadow->part.qp.is_flushing = true;
        VRF_PROVIDER(call, QP)->NdkFlush(qp);
        vrf_leave(&call, STATUS_SUCCESS, 0);
    }
}

static NTSTATUS post_send(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                          ULONG flags) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_SEND, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&call, context, sgl, sge_count, flags);
    call.args.post = (struct vrf_post_args){.sgl = sgl, .sge_count = sge_count, .flags = flags};
    vrf_before(&call);
    return vrf_post_leave(&call,
                          VRF_PROVIDER(call, QP)->NdkSend(qp, handle, sgl, sge_count, flags));
}

static NTSTATUS post_send_and_invalidate(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl,
                                         ULONG sge_count, ULONG flags, UINT32 token) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_SEND_AND_INVALIDATE, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&call, context, sgl, sge_count, flags);
    call.args.post =
        (struct vrf_post_args){.sgl = sgl, .sge_count = sge_count, .flags = flags, .token = token};
    vrf_before(&call);
    return vrf_post_leave(&call, VRF_PROVIDER(call, QP)->NdkSendAndInvalidate(
                                     qp, handle, sgl, sge_count, flags, token));
}

static NTSTATUS post_receive(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_RECEIVE, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_post_open(&call, call.shadow->part.qp.receive, context, sgl, sge_count, 0);
    call.args.post = (struct vrf_post_args){.sgl = sgl, .sge_count = sge_count};
    vrf_before(&call);
    return vrf_post_leave(&call, VRF_PROVIDER(call, QP)->NdkReceive(qp, handle, sgl, sge_count));
}

static NTSTATUS post_bind(NDK_QP *qp, PVOID context, NDK_MR *mr, NDK_MW *mw, PVOID address,
                          SIZE_T length, ULONG flags) {
    struct vrf_call call;
    struct vrf_shadow *window;
    struct vrf_shadow *region;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_BIND, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    window = vrf_also(&call, NdkObjectTypeMw, mw);
    region = vrf_also(&call, NdkObjectTypeMr, mr);
    handle = initiator_open(&call, context, NULL, 0, flags);
    call.args.bind = (struct vrf_bind_args){
        .mr = region, .mw = window, .address = address, .length = length, .flags = flags};
    vrf_before(&call);
    if (window != NULL) {
        window->relied[0] = region;
    }
    return vrf_post_leave(
        &call, VRF_PROVIDER(call, QP)->NdkBind(qp, handle, mr, mw, address, length, flags));
}

static NTSTATUS post_fast_register(NDK_QP *qp, PVOID context, NDK_MR *mr, ULONG page_count,
                                   CONST NDK_LOGICAL_ADDRESS *pages, ULONG fbo, SIZE_T length,
                                   PVOID base, ULONG flags) {
    struct vrf_call call;
    struct vrf_shadow *region;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_FAST_REGISTER, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    region = vrf_also(&call, NdkObjectTypeMr, mr);
    handle = initiator_open(&call, context, NULL, 0, flags);
    call.args.fast_register = (struct vrf_fast_register_args){.mr = region,
                                                              .pages = pages,
                                                              .base = base,
                                                              .length = length,
                                                              .page_count = page_count,
                                                              .fbo = fbo,
                                                              .flags = flags};
    vrf_before(&call);
    return vrf_post_leave(&call, VRF_PROVIDER(call, QP)->NdkFastRegister(
                                     qp, handle, mr, page_count, pages, fbo, length, base, flags));
}

static NTSTATUS post_invalidate(NDK_QP *qp, PVOID context, NDK_OBJECT_HEADER *object, ULONG flags) {
    struct vrf_call call;
    struct vrf_shadow *known;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_INVALIDATE, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    known = vrf_shadow_find(call.verifier, object);
    known = vrf_also(
        &call, known != NULL && known->type == NdkObjectTypeMw ? NdkObjectTypeMw : NdkObjectTypeMr,
        object);
    handle = initiator_open(&call, context, NULL, 0, flags);
    call.args.invalidate = (struct vrf_invalidate_args){.object = known, .flags = flags};
    vrf_before(&call);
    return vrf_post_leave(&call, VRF_PROVIDER(call, QP)->NdkInvalidate(qp, handle, object, flags));
}

static NTSTATUS post_read(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                          UINT64 remote_address, UINT32 remote_token, ULONG flags) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_READ, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&call, context, sgl, sge_count, flags);
    call.args.post = (struct vrf_post_args){.sgl = sgl,
                                            .sge_count = sge_count,
                                            .flags = flags,
                                            .remote_address = remote_address,
                                            .token = remote_token};
    vrf_before(&call);
    return vrf_post_leave(&call,
                          VRF_PROVIDER(call, QP)->NdkRead(qp, handle, sgl, sge_count,
                                                          remote_address, remote_token, flags));
}

static NTSTATUS post_write(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                           UINT64 remote_address, UINT32 remote_token, ULONG flags) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_WRITE, NdkObjectTypeQp, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&call, context, sgl, sge_count, flags);
    call.args.post = (struct vrf_post_args){.sgl = sgl,
                                            .sge_count = sge_count,
                                            .flags = flags,
                                            .remote_address = remote_address,
                                            .token = remote_token};
    vrf_before(&call);
    return vrf_post_leave(&call,
                          VRF_PROVIDER(call, QP)->NdkWrite(qp, handle, sgl, sge_count,
                                                           remote_address, remote_token, flags));
}

const NDK_QP_DISPATCH vrf_qp_table = {
    .NdkCloseQp = close_object,
    .NdkQueryExtension = query_extension,
    .NdkFlush = flush_qp,
    .NdkSend = post_send,
    .NdkReceive = post_receive,
    .NdkBind = post_bind,
    .NdkFastRegister = post_fast_register,
    .NdkInvalidate = post_invalidate,
    .NdkRead = post_read,
    .NdkWrite = post_write,
    .NdkSendAndInvalidate = post_send_and_invalidate,
};
