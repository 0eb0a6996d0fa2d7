/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting: NdkConnect, NdkCompleteConnect and its extended form. */
#include "adapter.h"

/* What is wrong with a connect in this state (D-09, D-11). */
static NTSTATUS ConnectStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!ObjectIsOpen(&Connector->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Connector->IsPassive) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    switch (Connector->State) {
    case CmIdle:
        return ConnectorIsBusy(Connector) ? STATUS_CONNECTION_ACTIVE : STATUS_SUCCESS;
    case CmBreaking:
    case CmBroken:
    case CmFlushing:
    case CmEnded:
        return STATUS_INVALID_DEVICE_STATE;
    default:
        return STATUS_CONNECTION_ACTIVE;
    }
}

typedef struct _RNIC_CONNECT {
    RNIC_IP LocalIp;
    RNIC_IP PeerIp;
    USHORT LocalPort;
    USHORT PeerPort;
    UCHAR AddressIndex;
} RNIC_CONNECT;

static NTSTATUS ConnectParse(const struct sockaddr *Source, ULONG SourceLength,
                             const struct sockaddr *Destination, ULONG DestinationLength,
                             RNIC_CONNECT *Connect) {
    NTSTATUS Status = IpFromSockaddr(Source, SourceLength, &Connect->LocalIp, &Connect->LocalPort);

    if (NT_SUCCESS(Status)) {
        Status =
            IpFromSockaddr(Destination, DestinationLength, &Connect->PeerIp, &Connect->PeerPort);
    }
    if (NT_SUCCESS(Status) && (Connect->PeerPort == 0 || IpIsWildcard(&Connect->PeerIp) ||
                               IpIsV4(&Connect->LocalIp) != IpIsV4(&Connect->PeerIp))) {
        Status = STATUS_INVALID_PARAMETER;
    }
    return Status;
}

/* Outcomes that a page allows both inline and later. */
static NTSTATUS ConnectReachable(PRNIC_ADAPTER Adapter, RNIC_CONNECT *Connect) {
    UCHAR Own;

    if (!AddressFind(Adapter, &Connect->LocalIp, &Connect->AddressIndex)) {
        return STATUS_INVALID_ADDRESS;
    }
    if (AddressFind(Adapter, &Connect->PeerIp, &Own)) {
        return STATUS_HOST_UNREACHABLE; /* no loopback on this adapter (D-34) */
    }
    return AddressIsReachable(Adapter, &Connect->PeerIp) ? STATUS_SUCCESS
                                                         : STATUS_NETWORK_UNREACHABLE;
}

/* The endpoint of an earlier attempt goes when the next one takes another address. */
static NTSTATUS ConnectEndpoint(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect) {
    PRNIC_ENDPOINT Old = Connector->Endpoint;

    if (Old != NULL && IpEqual(&Old->Ip, &Connect->LocalIp) &&
        (Connect->LocalPort == 0 || Connect->LocalPort == Old->Port)) {
        return STATUS_SUCCESS;
    }
    if (Old != NULL) {
        Connector->Endpoint = NULL;
        EndpointPut(Old);
    }
    return EndpointOpen(Connector->Object.Owner, &Connect->LocalIp, Connect->LocalPort, FALSE,
                        &Connector->Endpoint);
}

static VOID ConnectPrepare(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect, ULONG Inbound,
                           ULONG Outbound) {
    const NDK_ADAPTER_INFO *Info = &Connector->Object.Owner->Info;

    Connector->LocalIp = Connect->LocalIp;
    Connector->PeerIp = Connect->PeerIp;
    Connector->LocalPort = Connector->Endpoint->Port;
    Connector->PeerPort = Connect->PeerPort;
    Connector->HasAddresses = TRUE;
    Connector->AddressIndex = Connect->AddressIndex;
    Connector->InboundLimit = (UCHAR)min(Inbound, Info->MaxInboundReadLimit);
    Connector->OutboundLimit = (UCHAR)min(Outbound, Info->MaxOutboundReadLimit);
    Connector->PathMtu = Connector->Object.Owner->PathMtu;
    Connector->PrivateBytes = 0;
    Connector->Ids.RemoteId = 0;
    Connector->PeerResponseTimeout = 0;
    CmEnter(Connector);
    Connector->Ids.TransactionId =
        (Connector->Object.Owner->Cm.CaGuid << 32) | Connector->Ids.LocalId;
}

NTSTATUS NdkConnect(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                    const struct sockaddr *pSrcAddress, ULONG SrcAddressLength,
                    const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                    ULONG InboundReadLimit, ULONG OutboundReadLimit, CONST PVOID pPrivateData,
                    ULONG PrivateDataLength, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                    PVOID RequestContext) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    RNIC_CONNECT Connect;
    KLOCK_QUEUE_HANDLE Lock;
    RNIC_SHAPE Shape;
    NTSTATUS Outcome;
    NTSTATUS Status =
        ConnectParse(pSrcAddress, SrcAddressLength, pDestAddress, DestAddressLength, &Connect);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (PrivateDataLength > Adapter->Info.MaxCallerData) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    Outcome = AnswerFault(pNdkConnector, "provider.connect.insufficient_resources")
                  ? STATUS_INSUFFICIENT_RESOURCES
                  : ConnectReachable(Adapter, &Connect);
    Shape = AnswerChoose(Adapter, pNdkConnector, "answer.connect", ShapePending);
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = ConnectStateCheck(Connector);
    if (NT_SUCCESS(Status)) {
        Status = ConnectorTie(Connector, QpOf(pNdkQp));
    }
    if (!NT_SUCCESS(Status)) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, RequestCompletion, RequestContext);
    if (NT_SUCCESS(Outcome)) {
        Outcome = ConnectEndpoint(Connector, &Connect);
    }
    if (!NT_SUCCESS(Outcome)) {
        ConnectorSettle(Connector, Outcome);
        return ConnectorAnswer(Connector, &Lock);
    }
    ConnectPrepare(Connector, &Connect, InboundReadLimit, OutboundReadLimit);
    CmEncodeReq(Connector, Connector->Mad, pPrivateData, PrivateDataLength);
    CmStep(Connector, EvConnect, NULL);
    return ConnectorAnswer(Connector, &Lock);
}

/* What is wrong with a completion in this state (R-CONN-11, R-CONN-12). */
static NTSTATUS CompleteStateCheck(const RNIC_CONNECTOR *Connector) {
    if (!ObjectIsOpen(&Connector->Object) || ConnectorIsBusy(Connector)) {
        return STATUS_CONNECTION_INVALID;
    }
    if (Connector->State == CmRepRcvd) {
        return STATUS_SUCCESS;
    }
    return Connector->State == CmEnded && Connector->PeerAbandoned ? STATUS_CONNECTION_ABORTED
                                                                   : STATUS_CONNECTION_INVALID;
}

static NTSTATUS CompleteConnect(PRNIC_CONNECTOR Connector, NDK_FN_DISCONNECT_EVENT_CALLBACK Event,
                                NDK_FN_DISCONNECT_EVENT_CALLBACK_EX EventEx, PVOID EventContext,
                                NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;
    RNIC_SHAPE Shape = AnswerChoose(Adapter, &Connector->Object.Ndk.Header,
                                    "answer.complete_connect", ShapePending);

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = CompleteStateCheck(Connector);
    if (Status == STATUS_CONNECTION_INVALID) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, RequestCompletion, RequestContext);
    if (!NT_SUCCESS(Status)) {
        ConnectorSettle(Connector, Status);
        return ConnectorAnswer(Connector, &Lock);
    }
    Connector->Event = Event;
    Connector->EventEx = EventEx;
    Connector->EventContext = EventContext;
    CmStep(Connector, EvCompleteConnect, NULL);
    if (Connector->Starting) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        ConnectorRunPolled(Connector);
        KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    }
    return ConnectorAnswer(Connector, &Lock);
}

NTSTATUS NdkCompleteConnect(NDK_CONNECTOR *pNdkConnector,
                            NDK_FN_DISCONNECT_EVENT_CALLBACK DisconnectEvent,
                            PVOID DisconnectEventContext,
                            NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    return CompleteConnect(ConnectorOf(pNdkConnector), DisconnectEvent, NULL,
                           DisconnectEventContext, RequestCompletion, RequestContext);
}

NTSTATUS NdkCompleteConnectEx(NDK_CONNECTOR *pNdkConnector,
                              NDK_FN_DISCONNECT_EVENT_CALLBACK_EX DisconnectEvent,
                              PVOID DisconnectEventContext,
                              NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    return CompleteConnect(ConnectorOf(pNdkConnector), NULL, DisconnectEvent,
                           DisconnectEventContext, RequestCompletion, RequestContext);
}
