/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that counts what it is asked: creates, cleanups, closes. Control codes: 0x222000 answers
 * a structure of the counts and of what was sent; 0x222004 pends until it is cancelled.
 */
#include <ndksim.h>
#include <ntddk.h>

typedef struct _GAUGE_REQUEST {
    UCHAR Kind;
    ULONG Factor;
    WCHAR Name[5];
    ULONG64 Value;
} GAUGE_REQUEST;

typedef struct _GAUGE_ANSWER {
    USHORT Creates;
    USHORT Cleanups;
    ULONG Closes;
    ULONG64 Product;
    WCHAR Name[5];
} GAUGE_ANSWER;

static PDEVICE_OBJECT Device;
static UNICODE_STRING DeviceName = RTL_CONSTANT_STRING(L"\\Device\\Gauge0");
static USHORT Counts[IRP_MJ_MAXIMUM_FUNCTION + 1];

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Count;
static DRIVER_DISPATCH Control;
static DRIVER_CANCEL Cancel;

static NTSTATUS Complete(PIRP Irp, NTSTATUS Status, ULONG_PTR Information) {
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = Information;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static NTSTATUS Count(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    UNREFERENCED_PARAMETER(DeviceObject);
    Counts[IoGetCurrentIrpStackLocation(Irp)->MajorFunction]++;
    return Complete(Irp, STATUS_SUCCESS, 0);
}

static NTSTATUS Answer(PIRP Irp, PIO_STACK_LOCATION Stack) {
    GAUGE_REQUEST Request;
    GAUGE_ANSWER *Out = Irp->AssociatedIrp.SystemBuffer;

    if (Stack->Parameters.DeviceIoControl.InputBufferLength != sizeof(Request) ||
        Stack->Parameters.DeviceIoControl.OutputBufferLength < sizeof(*Out)) {
        return Complete(Irp, STATUS_BUFFER_TOO_SMALL, 0);
    }
    Request = *(GAUGE_REQUEST *)Irp->AssociatedIrp.SystemBuffer;
    RtlZeroMemory(Out, sizeof(*Out));
    Out->Creates = Counts[IRP_MJ_CREATE];
    Out->Cleanups = Counts[IRP_MJ_CLEANUP];
    Out->Closes = Counts[IRP_MJ_CLOSE];
    Out->Product = Request.Factor * Request.Value + Request.Kind;
    RtlCopyMemory(Out->Name, Request.Name, sizeof(Out->Name));
    return Complete(Irp, STATUS_SUCCESS, sizeof(*Out));
}

static VOID Cancel(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    UNREFERENCED_PARAMETER(DeviceObject);
    IoReleaseCancelSpinLock(Irp->CancelIrql);
    (VOID) Complete(Irp, STATUS_CANCELLED, 0);
}

static NTSTATUS Control(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);

    UNREFERENCED_PARAMETER(DeviceObject);
    switch (Stack->Parameters.DeviceIoControl.IoControlCode) {
    case 0x222000:
        return Answer(Irp, Stack);
    case 0x222004:
        IoMarkIrpPending(Irp);
        IoSetCancelRoutine(Irp, Cancel);
        return STATUS_PENDING;
    default:
        return Complete(Irp, STATUS_INVALID_DEVICE_REQUEST, 0);
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    IoDeleteDevice(Device);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DriverObject->MajorFunction[IRP_MJ_CREATE] = Count;
    DriverObject->MajorFunction[IRP_MJ_CLEANUP] = Count;
    DriverObject->MajorFunction[IRP_MJ_CLOSE] = Count;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Control;
    return IoCreateDevice(DriverObject, 0, &DeviceName, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
}
