/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that contexts share in every way that orders them: under a spin lock, a mutex and a fast
 * mutex, by interlocked and volatile variables, handed over by an event, a DPC, a timer, a work
 * item and a thread's end, and between a DPC routine and a thread that raised its IRQL on that CPU.
 * Built instrumented; there is nothing to be found.
 */
#include <ntddk.h>
#include <ndksim.h>

typedef struct _WORLD {
    KSPIN_LOCK Lock;
    FAST_MUTEX Fast;
    KMUTEX Mutex;
    LONG UnderLock, UnderFast, UnderMutex;
    LONG volatile Interlocked;
    LONG Published;
    LONG volatile IsPublished;
    KDPC Dpc, TimerDpc, OwnDpc;
    KTIMER Timer;
    KEVENT DpcDone, TimerDone, WorkDone;
    LONG ForDpc, ForTimer, ForWork, OfThread, OnCpu0;
    UCHAR Neighbours[8]; /* a word that two threads share by its bytes */
} WORLD, *PWORLD;

typedef struct _PART {
    PWORLD World;
    ULONG Index;
} PART, *PPART;

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static LONG Global; /* under Lock */
static PDEVICE_OBJECT Device;

static KDEFERRED_ROUTINE OnDpc, OnTimer, OnOwnDpc;
static IO_WORKITEM_ROUTINE OnWork;
static KSTART_ROUTINE Share, PassOn;

static VOID OnDpc(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PWORLD World = Context;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    World->ForDpc++;
    KeSetEvent(&World->DpcDone, IO_NO_INCREMENT, FALSE);
}

static VOID OnTimer(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PWORLD World = Context;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    World->ForTimer++;
    KeSetEvent(&World->TimerDone, IO_NO_INCREMENT, FALSE);
}

static VOID OnOwnDpc(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PWORLD World = Context;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    World->OnCpu0++;
}

static VOID OnWork(PDEVICE_OBJECT DeviceObject, PVOID Context) {
    PWORLD World = Context;

    UNREFERENCED_PARAMETER(DeviceObject);
    World->ForWork++;
    KeSetEvent(&World->WorkDone, IO_NO_INCREMENT, FALSE);
}

static VOID CountUnderLocks(PWORLD World) {
    KIRQL Old;

    KeAcquireSpinLock(&World->Lock, &Old);
    World->UnderLock++;
    Global++;
    KeReleaseSpinLock(&World->Lock, Old);
    ExAcquireFastMutex(&World->Fast);
    World->UnderFast++;
    ExReleaseFastMutex(&World->Fast);
    KeWaitForSingleObject(&World->Mutex, Executive, KernelMode, FALSE, NULL);
    World->UnderMutex++;
    KeReleaseMutex(&World->Mutex, FALSE);
    InterlockedIncrement(&World->Interlocked);
}

/* A thread that is bound to CPU 0 against a DPC that runs there only. */
static VOID CountOnCpu0(PWORLD World) {
    KAFFINITY Before = KeSetSystemAffinityThreadEx(1);
    KIRQL Old;

    KeInsertQueueDpc(&World->OwnDpc, NULL, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &Old);
    World->OnCpu0++;
    KeLowerIrql(Old);
    KeRevertToUserAffinityThreadEx(Before);
}

static VOID Share(PVOID Context) {
    PPART Part = Context;
    PWORLD World = Part->World;

    for (ULONG i = 0; i < 3; i++) {
        World->Neighbours[Part->Index]++;
        CountUnderLocks(World);
    }
    if (Part->Index == 0) {
        World->Published = 42;
        World->IsPublished = 1;
        CountOnCpu0(World);
    } else if (World->IsPublished != 0) {
        NT_ASSERT(World->Published == 42);
    }
    if (Part->Index == 0) {
        World->OfThread++;
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

/* Each in turn: what it writes is another's before and behind. */
static VOID PassOn(PVOID Context) {
    PWORLD World = Context;
    PIO_WORKITEM Item = IoAllocateWorkItem(Device);
    LARGE_INTEGER Due = {.QuadPart = -10};

    World->ForDpc = 1;
    KeInsertQueueDpc(&World->Dpc, NULL, NULL);
    KeWaitForSingleObject(&World->DpcDone, Executive, KernelMode, FALSE, NULL);
    World->ForDpc++;
    World->ForTimer = 1;
    KeSetTimer(&World->Timer, Due, &World->TimerDpc);
    KeWaitForSingleObject(&World->TimerDone, Executive, KernelMode, FALSE, NULL);
    World->ForTimer++;
    World->ForWork = 1;
    if (Item != NULL) {
        IoQueueWorkItem(Item, OnWork, DelayedWorkQueue, World);
        KeWaitForSingleObject(&World->WorkDone, Executive, KernelMode, FALSE, NULL);
        World->ForWork++;
        IoFreeWorkItem(Item);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static PVOID Start(PKSTART_ROUTINE Routine, PVOID Context) {
    PVOID Object = NULL;
    HANDLE Thread;

    if (NT_SUCCESS(
            PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, Routine, Context))) {
        ObReferenceObjectByHandle(Thread, THREAD_ALL_ACCESS, NULL, KernelMode, &Object, NULL);
        ZwClose(Thread);
    }
    return Object;
}

static VOID Join(PVOID Thread) {
    if (Thread != NULL) {
        KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Thread);
    }
}

static VOID Prepare(PWORLD World) {
    RtlZeroMemory(World, sizeof(*World));
    KeInitializeSpinLock(&World->Lock);
    ExInitializeFastMutex(&World->Fast);
    KeInitializeMutex(&World->Mutex, 0);
    KeInitializeDpc(&World->Dpc, OnDpc, World);
    KeInitializeDpc(&World->TimerDpc, OnTimer, World);
    KeInitializeDpc(&World->OwnDpc, OnOwnDpc, World);
    KeSetTargetProcessorDpc(&World->OwnDpc, 0);
    KeInitializeTimer(&World->Timer);
    KeInitializeEvent(&World->DpcDone, SynchronizationEvent, FALSE);
    KeInitializeEvent(&World->TimerDone, SynchronizationEvent, FALSE);
    KeInitializeEvent(&World->WorkDone, SynchronizationEvent, FALSE);
}

static VOID RunAll(PWORLD World) {
    PART Parts[2] = {{World, 0}, {World, 1}};
    PVOID Threads[3];

    for (ULONG i = 0; i < 2; i++) {
        Threads[i] = Start(Share, &Parts[i]);
    }
    Threads[2] = Start(PassOn, World);
    for (ULONG i = 0; i < 3; i++) {
        Join(Threads[i]);
    }
    KeFlushQueuedDpcs();
    NdksimCounter("shared", (ULONG64)(World->UnderLock + World->UnderFast + World->UnderMutex));
    NdksimCounter("passed", (ULONG64)(World->ForDpc + World->ForTimer + World->ForWork));
    NdksimCounter("cpu0", (ULONG64)World->OnCpu0);
    NdksimCounter("ended", (ULONG64)(World->OfThread + World->Neighbours[0]));
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    IoDeleteDevice(Device);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PWORLD World;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    Status = IoCreateDevice(DriverObject, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    DriverObject->DriverUnload = DriverUnload;
    World = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*World), 'dlrW');
    if (World == NULL) {
        IoDeleteDevice(Device);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Prepare(World);
    RunAll(World);
    ExFreePoolWithTag(World, 'dlrW');
    return STATUS_SUCCESS;
}
