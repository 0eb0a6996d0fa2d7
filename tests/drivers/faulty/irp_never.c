/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a request for an event that never comes; it cannot be cancelled either. */
#include <ntddk.h>

static PIRP Pending;

static UNICODE_STRING Name = RTL_CONSTANT_STRING(L"\\Device\\Gauge");

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Control;

static NTSTATUS Control(PDEVICE_OBJECT Device, PIRP Irp) {
    UNREFERENCED_PARAMETER(Device);
    IoMarkIrpPending(Irp);
    Pending = Irp; /* wrong: nobody completes it */
    return STATUS_PENDING;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    IoDeleteDevice(DriverObject->DeviceObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PDEVICE_OBJECT Device;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Control;
    return IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
}
