/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners: creation, listen, pause, connect events, end; see listener.h. */
#include "adapter.h"

static VOID ListenerClosing(PRNIC_OBJECT Object);
static VOID ListenerRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS ListenerClass = {
    .Type = NdkObjectTypeListener,
    .Name = "listener",
    .Closing = ListenerClosing,
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

/* Under the lock: a request whose consumer never hears of it. */
static VOID ListenerDrop(PRNIC_LISTENER Listener, PRNIC_CONNECTOR Connector) {
    Connector->Waits = FALSE;
    Listener->Waiting--;
    CmStep(Connector, EvRefuse, NULL);
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
            Connector->Unheard = FALSE;
            return Connector;
        }
        ListenerDrop(Listener, Connector);
    }
    return NULL;
}

/* Under the lock, which is let go of: the end of NdkListen, before any event (E-08). */
static VOID ListenerListened(PRNIC_LISTENER Listener, PKLOCK_QUEUE_HANDLE Lock) {
    NTSTATUS Status = Listener->ListenStatus;
    RNIC_REQUEST Request = RequestTake(&Listener->Object.Request);

    Listener->Listened = FALSE;
    if (NT_SUCCESS(Status) && !ObjectIsOpen(&Listener->Object)) {
        Status = STATUS_CANCELLED;
    }
    KeReleaseInStackQueuedSpinLock(Lock);
    RequestCall(&Request, Status);
    KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, Lock);
}

static VOID ListenerReport(PRNIC_LISTENER Listener, PKLOCK_QUEUE_HANDLE Lock) {
    PRNIC_CONNECTOR Connector;

    while ((Connector = ListenerNext(Listener)) != NULL) {
        KeReleaseInStackQueuedSpinLock(Lock);
        /* The connector is the consumer's from here on, and may be closed in the callback. */
        Listener->ConnectEvent(Listener->ConnectEventContext, &Connector->Object.Ndk.Connector);
        KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, Lock);
    }
}

/* Callbacks follow each other; with the knob a second CPU need not wait for the first. */
static VOID ListenerPumpRun(PRNIC_DEFERRED Deferred) {
    PRNIC_LISTENER Listener = CONTAINING_RECORD(Deferred, RNIC_LISTENER, Pump);
    BOOLEAN Overlap = Listener->Object.Owner->Settings.ConnectEventsOverlap != 0;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Listener->Object.Owner->Cm.Lock, &Lock);
    if (!Listener->Pumping) {
        Listener->Pumping = TRUE;
        while (Listener->Listened) {
            ListenerListened(Listener, &Lock);
        }
        Listener->Pumping = !Overlap;
        ListenerReport(Listener, &Lock);
        Listener->Pumping = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    ObjectPut(&Listener->Object, RefCallback);
}

static VOID ListenerKick(PRNIC_LISTENER Listener) {
    ObjectGet(&Listener->Object, RefCallback);
    if (!DeferItem(Listener->Object.Owner, &Listener->Pump)) {
        ObjectPut(&Listener->Object, RefCallback);
    }
}

VOID ListenerDeliver(PRNIC_LISTENER Listener, PRNIC_CONNECTOR Connector) {
    Connector->Waits = TRUE;
    Listener->Waiting++;
    InsertTailList(&Listener->Pending, &Connector->PendingLink);
    ListenerKick(Listener);
}

/*
 * Refuses what comes and what waits; connectors that were reported stay the consumer's (E-02).
 * Those that were accepted keep the address taken.
 */
static VOID ListenerClosing(PRNIC_OBJECT Object) {
    PRNIC_LISTENER Listener = ListenerOfObject(Object);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Object->Owner->Cm.Lock, &Lock);
    ListenerDropPending(Listener);
    if (Listener->Endpoint != NULL) {
        RemoveEntryList(&Listener->Link);
        EndpointPut(Listener->Endpoint);
        Listener->Endpoint = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
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
    Status = EndpointOpen(Adapter, Ip, Port, EndpointOfListener, &Listener->Endpoint);
    if (NT_SUCCESS(Status)) {
        InsertTailList(&Adapter->Cm.Listeners, &Listener->Link);
    }
    return Status;
}

static NTSTATUS ListenFault(PVOID Subject) {
    static const RNIC_ANSWER_FAULT Faults[] = {
        {"provider.listen.insufficient_resources", STATUS_INSUFFICIENT_RESOURCES},
        {"provider.listen.sharing_violation", STATUS_SHARING_VIOLATION},
        {"provider.listen.invalid_address", STATUS_INVALID_ADDRESS},
        {"provider.listen.too_many_addresses", STATUS_TOO_MANY_ADDRESSES},
    };

    return AnswerFaults(Subject, Faults, RTL_NUMBER_OF(Faults));
}

/* Lets the lock go. A pending answer is the pump's: the close may cancel it until then. */
static NTSTATUS ListenAnswer(PRNIC_LISTENER Listener, RNIC_SHAPE Shape, NTSTATUS Status,
                             PKLOCK_QUEUE_HANDLE Lock) {
    if (Shape == ShapePending) {
        Listener->ListenStatus = Status;
        Listener->Listened = TRUE;
        ListenerKick(Listener);
    }
    KeReleaseInStackQueuedSpinLock(Lock);
    return Shape == ShapePending ? STATUS_PENDING
                                 : RequestAnswer(&Listener->Object.Request, Status);
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
    NTSTATUS Fault;
    NTSTATUS Status = IpFromSockaddr(pAddress, AddressLength, &Ip, &Port);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Shape = AnswerChoose(Adapter, pNdkListener, "answer.listen", ShapeInline);
    Fault = ListenFault(pNdkListener);
    KeAcquireInStackQueuedSpinLock(&Adapter->Cm.Lock, &Lock);
    if (Listener->Endpoint != NULL || Listener->Object.Request.Object != NULL ||
        !ObjectIsOpen(&Listener->Object)) {
        KeReleaseInStackQueuedSpinLock(&Lock);
        return STATUS_INVALID_DEVICE_STATE;
    }
    RequestBegin(&Listener->Object.Request, &Listener->Object, Shape, RequestCompletion,
                 RequestContext);
    Status = NT_SUCCESS(Fault) ? ListenStart(Listener, &Ip, Port) : Fault;
    return ListenAnswer(Listener, Shape, Status, &Lock);
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
