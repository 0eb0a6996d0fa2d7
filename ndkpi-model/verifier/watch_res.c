/* SPDX-License-Identifier: Apache-2.0 */
/* R-RES: what extended results say. */
#include "watch.h"

static NDK_OPERATION_TYPE type_of(uint16_t function) {
    switch (function) {
    case VRF_FN_RECEIVE:
    case VRF_FN_SRQ_RECEIVE:
        return NdkOperationTypeReceive;
    case VRF_FN_FAST_REGISTER:
        return NdkOperationTypeFastRegister;
    case VRF_FN_BIND:
        return NdkOperationTypeBind;
    case VRF_FN_INVALIDATE:
        return NdkOperationTypeInvalidate;
    case VRF_FN_READ:
        return NdkOperationTypeRead;
    case VRF_FN_WRITE:
        return NdkOperationTypeWrite;
    default:
        return NdkOperationTypeSend;
    }
}

static bool is_right_type(const struct vrf_taken *taken) {
    NDK_OPERATION_TYPE wanted = type_of(taken->work->function), type = taken->extended->Type;

    return type == wanted ||
           (wanted == NdkOperationTypeReceive && type == NdkOperationTypeReceiveAndInvalidate &&
            taken->status == STATUS_SUCCESS);
}

/* R-RES-02 */
static void look_at_type(struct vrf_call *call, const struct vrf_taken *taken) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(is_right_type(taken)) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_RES_02, taken->qp)) {
        return;
    }
    sim_finding_say(&finding, "the result of %s has the type 0x%X; 0x%X was posted",
                    vrf_work_text(taken->work, text, sizeof(text)), (unsigned)taken->extended->Type,
                    (unsigned)type_of(taken->work->function));
    vrf_find_work_site(call->verifier, &finding, "posted", taken->work);
    vrf_find_here(call->verifier, &finding, "taken");
}

static bool has_error_code(const struct vrf_shadow *qp) {
    const struct vrf_adapter_part *adapter = &qp->adapter->part.adapter;

    return adapter->version_major > 2 ||
           (adapter->version_major == 2 && adapter->version_minor >= 1);
}

/* R-RES-04 */
static void look_at_error_code(struct vrf_call *call, const struct vrf_taken *taken) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(taken->status != STATUS_SUCCESS || taken->extended->ProviderErrorCode == 0) ||
        !has_error_code(taken->qp) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_RES_04, taken->qp)) {
        return;
    }
    sim_finding_say(&finding, "the result of %s succeeded with ProviderErrorCode 0x%X",
                    vrf_work_text(taken->work, text, sizeof(text)),
                    (unsigned)taken->extended->ProviderErrorCode);
    vrf_find_work_site(call->verifier, &finding, "posted", taken->work);
    vrf_find_here(call->verifier, &finding, "taken");
}

static void look_at_result(struct vrf_call *call, const struct vrf_taken *taken) {
    /* What belongs to nothing known, or was answered before, is the ledger's. */
    if (taken->extended == NULL || taken->work == NULL || taken->qp == NULL ||
        taken->work->ending != VRF_OWED) {
        return;
    }
    look_at_type(call, taken);
    look_at_error_code(call, taken);
}

const struct vrf_watcher vrf_watch_res = {.result = look_at_result};
