/* SPDX-License-Identifier: Apache-2.0 */
/* NdkConnect, from an address of its own or from a shared endpoint. */
#include "adapter.h"

#define RNIC_100NS_PER_MS 10000u
#define RNIC_NEIGHBOUR_TRIES 3u

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
    PRNIC_QP Qp;
    PRNIC_SHARED_ENDPOINT Shared; /* NULL: from LocalIp and LocalPort */
    RNIC_IP LocalIp;
    RNIC_IP PeerIp;
    USHORT LocalPort;
    USHORT PeerPort;
    UCHAR AddressIndex;
    ULONG Inbound;
    ULONG Outbound;
    const VOID *Private;
    ULONG PrivateBytes;
    NDK_FN_REQUEST_COMPLETION Completion;
    PVOID Context;
    RNIC_CM_EVENT Event; /* EvConnect, or EvConnectNobody and how long it takes to know */
    ULONG Tries;
    ULONG64 TryWait100ns;
} RNIC_CONNECT, *PRNIC_CONNECT;

static NTSTATUS ConnectToCheck(const RNIC_CONNECT *Connect) {
    if (Connect->PeerPort == 0 || IpIsWildcard(&Connect->PeerIp) ||
        IpIsV4(&Connect->LocalIp) != IpIsV4(&Connect->PeerIp)) {
        return STATUS_INVALID_PARAMETER;
    }
    return Connect->PrivateBytes != 0 && Connect->Private == NULL ? STATUS_INVALID_PARAMETER
                                                                  : STATUS_SUCCESS;
}

static NTSTATUS ConnectFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.connect.insufficient_resources", STATUS_INSUFFICIENT_RESOURCES},
        {"provider.connect.network_unreachable", STATUS_NETWORK_UNREACHABLE},
        {"provider.connect.host_unreachable", STATUS_HOST_UNREACHABLE},
        {"provider.connect.connection_refused", STATUS_CONNECTION_REFUSED},
        {"provider.connect.io_timeout", STATUS_IO_TIMEOUT},
        {"provider.connect.sharing_violation", STATUS_SHARING_VIOLATION},
        {"provider.connect.invalid_address", STATUS_INVALID_ADDRESS},
        {"provider.connect.too_many_addresses", STATUS_TOO_MANY_ADDRESSES},
        {"provider.connect.address_already_exists", STATUS_ADDRESS_ALREADY_EXISTS},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

static NTSTATUS ConnectSharedFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.connect_with_shared_endpoint.insufficient_resources",
         STATUS_INSUFFICIENT_RESOURCES},
        {"provider.connect_with_shared_endpoint.network_unreachable", STATUS_NETWORK_UNREACHABLE},
        {"provider.connect_with_shared_endpoint.host_unreachable", STATUS_HOST_UNREACHABLE},
        {"provider.connect_with_shared_endpoint.connection_refused", STATUS_CONNECTION_REFUSED},
        {"provider.connect_with_shared_endpoint.io_timeout", STATUS_IO_TIMEOUT},
        {"provider.connect_with_shared_endpoint.address_already_exists",
         STATUS_ADDRESS_ALREADY_EXISTS},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

/* Of a host on the own link one hears nothing for a while; that there is no way is known at once.
 */
static NTSTATUS ConnectReach(PRNIC_ADAPTER Adapter, PRNIC_CONNECT Connect) {
    Connect->Event = EvConnect;
    if (!AddressFind(Adapter, &Connect->LocalIp, &Connect->AddressIndex)) {
        return STATUS_INVALID_ADDRESS;
    }
    if (AddressIsOfThisNode(Adapter, &Connect->PeerIp) && Adapter->Settings.Loopback == 0) {
        Connect->Event = EvConnectNobody; /* not within the call (D-34) */
        return STATUS_SUCCESS;
    }
    if (AddressIsReachable(Adapter, &Connect->PeerIp)) {
        return STATUS_SUCCESS;
    }
    if (!AddressIsOnLink(Adapter, Connect->AddressIndex, &Connect->PeerIp)) {
        return STATUS_NETWORK_UNREACHABLE;
    }
    Connect->Event = EvConnectNobody;
    Connect->Tries = RNIC_NEIGHBOUR_TRIES;
    Connect->TryWait100ns = (ULONG64)Adapter->Settings.NeighbourTimeoutMs * RNIC_100NS_PER_MS;
    return STATUS_SUCCESS;
}

/* The endpoint of an earlier attempt goes when the next one takes another address. */
static NTSTATUS ConnectFromOwn(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect) {
    PRNIC_ENDPOINT Old = Connector->Endpoint;
    PRNIC_ENDPOINT New;
    NTSTATUS Status;

    if (Old != NULL && Old->Kind == EndpointOfConnector && IpEqual(&Old->Ip, &Connect->LocalIp) &&
        (Connect->LocalPort == 0 || Connect->LocalPort == Old->Port)) {
        return STATUS_SUCCESS;
    }
    EndpointLeave(Connector);
    Status = EndpointOpen(Connector->Object.Owner, &Connect->LocalIp, Connect->LocalPort,
                          EndpointOfConnector, &New);
    if (NT_SUCCESS(Status)) {
        EndpointJoin(New, Connector);
        EndpointPut(New);
    }
    return Status;
}

static NTSTATUS ConnectFromShared(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect) {
    PRNIC_ENDPOINT Endpoint = Connect->Shared->Endpoint;

    if (EndpointHasPeer(Endpoint, Connector, &Connect->PeerIp, Connect->PeerPort)) {
        return STATUS_ADDRESS_ALREADY_EXISTS;
    }
    EndpointLeave(Connector);
    EndpointJoin(Endpoint, Connector);
    return STATUS_SUCCESS;
}

static VOID ConnectPrepare(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect) {
    const NDK_ADAPTER_INFO *Info = &Connector->Object.Owner->Info;

    Connector->LocalIp = Connect->LocalIp;
    Connector->PeerIp = Connect->PeerIp;
    Connector->LocalPort = Connector->Endpoint->Port;
    Connector->PeerPort = Connect->PeerPort;
    Connector->HasAddresses = TRUE;
    Connector->AddressIndex = Connect->AddressIndex;
    Connector->InboundLimit = (UCHAR)min(Connect->Inbound, Info->MaxInboundReadLimit);
    Connector->OutboundLimit = (UCHAR)min(Connect->Outbound, Info->MaxOutboundReadLimit);
    Connector->PathMtu = Connector->Object.Owner->PathMtu;
    CmPrivateDrop(&Connector->Heard);
    Connector->HasPrivate = FALSE;
    Connector->Ids.RemoteId = 0;
    Connector->PeerResponseTimeout = 0;
    Connector->RetriesLeft = Connect->Tries != 0 ? Connect->Tries - 1 : 0;
    Connector->TryWait100ns = Connect->TryWait100ns;
    CmEnter(Connector);
    Connector->Ids.TransactionId =
        (Connector->Object.Owner->Cm.CaGuid << 32) | Connector->Ids.LocalId;
}

/* Under the lock: what must not be so, and the QP and the endpoint object are tied. */
static NTSTATUS ConnectTie(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect) {
    NTSTATUS Status = ConnectStateCheck(Connector);

    if (NT_SUCCESS(Status) && Connect->Shared != NULL && Connect->Shared->Endpoint == NULL) {
        Status = STATUS_INVALID_DEVICE_STATE; /* it is being closed */
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectorTie(Connector, Connect->Qp);
    }
    if (NT_SUCCESS(Status)) {
        ConnectorShare(Connector, Connect->Shared);
    }
    return Status;
}

/* `Outcome`: what is known before anything is tried. */
static NTSTATUS ConnectStart(PRNIC_CONNECTOR Connector, const RNIC_CONNECT *Connect,
                             NTSTATUS Outcome) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;
    RNIC_SHAPE Shape =
        AnswerChoose(Adapter, &Connector->Object.Ndk.Header, "answer.connect", ShapePending);

    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = ConnectTie(Connector, Connect);
    if (!NT_SUCCESS(Status)) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return Status;
    }
    ConnectorBegin(Connector, Shape, Connect->Completion, Connect->Context);
    if (NT_SUCCESS(Outcome) &&
        !CmPrivateSet(&Connector->Told, Connect->Private, Connect->PrivateBytes)) {
        Outcome = STATUS_INSUFFICIENT_RESOURCES;
    }
    if (NT_SUCCESS(Outcome)) {
        Outcome = Connect->Shared != NULL ? ConnectFromShared(Connector, Connect)
                                          : ConnectFromOwn(Connector, Connect);
    }
    if (NT_SUCCESS(Outcome)) {
        ConnectPrepare(Connector, Connect);
        CmStep(Connector, Connect->Event, NULL);
    } else {
        ConnectorSettle(Connector, Outcome);
    }
    return ConnectorAnswer(Connector, &Lock);
}

NTSTATUS NdkConnect(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                    const struct sockaddr *pSrcAddress, ULONG SrcAddressLength,
                    const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                    ULONG InboundReadLimit, ULONG OutboundReadLimit, CONST PVOID pPrivateData,
                    ULONG PrivateDataLength, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                    PVOID RequestContext) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    RNIC_CONNECT Connect = {.Qp = QpOf(pNdkQp),
                            .Inbound = InboundReadLimit,
                            .Outbound = OutboundReadLimit,
                            .Private = pPrivateData,
                            .PrivateBytes = PrivateDataLength,
                            .Completion = RequestCompletion,
                            .Context = RequestContext};
    NTSTATUS Status =
        IpFromSockaddr(pSrcAddress, SrcAddressLength, &Connect.LocalIp, &Connect.LocalPort);

    if (NT_SUCCESS(Status)) {
        Status =
            IpFromSockaddr(pDestAddress, DestAddressLength, &Connect.PeerIp, &Connect.PeerPort);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectToCheck(&Connect);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (PrivateDataLength > Connector->Object.Owner->Info.MaxCallerData) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    Status = ConnectFault(pNdkConnector);
    if (NT_SUCCESS(Status)) {
        Status = ConnectReach(Connector->Object.Owner, &Connect);
    }
    return ConnectStart(Connector, &Connect, Status);
}

/* FALSE: it is being closed. */
static BOOLEAN SharedAddress(PRNIC_SHARED_ENDPOINT Shared, PRNIC_CONNECT Connect) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Open;

    KeAcquireInStackQueuedSpinLock(&Shared->Object.Owner->Cm.Lock, &Lock);
    Open = Shared->Endpoint != NULL;
    if (Open) {
        Connect->LocalIp = Shared->Endpoint->Ip;
        Connect->LocalPort = Shared->Endpoint->Port;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Open;
}

NTSTATUS NdkConnectWithSharedEndpoint(NDK_CONNECTOR *pNdkConnector, NDK_QP *pNdkQp,
                                      NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                      const struct sockaddr *pDestAddress, ULONG DestAddressLength,
                                      ULONG InboundReadLimit, ULONG OutboundReadLimit,
                                      CONST PVOID pPrivateData, ULONG PrivateDataLength,
                                      NDK_FN_REQUEST_COMPLETION RequestCompletion,
                                      PVOID RequestContext) {
    PRNIC_CONNECTOR Connector = ConnectorOf(pNdkConnector);
    RNIC_CONNECT Connect = {.Qp = QpOf(pNdkQp),
                            .Shared = SharedEndpointOf(pNdkSharedEndpoint),
                            .Inbound = InboundReadLimit,
                            .Outbound = OutboundReadLimit,
                            .Private = pPrivateData,
                            .PrivateBytes = PrivateDataLength,
                            .Completion = RequestCompletion,
                            .Context = RequestContext};
    NTSTATUS Status =
        IpFromSockaddr(pDestAddress, DestAddressLength, &Connect.PeerIp, &Connect.PeerPort);

    if (!NT_SUCCESS(Status) || Connect.Shared->Object.Owner != Connector->Object.Owner) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!SharedAddress(Connect.Shared, &Connect)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Status = ConnectToCheck(&Connect);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (PrivateDataLength > Connector->Object.Owner->Info.MaxCallerData) {
        return STATUS_INVALID_BUFFER_SIZE;
    }
    Status = ConnectSharedFault(pNdkConnector);
    if (NT_SUCCESS(Status)) {
        Status = ConnectReach(Connector->Object.Owner, &Connect);
    }
    return ConnectStart(Connector, &Connect, Status);
}
