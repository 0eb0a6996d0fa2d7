/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the lock of a block that was allocated uninitialised. */
#include <ntddk.h>

#define QUEUE_TAG 'ueuQ'

typedef struct _QUEUE {
    KSPIN_LOCK Lock;
    ULONG Depth;
} QUEUE;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static QUEUE *Queue;

static VOID Add(VOID) {
    KIRQL Irql;

    KeAcquireSpinLock(&Queue->Lock, &Irql);
    Queue->Depth++;
    KeReleaseSpinLock(&Queue->Lock, Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Queue, QUEUE_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Queue = ExAllocatePoolUninitialized(NonPagedPoolNx, sizeof(*Queue), QUEUE_TAG);
    if (Queue == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Queue->Depth = 0; /* wrong: KeInitializeSpinLock is missing */
#ifdef FIXED
    KeInitializeSpinLock(&Queue->Lock);
#endif
    Add();
    return STATUS_SUCCESS;
}
