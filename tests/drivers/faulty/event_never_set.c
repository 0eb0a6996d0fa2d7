/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for an answer for ever; the path of the refusal does not set the event. */
#include <ntddk.h>

static KEVENT Answered;
static WORK_QUEUE_ITEM Item;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID AnswerItem(PVOID Context) {
    if (Context == NULL) {
        return; /* wrong: a refusal is an answer, too */
    }
    KeSetEvent(&Answered, IO_NO_INCREMENT, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Answered, NotificationEvent, FALSE);
    ExInitializeWorkItem(&Item, AnswerItem, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    KeWaitForSingleObject(&Answered, Executive, KernelMode, FALSE, NULL);
    return STATUS_SUCCESS;
}
