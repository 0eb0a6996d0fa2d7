/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the process, as a program would, when a setting is missing. */
#include <ntddk.h>

extern void exit(int);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID ReadSettings(BOOLEAN AreThere) {
    if (!AreThere) {
        exit(1); /* wrong: a driver has no process */
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ReadSettings(FALSE);
    return STATUS_SUCCESS;
}
