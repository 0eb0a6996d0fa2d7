/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndkping-server: answers. Driven by events; what needs PASSIVE_LEVEL runs in work items.
 *
 *   connect event -> accept item (objects, NdkAccept) -> accept completion -> messages (DPC)
 *   disconnect event, failed accept, failed request, unload -> end item (once) -> gone
 *
 * A thread watches the adapter: when it is to go, everything is closed, and made again when it is
 * back.
 *
 * A session is ended once: whoever sets EndQueued first queues the item, which waits until the
 * accept item has done its part.
 */
#include "ping.h"
#include "thread.h"

typedef struct _PING_SESSION {
    LIST_ENTRY Entry;
    PING_LINK Link;
    PIO_WORKITEM AcceptItem; /* both lie behind the session */
    PIO_WORKITEM EndItem;
    LONG EndQueued;
    KEVENT AcceptIssued; /* notification: the accept item does nothing more */
    KSPIN_LOCK Lock;
    BOOLEAN IsAccepted;       /* messages may come before that; answers may not go */
    BOOLEAN Owed[PING_DEPTH]; /* the message in that receive was not answered */
} PING_SESSION, *PPING_SESSION;

typedef struct _PING_SERVER {
    RDMA_ADAPTER Rdma;
    RDMA_ADDRESS Local;
    ULONG MessageBytes;
    ULONG DataBytes;
    PDEVICE_OBJECT Device;
    NDK_LISTENER *Listener;
    CLOSE_GROUP Refused; /* connectors closed in the connect event */
    KSPIN_LOCK Lock;
    LIST_ENTRY Sessions;
    BOOLEAN IsRefusing;
    ULONG SessionCount; /* under the lock; and one for the listener */
    KEVENT Empty;       /* notification */
    KEVENT Stop;        /* notification */
    PVOID Thread;
    ULONG AdapterWaitMs;
    LONG64 Connected;
    LONG64 Pings;
    LONG64 Errors;
} PING_SERVER, *PPING_SERVER;

static PING_SERVER Server;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD ServerUnload;
static IO_WORKITEM_ROUTINE_EX AcceptRoutine;
static IO_WORKITEM_ROUTINE_EX EndRoutine;

/* Its work is done while it listens and has nobody to answer. */
static VOID SessionsPut(VOID) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    Server.SessionCount--;
    if (Server.SessionCount == 1) {
        NdksimCounter("done", 1);
    }
    if (Server.SessionCount == 0) {
        KeSetEvent(&Server.Empty, IO_NO_INCREMENT, FALSE);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* IRQL <= DISPATCH_LEVEL. */
static VOID SessionEnd(PPING_SESSION Session) {
    if (InterlockedExchange(&Session->EndQueued, 1) == 0) {
        IoQueueWorkItemEx(Session->EndItem, EndRoutine, DelayedWorkQueue, Session);
    }
}

static VOID SessionFree(PPING_SESSION Session) {
    IoUninitializeWorkItem(Session->AcceptItem);
    IoUninitializeWorkItem(Session->EndItem);
    ExFreePoolWithTag(Session, PING_POOL_TAG);
}

static VOID EndRoutine(PVOID IoObject, PVOID Context, PIO_WORKITEM Item) {
    PPING_SESSION Session = Context;
    KLOCK_QUEUE_HANDLE Handle;

    UNREFERENCED_PARAMETER(IoObject);
    UNREFERENCED_PARAMETER(Item);
    KeWaitForSingleObject(&Session->AcceptIssued, Executive, KernelMode, FALSE, NULL);
    LinkClose(&Session->Link);
    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    RemoveEntryList(&Session->Entry);
    KeReleaseInStackQueuedSpinLock(&Handle);
    SessionFree(Session);
    SessionsPut();
}

static VOID DisconnectEvent(PVOID Context) {
    PPING_SESSION Session = Context;

    LinkOver(&Session->Link, STATUS_CONNECTION_DISCONNECTED);
    SessionEnd(Session);
}

/* The answer to an offer: where the region is. An echo stays as it came. */
static VOID AnswerFill(PPING_LINK Link, PPING_MESSAGE Message) {
    if (Message->Kind == PingOffer) {
        Message->Address = (ULONG64)(ULONG_PTR)Link->Data.Buffer;
        Message->Token = Link->Data.RemoteToken;
        Message->Bytes = Link->Data.Bytes;
    }
}

static VOID Answer(PPING_SESSION Session, ULONG Index) {
    PPING_LINK Link = &Session->Link;
    PPING_OP Receive = &Link->Receives[Index];
    PPING_OP Send = &Link->Sends[Index];
    ULONG Bytes = Receive->Bytes;
    NTSTATUS Status;
    LONG64 Pings;

    RtlCopyMemory(Send->Data, Receive->Data, Bytes);
    AnswerFill(Link, (PPING_MESSAGE)Send->Data);
    /* The receive first: the answer invites the next message. */
    Status = LinkReceive(Link, Receive);
    if (NT_SUCCESS(Status)) {
        Status = LinkSend(Link, Send, Bytes);
    }
    if (!NT_SUCCESS(Status)) {
        SessionEnd(Session);
        return;
    }
    Pings = InterlockedIncrement64(&Server.Pings);
    NdksimCounter("pings", (ULONG64)Pings);
}

/*
 * Answers the message in receive `Index`, if there is one and nothing stands in its way: the accept
 * has completed, and the buffer's last answer is out. Whoever removes an obstacle comes here again.
 */
static VOID AnswerOwed(PPING_SESSION Session, ULONG Index) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsReady;

    KeAcquireInStackQueuedSpinLock(&Session->Lock, &Handle);
    IsReady = Session->Owed[Index] && Session->IsAccepted && !Session->Link.Sends[Index].IsBusy;
    if (IsReady) {
        Session->Owed[Index] = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (IsReady) {
        Answer(Session, Index);
    }
}

static VOID AcceptDone(PVOID Context, NTSTATUS Status) {
    PPING_SESSION Session = Context;
    KLOCK_QUEUE_HANDLE Handle;
    LONG64 Connected;
    ULONG Index;

    if (Status != STATUS_SUCCESS) {
        SessionEnd(Session);
        return;
    }
    Session->Link.IsConnected = TRUE;
    Connected = InterlockedIncrement64(&Server.Connected);
    NdksimCounter("connected", (ULONG64)Connected);
    KeAcquireInStackQueuedSpinLock(&Session->Lock, &Handle);
    Session->IsAccepted = TRUE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    for (Index = 0; Index < PING_DEPTH; Index++) {
        AnswerOwed(Session, Index);
    }
}

static VOID MessageCame(PPING_SESSION Session, PPING_OP Op) {
    ULONG Index = (ULONG)(Op - Session->Link.Receives);
    KLOCK_QUEUE_HANDLE Handle;

    if (Op->Bytes < sizeof(PING_MESSAGE)) {
        InterlockedIncrement64(&Server.Errors);
        LinkOver(&Session->Link, STATUS_INVALID_NETWORK_RESPONSE);
        SessionEnd(Session);
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Session->Lock, &Handle);
    Session->Owed[Index] = TRUE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    AnswerOwed(Session, Index);
}

/* DISPATCH_LEVEL, never two at a time for one session: the CQ's notification is serialised. */
static VOID Completed(PPING_LINK Link, PPING_OP Op) {
    PPING_SESSION Session = CONTAINING_RECORD(Link, PING_SESSION, Link);

    if (Op->Status != STATUS_SUCCESS) {
        SessionEnd(Session);
    } else if (Op->IsReceive) {
        MessageCame(Session, Op);
    } else {
        AnswerOwed(Session, (ULONG)(Op - Link->Sends));
    }
}

static NTSTATUS Accept(PPING_SESSION Session) {
    PPING_LINK Link = &Session->Link;
    NDK_ADAPTER_INFO *Info = &Server.Rdma.Info;
    NTSTATUS Status;

    Status = LinkOpen(Link, &Server.Rdma, Server.MessageBytes, Server.DataBytes,
                      NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = Link->Connector->Dispatch->NdkAccept(
        Link->Connector, Link->Qp, Info->MaxInboundReadLimit, Info->MaxOutboundReadLimit, NULL, 0,
        DisconnectEvent, Session, AcceptDone, Session);
    if (Status == STATUS_SUCCESS) {
        AcceptDone(Session, Status);
    }
    return Status;
}

static VOID AcceptRoutine(PVOID IoObject, PVOID Context, PIO_WORKITEM Item) {
    PPING_SESSION Session = Context;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(IoObject);
    UNREFERENCED_PARAMETER(Item);
    Status = Accept(Session);
    if (!NT_SUCCESS(Status)) {
        SessionEnd(Session);
    }
    /* The session may be gone as soon as this is set. */
    KeSetEvent(&Session->AcceptIssued, IO_NO_INCREMENT, FALSE);
}

static PPING_SESSION SessionMake(NDK_CONNECTOR *Connector) {
    ULONG ItemBytes = (ULONG)ALIGN_UP_BY(IoSizeofWorkItem(), sizeof(PVOID));
    PPING_SESSION Session;

    Session = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Session) + 2 * ItemBytes, PING_POOL_TAG);
    if (Session == NULL) {
        return NULL;
    }
    Session->Link.Completed = Completed;
    Session->Link.Connector = Connector;
    KeInitializeEvent(&Session->AcceptIssued, NotificationEvent, FALSE);
    KeInitializeSpinLock(&Session->Lock);
    Session->AcceptItem = (PIO_WORKITEM)(Session + 1);
    Session->EndItem = (PIO_WORKITEM)((PUCHAR)Session->AcceptItem + ItemBytes);
    IoInitializeWorkItem(Server.Device, Session->AcceptItem);
    IoInitializeWorkItem(Server.Device, Session->EndItem);
    return Session;
}

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PPING_SESSION Session = SessionMake(Connector);
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsKept = FALSE;

    UNREFERENCED_PARAMETER(Context);
    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    if (Session != NULL && !Server.IsRefusing) {
        InsertTailList(&Server.Sessions, &Session->Entry);
        Server.SessionCount++;
        NdksimCounter("done", 0);
        IsKept = TRUE;
        /* Under the lock: unload finds each session with its accept item queued. */
        IoQueueWorkItemEx(Session->AcceptItem, AcceptRoutine, DelayedWorkQueue, Session);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (IsKept) {
        return;
    }
    if (Session != NULL) {
        SessionFree(Session);
    }
    CloseGroupStart(&Server.Refused, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
}

static NTSTATUS Listen(VOID) {
    CHAR Text[ADDRESS_TEXT_CHARS];
    NTSTATUS Status;

    CloseGroupInit(&Server.Refused);
    Status = SyncCreateListener(Server.Rdma.Adapter, ConnectEvent, &Server, &Server.Listener);
    if (NT_SUCCESS(Status)) {
        Status = SyncListen(Server.Listener, &Server.Local.Plain, Server.Local.Bytes);
    }
    AddressText(&Server.Local, Text);
    DbgPrint("ndkping server: listening on %s: 0x%08X\n", Text, Status);
    return Status;
}

static VOID SessionsEndAll(VOID) {
    KLOCK_QUEUE_HANDLE Handle;
    PLIST_ENTRY Entry;

    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    Server.IsRefusing = TRUE;
    for (Entry = Server.Sessions.Flink; Entry != &Server.Sessions; Entry = Entry->Flink) {
        SessionEnd(CONTAINING_RECORD(Entry, PING_SESSION, Entry));
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* Nobody is answered any more, and nothing of the adapter is left but the adapter. */
static VOID ServerDown(VOID) {
    SessionsEndAll();
    SessionsPut();
    KeWaitForSingleObject(&Server.Empty, Executive, KernelMode, FALSE, NULL);
    if (Server.Listener != NULL) {
        SyncClose(&Server.Listener->Header, Server.Listener->Dispatch->NdkCloseListener);
        Server.Listener = NULL;
        CloseGroupWait(&Server.Refused);
    }
}

static VOID ServerAgain(VOID) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    Server.IsRefusing = FALSE;
    Server.SessionCount = 1;
    KeClearEvent(&Server.Empty);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* FALSE: the driver is to stop, or the adapter does not come back. */
static BOOLEAN ServerRenew(VOID) {
    NTSTATUS Status;

    NdksimCounter("done", 0);
    ServerDown();
    AdapterShut(&Server.Rdma);
    DbgPrint("ndkping server: the adapter goes away\n");
    Status = AdapterAwait(&Server.Rdma, &Server.Stop, Server.AdapterWaitMs);
    ServerAgain();
    if (NT_SUCCESS(Status)) {
        Status = Listen();
    }
    if (!NT_SUCCESS(Status)) {
        NdksimCounter("failed", Status == STATUS_CANCELLED ? 0 : 1);
    }
    NdksimCounter("done", 1);
    return NT_SUCCESS(Status);
}

static VOID ServerMain(PVOID Context) {
    PVOID Objects[2] = {&Server.Stop, &Server.Rdma.Changed};
    BOOLEAN IsUp = TRUE;

    UNREFERENCED_PARAMETER(Context);
    while (IsUp) {
        NTSTATUS Status;

        Status =
            KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (Status == STATUS_WAIT_0) {
            return;
        }
        if (AdapterMustClose(&Server.Rdma)) {
            IsUp = ServerRenew();
        }
    }
}

static VOID ServerEnd(VOID) {
    KeSetEvent(&Server.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Server.Thread);
    ServerDown();
    AdapterClose(&Server.Rdma);
    IoDeleteDevice(Server.Device);
}

static NTSTATUS ServerUp(PDRIVER_OBJECT DriverObject) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex", 1);
    UNICODE_STRING Name;
    NTSTATUS Status;

    RtlInitUnicodeString(&Name, PING_DEVICE L"Server");
    Status = IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Server.Device);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = AdapterOpen(&Server.Rdma, Interface);
    if (NT_SUCCESS(Status)) {
        Status = Listen();
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(ServerMain, NULL, &Server.Thread);
    }
    if (!NT_SUCCESS(Status)) {
        ServerEnd();
    }
    return Status;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    ULONG Port = NdksimRegistryUlong(L"Port", PING_PORT);
    ULONG Size = NdksimRegistryUlong(L"Size", 256);
    NTSTATUS Status;

    DriverObject->DriverUnload = ServerUnload;
    KeInitializeSpinLock(&Server.Lock);
    InitializeListHead(&Server.Sessions);
    KeInitializeEvent(&Server.Empty, NotificationEvent, FALSE);
    KeInitializeEvent(&Server.Stop, NotificationEvent, FALSE);
    Server.SessionCount = 1;
    Server.MessageBytes = min(max(Size, PING_BYTES_MIN), PING_BYTES_MAX);
    Server.DataBytes = NdksimRegistryUlong(L"ReadSize", 65536);
    Server.AdapterWaitMs = NdksimRegistryUlong(L"AdapterWaitMs", ADAPTER_WAIT_MS);
    Status = SettingsAddress(RegistryPath, L"LocalAddress", (USHORT)Port, &Server.Local);
    if (NT_SUCCESS(Status) && Server.Local.Bytes == 0) {
        Status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(Status)) {
        NdksimCounter("done", 1);
        NdksimCounter("connected", 0);
        NdksimCounter("pings", 0);
        NdksimCounter("failed", 0);
        Status = ServerUp(DriverObject);
    }
    return Status;
}

static VOID ServerUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ServerEnd();
}
