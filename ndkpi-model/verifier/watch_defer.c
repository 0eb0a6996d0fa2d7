/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-DEFER: what consumers owe who ask for a request to be held back (the flag's version:
 * R-ADPT-14). A chain is open from a deferred request on, until one without the flag, one that
 * fails, or a flush.
 */
#include "watch.h"

/* Of a QP. */
struct chain_note {
    uint32_t held_count;
    struct sim_kept_site last; /* where the last one was posted */
};

static const char chain_key;

static ULONG flags_of(const struct vrf_call *call) {
    switch (call->function) {
    case VRF_FN_BIND:
        return call->args.bind.flags;
    case VRF_FN_FAST_REGISTER:
        return call->args.fast_register.flags;
    case VRF_FN_INVALIDATE:
        return call->args.invalidate.flags;
    default:
        return call->args.post.flags;
    }
}

static bool is_deferred(const struct vrf_call *call) {
    return (flags_of(call) & NDK_OP_FLAG_DEFER) != 0;
}

static struct chain_note *chain_of(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->notes, &chain_key, sizeof(struct chain_note));
}

static void after_post(struct vrf_call *call) {
    struct chain_note *chain;

    if (SIM_LIKELY(!is_deferred(call)) || call->result != (uint32_t)STATUS_SUCCESS) {
        chain = chain_of(call->verifier, call->shadow);
        chain->held_count = 0;
        return;
    }
    chain = chain_of(call->verifier, call->shadow);
    chain->held_count++;
    chain->last = call->work->site;
}

/* R-DEFER-05: nothing can happen any more, and what was held back is still owed. */
static bool look_at_chain(struct vrf_world *verifier, struct vrf_shadow *qp) {
    const struct vrf_queue *queue = qp->part.qp.initiator;
    const struct chain_note *chain = chain_of(verifier, qp);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (chain->held_count == 0 || qp->part.qp.is_flushing || queue == NULL || queue->count == 0 ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_DEFER_05, qp)) {
        return false;
    }
    sim_finding_say(&finding,
                    "%u deferred requests of %s wait for one without the flag, and none comes",
                    chain->held_count, vrf_name(qp, name, sizeof(name)));
    vrf_find_site(verifier, &finding, "posted", &chain->last);
    return vrf_find(verifier, &finding);
}

static bool look_at_standstill(struct vrf_world *verifier) {
    for (struct vrf_shadow *one = verifier->shadow_first; one != NULL; one = one->next) {
        if (one->type == NdkObjectTypeQp && one->phase == VRF_OPEN &&
            look_at_chain(verifier, one)) {
            return true;
        }
    }
    return false;
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_SEND, NULL, after_post},       {VRF_FN_SEND_AND_INVALIDATE, NULL, after_post},
    {VRF_FN_READ, NULL, after_post},       {VRF_FN_WRITE, NULL, after_post},
    {VRF_FN_BIND, NULL, after_post},       {VRF_FN_FAST_REGISTER, NULL, after_post},
    {VRF_FN_INVALIDATE, NULL, after_post},
};

const struct vrf_watcher vrf_watch_defer = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .standstill = look_at_standstill,
};
