/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>
DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

static FLT_REGISTRATION Registration;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Registration.Size = 1;
    FltRegisterFilter(DriverObject, &Registration);
    return FltStartFiltering(DriverObject);
}
