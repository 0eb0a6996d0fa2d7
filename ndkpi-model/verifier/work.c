/* SPDX-License-Identifier: Apache-2.0 */
/* Posted work requests and their results; see work.h. This is the path of every send and poll. */
#include "work.h"

#include <string.h>

#include "judge.h"
#include "owned.h"
#include "watch_call.h"

struct vrf_queue *vrf_queue_make(struct vrf_world *verifier, struct vrf_shadow *owner,
                                 struct vrf_shadow *cq, uint32_t depth) {
    struct vrf_queue *queue = sim_alloc(verifier->world, sizeof(*queue));

    queue->owner = owner;
    queue->cq = cq;
    queue->depth = depth;
    return queue;
}

static void queue_free(struct vrf_world *verifier, struct vrf_queue **queue) {
    sim_free(verifier->world, *queue, sizeof(**queue));
    *queue = NULL;
}

void vrf_queues_free(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->type == NdkObjectTypeQp) {
        queue_free(verifier, &shadow->part.qp.initiator);
        queue_free(verifier, &shadow->part.qp.receive);
    } else if (shadow->type == NdkObjectTypeSrq) {
        queue_free(verifier, &shadow->part.srq.receive);
    }
}

static void link_to_cq(struct vrf_queue *queue) {
    if (queue->cq != NULL) {
        queue->next_of_cq = queue->cq->part.cq.queues;
        queue->cq->part.cq.queues = queue;
    }
}

/* What a shared queue will bring into this CQ, beside the others, nobody can tell. */
static void note_shared(struct vrf_shadow *qp) {
    for (size_t i = 0; i < VRF_RELIED_COUNT; i++) {
        if (qp->relied[i] != NULL && qp->relied[i]->type == NdkObjectTypeSrq &&
            qp->part.qp.receive->cq != NULL) {
            qp->part.qp.receive->cq->part.cq.is_shared = true;
        }
    }
}

void vrf_works_born(struct vrf_shadow *qp) {
    note_shared(qp);
    link_to_cq(qp->part.qp.initiator);
    link_to_cq(qp->part.qp.receive);
}

static void queue_append(struct vrf_queue *queue, struct vrf_work *work) {
    work->queue = queue;
    work->previous = queue->last;
    if (queue->last != NULL) {
        queue->last->next = work;
    } else {
        queue->first = work;
    }
    queue->last = work;
    queue->count++;
    queue->posted_count++;
    queue->signalled_count += !vrf_work_is_silent(work);
    if (queue->cq != NULL) {
        struct vrf_cq_part *cq = &queue->cq->part.cq;

        cq->outstanding_count++;
        if (SIM_UNLIKELY(cq->outstanding_count > cq->depth)) {
            cq->may_overrun = true;
        }
    }
}

static void queue_remove(struct vrf_queue *queue, struct vrf_work *work) {
    bool is_signalled = !vrf_work_is_silent(work);

    if (work->previous != NULL) {
        work->previous->next = work->next;
    } else {
        queue->first = work->next;
    }
    if (work->next != NULL) {
        work->next->previous = work->previous;
    } else {
        queue->last = work->previous;
    }
    queue->count--;
    queue->signalled_count -= is_signalled;
    if (queue->cq != NULL) {
        struct vrf_cq_part *cq = &queue->cq->part.cq;

        cq->outstanding_count--;
        if (is_signalled && queue->owner->phase == VRF_CLOSED) {
            cq->orphan_count--;
        }
    }
}

/* Its record goes back when the post's call has returned too. */
static void retire(struct vrf_world *verifier, struct vrf_work *work, enum vrf_ending ending) {
    work->ending = (uint8_t)ending;
    queue_remove(work->queue, work);
    vrf_owned_drop(verifier, work);
    if (!work->is_in_call) {
        vrf_slab_give(&verifier->works, work);
    }
}

/* ---- Posts ---- */

/*
 * Buffers of driver memory only: what a token makes of an address (a window's base, a bus address)
 * may be any number, and an inline buffer is the consumer's again at once.
 */
static void note_buffers(struct vrf_call *call, const NDK_SGE *sgl, ULONG count) {
    struct vrf_world *verifier = call->verifier;
    const struct vrf_shadow *pd = call->work->queue->owner->parent;
    struct vrf_work *work = call->work;

    if (count == 0 || (work->flags & NDK_OP_FLAG_INLINE) != 0 ||
        SIM_UNLIKELY(!krn_place_serves(verifier->world, sgl, KRN_USE_READ)) ||
        (count > 1 && !krn_place_serves(verifier->world, &sgl[count - 1], KRN_USE_READ))) {
        return;
    }
    for (ULONG i = 0; i < count && work->buffer_count < VRF_WORK_BUFFERS; i++) {
        const void *address = sgl[i].VirtualAddress;
        enum krn_place_kind kind;

        if (sgl[i].MemoryRegionToken == pd->part.pd.privileged_token || sgl[i].Length == 0) {
            continue;
        }
        kind = krn_place_kind_of(verifier->world, address);
        if (kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK) {
            work->buffers[work->buffer_count++] = address;
        }
    }
    vrf_owned_take(call, sgl, count);
}

void *vrf_post_open(struct vrf_call *call, struct vrf_queue *queue, void *context,
                    const NDK_SGE *sgl, ULONG sge_count, ULONG flags) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_work *work = vrf_slab_take(&verifier->works);

    /* Whoever takes its result comes behind. */
    krn_race_release(verifier->world, call->shadow->adapter);
    call->work = work;
    work->context = context;
    work->function = (uint16_t)call->function;
    work->flags = flags;
    work->serial = ++verifier->serial;
    work->is_in_call = true;
    queue_append(queue, work);
    if (SIM_UNLIKELY(queue->count > queue->depth) && vrf_work_is_silent(queue->first) &&
        queue->first != work) {
        retire(verifier, queue->first, VRF_DONE_INLINE);
    }
    if (verifier->is_judging) {
        vrf_site_take(verifier, &work->site, call->frame, VRF_WORK_FRAMES);
        note_buffers(call, sgl, sge_count);
    }
    return vrf_handle(&verifier->works, work);
}

NTSTATUS vrf_post_leave(struct vrf_call *call, NTSTATUS status) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_work *work = call->work;
    uint32_t serial = work->serial;

    if (verifier->is_judging) {
        call->result = (uint32_t)status;
        vrf_watch_after(call);
    }
    work->is_in_call = false;
    if (work->ending != VRF_OWED) {
        /* Its result was taken on another CPU before the post returned. */
        if (verifier->is_judging && status != STATUS_SUCCESS && work->ending == VRF_ANSWERED) {
            vrf_judge_result_of_failed(call, work);
        }
        vrf_slab_give(&verifier->works, work);
    } else if (SIM_UNLIKELY(status != STATUS_SUCCESS)) {
        retire(verifier, work, VRF_FAILED_INLINE);
    }
    vrf_recorded(call, (uint32_t)status, serial);
    return status;
}

/* ---- Results ---- */

/* The silent ones before it succeeded. */
static void retire_silent(struct vrf_world *verifier, struct vrf_queue *queue,
                          const struct vrf_work *until) {
    while (queue->first != until && vrf_work_is_silent(queue->first)) {
        retire(verifier, queue->first, VRF_DONE_INLINE);
    }
}

void vrf_result(struct vrf_call *call, struct vrf_taken *taken, PVOID *qp_context,
                PVOID *request_context) {
    struct vrf_world *verifier = call->verifier;
    bool is_old;
    struct vrf_work *work = vrf_slab_find(&verifier->works, *request_context, &is_old);
    struct vrf_shadow *qp = vrf_slab_find(&verifier->shadows, *qp_context, NULL);

    if (qp != NULL && (qp->type != NdkObjectTypeQp || !qp->slot.is_live)) {
        qp = NULL;
    }
    sim_trace(verifier->world, VRF_TRACE_RESULT, SIM_ACCESS_READ, qp != NULL ? &qp->object : NULL,
              &call->shadow->object, NULL, (uint32_t)taken->status,
              work != NULL ? work->serial : 0);
    if (verifier->is_judging) {
        taken->work = work;
        taken->qp = qp;
        vrf_watch_result(call, taken);
    }
    if (SIM_LIKELY(work != NULL && work->ending == VRF_OWED)) {
        if (verifier->is_judging) {
            vrf_judge_result(call, taken);
        }
        retire_silent(verifier, work->queue, work);
        retire(verifier, work, VRF_ANSWERED);
    } else if (verifier->is_judging) {
        vrf_judge_stray_result(call, work, is_old);
    }
    if (work != NULL) {
        *request_context = work->context;
    }
    if (qp != NULL) {
        *qp_context = qp->part.qp.context;
    }
}

/* ---- Closes ---- */

void vrf_queue_drop(struct vrf_world *verifier, struct vrf_queue *queue) {
    while (queue->first != NULL) {
        retire(verifier, queue->first, VRF_DONE_INLINE);
    }
}

/* Orphans that a poll after their QP's close did not find will never come. */
void vrf_results_drained(struct vrf_call *call) {
    struct vrf_cq_part *cq = &call->shadow->part.cq;

    if (SIM_LIKELY(cq->orphan_count == 0) || cq->polls_running != 0) {
        return;
    }
    if (call->verifier->is_judging) {
        vrf_judge_drained(call);
    }
    for (struct vrf_queue *queue = cq->queues; queue != NULL; queue = queue->next_of_cq) {
        if (queue->owner->phase == VRF_CLOSED && queue->owner->closed_ns < call->entered_ns) {
            vrf_queue_drop(call->verifier, queue);
        }
    }
}

static void count_orphans(const struct vrf_queue *queue) {
    if (queue->cq != NULL) {
        queue->cq->part.cq.orphan_count += queue->signalled_count;
    }
}

static void cq_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    for (struct vrf_queue *queue = shadow->part.cq.queues; queue != NULL;
         queue = queue->next_of_cq) {
        vrf_queue_drop(verifier, queue);
    }
}

void vrf_works_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->type == NdkObjectTypeQp) {
        count_orphans(shadow->part.qp.initiator);
        count_orphans(shadow->part.qp.receive);
    } else if (shadow->type == NdkObjectTypeSrq) {
        vrf_queue_drop(verifier, shadow->part.srq.receive);
    } else if (shadow->type == NdkObjectTypeCq) {
        cq_closed(verifier, shadow);
    }
}
