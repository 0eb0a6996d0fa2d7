/* SPDX-License-Identifier: Apache-2.0 */
/* Old connections; see linger.h. */
#include "adapter.h"
#include "cm_send.h"
#include "linger.h"

#define RNIC_100NS_PER_MS 10000u

static VOID LingerFree(PRNIC_LINGER Linger) {
    CmTimerCancel(&Linger->Timer);
    RemoveEntryList(&Linger->Link);
    RemoveEntryList(&Linger->AgeLink);
    Linger->Adapter->Cm.LingerCount--;
    PoolPut(Linger);
}

/* As long as the peer may repeat its DREQ, unless somebody has set another time. */
static VOID LingerEnterTimewait(PRNIC_LINGER Linger) {
    const RNIC_SETTINGS *Settings = &Linger->Adapter->Settings;
    ULONG64 Wait = (ULONG64)Settings->CmTimewaitMs * RNIC_100NS_PER_MS;

    if (Wait == 0) {
        Wait = CmTimeoutOf((UCHAR)Settings->CmResponseTimeout) * (Settings->CmRetryCount + 2);
    }
    Linger->Asking = FALSE;
    CmTimerSet(Linger->Adapter, &Linger->Timer, Wait);
}

static PLIST_ENTRY LingerBucket(PRNIC_ADAPTER Adapter, ULONG PeerId) {
    return &Adapter->Cm.Lingers[PeerId % RNIC_LINGER_BUCKETS];
}

static VOID LingerSendDreq(PRNIC_LINGER Linger) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeDreq(Mad, &Linger->Ids, Linger->PeerQpn, Linger->Abort);
    NdksimTrace("cm.dreq", NULL, 0, Linger->Ids.LocalId);
    GsiSend(Linger->Adapter, Linger->AddressIndex, &Linger->Peer, Mad);
}

static VOID LingerSendDrep(PRNIC_LINGER Linger) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeDrep(Mad, &Linger->Ids, Linger->Abort);
    NdksimTrace("cm.drep", NULL, 0, Linger->Ids.LocalId);
    GsiSend(Linger->Adapter, Linger->AddressIndex, &Linger->Peer, Mad);
}

static VOID LingerWaitForDrep(PRNIC_LINGER Linger) {
    UCHAR Code = (UCHAR)Linger->Adapter->Settings.CmResponseTimeout;

    CmTimerSet(Linger->Adapter, &Linger->Timer, CmTimeoutOf(Code));
}

static VOID LingerExpired(PRNIC_CM_TIMER Timer) {
    PRNIC_LINGER Linger = CONTAINING_RECORD(Timer, RNIC_LINGER, Timer);

    if (!Linger->Asking) {
        LingerFree(Linger);
    } else if (Linger->RetriesLeft == 0) {
        LingerEnterTimewait(Linger);
    } else {
        Linger->RetriesLeft--;
        LingerSendDreq(Linger);
        LingerWaitForDrep(Linger);
    }
}

static PRNIC_LINGER LingerNew(PRNIC_CONNECTOR Connector) {
    PRNIC_ADAPTER Adapter = CmAdapter(Connector);
    RNIC_CM *Cm = &Adapter->Cm;
    PRNIC_LINGER Linger;

    if (Cm->LingerCount == RNIC_LINGER_MAX) {
        LingerFree(CONTAINING_RECORD(Cm->LingersByAge.Flink, RNIC_LINGER, AgeLink));
    }
    Linger = PoolGet(sizeof(*Linger));
    if (Linger == NULL) {
        return NULL;
    }
    Linger->Adapter = Adapter;
    Linger->Timer.Expired = LingerExpired;
    Linger->AddressIndex = Connector->AddressIndex;
    Linger->Peer = Connector->PeerIp;
    Linger->Ids = Connector->Ids;
    Linger->PeerQpn = Connector->PeerQpn;
    Linger->PeerPsn = Connector->PeerPsn;
    Linger->LocalPort = Connector->LocalPort;
    Linger->PeerPort = Connector->PeerPort;
    InsertTailList(LingerBucket(Adapter, Linger->Ids.RemoteId), &Linger->Link);
    InsertTailList(&Cm->LingersByAge, &Linger->AgeLink);
    Cm->LingerCount++;
    return Linger;
}

VOID LingerAsk(PRNIC_CONNECTOR Connector, BOOLEAN Abort) {
    PRNIC_LINGER Linger = LingerNew(Connector);

    if (Linger == NULL) {
        UCHAR Mad[RNIC_MAD_BYTES];

        CmEncodeDreq(Mad, &Connector->Ids, Connector->PeerQpn, Abort);
        CmSend(Connector, "cm.dreq", Mad);
        return;
    }
    Linger->Asking = TRUE;
    Linger->Abort = Abort;
    Linger->RetriesLeft = CmAdapter(Connector)->Settings.CmRetryCount;
    LingerSendDreq(Linger);
    LingerWaitForDrep(Linger);
}

VOID LingerWait(PRNIC_CONNECTOR Connector, BOOLEAN Abort) {
    PRNIC_LINGER Linger = LingerNew(Connector);

    if (Linger != NULL) {
        Linger->Abort = Abort;
        LingerEnterTimewait(Linger);
    }
}

BOOLEAN LingerHasTuple(const RNIC_CONNECTOR *Connector) {
    PLIST_ENTRY Head = &Connector->Object.Owner->Cm.LingersByAge;
    PLIST_ENTRY Entry;

    for (Entry = Head->Flink; Entry != Head; Entry = Entry->Flink) {
        const RNIC_LINGER *Linger = CONTAINING_RECORD(Entry, RNIC_LINGER, AgeLink);

        if (Linger->AddressIndex == Connector->AddressIndex &&
            Linger->LocalPort == Connector->LocalPort && Linger->PeerPort == Connector->PeerPort &&
            IpEqual(&Linger->Peer, &Connector->PeerIp)) {
            return TRUE;
        }
    }
    return FALSE;
}

static BOOLEAN LingerKnows(const RNIC_LINGER *Linger, const RNIC_IP *From,
                           const RNIC_CM_MESSAGE *Message) {
    if (!IpEqual(&Linger->Peer, From) || Message->LocalId != Linger->Ids.RemoteId) {
        return FALSE;
    }
    if (Message->Kind == CmReq) {
        /* The same id with another QP or PSN is a peer that has started anew. */
        return Message->Qpn == Linger->PeerQpn && Message->Psn == Linger->PeerPsn;
    }
    return Message->RemoteId == Linger->Ids.LocalId;
}

static VOID LingerTake(PRNIC_LINGER Linger, const RNIC_CM_MESSAGE *Message) {
    switch (Message->Kind) {
    case CmDreq:
        LingerSendDrep(Linger);
        if (Linger->Asking) {
            LingerEnterTimewait(Linger);
        }
        break;
    case CmDrep:
    case CmRej:
        if (Linger->Asking) {
            LingerEnterTimewait(Linger);
        }
        break;
    default:
        break;
    }
}

BOOLEAN LingerReceive(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_CM_MESSAGE *Message) {
    PLIST_ENTRY Bucket = LingerBucket(Adapter, Message->LocalId);
    PLIST_ENTRY Entry;

    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_LINGER Linger = CONTAINING_RECORD(Entry, RNIC_LINGER, Link);

        if (LingerKnows(Linger, From, Message)) {
            LingerTake(Linger, Message);
            return TRUE;
        }
    }
    return FALSE;
}

VOID LingerStart(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;
    ULONG i;

    InitializeListHead(&Cm->LingersByAge);
    for (i = 0; i < RNIC_LINGER_BUCKETS; i++) {
        InitializeListHead(&Cm->Lingers[i]);
    }
}

VOID LingerStop(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;

    while (!IsListEmpty(&Cm->LingersByAge)) {
        LingerFree(CONTAINING_RECORD(Cm->LingersByAge.Flink, RNIC_LINGER, AgeLink));
    }
}
