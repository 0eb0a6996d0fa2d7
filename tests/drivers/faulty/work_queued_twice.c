/* SPDX-License-Identifier: Apache-2.0 */
/* Queues its one work item for every event; two come at once. */
#include <ntddk.h>

static WORK_QUEUE_ITEM Item;
static LONG Events;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID HandleItem(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    InterlockedDecrement(&Events);
}

static VOID OnEvent(VOID) {
    InterlockedIncrement(&Events);
    ExQueueWorkItem(&Item, DelayedWorkQueue); /* wrong: it may be queued */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    KIRQL Irql;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeWorkItem(&Item, HandleItem, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    OnEvent();
    OnEvent();
    KeLowerIrql(Irql);
    return STATUS_SUCCESS;
}
