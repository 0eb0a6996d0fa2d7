/* SPDX-License-Identifier: Apache-2.0 */
/* Each work item waits for another that no worker is left for. */
#include <ntddk.h>

#define COUNT 8

static WORK_QUEUE_ITEM Items[COUNT];
static WORK_QUEUE_ITEM Last;
static KEVENT Ready;
static KEVENT Done;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID WaitItem(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Ready, Executive, KernelMode, FALSE, NULL); /* wrong: in a work item */
}

static VOID ReadyItem(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeSetEvent(&Ready, IO_NO_INCREMENT, FALSE);
    KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Ready, NotificationEvent, FALSE);
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    for (ULONG i = 0; i < COUNT; i++) {
        ExInitializeWorkItem(&Items[i], WaitItem, NULL);
        ExQueueWorkItem(&Items[i], DelayedWorkQueue);
    }
    ExInitializeWorkItem(&Last, ReadyItem, NULL);
    ExQueueWorkItem(&Last, DelayedWorkQueue);
    return STATUS_SUCCESS;
}
