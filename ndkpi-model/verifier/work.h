/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posted work requests and their results.
 *
 * A silent request that succeeded gives no result. It is known to be over once a later one of its
 * queue gave one, or when the queue holds more than its depth.
 */
#ifndef VRF_WORK_H
#define VRF_WORK_H

#include "call.h"

/* A post: `sgl` may be NULL. Answers the handle to give to the provider as RequestContext. */
void *vrf_post_open(struct vrf_call *call, struct vrf_queue *queue, void *context,
                    const NDK_SGE *sgl, ULONG sge_count, ULONG flags);
NTSTATUS vrf_post_leave(struct vrf_call *call, NTSTATUS status);

/* Puts the consumer's contexts back into a result and retires its work. */
struct vrf_taken;
void vrf_result(struct vrf_call *call, struct vrf_taken *taken, PVOID *qp_context,
                PVOID *request_context);
/* The poll found fewer results than it asked for. */
void vrf_results_drained(struct vrf_call *call);

struct vrf_queue *vrf_queue_make(struct vrf_world *verifier, struct vrf_shadow *owner,
                                 struct vrf_shadow *cq, uint32_t depth);
/* The queues of a shadow that will never be born. */
void vrf_queues_free(struct vrf_world *verifier, struct vrf_shadow *shadow);
/* The QP is handed over: its CQs know its queues from now on. */
void vrf_works_born(struct vrf_shadow *qp);
/* A QP's, SRQ's or CQ's close completes: what no result can come for any more is let go. */
void vrf_works_closed(struct vrf_world *verifier, struct vrf_shadow *shadow);
/* Lets go of all of a queue's works. */
void vrf_queue_drop(struct vrf_world *verifier, struct vrf_queue *queue);

static inline bool vrf_work_is_silent(const struct vrf_work *work) {
    return (work->flags & NDK_OP_FLAG_SILENT_SUCCESS) != 0;
}

#endif
