/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-CQ: polls, arms, notifications and sizes of completion queues.
 *
 * A provider may have met an arm and not called yet when the next arm comes: so arms are counted,
 * and a notification is at fault only when none is left. Arms that combined leave a count behind.
 */
#include <string.h>

#include "serial.h"
#include "watch.h"

struct cq_note {
    struct vrf_serial use; /* polls and arms */
    uint32_t arms;         /* not answered by a notification yet */
    uint32_t wide;         /* of those, not for failures alone */
    uint32_t running;      /* notifications */
    bool has_failed;       /* it said so */
    bool is_warned_of;     /* as too small */
    NDK_RESULT_EX last;    /* the last record of a poll's array, before the poll */
};

extern const struct vrf_watcher vrf_watch_cq;

static struct cq_note *note_of(struct vrf_world *verifier, struct vrf_shadow *cq) {
    return vrf_note(verifier, &cq->notes, &vrf_watch_cq, sizeof(struct cq_note));
}

/* ---- Calls ---- */

/* R-CQ-01 */
static void use_begin(struct vrf_call *call, struct cq_note *note) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(vrf_serial_enter(&note->use)) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CQ_01, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s begins while another poll or arm of it is running",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "called");
}

static void arm_before(struct vrf_call *call) {
    struct cq_note *note = note_of(call->verifier, call->shadow);

    use_begin(call, note);
    if (call->args.plain.first <= NDK_CQ_NOTIFY_SOLICITED) {
        note->arms++;
        note->wide += call->args.plain.first != NDK_CQ_NOTIFY_ERRORS;
    }
}

static void arm_after(struct vrf_call *call) {
    vrf_serial_leave(&note_of(call->verifier, call->shadow)->use);
}

static size_t record_bytes(const struct vrf_call *call) {
    return call->function == VRF_FN_GET_CQ_RESULTS_EX ? sizeof(NDK_RESULT_EX) : sizeof(NDK_RESULT);
}

static const void *last_record(const struct vrf_call *call) {
    return (const char *)call->args.poll.results + (call->args.poll.asked - 1) * record_bytes(call);
}

static void poll_before(struct vrf_call *call) {
    struct cq_note *note = note_of(call->verifier, call->shadow);

    use_begin(call, note);
    if (call->args.poll.asked != 0) {
        memcpy(&note->last, last_record(call), record_bytes(call));
    }
}

/* R-CQ-17 */
static void poll_after(struct vrf_call *call) {
    struct cq_note *note = note_of(call->verifier, call->shadow);
    ULONG asked = call->args.poll.asked;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    bool is_more = call->result > asked;
    bool is_written =
        call->result < asked && memcmp(&note->last, last_record(call), record_bytes(call)) != 0;

    vrf_serial_leave(&note->use);
    if (SIM_LIKELY(!is_more && !is_written) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CQ_17, call->shadow)) {
        return;
    }
    if (is_more) {
        sim_finding_say(&finding, "a poll of %s was asked for %u results and returned %llu",
                        vrf_name(call->shadow, name, sizeof(name)), (unsigned)asked,
                        (unsigned long long)call->result);
    } else {
        sim_finding_say(&finding, "a poll of %s returned %llu results and wrote to record %u",
                        vrf_name(call->shadow, name, sizeof(name)),
                        (unsigned long long)call->result, (unsigned)asked - 1);
    }
    vrf_find_here(call->verifier, &finding, "polled");
}

/* R-CQ-20 */
static void resize_before(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (info == NULL || (info->AdapterFlags & NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED) != 0 ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CQ_20, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s is resized on an adapter that does not offer it",
                    vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "called");
}

/* ---- R-CQ-14: the depths of its queues, together ---- */

static uint64_t depth_on(const struct vrf_queue *queue, const struct vrf_shadow *cq) {
    return queue->cq == cq ? queue->depth : 0;
}

/* `born`: a QP that is not among the CQ's yet; may be NULL. */
static uint64_t depths_together(const struct vrf_shadow *cq, const struct vrf_shadow *born) {
    uint64_t together = 0;

    for (const struct vrf_queue *queue = cq->part.cq.queues; queue != NULL;
         queue = queue->next_of_cq) {
        together += queue->owner->phase != VRF_CLOSED ? queue->depth : 0;
    }
    if (born != NULL) {
        together += depth_on(born->part.qp.initiator, cq) + depth_on(born->part.qp.receive, cq);
    }
    return together;
}

/* The QP that is `born`, or, with NULL, a resize makes it too small. */
static void look_at_depth(struct vrf_world *verifier, struct vrf_shadow *cq,
                          struct vrf_shadow *born) {
    uint64_t together = depths_together(cq, born);
    struct cq_note *note = note_of(verifier, cq);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(together <= cq->part.cq.depth) || note->is_warned_of ||
        !vrf_find_begin_hint(verifier, &finding, VRF_RULE_CQ_14, cq)) {
        return;
    }
    note->is_warned_of = true;
    sim_finding_say(&finding,
                    "%s is %u deep, and its queues together are %llu: when all are full, it "
                    "overruns",
                    vrf_name(cq, name, sizeof(name)), (unsigned)cq->part.cq.depth,
                    (unsigned long long)together);
    vrf_find_site(verifier, &finding, "made", &cq->made);
    if (born == NULL) {
        vrf_find_here(verifier, &finding, "resized");
    } else {
        sim_finding_object(&finding, &born->object);
        vrf_find_site(verifier, &finding, "QP made", &born->made);
        (void)vrf_find(verifier, &finding);
    }
}

static void look_at_born(struct vrf_world *verifier, struct vrf_shadow *shadow,
                         const void *object) {
    (void)object;
    if (shadow->type == NdkObjectTypeQp) {
        struct vrf_shadow *initiator = shadow->part.qp.initiator->cq;
        struct vrf_shadow *receive = shadow->part.qp.receive->cq;

        if (initiator != NULL) {
            look_at_depth(verifier, initiator, shadow);
        }
        if (receive != NULL && receive != initiator) {
            look_at_depth(verifier, receive, shadow);
        }
    }
}

static void look_at_answer(struct vrf_world *verifier, struct vrf_request *request,
                           const void *object) {
    (void)object;
    if (request->function == VRF_FN_RESIZE_CQ && request->status == STATUS_SUCCESS) {
        look_at_depth(verifier, request->shadow, NULL);
    }
}

static void resize_after(struct vrf_call *call) {
    if (call->result == (uint32_t)STATUS_SUCCESS) {
        look_at_depth(call->verifier, call->shadow, NULL);
    }
}

/* ---- Notifications ---- */

static void find_event(struct vrf_world *verifier, const struct vrf_event *event,
                       enum vrf_rule_number rule, enum vrf_bound side, const char *what) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin_by(verifier, &finding, rule, event->shadow, side)) {
        return;
    }
    sim_finding_say(&finding, "%s %s", vrf_name(event->shadow, name, sizeof(name)), what);
    vrf_find_here(verifier, &finding, "notified");
}

/* R-CQ-02, R-CQ-11 */
static void judge_arm(struct vrf_world *verifier, const struct vrf_event *event,
                      const struct cq_note *note, NTSTATUS status) {
    if (SIM_UNLIKELY(note->arms == 0)) {
        find_event(verifier, event, VRF_RULE_CQ_02, VRF_PROVIDER,
                   "notifies, but every arm it was given was answered");
    } else if (SIM_UNLIKELY(status == STATUS_SUCCESS && note->wide == 0)) {
        find_event(verifier, event, VRF_RULE_CQ_11, VRF_PROVIDER,
                   "notifies of completions, but is armed for failures of the CQ only");
    }
}

/* R-CQ-12, R-CQ-14 */
static void judge_status(struct vrf_world *verifier, const struct vrf_event *event,
                         const struct cq_note *note, NTSTATUS status) {
    if (status != STATUS_SUCCESS && status != STATUS_BUFFER_OVERFLOW &&
        status != STATUS_INTERNAL_ERROR) {
        find_event(verifier, event, VRF_RULE_CQ_12, VRF_PROVIDER,
                   "notifies with a status that tells nothing of a CQ's health");
    } else if (status == STATUS_SUCCESS && note->has_failed) {
        find_event(verifier, event, VRF_RULE_CQ_12, VRF_PROVIDER,
                   "notifies as healthy after it had reported a failure");
    } else if (status == STATUS_BUFFER_OVERFLOW && event->shadow->part.cq.may_overrun) {
        find_event(verifier, event, VRF_RULE_CQ_14, VRF_CONSUMER,
                   "has overrun: more requests were outstanding than it is deep");
    }
}

/* R-CQ-05, and the others */
static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    NTSTATUS status = (NTSTATUS)(uint32_t)event->value;
    struct cq_note *note;

    if (event->type != VRF_TRACE_EVENT_CQ) {
        return;
    }
    note = note_of(verifier, event->shadow);
    if (SIM_UNLIKELY(note->running != 0)) {
        find_event(verifier, event, VRF_RULE_CQ_05, VRF_PROVIDER,
                   "notifies while its last notification has not returned");
    }
    judge_arm(verifier, event, note, status);
    judge_status(verifier, event, note, status);
    note->running++;
    note->has_failed = note->has_failed || status != STATUS_SUCCESS;
    note->arms -= note->arms != 0;
    if (note->wide != 0 && (status == STATUS_SUCCESS || note->wide > note->arms)) {
        note->wide--;
    }
}

static void look_returned(struct vrf_world *verifier, const struct vrf_event *event) {
    if (event->type == VRF_TRACE_EVENT_CQ) {
        note_of(verifier, event->shadow)->running--;
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_ARM_CQ, arm_before, arm_after},
    {VRF_FN_GET_CQ_RESULTS, poll_before, poll_after},
    {VRF_FN_GET_CQ_RESULTS_EX, poll_before, poll_after},
    {VRF_FN_RESIZE_CQ, resize_before, resize_after},
};

const struct vrf_watcher vrf_watch_cq = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .born = look_at_born,
    .answer = look_at_answer,
    .event = look_event,
    .event_returned = look_returned,
};
