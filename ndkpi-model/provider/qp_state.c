/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of a QP, its flush and its errors; see qp.h. */
#include "adapter.h"

/* Under the lock of Sq: tells the device of what was held back. */
VOID QpRingSq(PRNIC_QP Qp) {
    if (Qp->Sq.Rung != Qp->Sq.Producer) {
        Qp->Sq.Rung = Qp->Sq.Producer;
        DoorbellRing(Qp->Object.Owner, RNIC_DOORBELL_SQ, Qp->Qpn, 0, Qp->Sq.Producer);
    }
}

VOID QpSetPhase(PRNIC_QP Qp, RNIC_QP_PHASE Phase) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->Sq.Lock, &Lock);
    if (Qp->Phase < (LONG)Phase) {
        Qp->Phase = Phase;
    }
    /* Held requests are completed, too, even when no plain one follows. */
    QpRingSq(Qp);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID QpTellHeld(PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->Sq.Lock, &Lock);
    QpRingSq(Qp);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

ULONG QpInitiatorPending(PRNIC_QP Qp) {
    ULONG Finished = *(volatile ULONG *)Qp->Record.Va;

    return Qp->Sq.Producer - Finished;
}

static VOID QpErrorFill(const RNIC_COMMAND *Command, PVOID Input) {
    struct rnic_qp_attributes *Attributes = Input;

    UNREFERENCED_PARAMETER(Command);
    Attributes->mask = RNIC_ATTR_STATE;
    Attributes->state = RNIC_QPS_ERR;
}

VOID QpErrorCommand(PRNIC_QP Qp, PRNIC_COMMAND Command) {
    CommandInit(Command, RNIC_CMD_MODIFY_QP, Qp->Qpn);
    Command->InBytes = sizeof(struct rnic_qp_attributes);
    Command->Data.Fill = QpErrorFill;
}

static VOID QpFlushDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;

    if (!CommandGivenAgain(Qp->Object.Owner, Command)) {
        ObjectPut(&Qp->Object, RefHardware);
    }
}

/* Cancels what is pending and what comes; the connection is not told (B-03). */
VOID NdkFlush(NDK_QP *pNdkQp) {
    PRNIC_QP Qp = QpOf(pNdkQp);

    if (InterlockedExchange(&Qp->FlushUnderWay, 1) != 0) {
        return;
    }
    ObjectGet(&Qp->Object, RefHardware);
    QpSetPhase(Qp, QpFlushing);
    QpErrorCommand(Qp, &Qp->FlushCommand);
    CommandSubmit(Qp->Object.Owner, &Qp->FlushCommand, QpFlushDone, Qp);
}

VOID QpDeviceError(PRNIC_QP Qp, UCHAR Syndrome) {
    QpSetPhase(Qp, QpFlushing);
    CmQpError(Qp, Syndrome);
}

VOID QpAbortOver(PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->InitiatorCq->Lock, &Lock);
    CqResolve(Qp->InitiatorCq);
    Qp->AbortStatus = STATUS_SUCCESS;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID QpHoldReceives(PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    if (Qp->Object.Owner->Settings.ReceiveBeforeAccept != 0) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Qp->ReceiveCq->Lock, &Lock);
    if (!Qp->HoldReceives) {
        Qp->HoldReceives = TRUE;
        Qp->ReceiveCq->Holding++;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID QpReleaseReceives(PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Held;

    KeAcquireInStackQueuedSpinLock(&Qp->ReceiveCq->Lock, &Lock);
    Held = Qp->HoldReceives;
    if (Held) {
        Qp->HoldReceives = FALSE;
        Qp->ReceiveCq->Holding--;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Held) {
        CqKick(Qp->ReceiveCq);
    }
}
