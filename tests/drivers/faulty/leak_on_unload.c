/* SPDX-License-Identifier: Apache-2.0 */
/* Frees one of its two tables. */
#include <ntddk.h>

#define TABLE_TAG 'lbaT'

static PVOID Names;
static PVOID Values;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Names, TABLE_TAG);
#ifdef FIXED
    ExFreePoolWithTag(Values, TABLE_TAG);
#endif
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload; /* wrong: it forgets Values */
    Names = ExAllocatePool2(POOL_FLAG_NON_PAGED, 128, TABLE_TAG);
    Values = ExAllocatePool2(POOL_FLAG_NON_PAGED, 256, TABLE_TAG);
    return STATUS_SUCCESS;
}
