/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: look-up by number, the queues they complete into and draw from, end; see qp.h. */
#include "adapter.h"

static BOOLEAN QpRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID QpRelease(PRNIC_OBJECT Object);

const RNIC_OBJECT_CLASS QpClass = {
    .Type = NdkObjectTypeQp,
    .Name = "qp",
    .Retire = QpRetire,
    .Release = QpRelease,
};

static PRNIC_QP QpOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_QP, Object);
}

PRNIC_QP QpFind(PRNIC_ADAPTER Adapter, ULONG Qpn) {
    PLIST_ENTRY Bucket = &Adapter->QpTable[Qpn % RNIC_TABLE_BUCKETS];
    PRNIC_QP Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_QP Qp = CONTAINING_RECORD(Entry, RNIC_QP, TableLink);

        if (Qp->Qpn == Qpn) {
            Found = ObjectTryGet(&Qp->Object, RefHardware) ? Qp : NULL;
            break;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

static VOID CqAttach(PRNIC_CQ Cq, PRNIC_QP_LINK Link, PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    Link->Qp = Qp;
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    InsertTailList(&Cq->Qps, &Link->Link);
    if (!NT_SUCCESS(Cq->FaultStatus)) {
        Qp->Silent = TRUE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID SrqAttach(PRNIC_SRQ Srq, PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    InsertTailList(&Srq->Qps, &Qp->SrqLink);
    if (Srq->Failed) {
        Qp->Silent = TRUE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID SrqDetach(PRNIC_SRQ Srq, PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    RemoveEntryList(&Qp->SrqLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* What the QP completed stays in the queue, with its contexts. */
static VOID CqDetach(PRNIC_CQ Cq, PRNIC_QP_LINK Link) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqResolve(Cq);
    CqForget(Cq, Link->Qp);
    RemoveEntryList(&Link->Link);
    Cq->LastQp = NULL;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID QpPublish(PRNIC_QP Qp) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    CqAttach(Qp->ReceiveCq, &Qp->ReceiveLink, Qp);
    if (Qp->InitiatorCq != Qp->ReceiveCq) {
        CqAttach(Qp->InitiatorCq, &Qp->InitiatorLink, Qp);
    }
    if (Qp->Srq != NULL) {
        SrqAttach(Qp->Srq, Qp);
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    InsertHeadList(&Adapter->QpTable[Qp->Qpn % RNIC_TABLE_BUCKETS], &Qp->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID QpUnpublish(PRNIC_QP Qp) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    RemoveEntryList(&Qp->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID QpLeaveQueues(PRNIC_QP Qp) {
    QpReleaseReceives(Qp);
    WindowsQpEnd(Qp);
    CqDetach(Qp->ReceiveCq, &Qp->ReceiveLink);
    if (Qp->InitiatorCq != Qp->ReceiveCq) {
        CqDetach(Qp->InitiatorCq, &Qp->InitiatorLink);
    }
    if (Qp->Srq != NULL) {
        SrqDetach(Qp->Srq, Qp);
    }
}

static VOID QueueDeinit(PRNIC_ADAPTER Adapter, PRNIC_QUEUE Queue) {
    DmaPut(Adapter, &Queue->Ring);
}

static VOID QpDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;

    if (!CommandGivenAgain(Qp->Object.Owner, Command)) {
        QpLeaveQueues(Qp);
        ObjectRetired(&Qp->Object);
    }
}

/* A lost device has cancelled nothing of a QP that is no longer found. */
static VOID QpErrorOver(PRNIC_QP Qp) {
    if (Qp->Object.Owner->Commands.Dead) {
        QpCancel(Qp);
    }
    CommandInit(&Qp->Command, RNIC_CMD_DESTROY_QP, Qp->Qpn);
}

static VOID QpErrorDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;

    if (!CommandGivenAgain(Qp->Object.Owner, Command)) {
        QpErrorOver(Qp);
        CommandSubmit(Qp->Object.Owner, &Qp->Command, QpDestroyDone, Qp);
    }
}

/* What is pending is cancelled into the queues, then the device forgets the QP. */
static BOOLEAN QpRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_QP Qp = QpOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;

    if (!Qp->Created) {
        return TRUE;
    }
    QpUnpublish(Qp);
    QpSetPhase(Qp, QpEnded);
    QpErrorCommand(Qp, &Qp->FlushCommand);
    if (Polled) {
        CommandPolledFirmly(Adapter, &Qp->FlushCommand);
        QpErrorOver(Qp);
        CommandPolledFirmly(Adapter, &Qp->Command);
        QpLeaveQueues(Qp);
        return TRUE;
    }
    CommandSubmit(Adapter, &Qp->FlushCommand, QpErrorDone, Qp);
    return FALSE;
}

static VOID QpFreePageLists(PRNIC_QP Qp) {
    ULONG i;

    if (Qp->PageLists != NULL) {
        for (i = 0; i <= Qp->Sq.Mask; i++) {
            DmaPut(Qp->Object.Owner, &Qp->PageLists[i]);
        }
        PoolPut(Qp->PageLists);
    }
}

static VOID QpRelease(PRNIC_OBJECT Object) {
    PRNIC_QP Qp = QpOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;
    PRNIC_PD Pd = Qp->Pd;
    PRNIC_CQ ReceiveCq = Qp->ReceiveCq;
    PRNIC_CQ InitiatorCq = Qp->InitiatorCq;
    PRNIC_SRQ Srq = Qp->Srq;

    NT_ASSERT(Qp->Connector == NULL);
    if (Qp->Counted) {
        InterlockedDecrement(&Adapter->QpCount);
    }
    QpFreePageLists(Qp);
    QueueDeinit(Adapter, &Qp->Sq);
    QueueDeinit(Adapter, &Qp->Rq);
    DmaPut(Adapter, &Qp->Record);
    PoolPut(Qp);
    if (Srq != NULL) {
        ObjectPut(&Srq->Object, RefSuccessor);
    }
    ObjectPut(&ReceiveCq->Object, RefSuccessor);
    ObjectPut(&InitiatorCq->Object, RefSuccessor);
    ObjectPut(&Pd->Object, RefSuccessor);
}

const NDK_QP_DISPATCH QpDispatch = {
    .NdkCloseQp = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkFlush = NdkFlush,
    .NdkSend = NdkSend,
    .NdkReceive = NdkReceive,
    .NdkBind = NdkBind,
    .NdkFastRegister = NdkFastRegister,
    .NdkInvalidate = NdkInvalidate,
    .NdkRead = NdkRead,
    .NdkWrite = NdkWrite,
    .NdkSendAndInvalidate = NdkSendAndInvalidate,
};
