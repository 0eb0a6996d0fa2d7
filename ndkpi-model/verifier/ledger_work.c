/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's rules over work requests: one result each, in the right CQ, from live buffers. */
#include <stdio.h>
#include <string.h>

#include <sim/fault.h>

#include "find.h"
#include "judge.h"
#include "owned.h"
#include "watch.h"

static bool is_of_qp(const struct vrf_work *work, const struct vrf_shadow *qp) {
    const struct vrf_shadow *owner = work->queue->owner;

    if (owner->type == NdkObjectTypeQp) {
        return owner == qp;
    }
    return qp != NULL && vrf_shadow_relies_on(qp, owner);
}

static void find_result(struct vrf_call *call, enum vrf_rule_number rule,
                        const struct vrf_work *work, const char *what) {
    struct vrf_world *verifier = call->verifier;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin(verifier, &finding, rule,
                        work != NULL ? work->queue->owner : call->shadow)) {
        return;
    }
    sim_finding_object(&finding, &call->shadow->object);
    vrf_name(call->shadow, name, sizeof(name));
    if (work != NULL) {
        sim_finding_say(&finding, "the result of %s in %s %s",
                        vrf_work_text(work, text, sizeof(text)), name, what);
        vrf_find_work_site(verifier, &finding, "posted", work);
    } else {
        sim_finding_say(&finding, "a result in %s %s", name, what);
    }
    vrf_find_here(verifier, &finding, "taken");
}

/*
 * Memory that was freed although its request was still owed. A QP's close gives everything back:
 * what was freed after it is nobody's fault.
 */
static void judge_buffers(struct vrf_call *call, const struct vrf_work *work, const char *now) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_shadow *owner = work->queue->owner;
    struct sim_finding finding;
    struct krn_place place;
    char text[VRF_TEXT_BYTES];
    char story[KRN_POINTER_TEXT_BYTES];

    for (uint32_t i = 0; i < work->buffer_count; i++) {
        enum krn_place_kind kind = krn_place_kind_of(verifier->world, work->buffers[i]);

        if (SIM_LIKELY(kind != KRN_PLACE_POOL_FREED && kind != KRN_PLACE_STACK_DEAD)) {
            continue;
        }
        krn_place_of(verifier->world, work->buffers[i], &place);
        if (owner->phase == VRF_CLOSED &&
            (place.kind == KRN_PLACE_STACK_DEAD || place.block.freed.time_ns >= owner->closed_ns)) {
            continue;
        }
        if (!vrf_find_begin(verifier, &finding, VRF_RULE_OWN_12, owner)) {
            return;
        }
        sim_finding_say(&finding, "the buffer of %s is gone before its result was taken: %s",
                        vrf_work_text(work, text, sizeof(text)),
                        krn_pointer_story(verifier->world, work->buffers[i], story, sizeof(story)));
        vrf_find_work_site(verifier, &finding, "posted", work);
        if (place.kind == KRN_PLACE_POOL_FREED) {
            krn_pool_site(verifier->world, &place.block.freed, "freed",
                          &finding.sites[finding.site_count++]);
        }
        vrf_find_here(verifier, &finding, now);
        return;
    }
}

/*
 * What a provider places itself, without a device that writes, no one sees: then what arrived
 * cannot be told from what the consumer wrote.
 */
static bool may_be_placed(const struct vrf_work *work, const struct vrf_taken *taken) {
    bool takes = work->function == VRF_FN_RECEIVE || work->function == VRF_FN_SRQ_RECEIVE ||
                 work->function == VRF_FN_READ;

    return takes && taken->status == STATUS_SUCCESS && taken->bytes != 0 &&
           !vrf_owned_is_written(work);
}

/* As with freed buffers, a QP's close gives everything back. */
static void judge_contents(struct vrf_call *call, const struct vrf_taken *taken) {
    struct vrf_world *verifier = call->verifier;
    const struct vrf_work *work = taken->work;
    const struct vrf_piece *piece;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char story[KRN_POINTER_TEXT_BYTES];

    if (work->pieces == NULL || work->queue->owner->phase == VRF_CLOSED) {
        return;
    }
    piece = vrf_owned_changed(verifier, work);
    if (SIM_LIKELY(piece == NULL) || may_be_placed(work, taken) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_13, work->queue->owner)) {
        return;
    }
    sim_finding_say(&finding,
                    "the buffer of %s was changed before its result was taken, in the %u bytes at "
                    "%s",
                    vrf_work_text(work, text, sizeof(text)), piece->bytes,
                    krn_pointer_story(verifier->world, piece->at, story, sizeof(story)));
    vrf_find_work_site(verifier, &finding, "posted", work);
    vrf_find_here(verifier, &finding, "taken");
}

void vrf_judge_result(struct vrf_call *call, const struct vrf_taken *taken) {
    const struct vrf_work *work = taken->work;

    if (SIM_UNLIKELY(!is_of_qp(work, taken->qp))) {
        find_result(call, VRF_RULE_OWN_15, work, "carries the context of another QP");
    } else if (SIM_UNLIKELY(work->queue->cq != NULL && work->queue->cq != call->shadow)) {
        find_result(call, VRF_RULE_OWN_15, work, "belongs into another CQ");
    }
    judge_buffers(call, work, "taken");
    judge_contents(call, taken);
}

static void judge_owed_buffers(struct vrf_call *call, const struct vrf_queue *queue) {
    for (const struct vrf_work *work = queue != NULL ? queue->first : NULL; work != NULL;
         work = work->next) {
        if (work->ending == VRF_OWED) {
            judge_buffers(call, work, "closed");
        }
    }
}

void vrf_judge_closing(struct vrf_call *call) {
    const struct vrf_shadow *shadow = call->shadow;

    if (shadow->type == NdkObjectTypeQp) {
        judge_owed_buffers(call, shadow->part.qp.initiator);
        judge_owed_buffers(call, shadow->part.qp.receive);
    }
}

void vrf_judge_stray_result(struct vrf_call *call, struct vrf_work *work, bool is_old) {
    if (work == NULL) {
        find_result(call, is_old ? VRF_RULE_OWN_14 : VRF_RULE_OWN_15, NULL,
                    is_old ? "is the second one of its request"
                           : "carries a context that no request gave");
    } else if (work->ending == VRF_FAILED_INLINE) {
        find_result(call, VRF_RULE_OWN_15, work, "comes although the post had failed");
    } else if (work->ending == VRF_DONE_INLINE) {
        find_result(call, VRF_RULE_OWN_15, work, "comes after the request was over");
    } else {
        find_result(call, VRF_RULE_OWN_14, work, "is its second one");
    }
}

void vrf_judge_result_of_failed(struct vrf_call *call, struct vrf_work *work) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (vrf_find_begin(call->verifier, &finding, VRF_RULE_OWN_15, call->shadow)) {
        sim_finding_say(&finding, "%s failed after its result was taken",
                        vrf_work_text(work, text, sizeof(text)));
        vrf_find_here(call->verifier, &finding, "posted");
    }
}

static struct vrf_work *first_signalled(const struct vrf_queue *queue) {
    struct vrf_work *work = queue->first;

    while (work != NULL && vrf_work_is_silent(work)) {
        work = work->next;
    }
    return work;
}

/* Whether a device was made to fail on purpose: its driver need not have said so yet. */
static bool has_planned_failure(struct sim_world *world) {
    for (size_t i = 0; i < sim_fault_plan_count(world); i++) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(world, i);

        if (plan->fired_count != 0 && strcmp(plan->point->layer, "device") == 0) {
            return true;
        }
    }
    return false;
}

static bool cq_may_lose(const struct vrf_shadow *cq) {
    return cq != NULL && (cq->part.cq.may_overrun || cq->part.cq.is_shared);
}

/* A CQ or an SRQ that fails takes the QPs with it, and these report nothing more in any CQ. */
static bool qp_may_lose(const struct vrf_shadow *qp) {
    for (size_t i = 0; i < VRF_RELIED_COUNT; i++) {
        const struct vrf_shadow *on = qp->relied[i];

        if (on != NULL && on->type == NdkObjectTypeSrq && on->part.srq.has_failed) {
            return true;
        }
    }
    return cq_may_lose(qp->part.qp.initiator->cq) || cq_may_lose(qp->part.qp.receive->cq);
}

void vrf_judge_drained(struct vrf_call *call) {
    const struct vrf_queue *queue = call->shadow->part.cq.queues;
    struct vrf_world *verifier = call->verifier;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (has_planned_failure(verifier->world)) {
        return;
    }
    for (; queue != NULL; queue = queue->next_of_cq) {
        const struct vrf_work *work = first_signalled(queue);

        if (work == NULL || queue->owner->phase != VRF_CLOSED ||
            queue->owner->closed_ns >= call->entered_ns || qp_may_lose(queue->owner) ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_16, queue->owner)) {
            continue;
        }
        sim_finding_object(&finding, &call->shadow->object);
        sim_finding_say(&finding, "%s is empty, but the result of %s never came; its QP is closed",
                        vrf_name(call->shadow, name, sizeof(name)),
                        vrf_work_text(work, text, sizeof(text)));
        vrf_find_work_site(verifier, &finding, "posted", work);
        vrf_find_site(verifier, &finding, "closed", &queue->owner->closed);
        vrf_find_here(verifier, &finding, "taken");
    }
}
