/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver with fault points of its own, passed in an I/O control: code 0x800 answers how many of
 * the three passings fired, 0x801 passes a point that the table does not hold. Built again with
 * tables that are no good: see CMakeLists.txt.
 */
#include <ndksim.h>
#include <ntddk.h>

#ifndef TABLE
#define TABLE                                                                                      \
    {"points.first", "The first thing fails."}, {                                                  \
        "points.other", "The other thing fails."                                                   \
    }
#endif

const NDKSIM_FAULT_POINT NdksimFaultPoints[] = {TABLE, {NULL, NULL}};

#ifndef SECOND
#define SECOND "What the second one does, in milliseconds."
#endif

const NDKSIM_SETTING NdksimSettings[] = {{"First", "What the first one does.", 1, 0, 1},
                                         {"Second", SECOND, 5, 0, 100},
                                         {NULL, NULL, 0, 0, 0}};

#define IOCTL_PASS CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)

static PDEVICE_OBJECT Device;
static const WCHAR DeviceName[] = L"\\Device\\Points";

static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Control;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    IoDeleteDevice(Device);
}

static LONG Pass(VOID) {
    LONG Fired = 0;

    for (ULONG i = 0; i < 3; i++) {
        if (NdksimFault("points.other", NULL)) {
            Fired++;
        }
    }
    return Fired;
}

static NTSTATUS Control(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    LONG Fired = 0;

    UNREFERENCED_PARAMETER(DeviceObject);
    if (Stack->Parameters.DeviceIoControl.IoControlCode == IOCTL_PASS) {
        Fired = Pass();
    } else {
        (VOID) NdksimFault("points.unknown", NULL);
    }
    *(PLONG)Irp->AssociatedIrp.SystemBuffer = Fired;
    Irp->IoStatus.Information = sizeof(Fired);
    Irp->IoStatus.Status = STATUS_SUCCESS;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNICODE_STRING Name;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Control;
    RtlInitUnicodeString(&Name, DeviceName);
    return IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
}
