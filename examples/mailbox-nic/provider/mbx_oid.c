/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OIDs, by one table: what answers a query, and what a set does. None is ever pending.
 *
 * An answer is written into a window on the asker's buffer. What does not fit is counted and not
 * written, so that whoever answers need not ask for room, and the asker learns how much it takes.
 */
#include "mbx.h"

typedef struct _MBX_ANSWER {
    PUCHAR To;
    ULONG Room;
    ULONG Bytes; /* of the whole answer */
} MBX_ANSWER, *PMBX_ANSWER;

/* What a set brings. */
typedef struct _MBX_ORDER {
    const VOID *Data;
    ULONG Bytes;
} MBX_ORDER;

typedef struct _MBX_OID_ROW {
    NDIS_OID Oid;
    VOID (*Get)(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer);            /* NULL: it cannot be asked */
    NDIS_STATUS (*Set)(PMBX_ADAPTER Adapter, const MBX_ORDER *Order); /* NULL: nor set */
    ULONG SetBytesMin;
    ULONG SetBytesMax;
    BOOLEAN IsDirect; /* may be asked while others are under way */
} MBX_OID_ROW;

static VOID Say(PMBX_ANSWER Answer, const VOID *Data, ULONG Bytes) {
    if (Answer->Room >= Answer->Bytes + Bytes) {
        RtlCopyMemory(Answer->To + Answer->Bytes, Data, Bytes);
    }
    Answer->Bytes += Bytes;
}

/* What was said at the front is other by now. */
static VOID SayAgain(PMBX_ANSWER Answer, const VOID *Data, ULONG Bytes) {
    MBX_ANSWER Front = {Answer->To, Answer->Room, 0};

    if (Answer->Room >= Answer->Bytes) {
        Say(&Front, Data, Bytes);
    }
}

/* ---- The adapter ---- */

static VOID GetMac(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    Say(Answer, Adapter->Mac, sizeof(Adapter->Mac));
}

static VOID GetName(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    static const CHAR Name[] = "mailbox NIC";

    MBX_UNUSED1(Adapter);
    Say(Answer, Name, sizeof(Name));
}

static VOID GetHealth(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    /* NdisHardwareStatusReady, NdisHardwareStatusInitializing. */
    ULONG Health = ReadNoFence(&Adapter->Lost) != 0;

    Say(Answer, &Health, sizeof(Health));
}

/* No ordinary frame comes up, whatever is let through. */
static VOID GetFilter(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    const ULONG None = 0;

    MBX_UNUSED1(Adapter);
    Say(Answer, &None, sizeof(None));
}

static NDIS_STATUS SetFilter(PMBX_ADAPTER Adapter, const MBX_ORDER *Order) {
    MBX_UNUSED2(Adapter, Order);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS SetPower(PMBX_ADAPTER Adapter, const MBX_ORDER *Order) {
    NET_DEVICE_POWER_STATE Level;

    RtlCopyMemory(&Level, Order->Data, sizeof(Level));
    return Level == NetDeviceStateD0 ? PowerUp(Adapter) : PowerDown(Adapter);
}

/* ---- Counters: all frames are RDMA's, so that the device's counts are both ---- */

static ULONG64 Counter(PMBX_ADAPTER Adapter, ULONG Register) {
    return ReadNoFence(&Adapter->Lost) == 0 ? RegisterRead64(Adapter, Register) : 0;
}

static VOID GetFramesOut(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    ULONG64 Count = Counter(Adapter, MBX_REG_FRAMES_OUT);

    Say(Answer, &Count, sizeof(Count));
}

static VOID GetFramesIn(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    ULONG64 Count = Counter(Adapter, MBX_REG_FRAMES_IN);

    Say(Answer, &Count, sizeof(Count));
}

/* Each frame is for one adapter: what is counted by kind has one kind. */
static VOID GetCounters(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    const ULONG64 In = Counter(Adapter, MBX_REG_BYTES_IN);
    const ULONG64 Out = Counter(Adapter, MBX_REG_BYTES_OUT);
    const NDIS_STATISTICS_INFO Counters = {
        .Header = MBX_HEADER(DEFAULT, STATISTICS_INFO),
        .SupportedStatistics = MBX_COUNTED,
        .ifHCInUcastPkts = Counter(Adapter, MBX_REG_FRAMES_IN),
        .ifHCOutUcastPkts = Counter(Adapter, MBX_REG_FRAMES_OUT),
        .ifHCInUcastOctets = In,
        .ifHCInOctets = In,
        .ifHCOutUcastOctets = Out,
        .ifHCOutOctets = Out,
    };

    Say(Answer, &Counters, sizeof(Counters));
}

static VOID GetNdkCounters(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    NDIS_NDK_STATISTICS_INFO Counters = {
        .Header = MBX_HEADER(DEFAULT, NDK_STATISTICS_INFO),
        .CounterSet = Adapter->Counters,
    };
    NDIS_NDK_PERFORMANCE_COUNTERS *Set = &Counters.CounterSet;

    Set->RDMAInFrames = Counter(Adapter, MBX_REG_FRAMES_IN);
    Set->RDMAInOctets = Counter(Adapter, MBX_REG_BYTES_IN);
    Set->RDMAOutFrames = Counter(Adapter, MBX_REG_FRAMES_OUT);
    Set->RDMAOutOctets = Counter(Adapter, MBX_REG_BYTES_OUT);
    Say(Answer, &Counters, NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1);
}

/* ---- Lists: entries are said one by one, their number once they are known ---- */

static VOID HeaderFill(PNDIS_OBJECT_HEADER Header, ULONG Bytes) {
    const NDIS_OBJECT_HEADER Whole = {NDIS_OBJECT_TYPE_DEFAULT, 1, (USHORT)min(Bytes, MAXUSHORT)};

    *Header = Whole;
}

static VOID GetConnections(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    const ULONG HeadBytes = FIELD_OFFSET(NDIS_NDK_CONNECTIONS, Connections);
    NDIS_NDK_CONNECTIONS Head = {.Count = 0};
    KLOCK_QUEUE_HANDLE Held;
    PLIST_ENTRY Link;

    Say(Answer, &Head, HeadBytes);
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Held);
    for (Link = Adapter->Connectors.Flink; Link != &Adapter->Connectors; Link = Link->Flink) {
        const MBX_CONNECTOR *Connector = CONTAINING_RECORD(Link, MBX_CONNECTOR, Object.Link);
        NDIS_NDK_CONNECTION_ENTRY Line = {.UserModeOwner = FALSE};

        if (Connector->IsActive) {
            AddressToInet(&Connector->Peer, &Line.Remote);
            AddressToInet(&Connector->Local, &Line.Local);
            Say(Answer, &Line, sizeof(Line));
            Head.Count++;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Held);
    HeaderFill(&Head.Header, Answer->Bytes);
    SayAgain(Answer, &Head, HeadBytes);
}

/* Connections have no local endpoints of their own: listeners are all there are. */
static VOID GetEndpoints(PMBX_ADAPTER Adapter, PMBX_ANSWER Answer) {
    const ULONG HeadBytes = FIELD_OFFSET(NDIS_NDK_LOCAL_ENDPOINTS, LocalEndpoints);
    NDIS_NDK_LOCAL_ENDPOINTS Head = {.Count = 0};
    KLOCK_QUEUE_HANDLE Held;
    PLIST_ENTRY Link;

    Say(Answer, &Head, HeadBytes);
    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Held);
    for (Link = Adapter->Listeners.Flink; Link != &Adapter->Listeners; Link = Link->Flink) {
        const MBX_LISTENER *Listener = CONTAINING_RECORD(Link, MBX_LISTENER, Object.Link);
        NDIS_NDK_LOCAL_ENDPOINT_ENTRY Line = {.Listener = TRUE};

        if (Listener->Object.Number != 0) {
            AddressToInet(&Listener->Local, &Line.Local);
            Say(Answer, &Line, sizeof(Line));
            Head.Count++;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Held);
    HeaderFill(&Head.Header, Answer->Bytes);
    SayAgain(Answer, &Head, HeadBytes);
}

/* Success: the change is under way. */
static NDIS_STATUS SetNdk(PMBX_ADAPTER Adapter, const MBX_ORDER *Order) {
    BOOLEAN On = *(const UCHAR *)Order->Data != 0;

    if (On && (StateIsGone(Adapter) || Adapter->Settings.NetworkDirect == 0)) {
        return NDIS_STATUS_FAILURE;
    }
    StateChange(Adapter, On ? MBX_FACT_WANTED : 0, On ? 0 : MBX_FACT_WANTED);
    return NDIS_STATUS_SUCCESS;
}

/* ---- The table ---- */

static const MBX_OID_ROW Rows[] = {
    {OID_802_3_CURRENT_ADDRESS, .Get = GetMac},
    {OID_802_3_PERMANENT_ADDRESS, .Get = GetMac},
    {OID_GEN_VENDOR_DESCRIPTION, .Get = GetName},
    {OID_GEN_HARDWARE_STATUS, .Get = GetHealth},
    {OID_GEN_CURRENT_PACKET_FILTER, GetFilter, SetFilter, 0, MAXULONG},
    {OID_GEN_XMIT_OK, .Get = GetFramesOut},
    {OID_GEN_RCV_OK, .Get = GetFramesIn},
    {OID_GEN_STATISTICS, .Get = GetCounters},
    {OID_NDK_STATISTICS, .Get = GetNdkCounters, .IsDirect = TRUE},
    {OID_NDK_CONNECTIONS, .Get = GetConnections},
    {OID_NDK_LOCAL_ENDPOINTS, .Get = GetEndpoints},
    {OID_NDK_SET_STATE, NULL, SetNdk, sizeof(BOOLEAN), sizeof(BOOLEAN)},
    {OID_PNP_SET_POWER, NULL, SetPower, sizeof(NET_DEVICE_POWER_STATE), MAXULONG},
};

static const MBX_OID_ROW *RowOf(NDIS_OID Oid) {
    ULONG i = 0;

    while (i < RTL_NUMBER_OF(Rows) && Rows[i].Oid != Oid) {
        i++;
    }
    return i < RTL_NUMBER_OF(Rows) ? &Rows[i] : NULL;
}

PNDIS_OID OidList(PMBX_ADAPTER Adapter, PUINT Bytes) {
    ULONG i;

    C_ASSERT(RTL_NUMBER_OF(Rows) <= RTL_NUMBER_OF(Adapter->Oids));
    for (i = 0; i < RTL_NUMBER_OF(Rows); i++) {
        Adapter->Oids[i] = Rows[i].Oid;
    }
    *Bytes = sizeof(NDIS_OID) * RTL_NUMBER_OF(Rows);
    return Adapter->Oids;
}

/* ---- Requests ---- */

static NDIS_STATUS Ask(PMBX_ADAPTER Adapter, const MBX_OID_ROW *Row, struct _QUERY *Query) {
    MBX_ANSWER Answer = {Query->InformationBuffer, Query->InformationBufferLength, 0};

    if (Row == NULL || Row->Get == NULL) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    Row->Get(Adapter, &Answer);
    if (Answer.Bytes > Answer.Room) {
        Query->BytesNeeded = Answer.Bytes;
        return NDIS_STATUS_BUFFER_TOO_SHORT;
    }
    Query->BytesWritten = Answer.Bytes;
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Order(PMBX_ADAPTER Adapter, const MBX_OID_ROW *Row, struct _SET *Set) {
    const MBX_ORDER Given = {Set->InformationBuffer, Set->InformationBufferLength};
    NDIS_STATUS Status;

    if (Row == NULL || Row->Set == NULL) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    if (Given.Bytes < Row->SetBytesMin || Given.Bytes > Row->SetBytesMax) {
        Set->BytesNeeded = Row->SetBytesMin;
        return NDIS_STATUS_INVALID_LENGTH;
    }
    Status = Row->Set(Adapter, &Given);
    if (Status == NDIS_STATUS_SUCCESS) {
        Set->BytesRead = Row->SetBytesMin != 0 ? Row->SetBytesMin : Given.Bytes;
    }
    return Status;
}

static BOOLEAN Asks(const NDIS_OID_REQUEST *Request) {
    const ULONG Kinds = 1u << NdisRequestQueryInformation | 1u << NdisRequestQueryStatistics;

    return (ULONG)Request->RequestType < 32 && (Kinds >> Request->RequestType & 1) != 0;
}

NDIS_STATUS MbxOid(NDIS_HANDLE Adapter, PNDIS_OID_REQUEST Request) {
    const MBX_OID_ROW *Row = RowOf(Request->DATA.QUERY_INFORMATION.Oid);

    if (Asks(Request)) {
        return Ask(Adapter, Row, &Request->DATA.QUERY_INFORMATION);
    }
    if (Request->RequestType == NdisRequestSetInformation) {
        return Order(Adapter, Row, &Request->DATA.SET_INFORMATION);
    }
    return NDIS_STATUS_NOT_SUPPORTED;
}

NDIS_STATUS MbxDirectOid(NDIS_HANDLE Adapter, PNDIS_OID_REQUEST Request) {
    const MBX_OID_ROW *Row = RowOf(Request->DATA.QUERY_INFORMATION.Oid);

    if (Row == NULL || !Row->IsDirect || !Asks(Request)) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    return Ask(Adapter, Row, &Request->DATA.QUERY_INFORMATION);
}
