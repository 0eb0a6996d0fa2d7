/* SPDX-License-Identifier: Apache-2.0 */
/* The pending request of a connector, and the QP it is tied to; see connector.h. */
#include "adapter.h"

BOOLEAN ConnectorIsBusy(const RNIC_CONNECTOR *Connector) {
    return Connector->Object.Request.Object != NULL;
}

VOID ConnectorBegin(PRNIC_CONNECTOR Connector, RNIC_SHAPE Shape,
                    NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    RequestBegin(&Connector->Object.Request, &Connector->Object, Shape, Completion, Context);
    Connector->Starting = Shape != ShapePending;
    Connector->Settled = FALSE;
    if (Connector->Starting) {
        Connector->Answering++;
    }
}

VOID ConnectorSettle(PRNIC_CONNECTOR Connector, NTSTATUS Status) {
    NT_ASSERT(ConnectorIsBusy(Connector));
    Connector->RequestStatus = Status;
    if (!Connector->Starting) {
        ConnectorUpcall(Connector, RNIC_UPCALL_REQUEST);
        return;
    }
    Connector->Settled = TRUE;
    if (Connector->Outcome != NULL) {
        KeSetEvent(Connector->Outcome, IO_NO_INCREMENT, FALSE);
    }
}

/* The starting call has its outcome, or leaves it to the pump: events may come now (D-20). */
static VOID AnswerOver(PRNIC_CONNECTOR Connector) {
    NT_ASSERT(Connector->Answering != 0);
    Connector->Answering--;
    if (Connector->Answering == 0 && Connector->Upcalls != 0) {
        ConnectorUpcall(Connector, 0);
    }
}

VOID ConnectorMustPend(PRNIC_CONNECTOR Connector) {
    if (Connector->Starting) {
        Connector->Starting = FALSE;
        AnswerOver(Connector);
    }
}

/* Under the lock, which is let go of meanwhile. */
static VOID AnswerWait(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    PKSPIN_LOCK CmLock = &Connector->Object.Owner->Cm.Lock;
    KEVENT Outcome;

    KeInitializeEvent(&Outcome, NotificationEvent, FALSE);
    Connector->Outcome = &Outcome;
    KeReleaseInStackQueuedSpinLock(Lock);
    KeWaitForSingleObject(&Outcome, Executive, KernelMode, FALSE, NULL);
    KeAcquireInStackQueuedSpinLock(CmLock, Lock);
    Connector->Outcome = NULL;
}

/* The callback may have been run, and may have closed the connector. */
static NTSTATUS AnswerNow(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    PKSPIN_LOCK CmLock = &Connector->Object.Owner->Cm.Lock;
    NTSTATUS Status = Connector->RequestStatus;

    ObjectGet(&Connector->Object, RefCallback);
    KeReleaseInStackQueuedSpinLock(Lock);
    Status = RequestAnswer(&Connector->Object.Request, Status);
    KeAcquireInStackQueuedSpinLock(CmLock, Lock);
    /* What arrived before the accept was complete may be seen now. */
    if (Connector->Qp != NULL) {
        QpReleaseReceives(Connector->Qp);
    }
    AnswerOver(Connector);
    KeReleaseInStackQueuedSpinLock(Lock);
    ObjectPut(&Connector->Object, RefCallback);
    return Status;
}

NTSTATUS ConnectorAnswer(PRNIC_CONNECTOR Connector, PKLOCK_QUEUE_HANDLE Lock) {
    BOOLEAN Waits = Connector->Object.Owner->Settings.AnswerWaits != 0;

    if (Connector->Starting && !Connector->Settled && Waits && Lock->OldIrql == PASSIVE_LEVEL) {
        AnswerWait(Connector, Lock);
    }
    if (Connector->Starting && Connector->Settled) {
        Connector->Starting = FALSE;
        return AnswerNow(Connector, Lock);
    }
    ConnectorMustPend(Connector);
    KeReleaseInStackQueuedSpinLock(Lock);
    return STATUS_PENDING;
}

NTSTATUS ConnectorTie(PRNIC_CONNECTOR Connector, PRNIC_QP Qp) {
    if (Qp->Object.Owner != Connector->Object.Owner) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Qp->Connector == Connector) {
        return Qp->Phase == QpUnconnected ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
    }
    if (Qp->Connector != NULL) {
        return STATUS_CONNECTION_ACTIVE;
    }
    if (Qp->Phase != QpUnconnected || Qp->Silent || !ObjectIsOpen(&Qp->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    ConnectorUntie(Connector);
    ObjectGet(&Qp->Object, RefSuccessor);
    Qp->Connector = Connector;
    Connector->Qp = Qp;
    return STATUS_SUCCESS;
}

VOID ConnectorUntie(PRNIC_CONNECTOR Connector) {
    PRNIC_QP Qp = Connector->Qp;

    if (Qp != NULL) {
        Connector->Qp = NULL;
        Qp->Connector = NULL;
        ObjectPut(&Qp->Object, RefSuccessor);
    }
}

VOID ConnectorShare(PRNIC_CONNECTOR Connector, PRNIC_SHARED_ENDPOINT Shared) {
    PRNIC_SHARED_ENDPOINT Old = Connector->Shared;

    if (Old == Shared) {
        return;
    }
    if (Shared != NULL) {
        ObjectGet(&Shared->Object, RefSuccessor);
    }
    Connector->Shared = Shared;
    if (Old != NULL) {
        ObjectPut(&Old->Object, RefSuccessor);
    }
}
