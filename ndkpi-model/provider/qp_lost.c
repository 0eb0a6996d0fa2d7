/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the device is lost it completes nothing any more: what it owes is cancelled here, as it
 * would have done it, so that every consumer comes to its end.
 */
#include "adapter.h"

/* Under the CQ's lock. An entry that finds the queue full is lost, as with the device. */
static VOID CqAppendCancelled(PRNIC_CQ Cq, PRNIC_QP Qp, BOOLEAN Receive, ULONG Index) {
    struct rnic_cqe *Entry =
        (struct rnic_cqe *)Cq->Ring.Va + (Cq->Resolved & ((1u << Cq->EntryLog2) - 1));
    UCHAR Phase = (UCHAR)(((Cq->Resolved >> Cq->EntryLog2) & 1) == 0);

    if (Cq->Resolved - Cq->Consumed == Cq->Depth) {
        return;
    }
    RtlZeroMemory(Entry, sizeof(*Entry));
    Entry->qpn = Qp->Qpn;
    Entry->wqe_index = Index;
    Entry->opcode = Receive ? RNIC_CQE_RECV : RNIC_CQE_NOP; /* QpResolve knows better */
    Entry->status = RNIC_CQE_FLUSHED;
    Entry->phase = Phase;
    CqResolve(Cq);
}

/*
 * Under the CQ's lock, after CqResolve: the oldest request that is not over. The device may have
 * failed between a completion and the record that follows it, and silent ones are in the record
 * only: so the later of the two counts.
 */
static ULONG QueueFirstOwed(PRNIC_QP Qp, PRNIC_QUEUE Queue, BOOLEAN Receive) {
    ULONG Finished = *(volatile ULONG *)Qp->Record.Va;

    return Receive || (LONG)(Queue->Completed - Finished) > 0 ? Queue->Completed : Finished;
}

static VOID QueueCancel(PRNIC_CQ Cq, PRNIC_QP Qp, PRNIC_QUEUE Queue, BOOLEAN Receive) {
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Index;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqResolve(Cq);
    for (Index = QueueFirstOwed(Qp, Queue, Receive); Index != Queue->Producer; Index++) {
        CqAppendCancelled(Cq, Qp, Receive, Index);
    }
    if (!Receive) {
        *(volatile ULONG *)Qp->Record.Va = Queue->Producer;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    CqKick(Cq);
}

VOID QpCancel(PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    /* Posts look at Adapter->Lost under their queue's lock: none comes behind these. */
    KeAcquireInStackQueuedSpinLock(&Qp->Sq.Lock, &Lock);
    QueueCancel(Qp->InitiatorCq, Qp, &Qp->Sq, FALSE);
    KeReleaseInStackQueuedSpinLock(&Lock);
    /* Which receives of an SRQ it had taken, nobody can tell any more: they stay there. */
    if (Qp->Srq == NULL) {
        KeAcquireInStackQueuedSpinLock(&Qp->Rq.Lock, &Lock);
        QueueCancel(Qp->ReceiveCq, Qp, &Qp->Rq, TRUE);
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
}

static VOID QpLost(PRNIC_QP Qp) {
    QpSetPhase(Qp, QpFlushing);
    QpCancel(Qp);
    CmQpError(Qp, RNIC_SYNDROME_NONE);
}

/* A QP of the bucket that was not dealt with, with RefHardware, or NULL. */
static PRNIC_QP QpNextLost(PRNIC_ADAPTER Adapter, ULONG Bucket) {
    PLIST_ENTRY Head = &Adapter->QpTable[Bucket];
    PRNIC_QP Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Head->Flink; Entry != Head && Found == NULL; Entry = Entry->Flink) {
        PRNIC_QP Qp = CONTAINING_RECORD(Entry, RNIC_QP, TableLink);

        if (!Qp->Lost && ObjectTryGet(&Qp->Object, RefHardware)) {
            Qp->Lost = TRUE;
            Found = Qp;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

VOID QpsDeviceLost(PRNIC_ADAPTER Adapter) {
    ULONG Bucket;

    for (Bucket = 0; Bucket < RNIC_TABLE_BUCKETS; Bucket++) {
        PRNIC_QP Qp;

        while ((Qp = QpNextLost(Adapter, Bucket)) != NULL) {
            QpLost(Qp);
            ObjectPut(&Qp->Object, RefHardware);
        }
    }
}
