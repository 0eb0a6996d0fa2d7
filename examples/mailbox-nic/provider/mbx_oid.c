/* SPDX-License-Identifier: Apache-2.0 */
/* OIDs: what NDIS asks of every adapter, and the four of NDK. None is ever pending. */
#include "mbx.h"

const NDIS_OID MbxSupportedOids[] = {
    OID_GEN_HARDWARE_STATUS,
    OID_GEN_VENDOR_DESCRIPTION,
    OID_GEN_CURRENT_PACKET_FILTER,
    OID_GEN_STATISTICS,
    OID_GEN_XMIT_OK,
    OID_GEN_RCV_OK,
    OID_PNP_SET_POWER,
    OID_802_3_PERMANENT_ADDRESS,
    OID_802_3_CURRENT_ADDRESS,
    OID_NDK_SET_STATE,
    OID_NDK_STATISTICS,
    OID_NDK_CONNECTIONS,
    OID_NDK_LOCAL_ENDPOINTS,
};
const ULONG MbxSupportedOidsBytes = sizeof(MbxSupportedOids);

/* FALSE: too short for `Bytes`, which the asker is told. */
static BOOLEAN QueryFits(PNDIS_OID_REQUEST Request, ULONG Bytes) {
    if (Request->DATA.QUERY_INFORMATION.InformationBufferLength < Bytes) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = Bytes;
        return FALSE;
    }
    Request->DATA.QUERY_INFORMATION.BytesWritten = Bytes;
    return TRUE;
}

static NDIS_STATUS QueryCopy(PNDIS_OID_REQUEST Request, const VOID *Data, ULONG Bytes) {
    if (!QueryFits(Request, Bytes)) {
        return NDIS_STATUS_BUFFER_TOO_SHORT;
    }
    RtlCopyMemory(Request->DATA.QUERY_INFORMATION.InformationBuffer, Data, Bytes);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS QueryUlong(PNDIS_OID_REQUEST Request, ULONG Value) {
    return QueryCopy(Request, &Value, sizeof(Value));
}

/* ---- Counters: all frames are RDMA's, so that the device's counts are both ---- */

static ULONG64 TrafficRead(PMBX_ADAPTER Adapter, ULONG Register) {
    return ReadNoFence(&Adapter->Lost) == 0 ? RegisterRead64(Adapter, Register) : 0;
}

static NDIS_STATUS QueryStatistics(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_STATISTICS_INFO Info;

    RtlZeroMemory(&Info, sizeof(Info));
    Info.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Info.Header.Revision = NDIS_STATISTICS_INFO_REVISION_1;
    Info.Header.Size = NDIS_SIZEOF_STATISTICS_INFO_REVISION_1;
    Info.SupportedStatistics = MBX_SUPPORTED_STATISTICS;
    Info.ifHCInOctets = Info.ifHCInUcastOctets = TrafficRead(Adapter, MBX_REG_BYTES_IN);
    Info.ifHCOutOctets = Info.ifHCOutUcastOctets = TrafficRead(Adapter, MBX_REG_BYTES_OUT);
    Info.ifHCInUcastPkts = TrafficRead(Adapter, MBX_REG_FRAMES_IN);
    Info.ifHCOutUcastPkts = TrafficRead(Adapter, MBX_REG_FRAMES_OUT);
    return QueryCopy(Request, &Info, sizeof(Info));
}

static NDIS_STATUS QueryFrames(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request, ULONG Register) {
    ULONG64 Frames = TrafficRead(Adapter, Register);

    return QueryCopy(Request, &Frames, sizeof(Frames));
}

static NDIS_STATUS QueryNdkStatistics(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_STATISTICS_INFO Info;

    RtlZeroMemory(&Info, sizeof(Info));
    Info.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Info.Header.Revision = NDIS_NDK_STATISTICS_INFO_REVISION_1;
    Info.Header.Size = NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1;
    Info.CounterSet = Adapter->Counters;
    Info.CounterSet.RDMAInOctets = TrafficRead(Adapter, MBX_REG_BYTES_IN);
    Info.CounterSet.RDMAOutOctets = TrafficRead(Adapter, MBX_REG_BYTES_OUT);
    Info.CounterSet.RDMAInFrames = TrafficRead(Adapter, MBX_REG_FRAMES_IN);
    Info.CounterSet.RDMAOutFrames = TrafficRead(Adapter, MBX_REG_FRAMES_OUT);
    return QueryCopy(Request, &Info, NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1);
}

/* ---- Lists ---- */

static VOID ListHeader(PNDIS_OBJECT_HEADER Header, ULONG Bytes) {
    Header->Type = NDIS_OBJECT_TYPE_DEFAULT;
    Header->Revision = 1;
    Header->Size = (USHORT)min(Bytes, MAXUSHORT);
}

/* Under the lock; `Connections` NULL: it only counts. */
static ULONG FillConnections(PMBX_ADAPTER Adapter, NDIS_NDK_CONNECTIONS *Connections) {
    PLIST_ENTRY Entry;
    ULONG Count = 0;

    for (Entry = Adapter->Connectors.Flink; Entry != &Adapter->Connectors; Entry = Entry->Flink) {
        const MBX_CONNECTOR *Connector = CONTAINING_RECORD(Entry, MBX_CONNECTOR, Object.Link);

        if (!Connector->IsActive) {
            continue;
        }
        if (Connections != NULL) {
            NDIS_NDK_CONNECTION_ENTRY *To = &Connections->Connections[Count];

            RtlZeroMemory(To, sizeof(*To));
            AddressToInet(&Connector->Local, &To->Local);
            AddressToInet(&Connector->Peer, &To->Remote);
        }
        Count++;
    }
    return Count;
}

static ULONG FillEndpoints(PMBX_ADAPTER Adapter, NDIS_NDK_LOCAL_ENDPOINTS *Endpoints) {
    PLIST_ENTRY Entry;
    ULONG Count = 0;

    for (Entry = Adapter->Listeners.Flink; Entry != &Adapter->Listeners; Entry = Entry->Flink) {
        const MBX_LISTENER *Listener = CONTAINING_RECORD(Entry, MBX_LISTENER, Object.Link);

        if (Listener->Object.Number == 0) {
            continue;
        }
        if (Endpoints != NULL) {
            NDIS_NDK_LOCAL_ENDPOINT_ENTRY *To = &Endpoints->LocalEndpoints[Count];

            RtlZeroMemory(To, sizeof(*To));
            AddressToInet(&Listener->Local, &To->Local);
            To->Listener = TRUE;
        }
        Count++;
    }
    return Count;
}

static NDIS_STATUS QueryConnections(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_CONNECTIONS *Connections = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;

    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Count = FillConnections(Adapter, NULL);
    if (QueryFits(Request, (ULONG)NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(Count))) {
        ListHeader(&Connections->Header, (ULONG)NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(Count));
        Connections->Flags = 0;
        Connections->Count = Count;
        Connections->NDConnectionsMappedtoTCPConnections = FALSE;
        FillConnections(Adapter, Connections);
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static NDIS_STATUS QueryEndpoints(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_LOCAL_ENDPOINTS *Endpoints = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;

    KeAcquireInStackQueuedSpinLock(&Adapter->Lock, &Lock);
    Count = FillEndpoints(Adapter, NULL);
    if (QueryFits(Request, (ULONG)NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(Count))) {
        ListHeader(&Endpoints->Header, (ULONG)NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(Count));
        Endpoints->Flags = 0;
        Endpoints->Count = Count;
        Endpoints->NDLocalEndpointsMappedtoTCPLocalEndpoints = FALSE;
        FillEndpoints(Adapter, Endpoints);
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

/* ---- Handlers ---- */

static NDIS_STATUS Query(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    static const CHAR Vendor[] = "mailbox NIC";

    switch (Request->DATA.QUERY_INFORMATION.Oid) {
    case OID_NDK_CONNECTIONS:
        return QueryConnections(Adapter, Request);
    case OID_NDK_LOCAL_ENDPOINTS:
        return QueryEndpoints(Adapter, Request);
    case OID_NDK_STATISTICS:
        return QueryNdkStatistics(Adapter, Request);
    case OID_GEN_STATISTICS:
        return QueryStatistics(Adapter, Request);
    case OID_GEN_XMIT_OK:
        return QueryFrames(Adapter, Request, MBX_REG_FRAMES_OUT);
    case OID_GEN_RCV_OK:
        return QueryFrames(Adapter, Request, MBX_REG_FRAMES_IN);
    case OID_GEN_VENDOR_DESCRIPTION:
        return QueryCopy(Request, Vendor, sizeof(Vendor));
    case OID_802_3_PERMANENT_ADDRESS:
    case OID_802_3_CURRENT_ADDRESS:
        return QueryCopy(Request, Adapter->Mac, sizeof(Adapter->Mac));
    case OID_GEN_HARDWARE_STATUS:
        return QueryUlong(Request, ReadNoFence(&Adapter->Lost) != 0);
    case OID_GEN_CURRENT_PACKET_FILTER:
        return QueryUlong(Request, 0);
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

/* Success: the change is under way. */
static NDIS_STATUS SetNdkState(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    BOOLEAN On;

    if (Request->DATA.SET_INFORMATION.InformationBufferLength != sizeof(On)) {
        Request->DATA.SET_INFORMATION.BytesNeeded = sizeof(On);
        return NDIS_STATUS_INVALID_LENGTH;
    }
    On = *(const BOOLEAN *)Request->DATA.SET_INFORMATION.InformationBuffer != FALSE;
    if (On && (Adapter->Settings.NetworkDirect == 0 || StateIsGone(Adapter))) {
        return NDIS_STATUS_FAILURE;
    }
    StateSet(Adapter, &Adapter->State.Wanted, On);
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(On);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS SetPower(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NET_DEVICE_POWER_STATE State;

    if (Request->DATA.SET_INFORMATION.InformationBufferLength < sizeof(State)) {
        Request->DATA.SET_INFORMATION.BytesNeeded = sizeof(State);
        return NDIS_STATUS_INVALID_LENGTH;
    }
    State = *(const NET_DEVICE_POWER_STATE *)Request->DATA.SET_INFORMATION.InformationBuffer;
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(State);
    return State == NetDeviceStateD0 ? PowerUp(Adapter) : PowerDown(Adapter);
}

static NDIS_STATUS Set(PMBX_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    switch (Request->DATA.SET_INFORMATION.Oid) {
    case OID_NDK_SET_STATE:
        return SetNdkState(Adapter, Request);
    case OID_PNP_SET_POWER:
        return SetPower(Adapter, Request);
    case OID_GEN_CURRENT_PACKET_FILTER:
        Request->DATA.SET_INFORMATION.BytesRead =
            Request->DATA.SET_INFORMATION.InformationBufferLength;
        return NDIS_STATUS_SUCCESS;
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

static BOOLEAN IsQuery(const NDIS_OID_REQUEST *Request) {
    return Request->RequestType == NdisRequestQueryInformation ||
           Request->RequestType == NdisRequestQueryStatistics;
}

NDIS_STATUS MbxOidRequest(NDIS_HANDLE MiniportAdapterContext, PNDIS_OID_REQUEST OidRequest) {
    if (IsQuery(OidRequest)) {
        return Query(MiniportAdapterContext, OidRequest);
    }
    return OidRequest->RequestType == NdisRequestSetInformation
               ? Set(MiniportAdapterContext, OidRequest)
               : NDIS_STATUS_NOT_SUPPORTED;
}

NDIS_STATUS MbxDirectOidRequest(NDIS_HANDLE MiniportAdapterContext, PNDIS_OID_REQUEST OidRequest) {
    return IsQuery(OidRequest) && OidRequest->DATA.QUERY_INFORMATION.Oid == OID_NDK_STATISTICS
               ? QueryNdkStatistics(MiniportAdapterContext, OidRequest)
               : NDIS_STATUS_NOT_SUPPORTED;
}

VOID MbxCancelOidRequest(NDIS_HANDLE MiniportAdapterContext, PVOID RequestId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RequestId);
}

VOID MbxCancelDirectOidRequest(NDIS_HANDLE MiniportAdapterContext, PVOID RequestId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RequestId);
}
