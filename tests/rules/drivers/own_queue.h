/* SPDX-License-Identifier: Apache-2.0 */
/* An end whose sends have a queue of the driver's own; the receives' queue stays the sketch's. */
#ifndef RULES_OWN_QUEUE_H
#define RULES_OWN_QUEUE_H

#include "sketch.h"

/* After EndOpen. The caller closes *Cq after EndClose. */
static inline NTSTATUS OwnQueue(PSKETCH_END End, NDK_FN_CQ_NOTIFICATION_CALLBACK Notify,
                                NDK_CQ **Cq) {
    static const SYNC_QP_SIZES Sizes = {SKETCH_DEPTH, SKETCH_DEPTH, 1, 1, 0};
    NTSTATUS Status;

    SyncClose(&End->Qp->Header, End->Qp->Dispatch->NdkCloseQp);
    End->Qp = NULL;
    Status = SyncCreateCq(End->Rdma->Adapter, 2 * SKETCH_DEPTH, Notify, End, Cq);
    return NT_SUCCESS(Status) ? SyncCreateQp(End->Pd, End->Cq, *Cq, End, &Sizes, &End->Qp) : Status;
}

#endif
