/* SPDX-License-Identifier: Apache-2.0 */
/* Shared endpoints: creation, address, end; see shared_endpoint.h. */
#include "adapter.h"

static VOID SharedEndpointClosing(PRNIC_OBJECT Object);
static VOID SharedEndpointRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS SharedEndpointClass = {
    .Type = NdkObjectTypeSharedEndpoint,
    .Name = "shared endpoint",
    .Closing = SharedEndpointClosing,
    .Release = SharedEndpointRelease,
};

static PRNIC_SHARED_ENDPOINT SharedEndpointOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_SHARED_ENDPOINT, Object);
}

/* Its own reference; those of connectors keep the address taken (R-SHEP-05). */
static VOID SharedEndpointClosing(PRNIC_OBJECT Object) {
    PRNIC_SHARED_ENDPOINT Shared = SharedEndpointOfObject(Object);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    EndpointPut(Shared->Endpoint);
    Shared->Endpoint = NULL;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID SharedEndpointRelease(PRNIC_OBJECT Object) {
    PRNIC_SHARED_ENDPOINT Shared = SharedEndpointOfObject(Object);
    PRNIC_OPEN Open = Shared->Open;

    PoolPut(Shared);
    ObjectPut(&Open->Object, RefSuccessor);
}

static NTSTATUS NdkGetSharedEndpointLocalAddress(NDK_SHARED_ENDPOINT *pNdkSharedEndpoint,
                                                 PSOCKADDR pAddress, ULONG *pAddressLength) {
    PRNIC_SHARED_ENDPOINT Shared = SharedEndpointOf(pNdkSharedEndpoint);
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Known;
    RNIC_IP Ip = {{0}};
    USHORT Port = 0;

    KeAcquireInStackQueuedSpinLock(&Shared->Object.Owner->Cm.Lock, &Lock);
    Known = Shared->Endpoint != NULL;
    if (Known) {
        Ip = Shared->Endpoint->Ip;
        Port = Shared->Endpoint->Port;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Known ? IpToSockaddr(&Ip, Port, pAddress, pAddressLength) : STATUS_INVALID_DEVICE_STATE;
}

static const NDK_SHARED_ENDPOINT_DISPATCH SharedEndpointDispatch = {
    .NdkCloseSharedEndpoint = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkGetLocalAddress = NdkGetSharedEndpointLocalAddress,
};

/* No wildcard: a connection has one local address (D-33). */
static NTSTATUS SharedEndpointOpen(PRNIC_SHARED_ENDPOINT Shared, const RNIC_IP *Ip, USHORT Port) {
    PRNIC_ADAPTER Adapter = Shared->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;
    UCHAR Index;

    if (!AddressFind(Adapter, Ip, &Index)) {
        return STATUS_INVALID_ADDRESS;
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    Status = EndpointOpen(Adapter, Ip, Port, EndpointShared, &Shared->Endpoint);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static NTSTATUS SharedEndpointFault(NDK_ADAPTER *pNdkAdapter) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.create_shared_endpoint.insufficient_resources", STATUS_INSUFFICIENT_RESOURCES},
        {"provider.create_shared_endpoint.sharing_violation", STATUS_SHARING_VIOLATION},
        {"provider.create_shared_endpoint.too_many_addresses", STATUS_TOO_MANY_ADDRESSES},
        {"provider.create_shared_endpoint.invalid_address", STATUS_INVALID_ADDRESS},
    };

    return AnswerFaults(pNdkAdapter, Faults, RTL_NUMBER_OF(Faults));
}

NTSTATUS NdkCreateSharedEndpoint(NDK_ADAPTER *pNdkAdapter, const struct sockaddr *pAddress,
                                 ULONG AddressLength, NDK_FN_CREATE_COMPLETION CreateCompletion,
                                 PVOID RequestContext, NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    PRNIC_ADAPTER Adapter = Open->Object.Owner;
    PRNIC_SHARED_ENDPOINT Shared;
    RNIC_SHAPE Shape;
    RNIC_IP Ip;
    USHORT Port;
    NTSTATUS Status = IpFromSockaddr(pAddress, AddressLength, &Ip, &Port);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Shared = PoolGet(sizeof(*Shared));
    if (Shared == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    ObjectInit(&Shared->Object, Adapter, &SharedEndpointClass, Open->Object.Ndk.Header.Version);
    Shared->Object.Ndk.SharedEndpoint.Dispatch = &SharedEndpointDispatch;
    Shared->Open = Open;
    ObjectGet(&Open->Object, RefSuccessor);
    Shape = AnswerChoose(Adapter, pNdkAdapter, "answer.create_shared_endpoint", ShapeInline);
    RequestBeginCreate(&Shared->Object.Request, &Shared->Object, Shape, CreateCompletion,
                       RequestContext);
    Status = SharedEndpointFault(pNdkAdapter);
    if (NT_SUCCESS(Status)) {
        Status = SharedEndpointOpen(Shared, &Ip, Port);
    }
    return RequestAnswerCreate(&Shared->Object.Request, Status, (PVOID *)ppNdkSharedEndpoint);
}
