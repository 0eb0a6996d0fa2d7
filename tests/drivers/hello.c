/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest whole driver: a device, a timer with a DPC, a work item, a system thread, globals,
 * and an orderly unload. IOCTL 0 counts up and answers the count; IOCTL 1 waits for the timer.
 */
#include <ntddk.h>

#define HELLO_TAG 'lleH'
#define IOCTL_COUNT CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_TICKS CTL_CODE(FILE_DEVICE_UNKNOWN, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_HOLD CTL_CODE(FILE_DEVICE_UNKNOWN, 0x802, METHOD_BUFFERED, FILE_ANY_ACCESS)

typedef struct _HELLO_DEVICE {
    KTIMER Timer;
    KDPC Dpc;
    KSPIN_LOCK Lock;
    KEVENT Ticked;
    KEVENT Stop;
    PETHREAD Thread;
    PIO_WORKITEM WorkItem;
    PVOID Block;
    PIRP Held;
    LONG Ticks;
    LONG Worked;
} HELLO_DEVICE, *PHELLO_DEVICE;

/* A global with a value of its own in each node, and after each reset. */
static LONG HelloCount = 1000;
static PDEVICE_OBJECT HelloDevice;
static const WCHAR HelloName[] = L"\\Device\\Hello";

static DRIVER_UNLOAD HelloUnload;
static DRIVER_DISPATCH HelloControl;
static KDEFERRED_ROUTINE HelloDpc;
static IO_WORKITEM_ROUTINE HelloWork;
static KSTART_ROUTINE HelloThread;
static DRIVER_CANCEL HelloCancel;

static VOID HelloWork(PDEVICE_OBJECT DeviceObject, PVOID Context) {
    PHELLO_DEVICE Device = DeviceObject->DeviceExtension;

    UNREFERENCED_PARAMETER(Context);
    PAGED_CODE();
    InterlockedIncrement(&Device->Worked);
    KeSetEvent(&Device->Ticked, IO_NO_INCREMENT, FALSE);
}

static VOID HelloDpc(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    PDEVICE_OBJECT DeviceObject = Context;
    PHELLO_DEVICE Device = DeviceObject->DeviceExtension;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    KeAcquireSpinLockAtDpcLevel(&Device->Lock);
    Device->Ticks++;
    KeReleaseSpinLockFromDpcLevel(&Device->Lock);
    if (Device->Ticks == 3) {
        IoQueueWorkItem(Device->WorkItem, HelloWork, DelayedWorkQueue, NULL);
    }
}

static VOID HelloThread(PVOID Context) {
    PHELLO_DEVICE Device = Context;

    KeWaitForSingleObject(&Device->Stop, Executive, KernelMode, FALSE, NULL);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID HelloCancel(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PHELLO_DEVICE Device = DeviceObject->DeviceExtension;

    IoReleaseCancelSpinLock(Irp->CancelIrql);
    Device->Held = NULL;
    Irp->IoStatus.Status = STATUS_CANCELLED;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
}

static NTSTATUS HelloComplete(PIRP Irp, NTSTATUS Status, LONG Value) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);

    Irp->IoStatus.Information = 0;
    if (NT_SUCCESS(Status)) {
        if (Stack->Parameters.DeviceIoControl.OutputBufferLength < sizeof(Value)) {
            Status = STATUS_BUFFER_TOO_SMALL;
        } else {
            RtlCopyMemory(Irp->AssociatedIrp.SystemBuffer, &Value, sizeof(Value));
            Irp->IoStatus.Information = sizeof(Value);
        }
    }
    Irp->IoStatus.Status = Status;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static NTSTATUS HelloControl(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PHELLO_DEVICE Device = DeviceObject->DeviceExtension;
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);

    switch (Stack->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_COUNT:
        return HelloComplete(Irp, STATUS_SUCCESS, InterlockedIncrement(&HelloCount));
    case IOCTL_TICKS:
        KeWaitForSingleObject(&Device->Ticked, Executive, KernelMode, FALSE, NULL);
        return HelloComplete(Irp, STATUS_SUCCESS, Device->Ticks);
    case IOCTL_HOLD:
        Device->Held = Irp;
        IoMarkIrpPending(Irp);
        IoSetCancelRoutine(Irp, HelloCancel);
        return STATUS_PENDING;
    default:
        return HelloComplete(Irp, STATUS_INVALID_DEVICE_REQUEST, 0);
    }
}

static VOID HelloUnload(PDRIVER_OBJECT DriverObject) {
    PHELLO_DEVICE Device = HelloDevice->DeviceExtension;

    UNREFERENCED_PARAMETER(DriverObject);
    KeCancelTimer(&Device->Timer);
    KeFlushQueuedDpcs();
    KeSetEvent(&Device->Stop, IO_NO_INCREMENT, FALSE);
    KeWaitForSingleObject(Device->Thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(Device->Thread);
    IoFreeWorkItem(Device->WorkItem);
    ExFreePoolWithTag(Device->Block, HELLO_TAG);
    IoDeleteDevice(HelloDevice);
    DbgPrint("hello: good bye, %d\n", HelloCount);
}

static NTSTATUS HelloStart(PHELLO_DEVICE Device) {
    LARGE_INTEGER Due;
    HANDLE Thread;
    NTSTATUS Status;

    KeInitializeSpinLock(&Device->Lock);
    KeInitializeEvent(&Device->Ticked, NotificationEvent, FALSE);
    KeInitializeEvent(&Device->Stop, NotificationEvent, FALSE);
    KeInitializeDpc(&Device->Dpc, HelloDpc, HelloDevice);
    KeInitializeTimerEx(&Device->Timer, NotificationTimer);
    Device->WorkItem = IoAllocateWorkItem(HelloDevice);
    Device->Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, HELLO_TAG);
    Status =
        PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, HelloThread, Device);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    ObReferenceObjectByHandle(Thread, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                              (PVOID *)&Device->Thread, NULL);
    ZwClose(Thread);
    Due.QuadPart = -10000; /* 1 ms */
    KeSetTimerEx(&Device->Timer, Due, 1, &Device->Dpc);
    return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNICODE_STRING Name;
    NTSTATUS Status;

    DbgPrint("hello: %wZ, IRQL %u, count %d\n", RegistryPath, KeGetCurrentIrql(), HelloCount);
    DriverObject->DriverUnload = HelloUnload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = HelloControl;
    RtlInitUnicodeString(&Name, HelloName);
    Status = IoCreateDevice(DriverObject, sizeof(HELLO_DEVICE), &Name, FILE_DEVICE_UNKNOWN, 0,
                            FALSE, &HelloDevice);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    return HelloStart(HelloDevice->DeviceExtension);
}
