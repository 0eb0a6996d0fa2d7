/* SPDX-License-Identifier: Apache-2.0 */
/* Raises a status for its caller to handle; the caller handles none. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Require(ULONG Version) {
    if (Version < 2) {
        ExRaiseStatus(STATUS_NOT_SUPPORTED); /* wrong: no __try above it */
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Require(1);
    return STATUS_SUCCESS;
}
