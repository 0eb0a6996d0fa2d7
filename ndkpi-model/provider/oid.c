/* SPDX-License-Identifier: Apache-2.0 */
/* OID requests: the four of NDK, and what NDIS asks of every adapter. */
#include "adapter.h"

static NDIS_STATUS QueryDone(PNDIS_OID_REQUEST Request, const VOID *Data, ULONG Bytes) {
    if (Request->DATA.QUERY_INFORMATION.InformationBufferLength < Bytes) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = Bytes;
        return NDIS_STATUS_BUFFER_TOO_SHORT;
    }
    RtlCopyMemory(Request->DATA.QUERY_INFORMATION.InformationBuffer, Data, Bytes);
    Request->DATA.QUERY_INFORMATION.BytesWritten = Bytes;
    return NDIS_STATUS_SUCCESS;
}

static VOID ListHeader(PNDIS_OBJECT_HEADER Header, SIZE_T Bytes) {
    Header->Type = NDIS_OBJECT_TYPE_DEFAULT;
    Header->Revision = 1;
    Header->Size = (USHORT)min(Bytes, MAXUSHORT);
}

static ULONG ListCount(PLIST_ENTRY List) {
    ULONG Count = 0;
    PLIST_ENTRY Entry;

    for (Entry = List->Flink; Entry != List; Entry = Entry->Flink) {
        Count++;
    }
    return Count;
}

/* Under the CM lock. */
static VOID FillConnections(PRNIC_ADAPTER Adapter, NDIS_NDK_CONNECTIONS *Connections) {
    PLIST_ENTRY Entry;
    ULONG i = 0;

    for (Entry = Adapter->Cm.Active.Flink; Entry != &Adapter->Cm.Active; Entry = Entry->Flink) {
        PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, ActiveLink);
        NDIS_NDK_CONNECTION_ENTRY *To = &Connections->Connections[i++];

        RtlZeroMemory(To, sizeof(*To));
        IpToInet(&Connector->LocalIp, Connector->LocalPort, &To->Local);
        IpToInet(&Connector->PeerIp, Connector->PeerPort, &To->Remote);
    }
}

static NDIS_STATUS QueryConnections(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_CONNECTIONS *Connections = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG Bytes;

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Count = ListCount(&Adapter->Cm.Active);
    Bytes = (ULONG)NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(Count);
    if (Request->DATA.QUERY_INFORMATION.InformationBufferLength < Bytes) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = Bytes;
    } else {
        ListHeader(&Connections->Header, Bytes);
        Connections->Flags = 0;
        Connections->Count = Count;
        Connections->NDConnectionsMappedtoTCPConnections = FALSE;
        FillConnections(Adapter, Connections);
        Request->DATA.QUERY_INFORMATION.BytesWritten = Bytes;
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

/* Endpoints of listeners are listed until they are released (H-15). */
static ULONG FillEndpoints(PRNIC_ADAPTER Adapter, NDIS_NDK_LOCAL_ENDPOINTS *Endpoints) {
    PLIST_ENTRY Entry;
    ULONG Count = 0;

    for (Entry = Adapter->Cm.Endpoints.Flink; Entry != &Adapter->Cm.Endpoints;
         Entry = Entry->Flink) {
        PRNIC_ENDPOINT Endpoint = CONTAINING_RECORD(Entry, RNIC_ENDPOINT, Link);

        if (!Endpoint->Listens) {
            continue;
        }
        if (Endpoints != NULL) {
            NDIS_NDK_LOCAL_ENDPOINT_ENTRY *To = &Endpoints->LocalEndpoints[Count];

            RtlZeroMemory(To, sizeof(*To));
            IpToInet(&Endpoint->Ip, Endpoint->Port, &To->Local);
            To->Listener = TRUE;
        }
        Count++;
    }
    return Count;
}

static NDIS_STATUS QueryEndpoints(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_LOCAL_ENDPOINTS *Endpoints = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG Bytes;

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Count = FillEndpoints(Adapter, NULL);
    Bytes = (ULONG)NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(Count);
    if (Request->DATA.QUERY_INFORMATION.InformationBufferLength < Bytes) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = Bytes;
    } else {
        ListHeader(&Endpoints->Header, Bytes);
        Endpoints->Flags = 0;
        Endpoints->Count = Count;
        Endpoints->NDLocalEndpointsMappedtoTCPLocalEndpoints = FALSE;
        FillEndpoints(Adapter, Endpoints);
        Request->DATA.QUERY_INFORMATION.BytesWritten = Bytes;
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

/* RDMA is all that this adapter carries, so the device's totals are NDK's. */
static VOID ReadCounters(PRNIC_ADAPTER Adapter, NDIS_NDK_PERFORMANCE_COUNTERS *Set) {
    ULONG64 Device[RNIC_COUNTER_BYTES_RECEIVED + 1] = {0};
    RNIC_COMMAND Command;

    *Set = Adapter->Counters;
    CommandInit(&Command, RNIC_CMD_QUERY_COUNTERS, 0);
    CommandPolled(Adapter, &Command, Device, sizeof(Device));
    Set->RDMAInOctets = Device[RNIC_COUNTER_BYTES_RECEIVED];
    Set->RDMAOutOctets = Device[RNIC_COUNTER_BYTES_SENT];
    Set->RDMAInFrames = Device[RNIC_COUNTER_FRAMES_RECEIVED];
    Set->RDMAOutFrames = Device[RNIC_COUNTER_FRAMES_SENT];
}

static NDIS_STATUS QueryStatistics(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_STATISTICS_INFO Info;

    RtlZeroMemory(&Info, sizeof(Info));
    Info.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Info.Header.Revision = NDIS_NDK_STATISTICS_INFO_REVISION_1;
    Info.Header.Size = NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1;
    ReadCounters(Adapter, &Info.CounterSet);
    return QueryDone(Request, &Info, sizeof(Info));
}

static NDIS_STATUS QueryUlong(PNDIS_OID_REQUEST Request, ULONG Value) {
    return QueryDone(Request, &Value, sizeof(Value));
}

static NDIS_STATUS Query(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    static const CHAR Vendor[] = "ndksim simulated RNIC";

    switch (Request->DATA.QUERY_INFORMATION.Oid) {
    case OID_NDK_CONNECTIONS:
        return QueryConnections(Adapter, Request);
    case OID_NDK_LOCAL_ENDPOINTS:
        return QueryEndpoints(Adapter, Request);
    case OID_NDK_STATISTICS:
        return QueryStatistics(Adapter, Request);
    case OID_GEN_VENDOR_DESCRIPTION:
        return QueryDone(Request, Vendor, sizeof(Vendor));
    case OID_802_3_PERMANENT_ADDRESS:
    case OID_802_3_CURRENT_ADDRESS:
        return QueryDone(Request, Adapter->Mac, sizeof(Adapter->Mac));
    case OID_GEN_HARDWARE_STATUS:
        return QueryUlong(Request, Adapter->Lost != 0);
    case OID_GEN_CURRENT_PACKET_FILTER:
        return QueryUlong(Request, 0);
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

/* Success means that the change is under way (H-09 to H-12). */
static NDIS_STATUS SetState(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    BOOLEAN Enable;

    if (Request->DATA.SET_INFORMATION.InformationBufferLength != sizeof(BOOLEAN)) {
        Request->DATA.SET_INFORMATION.BytesNeeded = sizeof(BOOLEAN);
        return NDIS_STATUS_INVALID_LENGTH;
    }
    Enable = *(const BOOLEAN *)Request->DATA.SET_INFORMATION.InformationBuffer != FALSE;
    if (Enable && (Adapter->Settings.NetworkDirect == 0 || Adapter->Lost != 0)) {
        return NDIS_STATUS_FAILURE;
    }
    AdapterChangeState(Adapter, Enable);
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(BOOLEAN);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Set(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    switch (Request->DATA.SET_INFORMATION.Oid) {
    case OID_NDK_SET_STATE:
        return SetState(Adapter, Request);
    case OID_GEN_CURRENT_PACKET_FILTER:
    case OID_PNP_SET_POWER:
        Request->DATA.SET_INFORMATION.BytesRead =
            Request->DATA.SET_INFORMATION.InformationBufferLength;
        return NDIS_STATUS_SUCCESS;
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

NDIS_STATUS MiniportOidRequest(NDIS_HANDLE MiniportAdapterContext, PNDIS_OID_REQUEST OidRequest) {
    switch (OidRequest->RequestType) {
    case NdisRequestQueryInformation:
    case NdisRequestQueryStatistics:
        return Query(MiniportAdapterContext, OidRequest);
    case NdisRequestSetInformation:
        return Set(MiniportAdapterContext, OidRequest);
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

NDIS_STATUS MiniportDirectOidRequest(NDIS_HANDLE MiniportAdapterContext,
                                     PNDIS_OID_REQUEST OidRequest) {
    if (OidRequest->RequestType != NdisRequestQueryInformation &&
        OidRequest->RequestType != NdisRequestQueryStatistics) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    return OidRequest->DATA.QUERY_INFORMATION.Oid == OID_NDK_STATISTICS
               ? QueryStatistics(MiniportAdapterContext, OidRequest)
               : NDIS_STATUS_NOT_SUPPORTED;
}

/* No request is ever pending. */
VOID MiniportCancelOidRequest(NDIS_HANDLE MiniportAdapterContext, PVOID RequestId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RequestId);
}

VOID MiniportCancelDirectOidRequest(NDIS_HANDLE MiniportAdapterContext, PVOID RequestId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RequestId);
}
