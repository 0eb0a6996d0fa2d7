/* SPDX-License-Identifier: Apache-2.0 */
/* Clears one element more than the table has. */
#include <ntddk.h>

#define TABLE_TAG 'lbaT'
#define TABLE_COUNT 8

static PULONG64 Table;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Reset(VOID) {
#ifdef FIXED
    for (ULONG i = 0; i < TABLE_COUNT; i++) {
#else
    for (ULONG i = 0; i <= TABLE_COUNT; i++) { /* wrong: < */
#endif
        ((volatile ULONG64 *)Table)[i] = i;
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Table, TABLE_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Table = ExAllocatePool2(POOL_FLAG_NON_PAGED, TABLE_COUNT * sizeof(ULONG64), TABLE_TAG);
    if (Table == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Reset();
    return STATUS_SUCCESS;
}
