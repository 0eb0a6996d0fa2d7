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
static VOID AnswerGiven(PRNIC_CONNECTOR Connector) {
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
    NTSTATUS
    Fault; /* planned: STATUS_CONNECTION_ABORTED, or STATUS_IO_TIMEOUT, not within the call */
} RNIC_ACCEPT;

static NTSTATUS AcceptFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.accept.connection_aborted", STATUS_CONNECTION_ABORTED},
        {"provider.accept.io_timeout", STATUS_IO_TIMEOUT},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

static NTSTATUS AcceptExFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.accept_ex.connection_aborted", STATUS_CONNECTION_ABORTED},
        {"provider.accept_ex.io_timeout", STATUS_IO_TIMEOUT},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

/* The accepted connector uses the listener's endpoint (R-EP-03). */
static VOID AcceptPrepare(PRNIC_CONNECTOR Connector, const RNIC_ACCEPT *Accept) {
    Connector->Event = Accept->Event;
    Connector->EventEx = Accept->EventEx;
    Connector->EventContext = Accept->EventContext;
    Connector->InboundLimit = (UCHAR)min(Connector->InboundLimit, Accept->Inbound);
    Connector->OutboundLimit = (UCHAR)min(Connector->OutboundLimit, Accept->Outbound);
    EndpointJoin(Connector->Listener->Endpoint, Connector);
    AnswerGiven(Connector);
}

/* Under the lock: an answer that comes to nothing. `Event` tells the peer. */
static VOID AcceptFailed(PRNIC_CONNECTOR Connector, RNIC_CM_EVENT Event, NTSTATUS Status) {
    if (Connector->State != CmEnded) {
        AnswerGiven(Connector);
        CmStep(Connector, Event, NULL);
    }
    if (Status == STATUS_IO_TIMEOUT) {
        ConnectorMustPend(Connector);
    }
    ConnectorSettle(Connector, Status);
}

/* Under the lock, after the request has begun. */
static VOID AcceptGo(PRNIC_CONNECTOR Connector, const RNIC_ACCEPT *Accept, NTSTATUS Status) {
    if (!NT_SUCCESS(Status)) {
        AcceptFailed(Connector, EvRefuse, Status);
    } else if (!NT_SUCCESS(Accept->Fault)) {
        AcceptFailed(Connector, EvReject, Accept->Fault);
    } else if (!CmPrivateSet(&Connector->Told, Accept->Private, Accept->PrivateBytes)) {
        AcceptFailed(Connector, EvReject, STATUS_INSUFFICIENT_RESOURCES);
    } else {
        AcceptPrepare(Connector, Accept);
        CmStep(Connector, EvAccept, NULL);
    }
}

/*
 * Under the lock: what must not be so, and the QP is tied, also where the answer comes too late
 * . STATUS_CONNECTION_ABORTED: the peer gave up, or the listener is being closed (E-02).
 */
static NTSTATUS AcceptTie(PRNIC_CONNECTOR Connector, const RNIC_ACCEPT *Accept) {
    NTSTATUS Status =
        Connector->IsPassive ? AnswerStateCheck(Connector) : STATUS_CONNECTION_INVALID;
    NTSTATUS Tied;

    if (!NT_SUCCESS(Status) && Status != STATUS_CONNECTION_ABORTED) {
        return Status;
    }
    Tied = ConnectorTie(Connector, Accept->Qp);
    if (!NT_SUCCESS(Tied)) {
        return Tied;
    }
    return ObjectIsOpen(&Connector->Listener->Object) ? Status : STATUS_CONNECTION_ABORTED;
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
    if (Accept->PrivateBytes != 0 && Accept->Private == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    Shape = AnswerChoose(Adapter, &Connector->Object.Ndk.Header, "answer.accept", ShapePending);
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = AcceptTie(Connector, Accept);
    if (!NT_SUCCESS(Status) && Status != STATUS_CONNECTION_ABORTED) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, RequestCompletion, RequestContext);
    AcceptGo(Connector, Accept, Status);
    return ConnectorAnswer(Connector, &Lock);
}

NTSTATUS NdkAccept(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                   ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                   NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent, PVOID DisconnectEventContext,
                   NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    const RNIC_ACCEPT Accept = {QpOf(pNdkQp), InboundReadLimit,       OutboundReadLimit,
                                pPrivateData, PrivateDataLength,      DisconnectEvent,
                                NULL,         DisconnectEventContext, AcceptFault(pNdkConnector)};

    return AcceptConnection(ConnectorOf(pNdkConnector), &Accept, RequestCompletion, RequestContext);
}

NTSTATUS NdkAcceptEx(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp, ULONG InboundReadLimit,
                     ULONG OutboundReadLimit, CONST PVOID pPrivateData, ULONG PrivateDataLength,
                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                     PVOID DisconnectEventContext, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                     PVOID RequestContext) {
    const RNIC_ACCEPT Accept = {
        QpOf(pNdkQp),    InboundReadLimit,       OutboundReadLimit,
        pPrivateData,    PrivateDataLength,      NULL,
        DisconnectEvent, DisconnectEventContext, AcceptExFault(pNdkConnector)};
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);

    if (!ObjectKnows(&Connector->Object, 2, 1)) {
        return STATUS_NOT_SUPPORTED;
    }
    return AcceptConnection(Connector, &Accept, RequestCompletion, RequestContext);
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
    NTSTATUS Fault;
    NTSTATUS Status;

    if (PrivateDataLength > Adapter->Info.MaxCalleeData) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    if (PrivateDataLength != 0 && pPrivateData == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    Fault = AnswerFault(pNdkConnector, "provider.reject.connection_aborted")
                ? STATUS_CONNECTION_ABORTED
                : STATUS_SUCCESS;
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = RejectStateCheck(Connector);
    if (NT_SUCCESS(Status)) {
        Connector->RejectPrivate = pPrivateData;
        Connector->RejectPrivateBytes = PrivateDataLength;
        AnswerGiven(Connector);
        CmStep(Connector, EvReject, NULL);
        Connector->RejectPrivate = NULL;
        Connector->RejectPrivateBytes = 0;
        Status = Fault;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
