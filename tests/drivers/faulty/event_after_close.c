/* SPDX-License-Identifier: Apache-2.0 */
/* Closes a connection whose event still waits for a worker (FB-097). */
#include <ntddk.h>

#define CONNECTION_TAG 'nnoC'

typedef struct _CONNECTION {
    WORK_QUEUE_ITEM Event;
    volatile ULONG State;
} CONNECTION;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static WORKER_THREAD_ROUTINE OnEvent;

static VOID OnEvent(PVOID Context) {
    CONNECTION *Connection = Context;

    Connection->State = 2;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        CONNECTION *Connection =
            ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Connection), CONNECTION_TAG);

        if (Connection == NULL) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        ExInitializeWorkItem(&Connection->Event, OnEvent, Connection);
        ExQueueWorkItem(&Connection->Event, DelayedWorkQueue);
        ExFreePoolWithTag(Connection, CONNECTION_TAG); /* wrong: with the event queued */
    }
    return STATUS_SUCCESS;
}
