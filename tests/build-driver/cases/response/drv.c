/* SPDX-License-Identifier: Apache-2.0 */
#include <vendor.h>
DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DbgPrint("doubled %u\n", VendorDouble(21));
    return STATUS_SUCCESS;
}
