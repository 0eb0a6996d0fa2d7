/* SPDX-License-Identifier: Apache-2.0 */
/* Queues a work item whose routine was left out of the table of routines. */
#include <ntddk.h>

static PWORKER_THREAD_ROUTINE Routines[2];
static WORK_QUEUE_ITEM Item;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID FirstRoutine(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Routines[0] = FirstRoutine;
    ExInitializeWorkItem(&Item, Routines[1], NULL); /* wrong: nothing is in [1] */
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    return STATUS_SUCCESS;
}
