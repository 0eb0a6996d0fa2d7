/* SPDX-License-Identifier: Apache-2.0 */
/* A failed accept frees the queue, and the disconnect that follows frees it again (FB-118). */
#include <ntddk.h>

#define QUEUE_TAG 'eueQ'

typedef struct _QUEUE {
    ULONG Depth;
} QUEUE;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static WORKER_THREAD_ROUTINE OnDisconnect;
static WORK_QUEUE_ITEM Item;
static KEVENT Done;
static QUEUE *Queue;

static VOID Release(VOID) {
    ExFreePoolWithTag(Queue, QUEUE_TAG);
}

static VOID OnDisconnect(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    Release(); /* wrong: the accept failed, and nothing is left */
    KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Queue = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Queue), QUEUE_TAG);
    if (Queue == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    Release();
    ExInitializeWorkItem(&Item, OnDisconnect, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
    return STATUS_SUCCESS;
}
