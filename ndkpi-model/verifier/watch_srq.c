/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-SRQ: shared receive queues. Arms are counted as those of CQs are (watch_cq.c). How many
 * receives are outstanding is known as results are taken, while slots are free once results are
 * placed: so only a post that was refused is looked at (R-SRQ-13).
 */
#include "serial.h"
#include "watch.h"

struct srq_note {
    struct vrf_serial posts;
    uint32_t arms; /* not answered by a notification yet */
    uint32_t depth;
    uint32_t sge_max;
};

extern const struct vrf_watcher vrf_watch_srq;

static struct srq_note *note_of(struct vrf_world *verifier, struct vrf_shadow *srq) {
    return vrf_note(verifier, &srq->notes, &vrf_watch_srq, sizeof(struct srq_note));
}

static void create_before(struct vrf_call *call) {
    const struct vrf_create_srq_args *args = &call->args.create_srq;
    struct srq_note *note = note_of(call->verifier, call->request->born);

    note->depth = args->depth;
    note->sge_max = args->sge_max;
    note->arms = args->has_routine && args->threshold != 0;
}

static void modify_before(struct vrf_call *call) {
    struct srq_note *note = note_of(call->verifier, call->shadow);

    note->arms += call->args.plain.second != 0;
    /* Until the outcome is known the deeper one counts. */
    if (call->args.plain.first > note->depth) {
        note->depth = call->args.plain.first;
    }
}

static void modify_after(struct vrf_call *call) {
    struct srq_note *note = note_of(call->verifier, call->shadow);

    if (call->result == (uint32_t)STATUS_SUCCESS && call->args.plain.first != 0) {
        note->depth = call->args.plain.first;
    }
}

static void find_post(struct vrf_call *call, enum vrf_rule_number rule, const char *what) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin(call->verifier, &finding, rule, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "a receive posted to %s %s",
                    vrf_name(call->shadow, name, sizeof(name)), what);
    vrf_find_here(call->verifier, &finding, "posted");
}

/* R-SRQ-10, R-SRQ-13 */
static void post_before(struct vrf_call *call) {
    struct srq_note *note = note_of(call->verifier, call->shadow);

    if (SIM_UNLIKELY(!vrf_serial_enter(&note->posts))) {
        find_post(call, VRF_RULE_SRQ_10, "begins while another post to it is running");
    }
    if (SIM_UNLIKELY(call->args.post.sge_count > note->sge_max)) {
        find_post(call, VRF_RULE_SRQ_13, "has more SGEs than the SRQ was made for");
    }
}

static void post_after(struct vrf_call *call) {
    struct srq_note *note = note_of(call->verifier, call->shadow);

    vrf_serial_leave(&note->posts);
    /* The one that failed is still among them. */
    if (SIM_UNLIKELY(call->result != (uint32_t)STATUS_SUCCESS) &&
        call->shadow->part.srq.receive->count > note->depth) {
        find_post(call, VRF_RULE_SRQ_13, "is one more than the SRQ is deep");
    }
}

/* R-SRQ-04 */
static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    struct srq_note *note;

    if (event->type != VRF_TRACE_EVENT_SRQ) {
        return;
    }
    note = note_of(verifier, event->shadow);
    if (note->arms != 0) {
        note->arms--;
    } else if (vrf_find_begin(verifier, &finding, VRF_RULE_SRQ_04, event->shadow)) {
        sim_finding_say(&finding, "%s notifies, but every arm it was given was answered",
                        vrf_name(event->shadow, name, sizeof(name)));
        vrf_find_here(verifier, &finding, "notified");
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CREATE_SRQ, create_before, NULL},
    {VRF_FN_MODIFY_SRQ, modify_before, modify_after},
    {VRF_FN_SRQ_RECEIVE, post_before, post_after},
};

const struct vrf_watcher vrf_watch_srq = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .event = look_event,
};
