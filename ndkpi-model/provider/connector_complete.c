/* SPDX-License-Identifier: Apache-2.0 */
/* NdkCompleteConnect and its extended form. */
#include "adapter.h"

typedef struct _RNIC_COMPLETE {
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx;
    PVOID EventContext;
    NDK_FN_REQUEST_COMPLETION Completion;
    PVOID Context;
} RNIC_COMPLETE;

/* Under the lock: what is wrong with a completion in this state (R-CONN-11, R-CONN-12). */
static NTSTATUS CompleteStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!ObjectIsOpen(&Connector->Object) || ConnectorIsBusy(Connector)) {
        return STATUS_CONNECTION_INVALID;
    }
    if (Connector->State == CmRepRcvd) {
        return STATUS_SUCCESS;
    }
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
}

static NTSTATUS CompleteFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.complete_connect.connection_aborted", STATUS_CONNECTION_ABORTED},
        {"provider.complete_connect.io_timeout", STATUS_IO_TIMEOUT},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

static NTSTATUS CompleteExFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.complete_connect_ex.connection_aborted", STATUS_CONNECTION_ABORTED},
        {"provider.complete_connect_ex.io_timeout", STATUS_IO_TIMEOUT},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

/* Under the lock: takes the QP to where it can send. `Fault` ends it for good (R-CONN-13). */
static VOID CompleteGo(PRNIC_CONNECTOR Connector, const RNIC_COMPLETE *Complete, NTSTATUS Fault) {
    if (!NT_SUCCESS(Fault)) {
        CmStep(Connector, EvReject, NULL);
        ConnectorSettle(Connector, Fault);
        return;
    }
    Connector->Event = Complete->Event;
    Connector->EventEx = Complete->EventEx;
    Connector->EventContext = Complete->EventContext;
    Connector->Polling = Connector->Starting;
    CmStep(Connector, EvCompleteConnect, NULL);
}

/* The state decides it: what is finished already is answered inline. */
static RNIC_SHAPE CompleteQuietShape(const RNIC_CONNECTOR *Connector) {
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, &Lock);
    Status = CompleteStateCheck(Connector);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status == STATUS_CONNECTION_INVALID ? ShapeInline : ShapePending;
}

/*
 * The state may be another one once the shape is chosen. A second request while one is pending has
 * no place to wait in, and is answered inline always.
 */
static NTSTATUS CompleteConnect(PRNIC_CONNECTOR Connector, const RNIC_COMPLETE *Complete,
                                NTSTATUS Fault) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    RNIC_SHAPE Shape = AnswerChoose(Adapter, &Connector->Object.Ndk.Header,
                                    "answer.complete_connect", CompleteQuietShape(Connector));
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = CompleteStateCheck(Connector);
    if (Status == STATUS_CONNECTION_INVALID &&
        (ConnectorIsBusy(Connector) || !ObjectIsOpen(&Connector->Object))) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, Complete->Completion, Complete->Context);
    if (!NT_SUCCESS(Status)) {
        ConnectorSettle(Connector, Status);
        return ConnectorAnswer(Connector, &Lock);
    }
    CompleteGo(Connector, Complete, Fault);
    if (Connector->Polling) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        ConnectorRunPolled(Connector);
        KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
        Connector->Polling = FALSE;
    }
    return ConnectorAnswer(Connector, &Lock);
}

NTSTATUS NdkCompleteConnect(NDK_CONNECTOR *pNdkConnector,
                            NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent,
                            PVOID DisconnectEventContext,
                            NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    const RNIC_COMPLETE Complete = {DisconnectEvent, NULL, DisconnectEventContext,
                                    RequestCompletion, RequestContext};

    return CompleteConnect(ConnectorOf(pNdkConnector), &Complete, CompleteFault(pNdkConnector));
}

NTSTATUS NdkCompleteConnectEx(NDK_CONNECTOR *pNdkConnector,
                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                              PVOID DisconnectEventContext,
                              NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    const RNIC_COMPLETE Complete = {NULL, DisconnectEvent, DisconnectEventContext,
                                    RequestCompletion, RequestContext};
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);

    if (!ObjectKnows(&Connector->Object, 2, 1)) {
        return STATUS_NOT_SUPPORTED;
    }
    return CompleteConnect(Connector, &Complete, CompleteExFault(pNdkConnector));
}
