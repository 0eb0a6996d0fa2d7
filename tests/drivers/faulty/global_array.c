/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by status in a global array that has no place for the last one. */
#include <ntddk.h>

static volatile ULONG Counts[8];
static ULONG Kinds = 9;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Count(ULONG Kind) {
    Counts[Kind]++; /* wrong: 8 is behind the end */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    Kinds = 0;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    for (ULONG i = 0; i < Kinds; i++) {
        Count(i);
    }
    return STATUS_SUCCESS;
}
