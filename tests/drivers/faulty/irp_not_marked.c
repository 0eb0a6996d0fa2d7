/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a request and answers STATUS_PENDING without having marked it. */
#include <ntddk.h>

static PIRP Kept;

static UNICODE_STRING Name = RTL_CONSTANT_STRING(L"\\Device\\Gauge");

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Control;

static NTSTATUS Control(PDEVICE_OBJECT Device, PIRP Irp) {
    UNREFERENCED_PARAMETER(Device);
    Irp->IoStatus.Information = 0;
    Kept = Irp;
    return STATUS_PENDING; /* wrong: IoMarkIrpPending comes first */
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
