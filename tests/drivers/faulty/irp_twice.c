/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a request that it refuses where it refuses it, and at the end. */
#include <ntddk.h>

static UNICODE_STRING Name = RTL_CONSTANT_STRING(L"\\Device\\Gauge");

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Control;

static NTSTATUS Refuse(PIRP Irp, NTSTATUS Status) {
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static NTSTATUS Control(PDEVICE_OBJECT Device, PIRP Irp) {
    NTSTATUS Status = Refuse(Irp, STATUS_INVALID_DEVICE_REQUEST);

    UNREFERENCED_PARAMETER(Device);
#ifndef FIXED
    IoCompleteRequest(Irp, IO_NO_INCREMENT); /* wrong: Refuse has done so */
#endif
    return Status;
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
