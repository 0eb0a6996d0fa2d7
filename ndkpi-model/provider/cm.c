/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a message of the connection manager is for; see cm.h for the machine. */
#include "adapter.h"
#include "cm_send.h"
#include "linger.h"

#define RNIC_SERVICE_ID_TCP 0x0106u /* upper bits of a TCP-space service id */
#define RNIC_TRANSPORT_RC 0u

static PLIST_ENTRY CmBucket(RNIC_CM *Cm, ULONG LocalId) {
    return &Cm->Connectors[LocalId % RNIC_CM_BUCKETS];
}

/* Spread over the whole 24 bits, so that sequence numbers wrap in ordinary runs, too. */
ULONG CmPsnOf(ULONG LocalId) {
    return (LocalId * 2654435761u) >> 8;
}

VOID CmEnter(PRNIC_CONNECTOR Connector) {
    RNIC_CM *Cm = &Connector->Object.Owner->Cm;

    Connector->Ids.LocalId = Cm->NextId++;
    if (Connector->Ids.LocalId == 0) {
        Connector->Ids.LocalId = Cm->NextId++;
    }
    Connector->LocalPsn = CmPsnOf(Connector->Ids.LocalId);
    Connector->InConversation = TRUE;
    InsertTailList(CmBucket(Cm, Connector->Ids.LocalId), &Connector->IdLink);
}

VOID CmLeave(PRNIC_CONNECTOR Connector) {
    if (Connector->InConversation) {
        Connector->InConversation = FALSE;
        RemoveEntryList(&Connector->IdLink);
    }
}

/* An answer must come from the peer and name both sides as we know them. */
static BOOLEAN CmBelongs(const RNIC_CONNECTOR *Connector, const RNIC_IP *From,
                         const RNIC_CM_MESSAGE *Message) {
    if (Connector->Ids.LocalId != Message->RemoteId || !IpEqual(&Connector->PeerIp, From)) {
        return FALSE;
    }
    if (Message->Kind == CmRep && Connector->Ids.RemoteId == 0) {
        return Message->TransactionId == Connector->Ids.TransactionId;
    }
    if (Message->LocalId == Connector->Ids.RemoteId) {
        return TRUE;
    }
    /* To a REQ the peer may answer before we know an id of its. */
    return Connector->Ids.RemoteId == 0 && (Message->Kind == CmRej || Message->Kind == CmMra) &&
           Message->TransactionId == Connector->Ids.TransactionId;
}

/* Who gives a connect up may not have heard an id of ours: his own must do (IBTA 12.9.8.3). */
static PRNIC_CONNECTOR CmFindGivenUp(RNIC_CM *Cm, const RNIC_IP *From,
                                     const RNIC_CM_MESSAGE *Message) {
    ULONG i;

    for (i = 0; i < RNIC_CM_BUCKETS; i++) {
        PLIST_ENTRY Bucket = &Cm->Connectors[i];
        PLIST_ENTRY Entry;

        for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
            PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, IdLink);

            if (Connector->IsPassive && Connector->Ids.RemoteId == Message->LocalId &&
                IpEqual(&Connector->PeerIp, From)) {
                return Connector;
            }
        }
    }
    return NULL;
}

static PRNIC_CONNECTOR CmFind(RNIC_CM *Cm, const RNIC_IP *From, const RNIC_CM_MESSAGE *Message) {
    PLIST_ENTRY Bucket = CmBucket(Cm, Message->RemoteId);
    PLIST_ENTRY Entry;

    if (Message->Kind == CmRej && Message->RemoteId == 0) {
        return Message->Reason == CmReasonTimeout ? CmFindGivenUp(Cm, From, Message) : NULL;
    }
    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, IdLink);

        if (CmBelongs(Connector, From, Message)) {
            return Connector;
        }
    }
    return NULL;
}

static RNIC_CM_EVENT CmEventOf(const RNIC_CM_MESSAGE *Message, BOOLEAN Held) {
    switch (Message->Kind) {
    case CmMra:
        return EvMra;
    case CmRej:
        return EvRej;
    case CmRep:
        return EvRep;
    case CmRtu:
        return Held ? EvRtuHeld : EvRtu;
    case CmDreq:
        return Message->Abort ? EvDreqAbort : EvDreq;
    default:
        return Message->Abort ? EvDrepAbort : EvDrep;
    }
}

static BOOLEAN CmHear(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->HasPrivate =
        CmPrivateSet(&Connector->Heard, Message->Private, Message->PrivateBytes);
    return Connector->HasPrivate;
}

/*
 * An answer to a REQ that a consumer gave, with private data; that of a reject can be read until
 * the next attempt (D-04).
 */
static BOOLEAN CmBringsPrivate(const RNIC_CONNECTOR *Connector, const RNIC_CM_MESSAGE *Message) {
    if (Connector->State != CmReqSent && Connector->State != CmMraReqRcvd) {
        return FALSE;
    }
    return Message->Kind == CmRep ||
           (Message->Kind == CmRej && Message->Reason == CmReasonConsumer);
}

/* The peer's DREQ tells what its RTU would have told: it has completed its connect. */
static VOID CmDeliver(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    BOOLEAN Held = Connector->IsPassive && AdapterIsIwarp(Connector->Object.Owner);

    if (CmBringsPrivate(Connector, Message) && !CmHear(Connector, Message)) {
        return; /* as if it had been lost on its way */
    }
    if (Held && Message->Kind == CmDreq) {
        CmStep(Connector, EvRtuHeld, NULL);
    }
    CmStep(Connector, CmEventOf(Message, Held), Message);
}

static PCSTR CmTraceName(RNIC_CM_KIND Kind) {
    switch (Kind) {
    case CmReq:
        return "cm.req";
    case CmMra:
        return "cm.mra";
    case CmRej:
        return "cm.rej";
    case CmRep:
        return "cm.rep";
    case CmRtu:
        return "cm.rtu";
    case CmDreq:
        return "cm.dreq";
    default:
        return "cm.drep";
    }
}

static VOID CmReply(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To, PCSTR Event,
                    const UCHAR *Mad) {
    UCHAR AddressIndex;

    if (AddressFind(Adapter, To, &AddressIndex)) {
        NdksimTrace(Event, NULL, 0, 0);
        GsiSend(Adapter, AddressIndex, From, Mad);
    }
}

static VOID CmReject(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To,
                     const RNIC_CM_MESSAGE *Message, RNIC_CM_ANSWERED Answered, USHORT Reason) {
    const RNIC_CM_IDS Ids = {Message->TransactionId, Message->RemoteId, Message->LocalId};
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeRej(Adapter, Mad, &Ids, Answered, Reason, NULL, 0);
    CmReply(Adapter, From, To, "cm.rej", Mad);
}

/* Nobody here knows these ids: a REP is refused, a DREQ answered, the rest is of no interest. */
static VOID CmUnknown(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To,
                      const RNIC_CM_MESSAGE *Message) {
    const RNIC_CM_IDS Ids = {Message->TransactionId, Message->RemoteId, Message->LocalId};
    UCHAR Mad[RNIC_MAD_BYTES];

    if (Message->Kind == CmRep) {
        CmReject(Adapter, From, To, Message, CmAnsweredRep, CmReasonInvalidCommId);
    } else if (Message->Kind == CmDreq) {
        CmEncodeDrep(Mad, &Ids, TRUE);
        CmReply(Adapter, From, To, "cm.drep", Mad);
    }
}

typedef enum _RNIC_REQ_FATE { ReqNew, ReqCopy, ReqStale } RNIC_REQ_FATE;

static BOOLEAN ReqHasTuple(const RNIC_CONNECTOR *Connector, const RNIC_IP *To,
                           const RNIC_CM_MESSAGE *Message) {
    return Connector->IsPassive && Connector->PeerPort == Message->SourcePort &&
           Connector->LocalPort == (USHORT)Message->ServiceId && IpEqual(&Connector->LocalIp, To);
}

static RNIC_REQ_FATE ReqCompare(const RNIC_CONNECTOR *Connector, const RNIC_IP *From,
                                const RNIC_IP *To, const RNIC_CM_MESSAGE *Message) {
    BOOLEAN SameId = Connector->IsPassive && Connector->Ids.RemoteId == Message->LocalId;
    BOOLEAN SameQp = Connector->PeerQpn == Message->Qpn;

    if (!IpEqual(&Connector->PeerIp, From) || Connector->Ids.RemoteId == 0) {
        return ReqNew;
    }
    if (SameId && SameQp && Connector->PeerPsn == Message->Psn) {
        return ReqCopy;
    }
    /* The peer has forgotten this connection: it uses its id, QP or address for another one. */
    return SameId || SameQp || ReqHasTuple(Connector, To, Message) ? ReqStale : ReqNew;
}

/* Finds the connector that a REQ repeats or makes stale. */
static RNIC_REQ_FATE ReqJudge(RNIC_CM *Cm, const RNIC_IP *From, const RNIC_IP *To,
                              const RNIC_CM_MESSAGE *Message, PRNIC_CONNECTOR *Found) {
    ULONG i;

    for (i = 0; i < RNIC_CM_BUCKETS; i++) {
        PLIST_ENTRY Bucket = &Cm->Connectors[i];
        PLIST_ENTRY Entry;

        for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
            PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, IdLink);
            RNIC_REQ_FATE Fate = ReqCompare(Connector, From, To, Message);

            if (Fate != ReqNew) {
                *Found = Connector;
                return Fate;
            }
        }
    }
    return ReqNew;
}

static VOID ConnectorFromReq(PRNIC_CONNECTOR Connector, const RNIC_IP *From, const RNIC_IP *To,
                             const RNIC_CM_MESSAGE *Message) {
    const NDK_ADAPTER_INFO *Info = &Connector->Object.Owner->Info;

    AddressFind(Connector->Object.Owner, To, &Connector->AddressIndex);
    Connector->LocalIp = *To;
    Connector->LocalPort = (USHORT)Message->ServiceId;
    Connector->PeerIp = *From;
    Connector->PeerPort = Message->SourcePort;
    Connector->HasAddresses = TRUE;
    Connector->Ids.TransactionId = Message->TransactionId;
    Connector->Ids.RemoteId = Message->LocalId;
    Connector->PeerQpn = Message->Qpn;
    Connector->PeerPsn = Message->Psn;
    Connector->PathMtu = Message->PathMtu;
    Connector->PeerRnrRetry = Message->RnrRetryCount;
    Connector->PeerResponseTimeout = Message->ResponseTimeout;
    Connector->InboundLimit = (UCHAR)min(Info->MaxInboundReadLimit, Message->InitiatorDepth);
    Connector->OutboundLimit = (UCHAR)min(Info->MaxOutboundReadLimit, Message->ResponderResources);
}

/* 0: the request may go to a listener; else why it is refused. */
static USHORT ReqRefusal(PRNIC_ADAPTER Adapter, const RNIC_IP *To, const RNIC_CM_MESSAGE *Message,
                         PRNIC_LISTENER *Listener) {
    if (Message->TransportType != RNIC_TRANSPORT_RC) {
        return CmReasonTransportType;
    }
    if (Message->ServiceId >> 16 != RNIC_SERVICE_ID_TCP) {
        return CmReasonInvalidServiceId;
    }
    *Listener = ListenerFind(Adapter, To, (USHORT)Message->ServiceId);
    if (*Listener == NULL) {
        return CmReasonInvalidServiceId;
    }
    if (Message->PathMtu == 0 || Message->PathMtu > Adapter->Caps.path_mtu_max) {
        return CmReasonInvalidMtu;
    }
    return (*Listener)->Waiting < Adapter->Settings.CmBacklog ? 0 : CmReasonNoResources;
}

static VOID CmNewRequest(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To,
                         const RNIC_CM_MESSAGE *Message) {
    PRNIC_LISTENER Listener = NULL;
    PRNIC_CONNECTOR Connector = NULL;
    USHORT Reason = ReqRefusal(Adapter, To, Message, &Listener);

    if (Reason == 0) {
        Connector = ConnectorBorn(Listener);
        Reason = CmReasonNoResources;
    }
    if (Connector != NULL && !CmHear(Connector, Message)) {
        ObjectAbandon(&Connector->Object);
        Connector = NULL;
    }
    if (Connector == NULL) {
        CmReject(Adapter, From, To, Message, CmAnsweredReq, Reason);
        return;
    }
    ConnectorFromReq(Connector, From, To, Message);
    Connector->State = CmReqRcvd;
    Connector->Unheard = TRUE;
    CmEnter(Connector);
    ListenerDeliver(Listener, Connector);
}

static VOID CmRequest(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To,
                      const RNIC_CM_MESSAGE *Message) {
    PRNIC_CONNECTOR Old = NULL;

    switch (ReqJudge(&Adapter->Cm, From, To, Message, &Old)) {
    case ReqCopy:
        NdksimTrace("cm.req", &Old->Object.Ndk.Header, 1, Old->Ids.LocalId);
        CmStep(Old, EvReqAgain, Message);
        break;
    case ReqStale:
        CmReject(Adapter, From, To, Message, CmAnsweredReq, CmReasonStale);
        CmStep(Old, EvStale, NULL);
        break;
    default:
        if (!LingerReceive(Adapter, From, Message)) {
            CmNewRequest(Adapter, From, To, Message);
        }
        break;
    }
}

VOID CmReceive(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_IP *To, const UCHAR *Mad) {
    RNIC_CM_MESSAGE Message;
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_CONNECTOR Connector;

    if (!CmDecode(Adapter, Mad, &Message)) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    if (Adapter->Cm.Stopped) {
        Connector = NULL;
    } else if (Message.Kind == CmReq) {
        CmRequest(Adapter, From, To, &Message);
    } else {
        Connector = CmFind(&Adapter->Cm, From, &Message);
        if (Connector != NULL) {
            NdksimTrace(CmTraceName(Message.Kind), &Connector->Object.Ndk.Header, 1,
                        Connector->Ids.LocalId);
            CmDeliver(Connector, &Message);
        } else if (!LingerReceive(Adapter, From, &Message)) {
            CmUnknown(Adapter, From, To, &Message);
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID CmQpEvent(PRNIC_QP Qp, RNIC_CM_EVENT Event, ULONG Reason) {
    RNIC_CM *Cm = &Qp->Object.Owner->Cm;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cm->Lock, &Lock);
    if (Qp->Connector != NULL) {
        if (Reason != 0) {
            Qp->Connector->Reason = Reason;
        }
        CmStep(Qp->Connector, Event, NULL);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID CmQpError(PRNIC_QP Qp, UCHAR Syndrome) {
    CmQpEvent(Qp, EvQpError, RNIC_REASON_QP_ERROR | Syndrome);
}

VOID CmCommunicationEstablished(PRNIC_QP Qp) {
    CmQpEvent(Qp, EvCommEst, 0);
}

/* EUI-64 made of the MAC. */
static ULONG64 CmGuidOf(const UCHAR *Mac) {
    return (ULONG64)(Mac[0] ^ 2) << 56 | (ULONG64)Mac[1] << 48 | (ULONG64)Mac[2] << 40 |
           0xFFFE000000ull | (ULONG64)Mac[3] << 16 | (ULONG64)Mac[4] << 8 | Mac[5];
}

VOID CmInit(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;
    ULONG i;

    KeInitializeSpinLock(&Cm->Lock);
    for (i = 0; i < RNIC_CM_BUCKETS; i++) {
        InitializeListHead(&Cm->Connectors[i]);
    }
    LingerStart(Adapter);
    InitializeListHead(&Cm->Listeners);
    EndpointsInit(&Cm->Endpoints);
    InitializeListHead(&Cm->Active);
    CmTimersInit(Adapter);
    Cm->Stopped = TRUE;
}

NTSTATUS CmStart(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;

    Cm->CaGuid = CmGuidOf(Adapter->Mac);
    /* A machine that starts again must not use the ids of its last life at once. */
    Cm->NextId = (ULONG)(KeQueryInterruptTime() / 10) | 1;
    Cm->Stopped = FALSE;
    return STATUS_SUCCESS;
}

VOID CmStop(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cm->Lock, &Lock);
    Cm->Stopped = TRUE;
    LingerStop(Adapter);
    NT_ASSERT(IsListEmpty(&Cm->Timers) && IsListEmpty(&Cm->Endpoints.All));
    Cm->TimerDue = 0;
    KeReleaseInStackQueuedSpinLock(&Lock);
    KeCancelTimer(&Cm->Timer);
    KeFlushQueuedDpcs();
}
