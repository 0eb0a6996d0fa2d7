/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC whose context was forgotten: it reads through NULL at DISPATCH_LEVEL. */
#include <ntddk.h>

typedef struct _QUEUE {
    LIST_ENTRY Entries;
    volatile ULONG Depth;
} QUEUE;

static QUEUE Queue;
static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE DrainDpc;

static VOID DrainDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    QUEUE *Mine = Context;

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    if (Mine->Depth == 0) {
        return;
    }
    Mine->Depth--;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    InitializeListHead(&Queue.Entries);
#ifdef FIXED
    KeInitializeDpc(&Dpc, DrainDpc, &Queue);
#else
    KeInitializeDpc(&Dpc, DrainDpc, NULL); /* wrong: the queue should be its context */
#endif
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
