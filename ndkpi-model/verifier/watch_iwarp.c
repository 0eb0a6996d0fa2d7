/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-OWN-23: who sends first over iWARP. What the consumer has received is what it took from its CQ.
 */
#include "watch.h"

/* Of a QP. */
struct first_note {
    bool is_accepting; /* it was last given to an accept */
    bool has_heard;    /* a message since then, or it was warned of */
};

static const char first_key;

static struct first_note *note_of(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->notes, &first_key, sizeof(struct first_note));
}

static bool is_iwarp(const struct vrf_shadow *shadow) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(shadow);

    return SIM_UNLIKELY(info != NULL && info->RdmaTechnology == NdkiWarp);
}

static void before_accept(struct vrf_call *call) {
    struct vrf_shadow *qp = call->args.connect.qp;

    if (is_iwarp(call->shadow) && qp != NULL) {
        *note_of(call->verifier, qp) = (struct first_note){.is_accepting = true};
    }
}

static void before_connect(struct vrf_call *call) {
    struct vrf_shadow *qp = call->args.connect.qp;

    if (is_iwarp(call->shadow) && qp != NULL) {
        note_of(call->verifier, qp)->is_accepting = false;
    }
}

static void look_at_result(struct vrf_call *call, const struct vrf_taken *taken) {
    if (is_iwarp(call->shadow) && taken->qp != NULL && taken->work != NULL &&
        taken->status == STATUS_SUCCESS &&
        (taken->work->function == VRF_FN_RECEIVE || taken->work->function == VRF_FN_SRQ_RECEIVE)) {
        note_of(call->verifier, taken->qp)->has_heard = true;
    }
}

static void before_post(struct vrf_call *call) {
    struct first_note *note;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (!is_iwarp(call->shadow)) {
        return;
    }
    note = note_of(call->verifier, call->shadow);
    if (!note->is_accepting || note->has_heard ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_OWN_23, call->shadow)) {
        return;
    }
    note->has_heard = true;
    sim_finding_say(&finding,
                    "%s is posted by the side that accepted before it has received anything",
                    vrf_work_text(call->work, text, sizeof(text)));
    vrf_find_here(call->verifier, &finding, "posted");
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_ACCEPT, before_accept, NULL},
    {VRF_FN_ACCEPT_EX, before_accept, NULL},
    {VRF_FN_CONNECT, before_connect, NULL},
    {VRF_FN_CONNECT_WITH_SHARED_ENDPOINT, before_connect, NULL},
    {VRF_FN_SEND, before_post, NULL},
    {VRF_FN_SEND_AND_INVALIDATE, before_post, NULL},
    {VRF_FN_READ, before_post, NULL},
    {VRF_FN_WRITE, before_post, NULL},
};

const struct vrf_watcher vrf_watch_iwarp = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .result = look_at_result,
};
