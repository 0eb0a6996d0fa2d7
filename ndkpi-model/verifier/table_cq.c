/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interposed table of completion queues. Results are put right where the provider wrote them.
 * Of an extended result only what both forms have is read: newer members may not be there.
 */
#include "callback.h"
#include "interpose.h"
#include "query.h"
#include "watch.h"
#include "work.h"

VRF_CLOSE(Cq, CQ)
VRF_QUERY_EXTENSION(Cq)

static NTSTATUS resize_cq(NDK_CQ *cq, ULONG depth, NDK_FN_REQUEST_COMPLETION completion,
                          PVOID context) {
    struct vrf_call call;
    NTSTATUS status;
    void *handle;

    if (!vrf_enter(&call, VRF_FN_RESIZE_CQ, NdkObjectTypeCq, cq, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    handle = vrf_request_open(&call, VRF_ROUTINE(completion), context);
    call.args.plain = (struct vrf_plain_args){depth, 0};
    vrf_before(&call);
    /* Whether it will fit is known when it is done; until then the smaller depth is feared. */
    call.shadow->part.cq.resized_depth = depth;
    if (depth < call.shadow->part.cq.depth) {
        call.shadow->part.cq.depth = depth;
    }
    status = VRF_PROVIDER(call, CQ)->NdkResizeCq(cq, depth, VRF_OURS(completion, vrf_on_request),
                                                 handle);
    if (status == STATUS_SUCCESS) {
        call.shadow->part.cq.depth = depth;
    }
    return vrf_request_leave(&call, status);
}

static VOID arm_cq(NDK_CQ *cq, ULONG type) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_ARM_CQ, NdkObjectTypeCq, cq, VRF_FRAME)) {
        return;
    }
    call.args.plain = (struct vrf_plain_args){type, 0};
    vrf_before(&call);
    call.shadow->part.cq.is_armed = true;
    call.shadow->part.cq.armed_type = type;
    call.shadow->part.cq.armed_ns = sim_now_ns(call.verifier->world);
    VRF_PROVIDER(call, CQ)->NdkArmCq(cq, type);
    vrf_leave(&call, STATUS_SUCCESS, type);
}

static void poll_begin(struct vrf_call *call, void *results, ULONG asked) {
    call->args.poll = (struct vrf_poll_args){results, asked};
    vrf_before(call);
    call->shadow->part.cq.polls_running++;
}

static ULONG poll_end(struct vrf_call *call, ULONG count, ULONG asked) {
    call->shadow->part.cq.polls_running--;
    if (count < asked) {
        struct vrf_cq_part *cq = &call->shadow->part.cq;

        cq->is_drained = cq->is_drained || call->entered_ns >= cq->notified_ns;
        vrf_results_drained(call);
    }
    if (count != 0) {
        krn_race_acquire(call->verifier->world, call->shadow->adapter);
    }
    vrf_leave(call, STATUS_SUCCESS, count);
    return count;
}

static ULONG get_cq_results(NDK_CQ *cq, NDK_RESULT *results, ULONG asked) {
    struct vrf_call call;
    ULONG count;

    if (!vrf_enter(&call, VRF_FN_GET_CQ_RESULTS, NdkObjectTypeCq, cq, VRF_FRAME)) {
        return 0;
    }
    poll_begin(&call, results, asked);
    count = VRF_PROVIDER(call, CQ)->NdkGetCqResults(cq, results, asked);
    for (ULONG i = 0; i < count && i < asked; i++) {
        NDK_RESULT *result = &results[i];
        struct vrf_taken taken = {.status = result->Status, .bytes = result->BytesTransferred};

        vrf_result(&call, &taken, &result->QPContext, &result->RequestContext);
    }
    return poll_end(&call, count, asked);
}

static ULONG get_cq_results_ex(NDK_CQ *cq, NDK_RESULT_EX *results, ULONG asked) {
    struct vrf_call call;
    ULONG count;

    if (!vrf_enter(&call, VRF_FN_GET_CQ_RESULTS_EX, NdkObjectTypeCq, cq, VRF_FRAME)) {
        return 0;
    }
    poll_begin(&call, results, asked);
    count = VRF_PROVIDER(call, CQ)->NdkGetCqResultsEx(cq, results, asked);
    for (ULONG i = 0; i < count && i < asked; i++) {
        NDK_RESULT_EX *result = &results[i];
        struct vrf_taken taken = {
            .status = result->Status, .bytes = result->BytesTransferred, .extended = result};

        vrf_result(&call, &taken, &result->QPContext, &result->RequestContext);
    }
    return poll_end(&call, count, asked);
}

static NTSTATUS control_moderation(NDK_CQ *cq, ULONG interval, ULONG count) {
    struct vrf_call call;

    if (!vrf_enter(&call, VRF_FN_CONTROL_CQ_INTERRUPT_MODERATION, NdkObjectTypeCq, cq, VRF_FRAME)) {
        return STATUS_INVALID_PARAMETER;
    }
    call.args.plain = (struct vrf_plain_args){interval, count};
    vrf_before(&call);
    return vrf_leave_status(
        &call, VRF_PROVIDER(call, CQ)->NdkControlCqInterruptModeration(cq, interval, count));
}

const NDK_CQ_DISPATCH vrf_cq_table = {
    .NdkCloseCq = close_object,
    .NdkQueryExtension = query_extension,
    .NdkResizeCq = resize_cq,
    .NdkArmCq = arm_cq,
    .NdkGetCqResults = get_cq_results,
    .NdkControlCqInterruptModeration = control_moderation,
    .NdkGetCqResultsEx = get_cq_results_ex,
};
