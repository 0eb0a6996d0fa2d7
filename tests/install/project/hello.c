/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>
#include <ndkpi.h>
#include <wskndk.h>

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD HelloUnload;

void HelloUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = HelloUnload;
    DbgPrint("hello from another project\n");
    return STATUS_SUCCESS;
}
