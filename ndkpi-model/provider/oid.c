/* SPDX-License-Identifier: Apache-2.0 */
/* OID requests: what NDIS asks of every adapter, and the way to the four of NDK (oid_ndk.c). */
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

static NDIS_STATUS QueryUlong(PNDIS_OID_REQUEST Request, ULONG Value) {
    return QueryDone(Request, &Value, sizeof(Value));
}

/* All of it is RDMA, and every frame has one receiver (R-NDIS-27). */
static NDIS_STATUS QueryGeneralStatistics(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NDIS_STATISTICS_INFO Info;
    RNIC_TRAFFIC Traffic;

    OidReadTraffic(Adapter, &Traffic);
    RtlZeroMemory(&Info, sizeof(Info));
    Info.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Info.Header.Revision = NDIS_STATISTICS_INFO_REVISION_1;
    Info.Header.Size = NDIS_SIZEOF_STATISTICS_INFO_REVISION_1;
    Info.SupportedStatistics = RNIC_SUPPORTED_STATISTICS;
    Info.ifHCInOctets = Info.ifHCInUcastOctets = Traffic.InBytes;
    Info.ifHCOutOctets = Info.ifHCOutUcastOctets = Traffic.OutBytes;
    Info.ifHCInUcastPkts = Traffic.InFrames;
    Info.ifHCOutUcastPkts = Traffic.OutFrames;
    return QueryDone(Request, &Info, sizeof(Info));
}

static NDIS_STATUS QueryFrames(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request, BOOLEAN Out) {
    RNIC_TRAFFIC Traffic;

    OidReadTraffic(Adapter, &Traffic);
    return QueryDone(Request, Out ? &Traffic.OutFrames : &Traffic.InFrames, sizeof(ULONG64));
}

static NDIS_STATUS Query(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    static const CHAR Vendor[] = "ndksim simulated RNIC";

    switch (Request->DATA.QUERY_INFORMATION.Oid) {
    case OID_NDK_CONNECTIONS:
        return OidQueryConnections(Adapter, Request);
    case OID_NDK_LOCAL_ENDPOINTS:
        return OidQueryEndpoints(Adapter, Request);
    case OID_NDK_STATISTICS:
        return OidQueryStatistics(Adapter, Request);
    case OID_GEN_STATISTICS:
        return QueryGeneralStatistics(Adapter, Request);
    case OID_GEN_XMIT_OK:
    case OID_GEN_RCV_OK:
        return QueryFrames(Adapter, Request,
                           Request->DATA.QUERY_INFORMATION.Oid == OID_GEN_XMIT_OK);
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
    if (Enable && (Adapter->Settings.NetworkDirect == 0 || AdapterIsGone(Adapter))) {
        return NDIS_STATUS_FAILURE;
    }
    AdapterChangeState(Adapter, Enable);
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(BOOLEAN);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS SetPower(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    NET_DEVICE_POWER_STATE State;

    if (Request->DATA.SET_INFORMATION.InformationBufferLength < sizeof(State)) {
        Request->DATA.SET_INFORMATION.BytesNeeded = sizeof(State);
        return NDIS_STATUS_INVALID_LENGTH;
    }
    State = *(const NET_DEVICE_POWER_STATE *)Request->DATA.SET_INFORMATION.InformationBuffer;
    Request->DATA.SET_INFORMATION.BytesRead = sizeof(State);
    switch (State) {
    case NetDeviceStateD0:
        return AdapterPowerUp(Adapter);
    case NetDeviceStateD1:
    case NetDeviceStateD2:
    case NetDeviceStateD3:
        return AdapterPowerDown(Adapter);
    default:
        return NDIS_STATUS_INVALID_DATA;
    }
}

static NDIS_STATUS Set(PRNIC_ADAPTER Adapter, PNDIS_OID_REQUEST Request) {
    switch (Request->DATA.SET_INFORMATION.Oid) {
    case OID_NDK_SET_STATE:
        return SetState(Adapter, Request);
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
               ? OidQueryStatistics(MiniportAdapterContext, OidRequest)
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
