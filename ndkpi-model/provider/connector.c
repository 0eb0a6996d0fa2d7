/* SPDX-License-Identifier: Apache-2.0 */
/* Connectors: creation by a consumer or by a request that came in, and their end. */
#include "adapter.h"

static BOOLEAN ConnectorRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID ConnectorRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS ConnectorClass = {
    .Type = NdkObjectTypeConnector,
    .Name = "connector",
    .Closing = ConnectorClosing,
    .Retire = ConnectorRetire,
    .Release = ConnectorRelease,
};

static const NDK_CONNECTOR_DISPATCH ConnectorDispatch = {
    .NdkCloseConnector = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkConnect = NdkConnect,
    .NdkConnectWithSharedEndpoint = NdkConnectWithSharedEndpoint,
    .NdkCompleteConnect = NdkCompleteConnect,
    .NdkAccept = NdkAccept,
    .NdkReject = NdkReject,
    .NdkGetConnectionData = NdkGetConnectionData,
    .NdkGetLocalAddress = NdkGetLocalAddress,
    .NdkGetPeerAddress = NdkGetPeerAddress,
    .NdkDisconnect = NdkDisconnect,
    .NdkCompleteConnectEx = NdkCompleteConnectEx,
    .NdkAcceptEx = NdkAcceptEx,
};

/*
 * The peer's answer did not come, or it is time to look at a drain again. Under the CM lock; the
 * machine cancels the timer in every state that does not wait for it.
 */
static VOID ConnectorTimerExpired(PRNIC_CM_TIMER Timer) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Timer, RNIC_CONNECTOR, Timer);
    BOOLEAN Drains = Connector->State == CmDraining || Connector->State == CmDrainingRcvd;

    if (Drains && QpInitiatorPending(Connector->Qp) == 0) {
        CmStep(Connector, EvDrained, NULL);
    } else if (Connector->RetriesLeft == 0) {
        CmStep(Connector, EvTimedOut, NULL);
    } else {
        Connector->RetriesLeft--;
        CmStep(Connector, EvTimeout, NULL);
    }
}

static PRNIC_CONNECTOR ConnectorNew(PRNIC_OPEN Open) {
    PRNIC_CONNECTOR Connector = PoolGet(sizeof(*Connector));

    if (Connector == NULL) {
        return NULL;
    }
    ObjectInit(&Connector->Object, Open->Object.Owner, &ConnectorClass,
               Open->Object.Ndk.Header.Version);
    Connector->Object.Ndk.Connector.Dispatch = &ConnectorDispatch;
    Connector->Open = Open;
    Connector->State = CmIdle;
    Connector->Timer.Expired = ConnectorTimerExpired;
    ConnectorPumpInit(Connector);
    ObjectGet(&Open->Object, RefSuccessor);
    return Connector;
}

NTSTATUS NdkCreateConnector(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                            PVOID RequestContext, NDK_CONNECTOR **ppNdkConnector) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    PRNIC_CONNECTOR Connector = ConnectorNew(Open);
    NTSTATUS Status = STATUS_SUCCESS;
    RNIC_SHAPE Shape;

    if (Connector == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Open->Object.Owner, pNdkAdapter, "answer.create_connector", ShapeInline);
    RequestBeginCreate(&Connector->Object.Request, &Connector->Object, Shape, CreateCompletion,
                       RequestContext);
    if (AnswerFault(pNdkAdapter, "provider.create_connector.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    return RequestAnswerCreate(&Connector->Object.Request, Status, (PVOID *)ppNdkConnector);
}

PRNIC_CONNECTOR ConnectorBorn(PRNIC_LISTENER Listener) {
    PRNIC_CONNECTOR Connector = ConnectorNew(Listener->Open);

    if (Connector != NULL) {
        Connector->IsPassive = TRUE;
        Connector->Listener = Listener;
        ObjectGet(&Listener->Object, RefSuccessor);
    }
    return Connector;
}

/* No command and no callback is under way: what is left is bookkeeping. */
static BOOLEAN ConnectorRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Object, RNIC_CONNECTOR, Object);
    KLOCK_QUEUE_HANDLE Lock;

    UNREFERENCED_PARAMETER(Polled);
    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    NT_ASSERT(!Connector->InConversation && !Connector->Timer.Set && !Connector->IsActive);
    EndpointLeave(Connector);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return TRUE;
}

static VOID ConnectorRelease(PRNIC_OBJECT Object) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Object, RNIC_CONNECTOR, Object);
    PRNIC_LISTENER Listener = Connector->Listener;
    PRNIC_OPEN Open = Connector->Open;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    ConnectorUntie(Connector);
    ConnectorShare(Connector, NULL);
    KeReleaseInStackQueuedSpinLock(&Lock);
    CmPrivateDrop(&Connector->Told);
    CmPrivateDrop(&Connector->Heard);
    PoolPut(Connector);
    if (Listener != NULL) {
        ObjectPut(&Listener->Object, RefSuccessor);
    }
    ObjectPut(&Open->Object, RefSuccessor);
}
