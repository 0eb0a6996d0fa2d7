/* SPDX-License-Identifier: Apache-2.0 */
/* Taking results out of a completion queue; see cq.h for the indices. */
#include "adapter.h"

static struct rnic_cqe *CqEntry(PRNIC_CQ Cq, ULONG Index) {
    return (struct rnic_cqe *)Cq->Ring.Va + (Index & ((1u << Cq->EntryLog2) - 1));
}

PRNIC_QP CqFindQp(PRNIC_CQ Cq, ULONG Qpn) {
    PLIST_ENTRY Entry;

    if (Cq->LastQp != NULL && Cq->LastQp->Qpn == Qpn) {
        return Cq->LastQp;
    }
    for (Entry = Cq->Qps.Flink; Entry != &Cq->Qps; Entry = Entry->Flink) {
        PRNIC_QP Qp = CONTAINING_RECORD(Entry, RNIC_QP_LINK, Link)->Qp;

        if (Qp->Qpn == Qpn) {
            Cq->LastQp = Qp;
            return Qp;
        }
    }
    return NULL;
}

static BOOLEAN CqHolds(PRNIC_CQ Cq, const RNIC_RESOLVED *Entry) {
    PRNIC_QP Qp;

    if (Cq->Holding == 0 || !Entry->Receive) {
        return FALSE;
    }
    Qp = CqFindQp(Cq, Entry->Qpn);
    return Qp != NULL && Qp->HoldReceives;
}

static VOID CqReveal(PRNIC_CQ Cq) {
    while (Cq->Visible != Cq->Resolved) {
        const RNIC_RESOLVED *Entry = (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Visible);

        if (CqHolds(Cq, Entry)) {
            return;
        }
        Cq->Visible++;
        if (Entry->Solicits) {
            Cq->Solicited = Cq->Visible;
            Cq->HasSolicited = TRUE;
        }
        if (!NT_SUCCESS(Entry->Result.Status)) {
            Cq->Failed = Cq->Visible;
            Cq->HasFailed = TRUE;
        }
    }
}

VOID CqResolve(PRNIC_CQ Cq) {
    while (Cq->Resolved - Cq->Consumed != (1u << Cq->EntryLog2)) {
        struct rnic_cqe *Entry = CqEntry(Cq, Cq->Resolved);
        UCHAR Phase = (UCHAR)(((Cq->Resolved >> Cq->EntryLog2) & 1) == 0);
        PRNIC_QP Qp;

        if (*(volatile UCHAR *)&Entry->phase != Phase) {
            break;
        }
        Qp = CqFindQp(Cq, Entry->qpn);
        NT_ASSERT(Qp != NULL);
        QpResolve(Qp, Entry);
        Cq->Resolved++;
    }
    CqReveal(Cq);
}

BOOLEAN CqIsWhole(const RNIC_CQ *Cq) {
    return Cq->FaultStatus == STATUS_SUCCESS && Cq->Resolved - Cq->Consumed < Cq->Depth;
}

VOID CqForget(PRNIC_CQ Cq, PRNIC_QP Qp) {
    ULONG Index;

    if (Qp->Srq == NULL || Qp->Object.Owner->Settings.StrictSlots == 0) {
        return;
    }
    for (Index = Cq->Consumed; Index != Cq->Resolved; Index++) {
        const RNIC_RESOLVED *Entry = (const RNIC_RESOLVED *)CqEntry(Cq, Index);

        if (Entry->Receive && Entry->Qpn == Qp->Qpn) {
            QpRetrieved(Cq, Entry);
        }
    }
}

/* Under the lock: the results that the consumer may take now, at most `Wanted`. */
static ULONG CqReady(PRNIC_CQ Cq, ULONG Wanted) {
    if (Cq->Visible - Cq->Consumed < Wanted) {
        CqResolve(Cq);
    }
    return min(Cq->Visible - Cq->Consumed, Wanted);
}

static VOID CqConsume(PRNIC_CQ Cq, ULONG Count) {
    if (Cq->Object.Owner->Settings.StrictSlots != 0) {
        ULONG i;

        for (i = 0; i < Count; i++) {
            QpRetrieved(Cq, (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + i));
        }
    }
    Cq->Consumed += Count;
    *(volatile ULONG *)Cq->Record.Va = Cq->Consumed;
}

/* For older consumers the error code is padding of theirs, and stays as it is. */
static VOID ResultStore(NDK_RESULT_EX *To, const struct rnic_cqe *Entry, BOOLEAN HasErrorCode) {
    const NDK_RESULT_EX *From = &((const RNIC_RESOLVED *)Entry)->Result;

    To->Status = From->Status;
    To->BytesTransferred = From->BytesTransferred;
    To->QPContext = From->QPContext;
    To->RequestContext = From->RequestContext;
    To->Type = From->Type;
    if (HasErrorCode) {
        To->ProviderErrorCode = From->ProviderErrorCode;
    }
    To->TypeSpecificCompletionOutput = From->TypeSpecificCompletionOutput;
}

/* Of 1.2: whom it does not exist for gets nothing. */
ULONG NdkGetCqResultsEx(NDK_CQ *pNdkCq, NDK_RESULT_EX *Results, ULONG nResults) {
    PRNIC_CQ Cq = CqOf(pNdkCq);
    BOOLEAN HasErrorCode = ObjectKnows(&Cq->Object, 2, 1);
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG i;

    if (!ObjectKnows(&Cq->Object, 1, 2)) {
        return 0;
    }
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Count = CqReady(Cq, nResults);
    for (i = 0; i < Count; i++) {
        ResultStore(&Results[i], CqEntry(Cq, Cq->Consumed + i), HasErrorCode);
    }
    if (Count != 0) {
        CqConsume(Cq, Count);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Count;
}

ULONG NdkGetCqResults(NDK_CQ *pNdkCq, NDK_RESULT *Results, ULONG nResults) {
    PRNIC_CQ Cq = CqOf(pNdkCq);
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG i;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Count = CqReady(Cq, nResults);
    for (i = 0; i < Count; i++) {
        const RNIC_RESOLVED *From = (const RNIC_RESOLVED *)CqEntry(Cq, Cq->Consumed + i);

        Results[i].Status = From->Result.Status;
        Results[i].BytesTransferred = From->Result.BytesTransferred;
        Results[i].QPContext = From->Result.QPContext;
        Results[i].RequestContext = From->Result.RequestContext;
    }
    if (Count != 0) {
        CqConsume(Cq, Count);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Count;
}
