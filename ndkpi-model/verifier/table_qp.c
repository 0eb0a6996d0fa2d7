/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of queue pairs. */
#include "callback.h"
#include "interpose.h"
#include "query.h"
#include "work.h"

VRF_CLOSE(Qp, QP)
VRF_QUERY_EXTENSION(Qp)

static bool post_enter(struct vrf_post *post, enum vrf_function function, NDK_QP *qp,
                       uintptr_t frame) {
    return vrf_enter(&post->call, function, NdkObjectTypeQp, qp, frame);
}

static void *initiator_open(struct vrf_post *post, PVOID context, CONST NDK_SGE *sgl,
                            ULONG sge_count, ULONG flags) {
    return vrf_post_open(post, &post->call.shadow->part.qp.initiator, context, sgl, sge_count,
                         flags);
}

static VOID flush_qp(NDK_QP *qp) {
    struct vrf_call call;

    if (vrf_enter(&call, VRF_FN_FLUSH, NdkObjectTypeQp, qp, VRF_FRAME)) {
        call.shadow->part.qp.is_flushing = true;
        VRF_PROVIDER(call, QP)->NdkFlush(qp);
        vrf_leave(&call, STATUS_SUCCESS, 0);
    }
}

static NTSTATUS post_send(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                          ULONG flags) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_SEND, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&post, context, sgl, sge_count, flags);
    return vrf_post_leave(&post,
                          VRF_PROVIDER(post.call, QP)->NdkSend(qp, handle, sgl, sge_count, flags));
}

static NTSTATUS post_send_and_invalidate(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl,
                                         ULONG sge_count, ULONG flags, UINT32 token) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_SEND_AND_INVALIDATE, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&post, context, sgl, sge_count, flags);
    return vrf_post_leave(&post,
                          VRF_PROVIDER(post.call, QP)
                              ->NdkSendAndInvalidate(qp, handle, sgl, sge_count, flags, token));
}

static NTSTATUS post_receive(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_RECEIVE, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_post_open(&post, &post.call.shadow->part.qp.receive, context, sgl, sge_count, 0);
    return vrf_post_leave(&post,
                          VRF_PROVIDER(post.call, QP)->NdkReceive(qp, handle, sgl, sge_count));
}

static NTSTATUS post_bind(NDK_QP *qp, PVOID context, NDK_MR *mr, NDK_MW *mw, PVOID address,
                          SIZE_T length, ULONG flags) {
    struct vrf_post post;
    struct vrf_shadow *window;
    struct vrf_shadow *region;
    void *handle;

    if (!post_enter(&post, VRF_FN_BIND, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    window = vrf_also(&post.call, NdkObjectTypeMw, mw);
    region = vrf_also(&post.call, NdkObjectTypeMr, mr);
    handle = initiator_open(&post, context, NULL, 0, flags);
    if (window != NULL) {
        window->relied[0] = region;
    }
    return vrf_post_leave(
        &post, VRF_PROVIDER(post.call, QP)->NdkBind(qp, handle, mr, mw, address, length, flags));
}

static NTSTATUS post_fast_register(NDK_QP *qp, PVOID context, NDK_MR *mr, ULONG page_count,
                                   CONST NDK_LOGICAL_ADDRESS *pages, ULONG fbo, SIZE_T length,
                                   PVOID base, ULONG flags) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_FAST_REGISTER, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    vrf_also(&post.call, NdkObjectTypeMr, mr);
    handle = initiator_open(&post, context, NULL, 0, flags);
    return vrf_post_leave(
        &post, VRF_PROVIDER(post.call, QP)
                   ->NdkFastRegister(qp, handle, mr, page_count, pages, fbo, length, base, flags));
}

static NTSTATUS post_invalidate(NDK_QP *qp, PVOID context, NDK_OBJECT_HEADER *object, ULONG flags) {
    struct vrf_post post;
    struct vrf_shadow *known;
    void *handle;

    if (!post_enter(&post, VRF_FN_INVALIDATE, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    known = vrf_shadow_find(post.call.verifier, object);
    vrf_also(&post.call,
             known != NULL && known->type == NdkObjectTypeMw ? NdkObjectTypeMw : NdkObjectTypeMr,
             object);
    handle = initiator_open(&post, context, NULL, 0, flags);
    return vrf_post_leave(&post,
                          VRF_PROVIDER(post.call, QP)->NdkInvalidate(qp, handle, object, flags));
}

static NTSTATUS post_read(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                          UINT64 remote_address, UINT32 remote_token, ULONG flags) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_READ, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&post, context, sgl, sge_count, flags);
    return vrf_post_leave(
        &post, VRF_PROVIDER(post.call, QP)
                   ->NdkRead(qp, handle, sgl, sge_count, remote_address, remote_token, flags));
}

static NTSTATUS post_write(NDK_QP *qp, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count,
                           UINT64 remote_address, UINT32 remote_token, ULONG flags) {
    struct vrf_post post;
    void *handle;

    if (!post_enter(&post, VRF_FN_WRITE, qp, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = initiator_open(&post, context, sgl, sge_count, flags);
    return vrf_post_leave(
        &post, VRF_PROVIDER(post.call, QP)
                   ->NdkWrite(qp, handle, sgl, sge_count, remote_address, remote_token, flags));
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
