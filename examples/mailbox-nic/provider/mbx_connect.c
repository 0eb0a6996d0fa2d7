/* SPDX-License-Identifier: Apache-2.0 */
/* What consumers ask of connectors: connect, complete, accept, reject, disconnect. */
#include "mbx.h"

/* Limits and private data of a CONNECT or ACCEPT. */
static VOID BodyFill(PMBX_CONNECTOR Connector, ULONG InReads, ULONG OutReads,
                     const VOID *PrivateData, ULONG PrivateBytes) {
    struct mbx_connect_body *Body = &Connector->Request.Data.body.connect;
    const MBX_SETTINGS *Settings = &Connector->Object.Adapter->Settings;

    Body->qp = Connector->Qp->Object.Number;
    Body->reads_in = (USHORT)min(InReads, MBX_READS_MAX);
    Body->reads_out = (USHORT)min(OutReads, MBX_READS_MAX);
    Body->is_loopback_off = Settings->Loopback == 0;
    Body->busy_retries = (UCHAR)Settings->BusyRetries;
    Body->private_bytes = PrivateBytes;
    if (PrivateBytes != 0) {
        RtlCopyMemory(Body->private_data, PrivateData, PrivateBytes);
    }
}

/* ---- The active side ---- */

static NTSTATUS ConnectCheck(const MBX_CONNECTOR *Connector) {
    if (Connector->IsPassive) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    switch (Connector->State) {
    case ConnectorIdle:
        return STATUS_SUCCESS;
    case ConnectorAbandoned:
    case ConnectorLost:
    case ConnectorEnded:
        return STATUS_INVALID_DEVICE_STATE;
    default:
        return STATUS_CONNECTION_ACTIVE;
    }
}

static NTSTATUS ConnectAddresses(const struct sockaddr *FromAddress, ULONG FromBytes,
                                 const struct sockaddr *ToAddress, ULONG ToBytes,
                                 struct mbx_address *Local, struct mbx_address *Peer) {
    if (!NT_SUCCESS(AddressFromSockaddr(FromAddress, FromBytes, Local)) ||
        !NT_SUCCESS(AddressFromSockaddr(ToAddress, ToBytes, Peer)) || Peer->port == 0 ||
        AddressIsWildcard(Peer) || AddressIsV4(Local) != AddressIsV4(Peer)) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

NTSTATUS MbxConnect(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle,
                    const struct sockaddr *FromAddress, ULONG FromBytes,
                    const struct sockaddr *ToAddress, ULONG ToBytes, ULONG InReads, ULONG OutReads,
                    CONST PVOID Words, ULONG WordsBytes, NDK_FN_REQUEST_COMPLETION OnDone,
                    PVOID Caller) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    struct mbx_address Local;
    struct mbx_address Peer;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status = ConnectAddresses(FromAddress, FromBytes, ToAddress, ToBytes, &Local, &Peer);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (WordsBytes > MBX_PRIVATE_BYTES) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Status = ConnectCheck(Connector);
    if (NT_SUCCESS(Status)) {
        Status = ConnectorTie(Connector, QpOf(QpHandle));
    }
    if (NT_SUCCESS(Status)) {
        ConnectorBegin(Connector, ConnectorConnecting, MBX_CONNECT, OnDone, Caller);
        Connector->HasPeerData = FALSE;
        Connector->HasAddresses = TRUE;
        Connector->Local = Connector->Request.Data.body.connect.local = Local;
        Connector->Peer = Connector->Request.Data.body.connect.peer = Peer;
        BodyFill(Connector, InReads, OutReads, Words, WordsBytes);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (NT_SUCCESS(Status)) {
        CommandPost(Adapter, &Connector->Request);
        Status = STATUS_PENDING;
    }
    return Status;
}

static NTSTATUS Complete(NDK_CONNECTOR *ConnectorHandle, NDK_FN_DISCONNECT_EVENT_CALLBACK Event,
                         NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx, PVOID EventContext,
                         NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    BOOLEAN TimesOut = FaultFires("provider.complete_connect.io_timeout", &Connector->Object);
    NTSTATUS Status = STATUS_CONNECTION_INVALID;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    if (!Connector->IsPassive && Connector->State == ConnectorReplied) {
        ConnectorBegin(Connector, ConnectorEstablishing, MBX_CONFIRM, OnDone, Caller);
        Connector->Event = Event;
        Connector->EventEx = EventEx;
        Connector->EventContext = EventContext;
        Status = STATUS_PENDING;
    } else if (!Connector->IsPassive && Connector->State == ConnectorAbandoned) {
        Status = STATUS_CONNECTION_ABORTED;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Status == STATUS_PENDING && TimesOut) {
        CommandFake(Adapter, &Connector->Request, MBX_TIMED_OUT);
    } else if (Status == STATUS_PENDING) {
        CommandPost(Adapter, &Connector->Request);
    }
    return Status;
}

NTSTATUS MbxCompleteConnect(NDK_CONNECTOR *ConnectorHandle, NDK_FN_DISCONNECT_EVENT_CALLBACK OnEnd,
                            PVOID EndContext, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    return Complete(ConnectorHandle, OnEnd, NULL, EndContext, OnDone, Caller);
}

NTSTATUS MbxCompleteConnectEx(NDK_CONNECTOR *ConnectorHandle,
                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX OnEnd, PVOID EndContext,
                              NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    if (!ObjectKnows(&ConnectorOf(ConnectorHandle)->Object, 2, 1)) {
        return STATUS_NOT_SUPPORTED;
    }
    return Complete(ConnectorHandle, NULL, OnEnd, EndContext, OnDone, Caller);
}

/* ---- The passive side ---- */

static VOID RejectDone(PMBX_COMMAND Command) {
    ObjectPut(&CONTAINING_RECORD(Command, MBX_CONNECTOR, Reject)->Object);
}

/* Under the lock; the command is posted without it. */
static VOID RejectBegin(PMBX_CONNECTOR Connector, const VOID *PrivateData, ULONG PrivateBytes) {
    struct mbx_connect_body *Body = &Connector->Reject.Data.body.connect;

    ObjectGet(&Connector->Object);
    Connector->State = ConnectorEnded;
    CommandInit(&Connector->Reject, MBX_REJECT, Connector->Object.Number, RejectDone);
    Body->private_bytes = PrivateBytes;
    if (PrivateBytes != 0) {
        RtlCopyMemory(Body->private_data, PrivateData, PrivateBytes);
    }
}

NTSTATUS MbxReject(NDK_CONNECTOR *ConnectorHandle, CONST PVOID Words, ULONG WordsBytes) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    NTSTATUS Status = STATUS_CONNECTION_INVALID;
    KLOCK_QUEUE_HANDLE Lock;

    if (WordsBytes > MBX_PRIVATE_BYTES) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    if (Connector->State == ConnectorRequested || Connector->State == ConnectorReplied) {
        RejectBegin(Connector, Words, WordsBytes);
        Status = STATUS_SUCCESS;
    } else if (Connector->State == ConnectorAbandoned) {
        Status = STATUS_CONNECTION_ABORTED;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (NT_SUCCESS(Status)) {
        CommandPost(Adapter, &Connector->Reject);
    }
    return Status;
}

static NTSTATUS AcceptCheck(PMBX_CONNECTOR Connector, PMBX_QP Qp) {
    if (Connector->State == ConnectorAbandoned) {
        return STATUS_CONNECTION_ABORTED;
    }
    if (!Connector->IsPassive || Connector->State != ConnectorRequested) {
        return STATUS_CONNECTION_INVALID;
    }
    return ConnectorTie(Connector, Qp);
}

typedef struct _MBX_ACCEPTING {
    ULONG ReadsIn;
    ULONG ReadsOut;
    const VOID *PrivateData;
    ULONG PrivateBytes;
    PVOID EventContext;
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx;
} MBX_ACCEPTING;

/* A listener that closes accepts nobody any more: the peer is refused. */
static NTSTATUS Accept(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle, const MBX_ACCEPTING *How,
                       NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    PMBX_COMMAND Command = NULL;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    if (How->PrivateBytes > MBX_PRIVATE_BYTES) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Status = AcceptCheck(Connector, QpOf(QpHandle));
    if (NT_SUCCESS(Status) && ReadNoFence(&Connector->Object.Parents[1]->Closing) != 0) {
        RejectBegin(Connector, NULL, 0);
        Command = &Connector->Reject;
        Status = STATUS_CONNECTION_ABORTED;
    } else if (NT_SUCCESS(Status)) {
        ConnectorBegin(Connector, ConnectorEstablishing, MBX_ACCEPT, OnDone, Caller);
        Connector->Event = How->Event;
        Connector->EventEx = How->EventEx;
        Connector->EventContext = How->EventContext;
        BodyFill(Connector, How->ReadsIn, How->ReadsOut, How->PrivateData, How->PrivateBytes);
        Command = &Connector->Request;
        Status = STATUS_PENDING;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Command != NULL) {
        CommandPost(Adapter, Command);
    }
    return Status;
}

NTSTATUS MbxAccept(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle, ULONG InReads, ULONG OutReads,
                   CONST PVOID Words, ULONG WordsBytes, NDK_FN_DISCONNECT_EVENT_CALLBACK OnEnd,
                   PVOID EndContext, NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    const MBX_ACCEPTING How = {InReads, OutReads, Words, WordsBytes, EndContext, OnEnd, NULL};

    return Accept(ConnectorHandle, QpHandle, &How, OnDone, Caller);
}

NTSTATUS MbxAcceptEx(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle, ULONG InReads,
                     ULONG OutReads, CONST PVOID Words, ULONG WordsBytes,
                     NDK_FN_DISCONNECT_EVENT_CALLBACK_EX OnEnd, PVOID EndContext,
                     NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller) {
    const MBX_ACCEPTING How = {InReads, OutReads, Words, WordsBytes, EndContext, NULL, OnEnd};

    if (!ObjectKnows(&ConnectorOf(ConnectorHandle)->Object, 2, 1)) {
        return STATUS_NOT_SUPPORTED;
    }
    return Accept(ConnectorHandle, QpHandle, &How, OnDone, Caller);
}

/* ---- The end ---- */

NTSTATUS MbxDisconnect(NDK_CONNECTOR *ConnectorHandle, NDK_FN_REQUEST_COMPLETION OnDone,
                       PVOID Caller) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    NTSTATUS Status = STATUS_CONNECTION_INVALID;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    if (Connector->State == ConnectorConnected) {
        ConnectorBegin(Connector, ConnectorDisconnecting, MBX_DISCONNECT, OnDone, Caller);
        Status = STATUS_PENDING;
    } else if (Connector->State == ConnectorLost) {
        Connector->State = ConnectorEnded;
        Status = STATUS_CONNECTION_ABORTED;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Status == STATUS_PENDING) {
        CommandPost(Adapter, &Connector->Request);
    } else if (Status == STATUS_CONNECTION_ABORTED) {
        QpSetPhase(Connector->Qp, QpEnded);
    }
    return Status;
}
