/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smb-direct-client: DriverEntry, the workers and their sessions.
 *
 * The main thread opens the adapter and starts one worker per connection. A worker plans its work,
 * connects, works, takes the connection down, and connects again for what is left: because the
 * connection broke, because it was told to end it early, or because ReconnectCount says so.
 *
 * The main thread watches the adapter: when it is to go, it ends all connections, waits until no
 * worker has one (AdapterUse), closes the adapter, and lets the workers go on when it is back.
 */
#include "client.h"

#include "thread.h"

#define CLIENT_POOL_TAG 'iBmS'
#define NEGOTIATE_MS 120000u
/* When the registry does not say: moved each way, and the most of a file. */
#define TOTAL_BYTES (1u << 20)
#define FILE_BYTES (4u << 20)

static SMB_CLIENT Client;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD ClientUnload;

/* Until the adapter may be used. FALSE: stopped, or it does not come back. */
static BOOLEAN ClientAwaitAdapter(PSMB_CLIENT Driver) {
    PVOID Objects[2] = {&Driver->Stop, &Driver->AdapterUp};
    NTSTATUS Status;

    Status =
        KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    return Status != STATUS_WAIT_0 && !Driver->IsAdapterLost;
}

/* A session while the adapter is there. FALSE: stopped, or the adapter does not come back. */
static BOOLEAN WorkerUseAdapter(PWORKER Worker) {
    PSMB_CLIENT Driver = Worker->Driver;

    while (!ExAcquireRundownProtection(&Driver->AdapterUse)) {
        if (!ClientAwaitAdapter(Driver)) {
            return FALSE;
        }
    }
    ClientSession(Worker);
    ExReleaseRundownProtection(&Driver->AdapterUse);
    return TRUE;
}

static BOOLEAN AdapterIsGone(PSMB_CLIENT Driver) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsGone;

    KeAcquireInStackQueuedSpinLock(&Driver->Lock, &Handle);
    IsGone = Driver->IsAdapterGone;
    KeReleaseInStackQueuedSpinLock(&Handle);
    return IsGone;
}

/* Connects until the plan is done. FALSE: stopped, or given up. */
static BOOLEAN WorkerCycle(PWORKER Worker) {
    PSMB_CLIENT Driver = Worker->Driver;
    ULONG Failures = 0;
    ULONG Before;

    while (!MiniClientIsDone(&Worker->Mini)) {
        Before = Worker->Mini.Progress;
        Worker->Mini.EndedItself = FALSE;
        if (!WorkerUseAdapter(Worker) || KeReadStateEvent(&Driver->Stop) != 0) {
            return FALSE;
        }
        if (MiniClientIsDone(&Worker->Mini)) {
            return TRUE;
        }
        if (AdapterIsGone(Driver)) {
            /* Before its use has ended, perhaps: no try until it is back. */
            if (!ClientAwaitAdapter(Driver)) {
                return FALSE;
            }
            continue;
        }
        Failures = Worker->Mini.Progress != Before ? 0 : Failures + 1;
        if (Failures > Driver->RetryCount) {
            DbgPrint("%s: worker %u gives up after %u tries\n", Driver->Transport.Name,
                     Worker->Number, Failures);
            return FALSE;
        }
        if (ThreadSleep(&Driver->Stop, Driver->RetryDelayMs)) {
            return FALSE;
        }
    }
    return TRUE;
}

static VOID WorkerCountFailure(PWORKER Worker) {
    PSMBD_TRANSPORT Transport = &Worker->Driver->Transport;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Transport->CounterLock, &Handle);
    Transport->Counters.Failed++;
    KeReleaseInStackQueuedSpinLock(&Handle);
    SmbdCountersPublish(Transport);
}

static VOID WorkerEnded(PSMB_CLIENT Driver) {
    if (InterlockedDecrement(&Driver->LiveWorkers) == 0) {
        KeSetEvent(&Driver->WorkersDone, IO_NO_INCREMENT, FALSE);
    }
}

static VOID WorkerMain(PVOID Context) {
    PWORKER Worker = Context;
    PSMB_CLIENT Driver = Worker->Driver;
    MINI_SETTINGS Settings = Driver->Mini;
    NTSTATUS Status;
    BOOLEAN IsDone;
    ULONG Cycle;

    /* One file for each worker of each driver, if drivers have seeds of their own. */
    Settings.FileId = ((ULONG)Settings.Seed << 8) + Worker->Number;
    Status = MiniClientInit(&Worker->Mini, &Driver->Transport, &Settings);
    IsDone = NT_SUCCESS(Status);
    for (Cycle = 0; IsDone && Cycle <= Driver->ReconnectCount; Cycle++) {
        if (Cycle != 0 && ThreadSleep(&Driver->Stop, Driver->ReconnectDelayMs)) {
            IsDone = FALSE;
            break;
        }
        MiniClientPlan(&Worker->Mini, Worker->WriteBytes, Worker->ReadBytes, Worker->Smalls);
        IsDone = WorkerCycle(Worker);
    }
    if (!IsDone) {
        WorkerCountFailure(Worker);
    }
    MiniClientDeinit(&Worker->Mini);
    WorkerEnded(Driver);
}

/* The first worker takes what does not divide. */
static VOID WorkersPlan(PSMB_CLIENT Driver) {
    ULONG Count = Driver->WorkerCount;
    ULONG64 WriteBytes = NdksimRegistryUlong(L"TotalBytesWrite", TOTAL_BYTES);
    ULONG64 ReadBytes = NdksimRegistryUlong(L"TotalBytesRead", TOTAL_BYTES);
    ULONG Smalls = NdksimRegistryUlong(L"SmallMessages", 16);
    ULONG Teardowns = NdksimRegistryUlong(L"TeardownCount", 1);
    ULONG Index;

    for (Index = 0; Index < Count; Index++) {
        PWORKER Worker = &Driver->Workers[Index];

        Worker->Driver = Driver;
        Worker->Number = Index;
        Worker->TeardownsLeft = Teardowns;
        Worker->WriteBytes = WriteBytes / Count + (Index == 0 ? WriteBytes % Count : 0);
        Worker->ReadBytes = ReadBytes / Count + (Index == 0 ? ReadBytes % Count : 0);
        Worker->Smalls = Smalls / Count + (Index == 0 ? Smalls % Count : 0);
    }
}

static VOID ConnectionsEnd(PSMB_CLIENT Driver, PCSTR Reason) {
    ULONG Index;

    for (Index = 0; Index < Driver->WorkerCount; Index++) {
        if (Driver->Workers[Index].Connection != NULL) {
            SmbdEnd(Driver->Workers[Index].Connection, STATUS_CANCELLED, Reason);
        }
    }
}

static VOID AdapterSet(PSMB_CLIENT Driver, BOOLEAN IsGone) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Driver->Lock, &Handle);
    Driver->IsAdapterGone = IsGone;
    if (IsGone) {
        ConnectionsEnd(Driver, "the adapter goes away");
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID AdapterRenew(PSMB_CLIENT Driver) {
    NTSTATUS Status;

    KeClearEvent(&Driver->AdapterUp);
    AdapterSet(Driver, TRUE);
    ExWaitForRundownProtectionRelease(&Driver->AdapterUse);
    Status = TransportRenew(&Driver->Transport, &Driver->Stop);
    if (NT_SUCCESS(Status)) {
        ExReInitializeRundownProtection(&Driver->AdapterUse);
    } else {
        Driver->IsAdapterLost = TRUE;
    }
    AdapterSet(Driver, FALSE);
    KeSetEvent(&Driver->AdapterUp, IO_NO_INCREMENT, FALSE);
}

/* Until all workers have ended. */
static VOID WorkersWatch(PSMB_CLIENT Driver) {
    PVOID Objects[2] = {&Driver->WorkersDone, &Driver->Transport.Rdma.Changed};
    NTSTATUS Status;

    for (;;) {
        Status =
            KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (Status == STATUS_WAIT_0) {
            return;
        }
        if (!Driver->IsAdapterLost && AdapterMustClose(&Driver->Transport.Rdma)) {
            AdapterRenew(Driver);
        }
    }
}

static VOID WorkersRun(PSMB_CLIENT Driver) {
    ULONG Index;

    Driver->LiveWorkers = (LONG)Driver->WorkerCount;
    for (Index = 0; Index < Driver->WorkerCount; Index++) {
        PWORKER Worker = &Driver->Workers[Index];
        NTSTATUS Status;

        Status = ThreadStart(WorkerMain, Worker, &Worker->Thread);
        if (!NT_SUCCESS(Status)) {
            WorkerCountFailure(Worker);
            WorkerEnded(Driver);
        }
    }
    WorkersWatch(Driver);
    for (Index = 0; Index < Driver->WorkerCount; Index++) {
        ThreadJoin(Driver->Workers[Index].Thread);
    }
}

/* What is moved into files or out of them: no more of a file is ever used. */
static ULONG WorkBytes(VOID) {
    return max(NdksimRegistryUlong(L"TotalBytesWrite", TOTAL_BYTES),
               NdksimRegistryUlong(L"TotalBytesRead", TOTAL_BYTES));
}

/* What the adapter cannot do, the requests do not ask for. */
static VOID MiniFit(PSMB_CLIENT Driver) {
    NDK_ADAPTER_INFO *Info = &Driver->Transport.Rdma.Info;
    MINI_SETTINGS *Mini = &Driver->Mini;
    ULONG64 Most = (ULONG64)Info->FRMRPageCount * PAGE_SIZE;
    ULONG Units;

    if (Mini->Access != AccessFast) {
        Most = Info->MaxRegistrationSize;
    }
    if (Mini->IoBytes >= Mini->RdmaBytes) {
        Mini->IoBytes = (ULONG)min((ULONG64)Mini->IoBytes, ALIGN_DOWN_BY(Most, PAGE_SIZE));
    }
    /* Room for every slot's unit twice over, so that a unit is rarely waited for. */
    Units = min(WorkBytes() / Mini->IoBytes + 1, 2 * Mini->SlotCount);
    Mini->FileBytes = max(Mini->FileBytes / Mini->IoBytes, Units) * Mini->IoBytes;
}

static VOID ClientMain(PVOID Context) {
    PSMB_CLIENT Driver = Context;
    NTSTATUS Status;

    Status = TransportOpen(&Driver->Transport, &Driver->Stop);
    if (NT_SUCCESS(Status)) {
        MiniFit(Driver);
        WorkersRun(Driver);
        AdapterClose(&Driver->Transport.Rdma);
    } else {
        WorkerCountFailure(&Driver->Workers[0]);
    }
    DbgPrint("%s: done\n", Driver->Transport.Name);
    NdksimCounter("done", 1);
}

static NTSTATUS AddressesRead(PSMB_CLIENT Driver, PUNICODE_STRING RegistryPath) {
    static const PCWSTR LocalNames[ADDRESS_MAX] = {L"LocalAddress", L"LocalAddress2"};
    static const PCWSTR RemoteNames[ADDRESS_MAX] = {L"RemoteAddress", L"RemoteAddress2"};
    ULONG Port = NdksimRegistryUlong(L"Port", SMB_PORT);
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < ADDRESS_MAX; Index++) {
        RDMA_ADDRESS *Local = &Driver->Local[Driver->AddressCount];
        RDMA_ADDRESS *Remote = &Driver->Remote[Driver->AddressCount];

        Status = SettingsAddress(RegistryPath, LocalNames[Index], 0, Local);
        if (NT_SUCCESS(Status)) {
            Status = SettingsAddress(RegistryPath, RemoteNames[Index], (USHORT)Port, Remote);
        }
        if (NT_SUCCESS(Status) && Local->Bytes != 0 && Remote->Bytes != 0) {
            Driver->AddressCount++;
        }
    }
    if (NT_SUCCESS(Status) && Driver->AddressCount == 0) {
        Status = STATUS_INVALID_PARAMETER;
    }
    return Status;
}

static VOID WorkRead(MINI_SETTINGS *Mini, ULONG SlotCount) {
    ULONG Seed = NdksimRegistryUlong(L"Seed", 1);
    ULONG IoBytes = NdksimRegistryUlong(L"IoSize", 65536);
    ULONG SmallBytes = NdksimRegistryUlong(L"SmallBytes", 512);
    ULONG Access = NdksimRegistryUlong(L"Registration", AccessFast);
    ULONG Descriptors = NdksimRegistryUlong(L"Descriptors", 1);

    Mini->Seed = Seed;
    Mini->SlotCount = SlotCount;
    Mini->IoBytes = (ULONG)ALIGN_UP_BY(min(max(IoBytes, 8u), 8u << 20), 8);
    Mini->FileBytes = NdksimRegistryUlong(L"FileBytes", min(WorkBytes(), FILE_BYTES));
    Mini->SmallBytes = min(max(SmallBytes, 1u), PAGE_SIZE - 8u);
    Mini->RdmaBytes = NdksimRegistryUlong(L"RdmaThreshold", 4096);
    Mini->PauseMs = NdksimRegistryUlong(L"PauseMs", 0);
    Mini->Access = (MINI_ACCESS)min(Access, AccessPerUse);
    Mini->Descriptors = min(max(Descriptors, 1u), SMBD_DESCRIPTOR_MAX);
}

static VOID ClientRead(PSMB_CLIENT Driver) {
    ULONG Connections = NdksimRegistryUlong(L"Connections", 1);

    TransportRead(&Driver->Transport, "smb client", 8);
    Driver->Transport.NegotiateMs = NdksimRegistryUlong(L"NegotiateMs", NEGOTIATE_MS);
    WorkRead(&Driver->Mini, Driver->Transport.RequestCount);
    Driver->WorkerCount = min(max(Connections, 1u), 256u);
    Driver->ReconnectCount = NdksimRegistryUlong(L"ReconnectCount", 0);
    Driver->ReconnectDelayMs = NdksimRegistryUlong(L"ReconnectDelay", 1);
    Driver->RetryCount = NdksimRegistryUlong(L"RetryCount", 16);
    Driver->RetryDelayMs = NdksimRegistryUlong(L"RetryDelay", 50);
    Driver->TeardownAfterBytes = NdksimRegistryUlong(L"TeardownAfterBytes", 0);
    Driver->SessionId = NdksimRegistryUlong(L"SessionId", 0);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NTSTATUS Status;

    DriverObject->DriverUnload = ClientUnload;
    KeInitializeEvent(&Client.Stop, NotificationEvent, FALSE);
    KeInitializeEvent(&Client.AdapterUp, NotificationEvent, TRUE);
    KeInitializeEvent(&Client.WorkersDone, NotificationEvent, FALSE);
    ExInitializeRundownProtection(&Client.AdapterUse);
    KeInitializeSpinLock(&Client.Lock);
    ClientRead(&Client);
    Status = AddressesRead(&Client, RegistryPath);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Client.Workers =
        ExAllocatePoolZero(NonPagedPoolNx, Client.WorkerCount * sizeof(WORKER), CLIENT_POOL_TAG);
    if (Client.Workers == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    WorkersPlan(&Client);
    SmbdCountersPublish(&Client.Transport);
    NdksimCounter("done", 0);
    Status = ThreadStart(ClientMain, &Client, &Client.Thread);
    if (!NT_SUCCESS(Status)) {
        NdksimCounter("done", 1);
        ExFreePoolWithTag(Client.Workers, CLIENT_POOL_TAG);
    }
    return Status;
}

static VOID ClientUnload(PDRIVER_OBJECT DriverObject) {
    KLOCK_QUEUE_HANDLE Handle;

    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Client.Stop, IO_NO_INCREMENT, FALSE);
    KeAcquireInStackQueuedSpinLock(&Client.Lock, &Handle);
    ConnectionsEnd(&Client, "driver unloads");
    KeReleaseInStackQueuedSpinLock(&Handle);
    ThreadJoin(Client.Thread);
    ExFreePoolWithTag(Client.Workers, CLIENT_POOL_TAG);
}
