/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a mutex in one thread and lets another release it. */
#include <ntddk.h>

static KMUTEX Mutex;
static WORK_QUEUE_ITEM Item;
static KEVENT Done;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID FinishItem(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeReleaseMutex(&Mutex, FALSE); /* wrong: DriverEntry's thread owns it */
    KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeMutex(&Mutex, 0);
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    KeWaitForSingleObject(&Mutex, Executive, KernelMode, FALSE, NULL);
    ExInitializeWorkItem(&Item, FinishItem, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
    return STATUS_SUCCESS;
}
