/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's DPC in a context that was allocated from paged pool. */
#include <ntddk.h>

#define TICK_TAG 'kciT'

typedef struct _TICK {
    ULONG Count;
    KDPC Dpc;
} TICK;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE TickDpc;

static VOID TickDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    TICK *Tick = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*Tick), TICK_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Tick == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeDpc(&Tick->Dpc, TickDpc, Tick); /* wrong: a DPC is resident */
    KeInsertQueueDpc(&Tick->Dpc, NULL, NULL);
    KeFlushQueuedDpcs();
    ExFreePoolWithTag(Tick, TICK_TAG);
    return STATUS_SUCCESS;
}
