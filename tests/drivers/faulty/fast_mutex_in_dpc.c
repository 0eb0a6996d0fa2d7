/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC that takes the fast mutex of the threads. */
#include <ntddk.h>

static FAST_MUTEX Mutex;
static KDPC Dpc;
static ULONG Ticks;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE TickDpc;

static VOID TickDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    ExAcquireFastMutex(&Mutex); /* wrong: a spin lock is needed between threads and DPCs */
    Ticks++;
    ExReleaseFastMutex(&Mutex);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeFastMutex(&Mutex);
    KeInitializeDpc(&Dpc, TickDpc, NULL);
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
