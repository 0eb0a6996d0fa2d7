/* SPDX-License-Identifier: Apache-2.0 */
/* R-MOD: interrupt moderation of completion queues. */
#include "serial.h"
#include "watch.h"

struct mod_note {
    struct vrf_serial use;
};

extern const struct vrf_watcher vrf_watch_mod;

static struct mod_note *note_of(const struct vrf_call *call) {
    return vrf_note(call->verifier, &call->shadow->notes, &vrf_watch_mod, sizeof(struct mod_note));
}

static void find(struct vrf_call *call, enum vrf_rule_number rule, enum vrf_bound side,
                 const char *what) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin_by(call->verifier, &finding, rule, call->shadow, side)) {
        return;
    }
    sim_finding_say(&finding, "moderation of %s %s", vrf_name(call->shadow, name, sizeof(name)),
                    what);
    vrf_find_here(call->verifier, &finding, "called");
}

static bool is_offered(const struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);

    return info == NULL ||
           (info->AdapterFlags & NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED) != 0;
}

/* While the CQ is resized either depth may hold. */
static bool is_unbounded(const struct vrf_call *call) {
    const struct vrf_cq_part *cq = &call->shadow->part.cq;

    return call->args.plain.first == MAXULONG && call->args.plain.second > cq->depth &&
           call->args.plain.second > cq->resized_depth;
}

static void control_before(struct vrf_call *call) {
    if (!vrf_serial_enter(&note_of(call)->use)) {
        find(call, VRF_RULE_MOD_11, VRF_CONSUMER, "is set while another call sets it");
    }
    if (!is_offered(call)) {
        find(call, VRF_RULE_MOD_01, VRF_CONSUMER, "is set on an adapter that does not offer it");
    } else if (is_unbounded(call)) {
        find(call, VRF_RULE_MOD_08, VRF_CONSUMER, "is asked for without any bound");
    }
}

static void control_after(struct vrf_call *call) {
    NTSTATUS status = (NTSTATUS)(uint32_t)call->result;

    vrf_serial_leave(&note_of(call)->use);
    if (!is_offered(call) || status == STATUS_PENDING) {
        return; /* R-MOD-02, R-CMPL-09 */
    }
    if (is_unbounded(call)) {
        if (status != STATUS_INVALID_PARAMETER_MIX) {
            find(call, VRF_RULE_MOD_08, VRF_PROVIDER,
                 "without any bound is not refused as it must");
        }
    } else if (status != STATUS_SUCCESS && status != STATUS_INSUFFICIENT_RESOURCES &&
               call->args.plain.second <= call->shadow->part.cq.depth) {
        find(call, VRF_RULE_MOD_03, VRF_PROVIDER, "is offered, but refused");
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CONTROL_CQ_INTERRUPT_MODERATION, control_before, control_after}};

const struct vrf_watcher vrf_watch_mod = {.calls = calls, .call_count = SIM_ARRAY_COUNT(calls)};
