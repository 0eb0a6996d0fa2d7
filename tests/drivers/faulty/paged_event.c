/* SPDX-License-Identifier: Apache-2.0 */
/* An event in paged pool: the DPC that sets it cannot reach it. */
#include <ntddk.h>

#define REQUEST_TAG 'tqeR'

typedef struct _REQUEST {
    KEVENT Done;
    KDPC Dpc;
} REQUEST;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE DoneDpc;
static KDPC Dpc;

static VOID DoneDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    REQUEST *Request = Context;

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    KeSetEvent(&Request->Done, IO_NO_INCREMENT, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    REQUEST *Request = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*Request), REQUEST_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Request == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeEvent(&Request->Done, NotificationEvent, FALSE); /* wrong: events are non-paged */
    KeInitializeDpc(&Dpc, DoneDpc, Request);
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    KeWaitForSingleObject(&Request->Done, Executive, KernelMode, FALSE, NULL);
    KeFlushQueuedDpcs();
    ExFreePoolWithTag(Request, REQUEST_TAG);
    return STATUS_SUCCESS;
}
