/* SPDX-License-Identifier: Apache-2.0 */
/* Marks a request as done after it was freed. */
#include <ntddk.h>

#define REQUEST_TAG 'tqeR'

typedef struct _REQUEST {
    volatile ULONG State;
    UCHAR Data[60];
} REQUEST;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Finish(REQUEST *Request) {
#ifdef FIXED
    Request->State = 2;
    ExFreePoolWithTag(Request, REQUEST_TAG);
#else
    ExFreePoolWithTag(Request, REQUEST_TAG);
    Request->State = 2; /* wrong: the other order */
#endif
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    REQUEST *Request = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Request), REQUEST_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Request == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Finish(Request);
    return STATUS_SUCCESS;
}
