/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners: creation, listen, pause, connect events, end; see listener.h. */
#include "adapter.h"

static VOID ListenerClosing(PRNIC_OBJECT Object);
static BOOLEAN ListenerRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID ListenerRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS ListenerClass = {
    .Type = NdkObjectTypeListener,
    .Name = "listener",
    .Closing = ListenerClosing,
    .Retire = ListenerRetire,
    .Release = ListenerRelease,
};

static PRNIC_LISTENER ListenerOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_LISTENER, Object);
}

PRNIC_LISTENER ListenerFind(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, USHORT Port) {
    PLIST_ENTRY Entry;

    for (Entry = Adapter->Cm.Listeners.Flink; Entry != &Adapter->Cm.Listeners;
         Entry = Entry->Flink) {
        PRNIC_LISTENER Listener = CONTAINING_RECORD(Entry, RNIC_LISTENER, Link);
        const RNIC_ENDPOINT *Endpoint = Listener->Endpoint;

        if (!Listener->Paused && Endpoint->Port == Port &&
            (IpEqual(&Endpoint->Ip, Ip) ||
             (IpIsWildcard(&Endpoint->Ip) && IpIsV4(&Endpoint->Ip) == IpIsV4(Ip)))) {
            return Listener;
        }
    }
    return NULL;
}

VOID ListenerDeliver(PRNIC_LISTENER Listener, PRNIC_CONNECTOR Connector) {
    Connector->Waits = TRUE;
    Listener->Waiting++;
    InsertTailList(&Listener->Pending, &Connector->PendingLink);
    ObjectGet(&Listener->Object, RefCallback);
    if (!DeferItem(Listener->Object.Owner, &Listener->Pump)) {
        ObjectPut(&Listener->Object, RefCallback);
    }
}

/* Under the lock: a request whose consumer never hears of it. */
static VOID ListenerDrop(PRNIC_LISTENER Listener, PRNIC_CONNECTOR Connector) {
    Connector->Waits = FALSE;
    Listener->Waiting--;
    CmStep(Connector, EvClose, NULL);
    ObjectAbandon(&Connector->Object);
}

static VOID ListenerDropPending(PRNIC_LISTENER Listener) {
    while (!IsListEmpty(&Listener->Pending)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Listener->Pending);

        ListenerDrop(Listener, CONTAINING_RECORD(Entry, RNIC_CONNECTOR, PendingLink));
    }
}

/* Under the lock: the next one to report, or NULL. A request that is gone already is not. */
static PRNIC_CONNECTOR ListenerNext(PRNIC_LISTENER Listener) {
    while (!IsListEmpty(&Listener->Pending)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Listener->Pending);
        PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Entry, RNIC_CONNECTOR, PendingLink);

        if (Connector->State != CmEnded) {
            return Connector;
        }
        ListenerDrop(Listener, Connector);
    }
    return NULL;
}

static VOID ListenerPumpRun(PRNIC_DEFERRED Deferred) {
    PRNIC_LISTENER Listener = CONTAINING_RECORD(Deferred, RNIC_LISTENER, Pump);
    PKSPIN_LOCK CmLock = &Listener->Object.Owner->Cm.Lock;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(CmLock, &Lock);
    if (!Listener->Pumping) {
        PRNIC_CONNECTOR Connector;

        Listener->Pumping = TRUE;
        while ((Connector = ListenerNext(Listener)) != NULL) {
            KeReleaseInStackQueuedSpinLock(&Lock);
            /* The connector is the consumer's from here on, and may be closed in the callback. */
            Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
            KeAcquireInStackQueuedSpinLock(CmLock, &Lock);
        }
        Listener->Pumping = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    ObjectPut(&Listener->Object, RefCallback);
}

/* Refuses what comes and what waits; connectors that were reported stay the consumer's (E-02). */
static VOID ListenerClosing(PRNIC_OBJECT Object) {
    PRNIC_LISTENER Listener = ListenerOfObject(Object);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    if (Listener->Listening) {
        Listener->Listening = FALSE;
        RemoveEntryList(&Listener->Link);
    }
    ListenerDropPending(Listener);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static BOOLEAN ListenerRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_LISTENER Listener = ListenerOfObject(Object);
    KLOCK_QUEUE_HANDLE Lock;

    UNREFERENCED_PARAMETER(Polled);
    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    if (Listener->Listening) {
        Listener->Listening = FALSE;
        RemoveEntryList(&Listener->Link);
    }
    if (Listener->Endpoint != NULL) {
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return TRUE;
}

static VOID ListenerRelease(PRNIC_OBJECT Object) {
    PRNIC_LISTENER Listener = ListenerOfObject(Object);
    PRNIC_OPEN Open = Listener->Open;

    PoolPut(Listener);
    ObjectPut(&Open->Object, RefSuccessor);
}

static NTSTATUS ListenStart(PRNIC_LISTENER Listener, const RNIC_IP *Ip, USHORT Port) {
    PRNIC_ADAPTER Adapter = Listener->Object.Owner;
    UCHAR Index;
    NTSTATUS Status;

    if (!IpIsWildcard(Ip) && !AddressFind(Adapter, Ip, &Index)) {
        return STATUS_INVALID_ADDRESS;
    }
    Status = EndpointOpen(Adapter, Ip, Port, TRUE, &Listener->Endpoint);
    if (NT_SUCCESS(Status)) {
        Listener->Listening = TRUE;
        InsertTailList(&Adapter->Cm.Listeners, &Listener->Link);
    }
    return Status;
}

static NTSTATUS NdkListen(NDK_LISTENER *pNdkListener, const struct sockaddr *pAddress,
                          ULONG AddressLength, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                          PVOID RequestContext) {
    PRNIC_LISTENER Listener = ListenerOf(pNdkListener);
    PRNIC_ADAPTER Adapter = Listener->Object.Owner;
    RNIC_IP Ip;
    USHORT Port;
    KLOCK_QUEUE_HANDLE Lock;
    RNIC_SHAPE Shape;
    BOOLEAN Fault;
    NTSTATUS Status = IpFromSockaddr(pAddress, AddressLength, &Ip, &Port);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Shape = AnswerChoose(Adapter, pNdkListener, "answer.listen", ShapeInline);
    Fault = AnswerFault(pNdkListener, "provider.listen.insufficient_resources");
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    if (Listener->Endpoint != NULL || Listener->Object.Request.Object != NULL ||
        !ObjectIsOpen(&Listener->Object)) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return STATUS_INVALID_DEVICE_STATE;
    }
    RequestBegin(&Listener->Object.Request, &Listener->Object, Shape, RequestCompletion,
                 RequestContext);
    Status = Fault ? STATUS_INSUFFICIENT_RESOURCES : ListenStart(Listener, &Ip, Port);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return RequestAnswer(&Listener->Object.Request, Status);
}

static NTSTATUS NdkGetListenerLocalAddress(NDK_LISTENER *pNdkListener, PSOCKADDR pAddress,
                                           ULONG *pAddressLength) {
    PRNIC_LISTENER Listener = ListenerOf(pNdkListener);
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Known;
    RNIC_IP Ip = {{0}};
    USHORT Port = 0;

    KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, &Lock);
    Known = Listener->Endpoint != NULL;
    if (Known) {
        Ip = Listener->Endpoint->Ip;
        Port = Listener->Endpoint->Port;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Known ? IpToSockaddr(&Ip, Port, pAddress, pAddressLength) : STATUS_INVALID_DEVICE_STATE;
}

/* Paused: as if nobody listened (R-LSTN-05, E-03 to E-05). */
static VOID NdkControlConnectEvents(NDK_LISTENER *pNdkListener, BOOLEAN Pause) {
    PRNIC_LISTENER Listener = ListenerOf(pNdkListener);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, &Lock);
    Listener->Paused = Pause != FALSE;
    if (Listener->Paused) {
        ListenerDropPending(Listener);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static const NDK_LISTENER_DISPATCH ListenerDispatch = {
    .NdkCloseListener = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkListen = NdkListen,
    .NdkGetLocalAddress = NdkGetListenerLocalAddress,
    .NdkControlConnectEvents = NdkControlConnectEvents,
};

NTSTATUS NdkCreateListener(NDK_ADAPTER *pNdkAdapter, NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent,
                           PVOID ConnectEventContext, NDK_FN_CREATE_COMPLETION CreateCompletion,
                           PVOID RequestContext, NDK_LISTENER **ppNdkListener) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    PRNIC_LISTENER Listener = PoolGet(sizeof(*Listener));
    NTSTATUS Status = STATUS_SUCCESS;
    RNIC_SHAPE Shape;

    if (Listener == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    ObjectInit(&Listener->Object, Open->Object.Owner, &ListenerClass,
               Open->Object.Ndk.Header.Version);
    Listener->Object.Ndk.Listener.Dispatch = &ListenerDispatch;
    Listener->Open = Open;
    Listener->ConnectEvent = ConnectEvent;
    Listener->ConnectEventContext = ConnectEventContext;
    InitializeListHead(&Listener->Pending);
    Listener->Pump.Run = ListenerPumpRun;
    ObjectGet(&Open->Object, RefSuccessor);
    Shape = AnswerChoose(Open->Object.Owner, pNdkAdapter, "answer.create_listener", ShapeInline);
    RequestBeginCreate(&Listener->Object.Request, &Listener->Object, Shape, CreateCompletion,
                       RequestContext);
    if (AnswerFault(pNdkAdapter, "provider.create_listener.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    return RequestAnswerCreate(&Listener->Object.Request, Status, (PVOID *)ppNdkListener);
}
