/* SPDX-License-Identifier: Apache-2.0 */
/* Frees a request's chain, and leaves the pointer to it for the next use of the request (FB-086).
 */
#include <ntddk.h>

#define PART_TAG 'traP'

typedef struct _REQUEST {
    PVOID Chain;
} REQUEST;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static REQUEST Request;

static VOID Finish(REQUEST *Done) {
    if (Done->Chain != NULL) {
        ExFreePoolWithTag(Done->Chain, PART_TAG); /* wrong: Chain still points to it */
#ifdef FIXED
        Done->Chain = NULL;
#endif
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Request.Chain = ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, PART_TAG);
    Finish(&Request);
    Finish(&Request);
    return STATUS_SUCCESS;
}
