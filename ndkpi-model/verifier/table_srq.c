/* SPDX-License-Identifier: Apache-2.0 */
/* The interposed table of shared receive queues. */
#include "callback.h"
#include "interpose.h"
#include "query.h"
#include "work.h"

VRF_CLOSE(Srq, SRQ)
VRF_QUERY_EXTENSION(Srq)

static NTSTATUS modify_srq(NDK_SRQ *srq, ULONG depth, ULONG threshold,
                           NDK_FN_REQUEST_COMPLETION completion, PVOID context) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_MODIFY_SRQ, NdkObjectTypeSrq, srq, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.plain = (struct vrf_plain_args){depth, threshold};
    vrf_before(&call);
    return vrf_request_leave(
        &call, VRF_PROVIDER(call, SRQ)->NdkModifySrq(srq, depth, threshold,
                                                     VRF_OURS(completion, vrf_on_request), handle));
}

static NTSTATUS srq_receive(NDK_SRQ *srq, PVOID context, CONST NDK_SGE *sgl, ULONG sge_count) {
    struct vrf_call call;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_SRQ_RECEIVE, NdkObjectTypeSrq, srq, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_post_open(&call, call.shadow->part.srq.receive, context, sgl, sge_count, 0);
    call.args.post = (struct vrf_post_args){.sgl = sgl, .sge_count = sge_count};
    vrf_before(&call);
    return vrf_post_leave(&call,
                          VRF_PROVIDER(call, SRQ)->NdkSrqReceive(srq, handle, sgl, sge_count));
}

const NDK_SRQ_DISPATCH vrf_srq_table = {
    .NdkCloseSrq = close_object,
    .NdkQueryExtension = query_extension,
    .NdkModifySrq = modify_srq,
    .NdkSrqReceive = srq_receive,
};
