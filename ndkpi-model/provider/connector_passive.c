/* SPDX-License-Identifier: Apache-2.0 */
/* Answering a request that came in: NdkAccept and its extended form, NdkReject on both sides. */
#include "adapter.h"

/* Whether a consumer's answer still finds its request (D-11, D-12, E-02). */
static NTSTATUS AnswerStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!ObjectIsOpen(&Connector->Object) || ConnectorIsBusy(Connector)) {
        return STATUS_CONNECTION_INVALID;
    }
    if (Connector->State == CmReqRcvd || Connector->State == CmMraReqSent) {
        return STATUS_SUCCESS;
    }
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
}

/* The request has been answered: it no longer counts against the backlog. */
static VOID ConnectorAnswered(PRNIC_CONNECTOR Connector) {
    if (Connector->Waits) {
        Connector->Waits = FALSE;
        Connector->Listener->Waiting--;
    }
}

typedef struct _RNIC_ACCEPT {
    PRNIC_QP Qp;
    ULONG Inbound;
    ULONG Outbound;
    const VOID *Private;
    ULONG PrivateBytes;
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx;
    PVOID EventContext;
} RNIC_ACCEPT;

/* The accepted connector uses the listener's endpoint (R-EP-03). */
static VOID AcceptPrepare(PRNIC_CONNECTOR Connector, const RNIC_ACCEPT *Accept) {
    Connector->Event = Accept->Event;
    Connector->EventEx = Accept->EventEx;
    Connector->EventContext = Accept->EventContext;
    Connector->InboundLimit = (UCHAR)min(Connector->InboundLimit, Accept->Inbound);
    Connector->OutboundLimit = (UCHAR)min(Connector->OutboundLimit, Accept->Outbound);
    Connector->Endpoint = Connector->Listener->Endpoint;
    EndpointGet(Connector->Endpoint);
    ConnectorAnswered(Connector);
    CmEncodeRep(Connector, Connector->Mad, Accept->Private, Accept->PrivateBytes);
}

static NTSTATUS AcceptConnection(PRNIC_CONNECTOR Connector, const RNIC_ACCEPT *Accept,
                                 NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                 PVOID RequestContext) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;
    RNIC_SHAPE Shape;

    if (Accept->PrivateBytes > Adapter->Info.MaxCalleeData) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    Shape = AnswerChoose(Adapter, &Connector->Object.Ndk.Header, "answer.accept", ShapePending);
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = Connector->IsPassive ? AnswerStateCheck(Connector) : STATUS_CONNECTION_INVALID;
    if (NT_SUCCESS(Status) && !ObjectIsOpen(&Connector->Listener->Object)) {
        /* No connection comes up over a listener that is being closed (E-02). */
        ConnectorAnswered(Connector);
        CmStep(Connector, EvReject, NULL);
        Status = STATUS_CONNECTION_ABORTED;
    } else if (NT_SUCCESS(Status)) {
        Status = ConnectorTie(Connector, Accept->Qp);
    }
    if (!NT_SUCCESS(Status) && Status != STATUS_CONNECTION_ABORTED) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, RequestCompletion, RequestContext);
    if (!NT_SUCCESS(Status)) {
        ConnectorSettle(Connector, Status);
        return ConnectorAnswer(Connector, &Lock);
    }
    /* Success takes the peer's answer: it never comes within the call. */
    Connector->Starting = FALSE;
    AcceptPrepare(Connector, Accept);
    CmStep(Connector, EvAccept, NULL);
    return ConnectorAnswer(Connector, &Lock);
}

NTSTATUS NdkAccept(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                   ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                   NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent, PVOID DisconnectEventContext,
                   NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    const RNIC_ACCEPT Accept = {QpOf(pNdkQp), InboundReadLimit,      OutboundReadLimit,
                                pPrivateData, PrivateDataLength,     DisconnectEvent,
                                NULL,         DisconnectEventContext};

    return AcceptConnection(ConnectorOf(pNdkConnector), &Accept, RequestCompletion, RequestContext);
}

NTSTATUS NdkAcceptEx(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                     ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                     PVOID DisconnectEventContext, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                     PVOID RequestContext) {
    const RNIC_ACCEPT Accept = {QpOf(pNdkQp),    InboundReadLimit,      OutboundReadLimit,
                                pPrivateData,    PrivateDataLength,     NULL,
                                DisconnectEvent, DisconnectEventContext};

    return AcceptConnection(ConnectorOf(pNdkConnector), &Accept, RequestCompletion, RequestContext);
}

static NTSTATUS RejectStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!Connector->IsPassive && Connector->State == CmRepRcvd && !ConnectorIsBusy(Connector)) {
        return STATUS_SUCCESS; /* R-CONN-19 */
    }
    return Connector->IsPassive ? AnswerStateCheck(Connector) : STATUS_CONNECTION_INVALID;
}

NTSTATUS NdkReject(NDK_CONNECTOR *pNdkConnector, CONST PVOID pPrivateData,
                   ULONG PrivateDataLength) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    if (PrivateDataLength > RNIC_CM_REJ_PRIVATE_BYTES) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = RejectStateCheck(Connector);
    if (NT_SUCCESS(Status)) {
        Connector->RejectPrivate = pPrivateData;
        Connector->RejectPrivateBytes = PrivateDataLength;
        ConnectorAnswered(Connector);
        CmStep(Connector, EvReject, NULL);
        Connector->RejectPrivate = NULL;
        Connector->RejectPrivateBytes = 0;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
