/* SPDX-License-Identifier: Apache-2.0 */
/* Both the error path and its caller free the buffer. */
#include <ntddk.h>

#define BUFFER_TAG 'ffuB'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS Fill(PUCHAR Buffer, ULONG Bytes) {
    if (Bytes < 128) {
#ifndef FIXED
        ExFreePoolWithTag(Buffer, BUFFER_TAG);
#endif
        return STATUS_BUFFER_TOO_SMALL;
    }
    RtlZeroMemory(Buffer, Bytes);
    return STATUS_SUCCESS;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PUCHAR Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BUFFER_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    (VOID) Fill(Buffer, 64);
    ExFreePoolWithTag(Buffer, BUFFER_TAG); /* wrong: Fill has done so */
    return STATUS_SUCCESS;
}
