/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connectors: their life, and what the device says of their connections. What consumers ask for is
 * in mbx_connect.c; the states are drawn in mbx.h.
 */
#include "mbx.h"

static VOID ConnectorClosing(PMBX_OBJECT Object);
static VOID ConnectorFree(PMBX_OBJECT Object);

/* The device's connection goes with the close already, so there is nothing to destroy at the end.
 */
static const MBX_CLASS ConnectorClass = {.Type = NdkObjectTypeConnector,
                                         .CreateFault =
                                             "provider.create_connector.insufficient_resources",
                                         .Closing = ConnectorClosing,
                                         .Free = ConnectorFree};

static PMBX_CONNECTOR OfObject(PMBX_OBJECT Object) {
    return CONTAINING_RECORD(Object, MBX_CONNECTOR, Object);
}

/* ---- Shared by both files ---- */

NTSTATUS ConnectorTie(PMBX_CONNECTOR Connector, PMBX_QP Qp) {
    PMBX_QP Old = Connector->Qp;

    if (Qp->Object.Adapter != Connector->Object.Adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Qp->Connector != NULL && Qp->Connector != Connector) {
        return STATUS_CONNECTION_ACTIVE;
    }
    if (Qp->Phase != QpUnconnected) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Old != Qp) {
        ObjectGet(&Qp->Object);
        Qp->Connector = Connector;
        Connector->Qp = Qp;
        if (Old != NULL) {
            Old->Connector = NULL;
            ObjectPut(&Old->Object);
        }
    }
    return STATUS_SUCCESS;
}

/* The pending request's routine, which is then nobody else's; NULL: there is none. */
static NDK_FN_REQUEST_COMPLETION RequestTake(PMBX_CONNECTOR Connector, PVOID *Context) {
    NDK_FN_REQUEST_COMPLETION Completion;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Adapter->Lock, &Lock);
    Completion = Connector->Completion;
    *Context = Connector->Context;
    Connector->Completion = NULL;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Completion;
}

VOID ConnectorAnswer(PMBX_CONNECTOR Connector, NTSTATUS Status) {
    PVOID Context;
    NDK_FN_REQUEST_COMPLETION Completion = RequestTake(Connector, &Context);

    if (Completion != NULL) {
        Completion(Context, Status);
        ObjectPut(&Connector->Object);
    }
}

VOID ConnectorPeerData(PMBX_CONNECTOR Connector, const struct mbx_request_body *Body) {
    Connector->HasPeerData = Body->has_private != 0;
    Connector->ReadsIn = Body->reads_in;
    Connector->ReadsOut = Body->reads_out;
    Connector->PrivateBytes = Body->private_bytes;
    RtlCopyMemory(Connector->Private, Body->private_data, Body->private_bytes);
}

/* ---- What commands are answered ---- */

static VOID Count(ULONG64 *Counter) {
    InterlockedIncrement64((volatile LONG64 *)Counter);
}

/* A command that was refused ends its request; one that was taken is followed by an event. */
static VOID RequestRefused(PMBX_CONNECTOR Connector, ULONG Opcode, NTSTATUS Status) {
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    if (Connector->State == ConnectorConnecting) {
        Connector->State = ConnectorIdle;
    } else if (Connector->State == ConnectorEstablishing) {
        Connector->State = ConnectorAbandoned;
    } else if (Connector->State == ConnectorDisconnecting) {
        Connector->State = ConnectorEnded;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Opcode != MBX_DISCONNECT) {
        Count(&Adapter->Counters.ConnectFailure);
    }
    ConnectorAnswer(Connector, Status);
}

static VOID RequestDone(PMBX_COMMAND Command) {
    PMBX_CONNECTOR Connector = CONTAINING_RECORD(Command, MBX_CONNECTOR, Request);
    KLOCK_QUEUE_HANDLE Lock;

    if (Command->Status != MBX_OK) {
        RequestRefused(Connector, Command->Data.opcode, CommandNtStatus(Command->Status));
    } else if (Command->Data.opcode == MBX_CONNECT) {
        KeAcquireInStackQueuedSpinLock(&Connector->Object.Adapter->Lock, &Lock);
        Connector->Local.port = (USHORT)Command->Value;
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
    ObjectPut(&Connector->Object);
}

/* Two references: until the answer of the command, and until that of the request. */
VOID ConnectorBegin(PMBX_CONNECTOR Connector, MBX_CONNECTOR_STATE State, ULONG Opcode,
                    NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    ObjectGet(&Connector->Object);
    ObjectGet(&Connector->Object);
    Connector->State = State;
    Connector->Completion = Completion;
    Connector->Context = Context;
    CommandInit(&Connector->Request, Opcode, Connector->Object.Number, RequestDone);
}

/* ---- What the device says ---- */

/* What is to be done without the lock. */
typedef struct _MBX_OUTCOME {
    NTSTATUS Answer; /* STATUS_PENDING: none */
    MBX_QP_PHASE Phase;
    BOOLEAN RaiseEvent;
    ULONG Reason;
    ULONG64 *Counter;
} MBX_OUTCOME, *PMBX_OUTCOME;

/* Under the lock, in all of these. */

static VOID OnReply(PMBX_CONNECTOR Connector, const struct mbx_event *Event, PMBX_OUTCOME Outcome) {
    if (Connector->State != ConnectorConnecting) {
        return;
    }
    ConnectorPeerData(Connector, &Event->body.request);
    Connector->State = Event->status == MBX_OK ? ConnectorReplied : ConnectorIdle;
    Outcome->Answer = CommandNtStatus(Event->status);
    if (Event->status != MBX_OK) {
        Outcome->Counter = &Connector->Object.Adapter->Counters.ConnectFailure;
    }
}

static VOID OnEstablished(PMBX_CONNECTOR Connector, const struct mbx_event *Event,
                          PMBX_OUTCOME Outcome) {
    NDIS_NDK_PERFORMANCE_COUNTERS *Counters = &Connector->Object.Adapter->Counters;

    if (Connector->State != ConnectorEstablishing) {
        return;
    }
    Outcome->Answer = CommandNtStatus(Event->status);
    if (Event->status != MBX_OK) {
        Connector->State = ConnectorAbandoned;
        Outcome->Counter = &Counters->ConnectFailure;
        return;
    }
    Connector->State = ConnectorConnected;
    Connector->IsActive = TRUE;
    Counters->ActiveConnection++;
    Outcome->Counter = Connector->IsPassive ? &Counters->Accept : &Counters->Connect;
    Outcome->Phase = QpConnected;
}

static VOID NoLongerActive(PMBX_CONNECTOR Connector) {
    if (Connector->IsActive) {
        Connector->IsActive = FALSE;
        Connector->Object.Adapter->Counters.ActiveConnection--;
    }
}

static VOID OnDisconnected(PMBX_CONNECTOR Connector, const struct mbx_event *Event,
                           PMBX_OUTCOME Outcome) {
    if (Connector->State == ConnectorDisconnecting) {
        Connector->State = ConnectorEnded;
        NoLongerActive(Connector);
        Outcome->Answer = CommandNtStatus(Event->status);
        Outcome->Phase = QpEnded;
    }
}

static VOID OnLost(PMBX_CONNECTOR Connector, PMBX_OUTCOME Outcome) {
    NDIS_NDK_PERFORMANCE_COUNTERS *Counters = &Connector->Object.Adapter->Counters;

    switch (Connector->State) {
    case ConnectorConnecting: /* with the device */
        Connector->State = ConnectorIdle;
        Outcome->Answer = STATUS_DEVICE_REMOVED;
        Outcome->Counter = &Counters->ConnectFailure;
        break;
    case ConnectorReplied:
    case ConnectorRequested:
    case ConnectorEstablishing:
        Connector->State = ConnectorAbandoned;
        Outcome->Answer = STATUS_CONNECTION_ABORTED;
        Outcome->Counter = &Counters->ConnectFailure;
        break;
    case ConnectorConnected:
        Connector->State = ConnectorLost;
        NoLongerActive(Connector);
        Outcome->Phase = QpFlushing;
        Outcome->RaiseEvent = TRUE;
        Outcome->Reason = MBX_ABORTED;
        Outcome->Counter = &Counters->ConnectionError;
        break;
    case ConnectorDisconnecting:
        Connector->State = ConnectorEnded;
        NoLongerActive(Connector);
        Outcome->Answer = STATUS_CONNECTION_ABORTED;
        Outcome->Phase = QpEnded;
        break;
    default:
        break;
    }
}

/* Once per connection, and not for an end that the consumer has asked for. */
static VOID EventRaise(PMBX_CONNECTOR Connector, ULONG Reason) {
    NDK_FN_DISCONNECT_EVENT_CALLBACK Event = Connector->Event;
    NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx = Connector->EventEx;

    Connector->Event = NULL;
    Connector->EventEx = NULL;
    if (ReadNoFence(&Connector->Object.Closing) != 0) {
        return;
    }
    if (Event != NULL) {
        Event(Connector->EventContext);
    }
    if (EventEx != NULL) {
        EventEx(Connector->EventContext, Reason);
    }
}

static VOID OutcomeApply(PMBX_CONNECTOR Connector, const MBX_OUTCOME *Outcome) {
    if (Outcome->Counter != NULL) {
        Count(Outcome->Counter);
    }
    if (Outcome->Phase != QpUnconnected) {
        QpSetPhase(Connector->Qp, Outcome->Phase);
    }
    if (Outcome->Answer != STATUS_PENDING) {
        ConnectorAnswer(Connector, Outcome->Answer);
    }
    if (Outcome->RaiseEvent) {
        EventRaise(Connector, Outcome->Reason);
    }
}

VOID ConnectorEvent(PMBX_CONNECTOR Connector, const struct mbx_event *Event) {
    MBX_OUTCOME Outcome = {.Answer = STATUS_PENDING, .Phase = QpUnconnected};
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Adapter->Lock, &Lock);
    switch (Event->type) {
    case MBX_EVENT_REPLY:
        OnReply(Connector, Event, &Outcome);
        break;
    case MBX_EVENT_ESTABLISHED:
        OnEstablished(Connector, Event, &Outcome);
        break;
    case MBX_EVENT_PEER_DONE:
        Outcome.RaiseEvent = Connector->State == ConnectorConnected;
        break;
    case MBX_EVENT_DISCONNECTED:
        OnDisconnected(Connector, Event, &Outcome);
        break;
    default:
        OnLost(Connector, &Outcome);
        break;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    OutcomeApply(Connector, &Outcome);
}

/* ---- Life ---- */

/* No event of the connection comes any more: whatever is still asked for is cancelled. */
static VOID CloseDone(PMBX_COMMAND Command) {
    PMBX_CONNECTOR Connector = CONTAINING_RECORD(Command, MBX_CONNECTOR, Close);
    PMBX_ADAPTER Adapter = Connector->Object.Adapter;
    KLOCK_QUEUE_HANDLE Lock;

    ObjectDelist(&Connector->Object);
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Connector->State = ConnectorEnded;
    NoLongerActive(Connector);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Connector->Qp != NULL && Connector->Qp->Phase != QpUnconnected) {
        QpSetPhase(Connector->Qp, QpEnded);
    }
    ConnectorAnswer(Connector, STATUS_CANCELLED);
    ObjectPut(&Connector->Object);
}

static VOID ConnectorClosing(PMBX_OBJECT Object) {
    PMBX_CONNECTOR Connector = OfObject(Object);

    ObjectGet(Object);
    CommandInit(&Connector->Close, MBX_CLOSE_CONNECTION, Object->Number, CloseDone);
    CommandPost(Object->Adapter, &Connector->Close);
}

static VOID ConnectorFree(PMBX_OBJECT Object) {
    PMBX_CONNECTOR Connector = OfObject(Object);
    KLOCK_QUEUE_HANDLE Lock;

    if (Connector->Qp != NULL) {
        KeAcquireInStackQueuedSpinLock(&Object->Adapter->Lock, &Lock);
        Connector->Qp->Connector = NULL;
        KeReleaseInStackQueuedSpinLock(&Lock);
        Object->Parents[2] = &Connector->Qp->Object; /* let go of with the others */
    }
}

/* ---- Queries ---- */

static NTSTATUS MbxGetConnectionData(NDK_CONNECTOR *ConnectorHandle, ULONG *pInboundReadLimit,
                                     ULONG *pOutboundReadLimit, PVOID Words,
                                     ULONG *pPrivateDataLength) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);
    NTSTATUS Status = STATUS_CONNECTION_INVALID;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Adapter->Lock, &Lock);
    if (Connector->HasPeerData) {
        ULONG Bytes = Connector->PrivateBytes;
        BOOLEAN Asks = Words == NULL && *pPrivateDataLength == 0;

        Status = Asks || *pPrivateDataLength >= Bytes ? STATUS_SUCCESS : STATUS_BUFFER_TOO_SMALL;
        if (Words != NULL) {
            RtlCopyMemory(Words, Connector->Private, min(Bytes, *pPrivateDataLength));
        }
        *pPrivateDataLength = Bytes;
        if (pInboundReadLimit != NULL) {
            *pInboundReadLimit = Connector->ReadsIn;
        }
        if (pOutboundReadLimit != NULL) {
            *pOutboundReadLimit = Connector->ReadsOut;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static NTSTATUS GetAddress(PMBX_CONNECTOR Connector, const struct mbx_address *Address,
                           PSOCKADDR Sockaddr, PULONG Length) {
    NTSTATUS Status = STATUS_CONNECTION_INVALID;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Adapter->Lock, &Lock);
    if (Connector->HasAddresses) {
        Status = AddressToSockaddr(Address, Sockaddr, Length);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static NTSTATUS MbxGetLocalAddress(NDK_CONNECTOR *ConnectorHandle, PSOCKADDR pAddress,
                                   ULONG *pAddressLength) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);

    return GetAddress(Connector, &Connector->Local, pAddress, pAddressLength);
}

static NTSTATUS MbxGetPeerAddress(NDK_CONNECTOR *ConnectorHandle, PSOCKADDR pAddress,
                                  ULONG *pAddressLength) {
    PMBX_CONNECTOR Connector = ConnectorOf(ConnectorHandle);

    return GetAddress(Connector, &Connector->Peer, pAddress, pAddressLength);
}

/* ---- Creation ---- */

static NTSTATUS MbxConnectWithSharedEndpoint(NDK_CONNECTOR *ConnectorHandle, NDK_QP *QpHandle,
                                             NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                             const struct sockaddr *ToAddress, ULONG ToBytes,
                                             ULONG InReads, ULONG OutReads, CONST PVOID Words,
                                             ULONG WordsBytes, NDK_FN_REQUEST_COMPLETION OnDone,
                                             PVOID Caller) {
    UNREFERENCED_PARAMETER(ConnectorHandle);
    UNREFERENCED_PARAMETER(QpHandle);
    UNREFERENCED_PARAMETER(pNdkSharedEndpoint);
    UNREFERENCED_PARAMETER(ToAddress);
    UNREFERENCED_PARAMETER(ToBytes);
    UNREFERENCED_PARAMETER(InReads);
    UNREFERENCED_PARAMETER(OutReads);
    UNREFERENCED_PARAMETER(Words);
    UNREFERENCED_PARAMETER(WordsBytes);
    UNREFERENCED_PARAMETER(OnDone);
    UNREFERENCED_PARAMETER(Caller);
    return STATUS_NOT_SUPPORTED;
}

static const NDK_CONNECTOR_DISPATCH ConnectorDispatch = {
    .NdkCloseConnector = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkConnect = MbxConnect,
    .NdkConnectWithSharedEndpoint = MbxConnectWithSharedEndpoint,
    .NdkCompleteConnect = MbxCompleteConnect,
    .NdkAccept = MbxAccept,
    .NdkReject = MbxReject,
    .NdkGetConnectionData = MbxGetConnectionData,
    .NdkGetLocalAddress = MbxGetLocalAddress,
    .NdkGetPeerAddress = MbxGetPeerAddress,
    .NdkDisconnect = MbxDisconnect,
    .NdkCompleteConnectEx = MbxCompleteConnectEx,
    .NdkAcceptEx = MbxAcceptEx,
};

static PMBX_CONNECTOR ConnectorNew(PMBX_OBJECT Open) {
    PMBX_CONNECTOR Connector =
        (PMBX_CONNECTOR)ObjectNew(Open->Adapter, &ConnectorClass, sizeof(*Connector), Open);

    if (Connector != NULL) {
        Connector->Object.Ndk.Connector.Dispatch = &ConnectorDispatch;
    }
    return Connector;
}

NTSTATUS MbxCreateConnector(NDK_ADAPTER *AdapterHandle, NDK_FN_CREATE_COMPLETION OnMade,
                            PVOID Caller, NDK_CONNECTOR **Made) {
    PMBX_OBJECT Open = CONTAINING_RECORD(AdapterHandle, MBX_OBJECT, Ndk.Adapter);
    PMBX_CONNECTOR Connector = ConnectorNew(Open);

    UNREFERENCED_PARAMETER(Made);
    if (Connector == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    CommandInit(&Connector->Object.Command, MBX_CREATE_CONNECTION, 0, NULL);
    return ObjectCreate(&Connector->Object, &Open->Adapter->Connectors, OnMade, Caller);
}

PMBX_CONNECTOR ConnectorBorn(PMBX_LISTENER Listener, const struct mbx_event *Event) {
    PMBX_CONNECTOR Connector = ConnectorNew(Listener->Object.Parents[0]);

    if (Connector == NULL) {
        return NULL;
    }
    ObjectAddParent(&Connector->Object, 1, &Listener->Object);
    Connector->IsPassive = TRUE;
    Connector->State = ConnectorRequested;
    Connector->HasAddresses = TRUE;
    Connector->Local = Event->body.request.local;
    Connector->Peer = Event->body.request.peer;
    ConnectorPeerData(Connector, &Event->body.request);
    ObjectEnlist(&Connector->Object, &Connector->Object.Adapter->Connectors, Event->object);
    return Connector;
}
