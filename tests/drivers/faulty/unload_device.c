/* SPDX-License-Identifier: Apache-2.0 */
/* DriverUnload deletes the link and forgets the device. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static UNICODE_STRING DeviceName = RTL_CONSTANT_STRING(L"\\Device\\Gauge");
static UNICODE_STRING LinkName = RTL_CONSTANT_STRING(L"\\DosDevices\\Gauge");

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    IoDeleteSymbolicLink(&LinkName);
#ifdef FIXED
    IoDeleteDevice(DriverObject->DeviceObject);
#else
    UNREFERENCED_PARAMETER(DriverObject); /* wrong: IoDeleteDevice is missing */
#endif
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PDEVICE_OBJECT Device;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Status = IoCreateDevice(DriverObject, 0, &DeviceName, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    if (NT_SUCCESS(Status)) {
        Status = IoCreateSymbolicLink(&LinkName, &DeviceName);
    }
    return Status;
}
