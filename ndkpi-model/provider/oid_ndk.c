/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queries of NDK: connections, local endpoints, statistics.
 *
 * With iWARP every ND connection and endpoint is a TCP one, too: entries come in pairs then, the ND
 * one with all its members, the TCP one with its addresses and nothing else (R-NDIS-19).
 */
#include "adapter.h"

/* Entries of a list for each thing that is listed. */
static ULONG EntriesEach(PRNIC_ADAPTER Adapter) {
    return AdapterIsIwarp(Adapter) ? 2 : 1;
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
    ULONG Each = EntriesEach(Adapter);
    PLIST_ENTRY Entry;
    ULONG i = 0;

    for (Entry = Adapter->Cm.Active.Flink; Entry != &Adapter->Cm.Active; Entry = Entry->Flink) {
        PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, ActiveLink);
        NDIS_NDK_CONNECTION_ENTRY *To = &Connections->Connections[i];

        RtlZeroMemory(To, sizeof(*To));
        IpToInet(&Connector->LocalIp, Connector->LocalPort, &To->Local);
        IpToInet(&Connector->PeerIp, Connector->PeerPort, &To->Remote);
        if (Each == 2) {
            To[1].Local = To->Local;
            To[1].Remote = To->Remote;
        }
        i += Each;
    }
}

/* FALSE: too short for `Bytes`, which the asker is told. */
static BOOLEAN QueryFits(PNDIS_OID_REQUEST Request, ULONG Bytes) {
    if (Request->DATA.QUERY_INFORMATION.InformationBufferLength < Bytes) {
        Request->DATA.QUERY_INFORMATION.BytesNeeded = Bytes;
        return FALSE;
    }
    Request->DATA.QUERY_INFORMATION.BytesWritten = Bytes;
    return TRUE;
}

NDIS_STATUS OidQueryConnections(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_CONNECTIONS *Connections = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG Bytes;

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Count = ListCount(&Adapter->Cm.Active) * EntriesEach(Adapter);
    Bytes = (ULONG)NDIS_SIZEOF_NDK_CONNECTIONS_REVISION_1(Count);
    if (QueryFits(Request, Bytes)) {
        ListHeader(&Connections->Header, Bytes);
        Connections->Flags = 0;
        Connections->Count = Count;
        Connections->NDConnectionsMappedtoTCPConnections = EntriesEach(Adapter) == 2;
        FillConnections(Adapter, Connections);
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static VOID FillEndpoint(const RNIC_ENDPOINT *Endpoint, ULONG Each,
                         NDIS_NDK_LOCAL_ENDPOINT_ENTRY *To) {
    RtlZeroMemory(To, sizeof(*To));
    IpToInet(&Endpoint->Ip, Endpoint->Port, &To->Local);
    To->Listener = Endpoint->Kind == EndpointOfListener;
    if (Each == 2) {
        To[1].Local = To->Local;
    }
}

/* Those of listeners and shared ones are listed until they are released (H-15). */
static ULONG FillEndpoints(PRNIC_ADAPTER Adapter, NDIS_NDK_LOCAL_ENDPOINTS *Endpoints) {
    PLIST_ENTRY All = &Adapter->Cm.Endpoints.All;
    ULONG Each = EntriesEach(Adapter);
    PLIST_ENTRY Entry;
    ULONG Count = 0;

    for (Entry = All->Flink; Entry != All; Entry = Entry->Flink) {
        PRNIC_ENDPOINT Endpoint = CONTAINING_RECORD(Entry, RNIC_ENDPOINT, Link);

        if (Endpoint->Kind == EndpointOfConnector) {
            continue;
        }
        if (Endpoints != NULL) {
            FillEndpoint(Endpoint, Each, &Endpoints->LocalEndpoints[Count]);
        }
        Count += Each;
    }
    return Count;
}

NDIS_STATUS OidQueryEndpoints(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_LOCAL_ENDPOINTS *Endpoints = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    NDIS_STATUS Status = NDIS_STATUS_BUFFER_TOO_SHORT;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count;
    ULONG Bytes;

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Count = FillEndpoints(Adapter, NULL);
    Bytes = (ULONG)NDIS_SIZEOF_NDK_LOCAL_ENDPOINTS_REVISION_1(Count);
    if (QueryFits(Request, Bytes)) {
        ListHeader(&Endpoints->Header, Bytes);
        Endpoints->Flags = 0;
        Endpoints->Count = Count;
        Endpoints->NDLocalEndpointsMappedtoTCPLocalEndpoints = EntriesEach(Adapter) == 2;
        FillEndpoints(Adapter, Endpoints);
        Status = NDIS_STATUS_SUCCESS;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

/*
 * RDMA is all that this adapter carries, so the device's totals are NDK's (R-NDIS-26, R-NDIS-27).
 * While the device is stopped they are what it had told last.
 */
VOID OidReadTraffic(PRNIC_ADAPTER Adapter, PRNIC_TRAFFIC Traffic) {
    ULONG64 Wire[RNIC_COUNTER_WIRE_BYTES_IN - RNIC_COUNTER_WIRE_FRAMES_OUT + 1];
    RNIC_COMMAND Command;

    CommandInit(&Command, RNIC_CMD_QUERY_COUNTERS, 0);
    Command.Argument = RNIC_COUNTER_WIRE_FRAMES_OUT;
    if (CommandPolled(Adapter, &Command, Wire, sizeof(Wire)) == RNIC_STATUS_OK) {
        Adapter->Traffic.OutFrames = Wire[0];
        Adapter->Traffic.OutBytes =
            Wire[RNIC_COUNTER_WIRE_BYTES_OUT - RNIC_COUNTER_WIRE_FRAMES_OUT];
        Adapter->Traffic.InFrames =
            Wire[RNIC_COUNTER_WIRE_FRAMES_IN - RNIC_COUNTER_WIRE_FRAMES_OUT];
        Adapter->Traffic.InBytes = Wire[RNIC_COUNTER_WIRE_BYTES_IN - RNIC_COUNTER_WIRE_FRAMES_OUT];
    }
    *Traffic = Adapter->Traffic;
}

NDIS_STATUS OidQueryStatistics(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_NDK_STATISTICS_INFO *Info = Request->DATA.QUERY_INFORMATION.InformationBuffer;
    RNIC_TRAFFIC Traffic;

    if (!QueryFits(Request, NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1)) {
        return NDIS_STATUS_BUFFER_TOO_SHORT;
    }
    OidReadTraffic(Adapter, &Traffic);
    RtlZeroMemory(Info, sizeof(*Info));
    Info->Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Info->Header.Revision = NDIS_NDK_STATISTICS_INFO_REVISION_1;
    Info->Header.Size = NDIS_SIZEOF_NDK_STATISTICS_INFO_REVISION_1;
    Info->CounterSet = Adapter->Counters;
    Info->CounterSet.RDMAInOctets = Traffic.InBytes;
    Info->CounterSet.RDMAOutOctets = Traffic.OutBytes;
    Info->CounterSet.RDMAInFrames = Traffic.InFrames;
    Info->CounterSet.RDMAOutFrames = Traffic.OutFrames;
    return NDIS_STATUS_SUCCESS;
}
