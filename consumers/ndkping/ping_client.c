/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndkping-client: connects, learns the server's region, writes it, reads it back, compares,
 * exchanges Count messages, disconnects. One thread that waits for each request. With Hold it opens
 * that many connections instead and keeps them until it is unloaded.
 */
#include "ping.h"
#include "thread.h"

typedef struct _PING_CLIENT {
    RDMA_ADAPTER Rdma;
    RDMA_ADDRESS Local;
    RDMA_ADDRESS Remote;
    ULONG Count;
    ULONG MessageBytes;
    ULONG DataBytes;
    ULONG Rounds;
    ULONG RetryCount;
    ULONG RetryDelayMs;
    ULONG WriteCount;
    ULONG HoldCount;
    ULONG AdapterWaitMs;
    BOOLEAN WaitsForGo;
    BOOLEAN IsAdapterGoing; /* the thread's own: to be closed */
    KEVENT Stop;            /* notification */
    KEVENT Go;              /* synchronization */
    PVOID Thread;
    PDEVICE_OBJECT Device;
    /* The thread's own. */
    SYNC_WAIT Connecting;
    ULONG64 Connected;
    ULONG64 Pings;
    ULONG64 BytesRead;
    ULONG64 BytesWritten;
    ULONG64 Errors;
    ULONG64 Failed;
} PING_CLIENT, *PPING_CLIENT;

static PING_CLIENT Client;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD ClientUnload;
static DRIVER_DISPATCH ClientDispatch;

static VOID Publish(VOID) {
    NdksimCounter("connected", Client.Connected);
    NdksimCounter("pings", Client.Pings);
    NdksimCounter("bytes_read", Client.BytesRead);
    NdksimCounter("bytes_written", Client.BytesWritten);
    NdksimCounter("errors", Client.Errors);
    NdksimCounter("failed", Client.Failed);
}

static VOID Completed(PPING_LINK Link, PPING_OP Op) {
    UNREFERENCED_PARAMETER(Op);
    KeSetEvent(&Link->Changed, IO_NO_INCREMENT, FALSE);
}

static VOID DisconnectEvent(PVOID Context) {
    LinkOver(Context, STATUS_CONNECTION_DISCONNECTED);
}

/* The adapter's machine has news; TRUE: the adapter is going. */
static BOOLEAN AdapterGoes(VOID) {
    Client.IsAdapterGoing = Client.IsAdapterGoing || AdapterMustClose(&Client.Rdma);
    return Client.IsAdapterGoing;
}

/* Waits for a change of the link, or for `Event`; FALSE: the adapter or the driver ends. */
static BOOLEAN Await(PPING_LINK Link, PKEVENT Event) {
    PVOID Objects[4] = {&Link->Changed, &Client.Stop, &Client.Rdma.Changed, Event};
    ULONG Count = Event != NULL ? 4 : 3;
    KWAIT_BLOCK Blocks[4];
    NTSTATUS Status;

    do {
        Status = KeWaitForMultipleObjects(Count, Objects, WaitAny, Executive, KernelMode, FALSE,
                                          NULL, Blocks);
    } while (Status == STATUS_WAIT_2 && !AdapterGoes());
    return Status == STATUS_WAIT_0 || Status == STATUS_WAIT_3;
}

/* STATUS_CANCELLED when the link, the adapter or the driver ends before the request. */
static NTSTATUS AwaitOp(PPING_LINK Link, PPING_OP Op, NTSTATUS Posted) {
    if (!NT_SUCCESS(Posted)) {
        return Posted;
    }
    while (!LinkIsDone(Op)) {
        if (LinkIsOver(Link) || !Await(Link, NULL)) {
            return STATUS_CANCELLED;
        }
    }
    return Op->Status;
}

static NTSTATUS AwaitRequest(PPING_LINK Link, NTSTATUS Status) {
    if (Status != STATUS_PENDING) {
        return Status;
    }
    while (KeReadStateEvent(&Client.Connecting.Event) == 0) {
        if (LinkIsOver(Link) || !Await(Link, &Client.Connecting.Event)) {
            return STATUS_CANCELLED;
        }
    }
    return Client.Connecting.Status;
}

static NTSTATUS Connect(PPING_LINK Link) {
    NDK_ADAPTER_INFO *Info = &Client.Rdma.Info;
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    Status = SyncCreateConnector(Client.Rdma.Adapter, &Link->Connector);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Connector = Link->Connector;
    SyncInit(&Client.Connecting);
    Status = Connector->Dispatch->NdkConnect(
        Connector, Link->Qp, &Client.Local.Plain, Client.Local.Bytes, &Client.Remote.Plain,
        Client.Remote.Bytes, Info->MaxInboundReadLimit, Info->MaxOutboundReadLimit, NULL, 0,
        SyncRequested, &Client.Connecting);
    Status = AwaitRequest(Link, Status);
    if (Status != STATUS_SUCCESS) {
        return Status;
    }
    SyncInit(&Client.Connecting);
    Status = Connector->Dispatch->NdkCompleteConnect(Connector, DisconnectEvent, Link,
                                                     SyncRequested, &Client.Connecting);
    Status = AwaitRequest(Link, Status);
    Link->IsConnected = Status == STATUS_SUCCESS;
    return Status;
}

/* Sends one message and waits for the answer, which is in *Answer; its receive is posted again. */
static NTSTATUS Exchange(PPING_LINK Link, ULONG Bytes, PPING_OP *Answer) {
    PPING_OP Receive = &Link->Receives[0];
    PPING_OP Send = &Link->Sends[0];
    NTSTATUS Status;

    Status = AwaitOp(Link, Send, LinkSend(Link, Send, Bytes));
    if (NT_SUCCESS(Status)) {
        Status = AwaitOp(Link, Receive, STATUS_SUCCESS);
    }
    *Answer = Receive;
    return Status;
}

static NTSTATUS Offer(PPING_LINK Link, PING_REMOTE *Remote) {
    PPING_MESSAGE Message = (PPING_MESSAGE)Link->Sends[0].Data;
    PPING_OP Answer;
    NTSTATUS Status;

    RtlZeroMemory(Message, sizeof(*Message));
    Message->Kind = PingOffer;
    Status = Exchange(Link, PING_BYTES_MIN, &Answer);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Message = (PPING_MESSAGE)Answer->Data;
    if (Answer->Bytes < sizeof(*Message) || Message->Kind != PingOffer) {
        return STATUS_INVALID_NETWORK_RESPONSE;
    }
    Remote->Address = Message->Address;
    Remote->Token = Message->Token;
    Remote->Bytes = min(Message->Bytes, Client.DataBytes);
    return LinkReceive(Link, Answer);
}

/* Writes the server's region, reads it back, compares. */
static NTSTATUS Region(PPING_LINK Link, const PING_REMOTE *Remote) {
    NTSTATUS Status;
    ULONG Index;

    if (Remote->Bytes == 0) {
        return STATUS_SUCCESS;
    }
    PingFill(Link->Data.Buffer, Remote->Bytes, 17);
    for (Index = 0; Index < Client.WriteCount; Index++) {
        Status = AwaitOp(Link, &Link->Bulk, LinkRdma(Link, TRUE, Remote));
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
        Client.BytesWritten += Remote->Bytes;
    }
    RtlFillMemory(Link->Data.Buffer, Remote->Bytes, 0xA5);
    Status = AwaitOp(Link, &Link->Bulk, LinkRdma(Link, FALSE, Remote));
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (!PingEquals(Link->Data.Buffer, Remote->Bytes, 17)) {
        Client.Errors++;
        return STATUS_CRC_ERROR;
    }
    Client.BytesRead += Remote->Bytes;
    DbgPrint("ndkping client: wrote and read back %u bytes\n", Remote->Bytes);
    return STATUS_SUCCESS;
}

static NTSTATUS Pings(PPING_LINK Link) {
    ULONG Body = Client.MessageBytes - sizeof(PING_MESSAGE);
    NTSTATUS Status = STATUS_SUCCESS;
    PPING_OP Answer;
    ULONG Index;

    for (Index = 1; NT_SUCCESS(Status) && Index <= Client.Count; Index++) {
        PPING_MESSAGE Message = (PPING_MESSAGE)Link->Sends[0].Data;

        RtlZeroMemory(Message, sizeof(*Message));
        Message->Kind = PingEcho;
        Message->Index = Index;
        PingFill(Link->Sends[0].Data + sizeof(*Message), Body, Index);
        Status = Exchange(Link, Client.MessageBytes, &Answer);
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
        if (Answer->Bytes != Client.MessageBytes ||
            !RtlEqualMemory(Answer->Data, Link->Sends[0].Data, Answer->Bytes)) {
            Client.Errors++;
            return STATUS_CRC_ERROR;
        }
        Client.Pings++;
        Status = LinkReceive(Link, Answer);
    }
    return Status;
}

static NTSTATUS Work(PPING_LINK Link) {
    PING_REMOTE Remote;
    NTSTATUS Status;

    Status = Offer(Link, &Remote);
    if (NT_SUCCESS(Status)) {
        Status = Region(Link, &Remote);
    }
    if (NT_SUCCESS(Status)) {
        Status = Pings(Link);
    }
    return Status;
}

/* A connection; `*Link` is to be put away in any case. */
static NTSTATUS Open(PPING_LINK *Opened) {
    CHAR Text[ADDRESS_TEXT_CHARS];
    PPING_LINK Link;
    NTSTATUS Status;

    Link = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Link), PING_POOL_TAG);
    *Opened = Link;
    if (Link == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Link->Completed = Completed;
    Link->Waits = TRUE;
    Status = LinkOpen(Link, &Client.Rdma, Client.MessageBytes, Client.DataBytes,
                      NDK_MR_FLAG_ALLOW_LOCAL_WRITE | NDK_MR_FLAG_RDMA_READ_SINK);
    if (NT_SUCCESS(Status)) {
        Status = Connect(Link);
    }
    if (NT_SUCCESS(Status)) {
        Client.Connected++;
        AddressText(&Client.Remote, Text);
        DbgPrint("ndkping client: connected to %s\n", Text);
    }
    return Status;
}

static VOID PutAway(PPING_LINK Link) {
    if (Link != NULL) {
        LinkClose(Link);
        ExFreePoolWithTag(Link, PING_POOL_TAG);
    }
}

/* One connection, from nothing to nothing. */
static NTSTATUS Round(VOID) {
    PPING_LINK Link;
    NTSTATUS Status = Open(&Link);

    if (NT_SUCCESS(Status)) {
        Status = Work(Link);
    }
    PutAway(Link);
    return Status;
}

/* Until the driver is unloaded or the adapter goes. */
static VOID HoldWait(VOID) {
    PVOID Objects[2] = {&Client.Stop, &Client.Rdma.Changed};
    NTSTATUS Status;

    do {
        Status =
            KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    } while (Status == STATUS_WAIT_1 && !AdapterGoes());
}

/* As often as retries are allowed; `*Link` is to be put away in any case. */
static NTSTATUS OpenHeld(PPING_LINK *Link) {
    ULONG Failures;
    NTSTATUS Status = Open(Link);

    for (Failures = 0; !NT_SUCCESS(Status) && Failures < Client.RetryCount; Failures++) {
        PutAway(*Link);
        *Link = NULL;
        if (ThreadSleep(&Client.Stop, Client.RetryDelayMs) || AdapterGoes()) {
            return Status;
        }
        Status = Open(Link);
    }
    return Status;
}

/* Connections that do nothing until the driver is unloaded, or the adapter goes. */
static VOID Hold(VOID) {
    PPING_LINK *Links;
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    Links = ExAllocatePoolZero(NonPagedPoolNx, Client.HoldCount * sizeof(*Links), PING_POOL_TAG);
    if (Links == NULL) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    for (Index = 0; NT_SUCCESS(Status) && Index < Client.HoldCount; Index++) {
        Status = OpenHeld(&Links[Index]);
    }
    if (!NT_SUCCESS(Status)) {
        DbgPrint("ndkping client: connection %u of %u failed: 0x%08X\n", Index, Client.HoldCount,
                 Status);
        Client.Failed++;
    }
    Publish();
    NdksimCounter("done", 1);
    HoldWait();
    for (Index = 0; Links != NULL && Index < Client.HoldCount; Index++) {
        PutAway(Links[Index]);
    }
    if (Links != NULL) {
        ExFreePoolWithTag(Links, PING_POOL_TAG);
    }
}

/* The adapter had to be closed: it is, and opened again when it is back. */
static NTSTATUS AdapterRenew(VOID) {
    NTSTATUS Status;

    DbgPrint("ndkping client: the adapter goes away\n");
    AdapterShut(&Client.Rdma);
    Status = AdapterAwait(&Client.Rdma, &Client.Stop, Client.AdapterWaitMs);
    Client.IsAdapterGoing = FALSE;
    DbgPrint("ndkping client: the adapter is open again: 0x%08X\n", Status);
    return Status;
}

/* FALSE: the adapter is not there, and does not come back. */
static BOOLEAN AdapterLook(VOID) {
    if (Client.IsAdapterGoing || (KeReadStateEvent(&Client.Rdma.Changed) != 0 && AdapterGoes())) {
        return NT_SUCCESS(AdapterRenew());
    }
    return TRUE;
}

static VOID Run(VOID) {
    ULONG Failures = 0;
    ULONG Left = Client.Rounds;
    NTSTATUS Status;

    while (Left != 0 && KeReadStateEvent(&Client.Stop) == 0) {
        Status = AdapterLook() ? Round() : STATUS_DEVICE_NOT_READY;
        Publish();
        if (NT_SUCCESS(Status)) {
            Failures = 0;
            Left--;
            continue;
        }
        if (Client.Rdma.Adapter == NULL) {
            Client.Failed++;
            break;
        }
        if (Client.IsAdapterGoing) {
            continue;
        }
        DbgPrint("ndkping client: round failed: 0x%08X\n", Status);
        Failures++;
        if (Failures > Client.RetryCount || ThreadSleep(&Client.Stop, Client.RetryDelayMs)) {
            Client.Failed++;
            break;
        }
    }
    DbgPrint("ndkping client: %u messages echoed, %u bytes read, %u bytes written, %u errors\n",
             (ULONG)Client.Pings, (ULONG)Client.BytesRead, (ULONG)Client.BytesWritten,
             (ULONG)Client.Errors);
    Publish();
    NdksimCounter("done", 1);
}

/* TRUE: once more. An adapter that goes meanwhile is not held back; it is opened again then. */
static BOOLEAN WaitForMore(VOID) {
    PVOID Objects[3] = {&Client.Stop, &Client.Rdma.Changed, &Client.Go};
    NTSTATUS Status;

    for (;;) {
        Status =
            KeWaitForMultipleObjects(3, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (Status == STATUS_WAIT_0) {
            return FALSE;
        }
        if (Status == STATUS_WAIT_2) {
            return TRUE;
        }
        if (Client.Rdma.Adapter != NULL && AdapterGoes()) {
            AdapterShut(&Client.Rdma);
        }
    }
}

static VOID ClientMain(PVOID Context) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex", 1);
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(Context);
    Status = AdapterOpen(&Client.Rdma, Interface);
    if (!NT_SUCCESS(Status)) {
        DbgPrint("ndkping client: no adapter at interface %u: 0x%08X\n", Interface, Status);
        Client.Failed++;
        Publish();
        NdksimCounter("done", 1);
        return;
    }
    if (Client.HoldCount != 0) {
        Hold();
    } else if (!Client.WaitsForGo) {
        Run();
    }
    while (Client.HoldCount == 0 && Client.WaitsForGo && WaitForMore()) {
        Run();
    }
    AdapterClose(&Client.Rdma);
}

static NTSTATUS ClientDispatch(PDEVICE_OBJECT Device, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    NTSTATUS Status = STATUS_SUCCESS;

    UNREFERENCED_PARAMETER(Device);
    if (Stack->MajorFunction == IRP_MJ_DEVICE_CONTROL) {
        if (Stack->Parameters.DeviceIoControl.IoControlCode == IOCTL_NDKPING_GO) {
            NdksimCounter("done", 0);
            KeSetEvent(&Client.Go, IO_NO_INCREMENT, FALSE);
        } else {
            Status = STATUS_INVALID_DEVICE_REQUEST;
        }
    }
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static NTSTATUS ClientRead(PUNICODE_STRING RegistryPath) {
    ULONG Port = NdksimRegistryUlong(L"Port", PING_PORT);
    ULONG Size = NdksimRegistryUlong(L"Size", 256);
    NTSTATUS Status;

    Client.Count = NdksimRegistryUlong(L"Count", 8);
    Client.MessageBytes = min(max(Size, PING_BYTES_MIN), PING_BYTES_MAX);
    Client.DataBytes = NdksimRegistryUlong(L"ReadSize", 65536);
    Client.Rounds = NdksimRegistryUlong(L"Rounds", 1);
    Client.RetryCount = NdksimRegistryUlong(L"RetryCount", 16);
    Client.RetryDelayMs = NdksimRegistryUlong(L"RetryDelay", 50);
    Client.WriteCount = max(NdksimRegistryUlong(L"Writes", 1), 1);
    Client.HoldCount = NdksimRegistryUlong(L"Hold", 0);
    Client.AdapterWaitMs = NdksimRegistryUlong(L"AdapterWaitMs", ADAPTER_WAIT_MS);
    Client.WaitsForGo = NdksimRegistryUlong(L"WaitForGo", 0) != 0;
    Status = SettingsAddress(RegistryPath, L"LocalAddress", 0, &Client.Local);
    if (NT_SUCCESS(Status)) {
        Status = SettingsAddress(RegistryPath, L"RemoteAddress", (USHORT)Port, &Client.Remote);
    }
    if (NT_SUCCESS(Status) && (Client.Local.Bytes == 0 || Client.Remote.Bytes == 0)) {
        Status = STATUS_INVALID_PARAMETER;
    }
    return Status;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNICODE_STRING Name;
    NTSTATUS Status;

    DriverObject->DriverUnload = ClientUnload;
    DriverObject->MajorFunction[IRP_MJ_CREATE] = ClientDispatch;
    DriverObject->MajorFunction[IRP_MJ_CLOSE] = ClientDispatch;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = ClientDispatch;
    KeInitializeEvent(&Client.Stop, NotificationEvent, FALSE);
    KeInitializeEvent(&Client.Go, SynchronizationEvent, FALSE);
    Status = ClientRead(RegistryPath);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RtlInitUnicodeString(&Name, PING_DEVICE);
    Status = IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Client.Device);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Publish();
    NdksimCounter("done", 0);
    Status = ThreadStart(ClientMain, NULL, &Client.Thread);
    if (!NT_SUCCESS(Status)) {
        NdksimCounter("done", 1);
        IoDeleteDevice(Client.Device);
    }
    return Status;
}

static VOID ClientUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Client.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Client.Thread);
    IoDeleteDevice(Client.Device);
}
