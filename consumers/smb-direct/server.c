/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smb-direct-server: DriverEntry and the main thread.
 *
 *   open adapter -> listen --+--> serve: new connectors, ended connections --stop--> down -> close
 *                            '---- listen again <--- down <---restart wanted---'
 *                            '---- adapter open again <--- adapter shut <--- down <--it goes
 * away--'
 *
 * "Down" closes listeners and connections; in which order is, in mode "any", the chooser's.
 */
#include "server.h"

#include "thread.h"

#define NEGOTIATE_MS 5000u
#define LISTEN_TRIES 20u
#define LISTEN_DELAY_MS 100u

static SMB_SERVER Server;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD ServerUnload;

/* Its work is done while it listens and has nobody to serve. */
static VOID SayDone(BOOLEAN IsListening) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsDone;

    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    IsDone = IsListening && Server.LiveCount == 0;
    KeReleaseInStackQueuedSpinLock(&Handle);
    NdksimCounter("done", IsDone ? 1 : 0);
}

static BOOLEAN WantsRestart(VOID) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN Wants;

    KeAcquireInStackQueuedSpinLock(&Server.Lock, &Handle);
    Wants = Server.RestartWanted;
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Wants;
}

typedef enum _SERVE_END { ServeStop, ServeRestart, ServeAdapterGoes } SERVE_END;

static SERVE_END ServerServe(VOID) {
    PVOID Objects[3] = {&Server.Stop, &Server.Wake, &Server.Transport.Rdma.Changed};
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    for (;;) {
        SayDone(TRUE);
        Status =
            KeWaitForMultipleObjects(3, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (Status == STATUS_WAIT_0) {
            return ServeStop;
        }
        if (Status == STATUS_WAIT_2) {
            if (AdapterMustClose(&Server.Transport.Rdma)) {
                return ServeAdapterGoes;
            }
            continue;
        }
        ServerConnectionsReap(&Server, FALSE);
        if (WantsRestart()) {
            return ServeRestart;
        }
        while ((Connector = ServerTakeIncoming(&Server)) != NULL) {
            SayDone(TRUE);
            ServerConnectionStart(&Server, Connector);
        }
    }
}

static ULONG Choose(PCSTR Topic, const PCSTR *Labels, ULONG Count) {
    return Server.Transport.Teardown == TeardownAny ? NdksimChoose(Topic, NULL, Labels, Count) : 0;
}

static VOID ServerDown(VOID) {
    static const PCSTR Orders[] = {"listener-first", "listener-last"};
    static const PCSTR Listens[] = {"later", "at-once"};
    CLOSE_GROUP Group;
    BOOLEAN IsFirst;

    SayDone(FALSE);
    CloseGroupInit(&Group);
    IsFirst = Choose("teardown.listener", Orders, RTL_NUMBER_OF(Orders)) == 0;
    if (IsFirst) {
        ServerCloseListeners(&Server, &Group);
    }
    ServerRefuse(&Server, &Group);
    if (IsFirst && Choose("teardown.listen", Listens, RTL_NUMBER_OF(Listens)) != 0) {
        ServerListenAtOnce(&Server);
    }
    ServerConnectionsReap(&Server, TRUE);
    ServerCloseListeners(&Server, &Group);
    /* The listeners' closes end after the last connect event has returned: then none adds more. */
    CloseGroupWait(&Group);
    KeWaitForSingleObject(&Server.Activated, Executive, KernelMode, FALSE, NULL);
    CloseGroupWait(&Server.Refused);
}

/* Tries for a while: resources and addresses may be short for a moment only. */
static BOOLEAN ServerUp(VOID) {
    NTSTATUS Status;
    ULONG Try;

    for (Try = 0; Try < LISTEN_TRIES; Try++) {
        Status = ServerListen(&Server);
        if (NT_SUCCESS(Status)) {
            return TRUE;
        }
        ServerDown();
        if (ThreadSleep(&Server.Stop, LISTEN_DELAY_MS)) {
            return FALSE;
        }
    }
    Server.Transport.Counters.Failed++;
    SmbdCountersPublish(&Server.Transport);
    return FALSE;
}

/* TRUE: it is down, and there is nothing more to do. */
static BOOLEAN ServerGoDown(SERVE_END End) {
    NTSTATUS Status;

    if (End == ServeRestart) {
        DbgPrint("%s: going down to listen again\n", Server.Transport.Name);
    }
    ServerDown();
    if (End == ServeRestart) {
        Server.RestartsLeft--;
        return ThreadSleep(&Server.Stop, Server.ListenAgainDelayMs);
    }
    if (End == ServeStop) {
        return TRUE;
    }
    Status = TransportRenew(&Server.Transport, &Server.Stop);
    if (!NT_SUCCESS(Status) && Status != STATUS_CANCELLED) {
        Server.Transport.Counters.Failed++;
        SmbdCountersPublish(&Server.Transport);
    }
    return !NT_SUCCESS(Status);
}

static VOID ServerMain(PVOID Context) {
    BOOLEAN IsStopping = FALSE;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(Context);
    Status = TransportOpen(&Server.Transport, &Server.Stop);
    if (!NT_SUCCESS(Status)) {
        Server.Transport.Counters.Failed++;
        SmbdCountersPublish(&Server.Transport);
        NdksimCounter("done", 1);
        return;
    }
    while (!IsStopping && ServerUp()) {
        IsStopping = ServerGoDown(ServerServe());
    }
    AdapterClose(&Server.Transport.Rdma);
    NdksimCounter("done", 1);
}

static NTSTATUS AddressesRead(PUNICODE_STRING RegistryPath) {
    static const PCWSTR Names[ADDRESS_MAX] = {L"LocalAddress", L"LocalAddress2"};
    ULONG Port = NdksimRegistryUlong(L"Port", SMB_PORT);
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < ADDRESS_MAX; Index++) {
        RDMA_ADDRESS *Address = &Server.Addresses[Server.AddressCount];

        Status = SettingsAddress(RegistryPath, Names[Index], (USHORT)Port, Address);
        if (NT_SUCCESS(Status) && Address->Bytes != 0) {
            Server.AddressCount++;
        }
    }
    return NT_SUCCESS(Status) && Server.AddressCount == 0 ? STATUS_INVALID_PARAMETER : Status;
}

static VOID ServerRead(VOID) {
    TransportRead(&Server.Transport, "smb server", 32);
    Server.Transport.NegotiateMs = NdksimRegistryUlong(L"NegotiateMs", NEGOTIATE_MS);
    Server.ConnectionMax = NdksimRegistryUlong(L"ConnectionMax", 256);
    Server.RejectsLeft = NdksimRegistryUlong(L"Reject", 0);
    Server.TeardownAfterBytes = NdksimRegistryUlong(L"TeardownAfterBytes", 0);
    Server.RestartsLeft = NdksimRegistryUlong(L"ListenAgain", 0);
    Server.ListenAgainDelayMs = NdksimRegistryUlong(L"ListenAgainDelay", 1);
    Server.ChecksSessions = NdksimRegistryUlong(L"CheckSessions", 0) != 0;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NTSTATUS Status;

    DriverObject->DriverUnload = ServerUnload;
    KeInitializeEvent(&Server.Stop, NotificationEvent, FALSE);
    KeInitializeEvent(&Server.Wake, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Server.Activated, NotificationEvent, TRUE);
    KeInitializeSpinLock(&Server.Lock);
    InitializeListHead(&Server.Incoming);
    InitializeListHead(&Server.Connections);
    StoreInit(&Server.Store);
    ServerRead();
    Status = AddressesRead(RegistryPath);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    SmbdCountersPublish(&Server.Transport);
    NdksimCounter("done", 0);
    Status = ThreadStart(ServerMain, NULL, &Server.Thread);
    if (!NT_SUCCESS(Status)) {
        NdksimCounter("done", 1);
    }
    return Status;
}

static VOID ServerUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Server.Stop, IO_NO_INCREMENT, FALSE);
    ThreadJoin(Server.Thread);
    StoreDeinit(&Server.Store);
}
