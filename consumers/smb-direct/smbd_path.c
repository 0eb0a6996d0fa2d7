/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to connect, with limit, pause and a second pair of addresses; see smbd_path.h. */
#include "smbd_path.h"

#define TICKS_PER_MS 10000LL

static VOID PathClear(PSMBD_PATH Path, NTSTATUS Status);
static VOID PathAttempt(PSMBD_PATH Path);

static VOID PathGet(PSMBD_PATH Path) {
    InterlockedIncrement(&Path->References);
}

/* Treat the path as gone afterwards. */
static VOID PathPut(PSMBD_PATH Path) {
    if (InterlockedDecrement(&Path->References) == 0) {
        KeSetEvent(&Path->Gone, IO_NO_INCREMENT, FALSE);
    }
}

static VOID TimerSetLocked(PSMBD_PATH Path, ULONG Milliseconds) {
    LARGE_INTEGER Due;

    NT_ASSERT(!Path->IsTimerOut);
    Due.QuadPart = -(LONGLONG)Milliseconds * TICKS_PER_MS;
    Path->IsTimerOut = TRUE;
    PathGet(Path);
    KeSetTimer(&Path->Timer, Due, &Path->TimerDpc);
}

/* The caller has a reference, so this is never the last one. */
static VOID TimerCancelLocked(PSMBD_PATH Path) {
    if (Path->IsTimerOut && KeCancelTimer(&Path->Timer)) {
        Path->IsTimerOut = FALSE;
        PathPut(Path);
    }
}

static VOID PathEndLocked(PSMBD_PATH Path) {
    Path->State = PathOver;
    KeSetEvent(&Path->Settled, IO_NO_INCREMENT, FALSE);
    KeSetEvent(&Path->Turn, IO_NO_INCREMENT, FALSE);
}

static VOID PathPauseLocked(PSMBD_PATH Path) {
    PSMBD_TRANSPORT Transport = Path->Connection->Transport;

    if (Path->IsStopping || Path->Try >= Transport->ConnectTries) {
        PathEndLocked(Path);
        return;
    }
    Path->State = PathPausing;
    TimerSetLocked(Path, Transport->ConnectDelayMs);
}

/* Goes on when nothing of the attempt is left. */
static VOID PathCleared(PSMBD_PATH Path) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (Path->State == PathClearing && Path->Connector == NULL && !Path->IsCreating &&
        !Path->IsTimerOut) {
        PathPauseLocked(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID PathClosed(PVOID Context) {
    PSMBD_PATH Path = Context;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    Path->Connector = NULL;
    Path->IsClosing = FALSE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    PathCleared(Path);
    PathPut(Path);
}

/* The attempt is over, if it was not already: closes the connector when nobody calls it. */
static VOID PathClear(PSMBD_PATH Path, NTSTATUS Status) {
    NDK_CONNECTOR *Connector = NULL;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (Path->State >= PathCreating && Path->State <= PathCompleting) {
        Path->State = PathClearing;
        Path->Status = Status;
        TimerCancelLocked(Path);
    }
    if (Path->State == PathClearing && Path->Calls == 0 && !Path->IsClosing &&
        Path->Connector != NULL) {
        Connector = Path->Connector;
        Path->IsClosing = TRUE;
        PathGet(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Connector == NULL) {
        PathCleared(Path);
        return;
    }
    Status = Connector->Dispatch->NdkCloseConnector(&Connector->Header, PathClosed, Path);
    if (Status != STATUS_PENDING) {
        PathClosed(Path);
    }
}

/* A call on the connector has returned. What came meanwhile may have ended the attempt. */
static VOID PathCallOver(PSMBD_PATH Path) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsClearing;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    Path->Calls--;
    IsClearing = Path->State == PathClearing;
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (IsClearing) {
        PathClear(Path, Path->Status);
    }
}

/* The path is no longer Up. FALSE: it was not, and somebody else has seen to it. */
static BOOLEAN PathLose(PSMBD_PATH Path) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN WasUp;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    WasUp = Path->State == PathUp;
    if (WasUp) {
        PathEndLocked(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (WasUp) {
        InterlockedDecrement(&Path->Connection->Transport->PathsUp);
        PathPut(Path);
    }
    return WasUp;
}

static VOID PathDisconnected(PVOID Context) {
    PSMBD_PATH Path = Context;
    PSMBD_CONNECTION Connection = Path->Connection;

    if (PathLose(Path)) {
        SmbdEnd(Connection, STATUS_CONNECTION_DISCONNECTED, "peer disconnected");
    }
}

static VOID PathCompleted(PVOID Context, NTSTATUS Status) {
    PSMBD_PATH Path = Context;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsUp;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    IsUp = Status == STATUS_SUCCESS && Path->State == PathCompleting;
    if (IsUp) {
        Path->State = PathUp;
        PathGet(Path);
        InterlockedIncrement(&Path->Connection->Transport->PathsUp);
        TimerCancelLocked(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (!IsUp) {
        PathClear(Path, Status);
    }
    KeSetEvent(&Path->Turn, IO_NO_INCREMENT, FALSE);
    PathPut(Path);
}

static VOID PathConnectDone(PVOID Context, NTSTATUS Status) {
    PSMBD_PATH Path = Context;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsGood;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    IsGood = Status == STATUS_SUCCESS && Path->State == PathConnecting;
    if (IsGood) {
        Path->State = PathConnected;
        KeSetEvent(&Path->Turn, IO_NO_INCREMENT, FALSE);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (!IsGood) {
        PathClear(Path, Status);
    }
    PathPut(Path);
}

static VOID PathConnect(PSMBD_PATH Path) {
    PSMBD_CONNECTION Connection = Path->Connection;
    NDK_CONNECTOR *Connector = Path->Connector;
    ULONG Pair = (Path->PairFirst + Path->Try - 1) % Path->PairCount;
    NTSTATUS Status;

    PathGet(Path);
    Status = Connector->Dispatch->NdkConnect(
        Connector, Connection->Qp, &Path->Local[Pair].Plain, Path->Local[Pair].Bytes,
        &Path->Remote[Pair].Plain, Path->Remote[Pair].Bytes,
        Connection->Transport->Rdma.Info.MaxInboundReadLimit, 0,
        Connection->HailBytes != 0 ? Connection->Hail : NULL, Connection->HailBytes,
        PathConnectDone, Path);
    if (Status != STATUS_PENDING) {
        PathConnectDone(Path, Status);
    }
    PathCallOver(Path);
}

static VOID PathCreated(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    PSMBD_PATH Path = Context;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN Goes;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    Path->IsCreating = FALSE;
    if (Status == STATUS_SUCCESS) {
        Path->Connector = CONTAINING_RECORD(Object, NDK_CONNECTOR, Header);
    }
    Goes = Status == STATUS_SUCCESS && Path->State == PathCreating;
    if (Goes) {
        Path->State = PathConnecting;
        Path->Calls++;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Goes) {
        PathConnect(Path);
    } else {
        PathClear(Path, Status);
    }
    PathPut(Path);
}

/* One attempt, from a thread or a DPC with a reference of its own. */
static VOID PathAttempt(PSMBD_PATH Path) {
    NDK_ADAPTER *Adapter = Path->Connection->Transport->Rdma.Adapter;
    NDK_CONNECTOR *Connector = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (Path->IsStopping) {
        PathEndLocked(Path);
        KeReleaseInStackQueuedSpinLock(&Handle);
        return;
    }
    Path->State = PathCreating;
    Path->Try++;
    Path->IsCreating = TRUE;
    TimerSetLocked(Path, Path->Connection->Transport->ConnectMs);
    KeReleaseInStackQueuedSpinLock(&Handle);
    PathGet(Path);
    Status = Adapter->Dispatch->NdkCreateConnector(Adapter, PathCreated, Path, &Connector);
    if (Status != STATUS_PENDING) {
        PathCreated(Path, Status, Status == STATUS_SUCCESS ? &Connector->Header : NULL);
    }
}

static VOID PathTimer(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PSMBD_PATH Path = Context;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsPauseOver;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    Path->IsTimerOut = FALSE;
    IsPauseOver = Path->State == PathPausing;
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (IsPauseOver) {
        PathAttempt(Path);
    } else {
        PathClear(Path, STATUS_IO_TIMEOUT);
    }
    PathPut(Path);
}

/* The thread's part of connecting. A path that has left Connected meanwhile is none of its. */
static VOID PathComplete(PSMBD_PATH Path) {
    NDK_CONNECTOR *Connector;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (Path->State != PathConnected) {
        KeReleaseInStackQueuedSpinLock(&Handle);
        return;
    }
    Path->State = PathCompleting;
    Path->Calls++;
    Connector = Path->Connector;
    KeReleaseInStackQueuedSpinLock(&Handle);
    PathGet(Path);
    Status = SmbdReadLimits(Path->Connection, Connector);
    if (NT_SUCCESS(Status)) {
        Status = Connector->Dispatch->NdkCompleteConnect(Connector, PathDisconnected, Path,
                                                         PathCompleted, Path);
    }
    if (Status != STATUS_PENDING) {
        PathCompleted(Path, Status);
    }
    PathCallOver(Path);
}

/* Hands the connector over. FALSE: there is none that has been connected. */
static BOOLEAN PathTake(PSMBD_PATH Path) {
    NDK_CONNECTOR *Connector = NULL;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    /* One that was lost meanwhile has a connector, too. */
    if (Path->State == PathUp || Path->State == PathOver) {
        Connector = Path->Connector;
        Path->Connector = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Connector != NULL) {
        Path->Connection->Connector = Connector;
    }
    return Connector != NULL;
}

NTSTATUS SmbdPathRun(PSMBD_PATH Path) {
    PVOID Objects[2] = {&Path->Turn, &Path->Connection->End};
    NTSTATUS Status;

    PAGED_CODE();
    PathAttempt(Path);
    for (;;) {
        Status =
            KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (Status == STATUS_WAIT_1) {
            return STATUS_CANCELLED;
        }
        PathComplete(Path);
        if (PathTake(Path)) {
            return STATUS_SUCCESS;
        }
        if (KeReadStateEvent(&Path->Settled) != 0) {
            return Path->Status;
        }
    }
}

VOID SmbdPathStop(PSMBD_PATH Path) {
    KLOCK_QUEUE_HANDLE Handle;

    PAGED_CODE();
    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    Path->IsStopping = TRUE;
    if (Path->State == PathPausing) {
        TimerCancelLocked(Path);
    }
    if (Path->State == PathIdle || (Path->State == PathPausing && !Path->IsTimerOut)) {
        PathEndLocked(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    PathClear(Path, STATUS_CANCELLED);
    PathLose(Path);
    KeWaitForSingleObject(&Path->Settled, Executive, KernelMode, FALSE, NULL);
    PathTake(Path);
}

PSMBD_PATH SmbdPathCreate(PSMBD_CONNECTION Connection) {
    PSMBD_PATH Path;

    PAGED_CODE();
    Path = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Path), SMBD_POOL_TAG);
    if (Path == NULL) {
        return NULL;
    }
    Path->Connection = Connection;
    Path->References = 1;
    KeInitializeEvent(&Path->Turn, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Path->Settled, NotificationEvent, FALSE);
    KeInitializeEvent(&Path->Gone, NotificationEvent, FALSE);
    KeInitializeTimer(&Path->Timer);
    KeInitializeDpc(&Path->TimerDpc, PathTimer, Path);
    KeInitializeSpinLock(&Path->Lock);
    return Path;
}

VOID SmbdPathDestroy(PSMBD_PATH Path) {
    PAGED_CODE();
    PathPut(Path);
    KeWaitForSingleObject(&Path->Gone, Executive, KernelMode, FALSE, NULL);
    ExFreePoolWithTag(Path, SMBD_POOL_TAG);
}
