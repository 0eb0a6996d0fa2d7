/* SPDX-License-Identifier: Apache-2.0 */
/* NdkDisconnect, and what the close of a connector does at once. */
#include "adapter.h"

static NTSTATUS DisconnectStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!ObjectIsOpen(&Connector->Object) || ConnectorIsBusy(Connector) ||
        Connector->Disconnecting) {
        return STATUS_CONNECTION_INVALID;
    }
    switch (Connector->State) {
    case CmEstablished:
    case CmDreqRcvd:
    case CmBreaking:
    case CmBroken:
        return STATUS_SUCCESS;
    default:
        return STATUS_CONNECTION_INVALID;
    }
}

/* A planned fault: whatever the peer says, it comes too late. */
static VOID DisconnectTimesOut(PRNIC_CONNECTOR Connector) {
    if (Connector->State != CmFlushing) {
        CmStep(Connector, EvTimedOut, NULL);
    }
    Connector->EndStatus = STATUS_IO_TIMEOUT;
}

NTSTATUS NdkDisconnect(NDK_CONNECTOR *pNdkConnector, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                       PVOID RequestContext) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;
    BOOLEAN Busy;
    RNIC_SHAPE Shape = AnswerChoose(Adapter, pNdkConnector, "answer.disconnect", ShapePending);
    BOOLEAN Fault = AnswerFault(pNdkConnector, "provider.disconnect.io_timeout");

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = DisconnectStateCheck(Connector);
    if (!NT_SUCCESS(Status)) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, RequestCompletion, RequestContext);
    Connector->Disconnecting = TRUE;
    if (Adapter->Settings.EventAfterDisconnect == 0) {
        /* Not raised from now on (D-21). */
        Connector->EventRaised = TRUE;
        Connector->Upcalls &= (UCHAR)~RNIC_UPCALL_EVENT;
    }
    QpTellHeld(Connector->Qp);
    /* What may not be sent yet never ends; it is cancelled. */
    Busy = Adapter->Settings.DisconnectAborts == 0 && !Connector->SendsHeld &&
           QpInitiatorPending(Connector->Qp) != 0;
    CmStep(Connector, Busy ? EvDisconnectBusy : EvDisconnect, NULL);
    if (Fault) {
        DisconnectTimesOut(Connector);
    }
    return ConnectorAnswer(Connector, &Lock);
}

VOID ConnectorClosing(PRNIC_OBJECT Object) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Object, RNIC_CONNECTOR, Object);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    if (Connector->Waits) {
        Connector->Waits = FALSE;
        Connector->Listener->Waiting--;
    }
    CmStep(Connector, EvClose, NULL);
    KeReleaseInStackQueuedSpinLock(&Lock);
}
