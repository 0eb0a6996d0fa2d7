/* SPDX-License-Identifier: Apache-2.0 */
/* Uses an index out of a request without a look at it. */
#include <ntddk.h>

#define TABLE_TAG 'lbaT'
#define TABLE_COUNT 16

typedef struct _ROW {
    ULONG64 Value;
} ROW;

static ROW *Table;

static UNICODE_STRING Name = RTL_CONSTANT_STRING(L"\\Device\\Gauge");

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static DRIVER_DISPATCH Control;

static NTSTATUS Control(PDEVICE_OBJECT Device, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    NTSTATUS Status = STATUS_INVALID_PARAMETER;
    PULONG Index = Irp->AssociatedIrp.SystemBuffer;

    UNREFERENCED_PARAMETER(Device);
#ifdef FIXED
    if (Stack->Parameters.DeviceIoControl.InputBufferLength >= sizeof(*Index) &&
        *Index < TABLE_COUNT) {
#else
    if (Stack->Parameters.DeviceIoControl.InputBufferLength >= sizeof(*Index)) {
#endif
        Table[*Index].Value++; /* wrong: any 32 bits get here */
        Status = STATUS_SUCCESS;
    }
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    IoDeleteDevice(DriverObject->DeviceObject);
    ExFreePoolWithTag(Table, TABLE_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PDEVICE_OBJECT Device;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Control;
    Table = ExAllocatePool2(POOL_FLAG_NON_PAGED, TABLE_COUNT * sizeof(ROW), TABLE_TAG);
    if (Table == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
}
