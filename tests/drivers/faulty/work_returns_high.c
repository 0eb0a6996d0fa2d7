/* SPDX-License-Identifier: Apache-2.0 */
/* A work item whose early way out forgets to lower the level again. */
#include <ntddk.h>

static PIO_WORKITEM Item;
static KEVENT Done;
static ULONG Waiting;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static IO_WORKITEM_ROUTINE Flush;

static VOID Flush(PDEVICE_OBJECT Device, PVOID Context) {
    KIRQL Irql;

    UNREFERENCED_PARAMETER(Device);
    UNREFERENCED_PARAMETER(Context);
    KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    if (Waiting == 0) {
#ifdef FIXED
        KeLowerIrql(Irql);
#endif
        return; /* wrong: still at DISPATCH_LEVEL */
    }
    Waiting = 0;
    KeLowerIrql(Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
    IoFreeWorkItem(Item);
    IoDeleteDevice(DriverObject->DeviceObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PDEVICE_OBJECT Device;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    Status = IoCreateDevice(DriverObject, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    if (NT_SUCCESS(Status)) {
        Item = IoAllocateWorkItem(Device);
        IoQueueWorkItem(Item, Flush, DelayedWorkQueue, NULL);
    }
    return Status;
}
