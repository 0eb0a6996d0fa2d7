/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a name and its end into room for the name alone. */
#include <ntddk.h>

#define NAME_TAG 'emaN'

static PCHAR Name;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static PCHAR CopyOf(const CHAR *Text, SIZE_T Length) {
    PCHAR Copy = ExAllocatePool2(POOL_FLAG_NON_PAGED, Length, NAME_TAG); /* wrong: no room for 0 */

    if (Copy != NULL) {
        RtlCopyMemory(Copy, Text, Length);
        ((volatile CHAR *)Copy)[Length] = 0;
    }
    return Copy;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Name, NAME_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Name = CopyOf("telemetry", 9);
    return Name != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}
