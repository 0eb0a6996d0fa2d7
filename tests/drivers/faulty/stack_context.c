/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a work item is a local of the function that queued it and went on. */
#include <ntddk.h>

typedef struct _COUNT_REQUEST {
    KSPIN_LOCK Lock;
    ULONG Count;
} COUNT_REQUEST;

static WORK_QUEUE_ITEM Item;
static KEVENT Done;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID CountItem(PVOID Context) {
    COUNT_REQUEST *Request = Context;
    KIRQL Irql;

    KeAcquireSpinLock(&Request->Lock, &Irql);
    Request->Count++;
    KeReleaseSpinLock(&Request->Lock, Irql);
    KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static VOID StartCounting(VOID) {
    COUNT_REQUEST Request = {0};

    KeInitializeSpinLock(&Request.Lock);
    ExInitializeWorkItem(&Item, CountItem, &Request);
    ExQueueWorkItem(&Item, DelayedWorkQueue); /* wrong: Request dies with this function */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    StartCounting();
    return STATUS_SUCCESS;
}
