/* SPDX-License-Identifier: Apache-2.0 */
/* Closes what it thinks is a handle of its own. */
#include <ntddk.h>

extern int close(int);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Settle(VOID) {
    (void)close(1); /* wrong: ZwClose, and a handle */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Settle();
    return STATUS_SUCCESS;
}
