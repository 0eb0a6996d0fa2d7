/* SPDX-License-Identifier: Apache-2.0 */
/* What a consumer may ask a connector: data of the peer, addresses. */
#include "adapter.h"

static NTSTATUS PrivateCopy(const RNIC_CONNECTOR *Connector, PVOID Data, PULONG Length) {
    ULONG Required = Connector->Heard.Count;
    ULONG Space = *Length;

    *Length = Required;
    if (Data == NULL) {
        return STATUS_SUCCESS;
    }
    CmPrivateCopy(&Connector->Heard, Data, Space);
    return Space >= Required ? STATUS_SUCCESS : STATUS_BUFFER_TOO_SMALL;
}

NTSTATUS NdkGetConnectionData(NDK_CONNECTOR *pNdkConnector, ULONG *pInboundReadLimit,
                              ULONG *pOutboundReadLimit, PVOID pPrivateData,
                              ULONG *pPrivateDataLength) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, &Lock);
    if (!Connector->HasPrivate) {
        Status = STATUS_CONNECTION_INVALID;
    } else {
        if (pInboundReadLimit != NULL) {
            *pInboundReadLimit = Connector->InboundLimit;
        }
        if (pOutboundReadLimit != NULL) {
            *pOutboundReadLimit = Connector->OutboundLimit;
        }
        Status = PrivateCopy(Connector, pPrivateData, pPrivateDataLength);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static NTSTATUS ConnectorAddress(PRNIC_CONNECTOR Connector, BOOLEAN Peer, PSOCKADDR Address,
                                 PULONG Length) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Known;
    RNIC_IP Ip;
    USHORT Port;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, &Lock);
    Known = Connector->HasAddresses;
    Ip = Peer ? Connector->PeerIp : Connector->LocalIp;
    Port = Peer ? Connector->PeerPort : Connector->LocalPort;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Known ? IpToSockaddr(&Ip, Port, Address, Length) : STATUS_CONNECTION_INVALID;
}

NTSTATUS NdkGetLocalAddress(NDK_CONNECTOR *pNdkConnector, PSOCKADDR pAddress,
                            ULONG *pAddressLength) {
    return ConnectorAddress(ConnectorOf(pNdkConnector), FALSE, pAddress, pAddressLength);
}

NTSTATUS NdkGetPeerAddress(NDK_CONNECTOR *pNdkConnector, PSOCKADDR pAddress,
                           ULONG *pAddressLength) {
    return ConnectorAddress(ConnectorOf(pNdkConnector), TRUE, pAddress, pAddressLength);
}
