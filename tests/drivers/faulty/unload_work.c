/* SPDX-License-Identifier: Apache-2.0 */
/* A work item is under way when the driver goes: it comes back into code that is no more. */
#include <ntddk.h>

static WORK_QUEUE_ITEM Item;
static volatile LONG Saved;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID SaveItem(PVOID Context) {
    LARGE_INTEGER Interval = {.QuadPart = -100 * 10000};

    UNREFERENCED_PARAMETER(Context);
    KeDelayExecutionThread(KernelMode, FALSE, &Interval);
    Saved++;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject); /* wrong: nobody waits for SaveItem */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeWorkItem(&Item, SaveItem, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    return STATUS_SUCCESS;
}
