/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a pointer that it reads out of an element after the element's free. */
#include <ntddk.h>

#define NODE_TAG 'edoN'

typedef struct _NODE {
    struct _NODE *volatile Next;
    ULONG Value;
} NODE;

static NODE *First;
static ULONG Sum;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
#ifdef FIXED
    Sum += First->Next->Value;
    ExFreePoolWithTag(First, NODE_TAG);
#else
    ExFreePoolWithTag(First, NODE_TAG);
    Sum += First->Next->Value; /* wrong: the element is gone */
#endif
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    First = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*First), NODE_TAG);
    if (First == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    First->Next = First;
    return STATUS_SUCCESS;
}
