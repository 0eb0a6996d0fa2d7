/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that does one wrong thing, chosen by its registry value "Fault"; see the table below.
 */
#include <ndksim.h>
#include <ntddk.h>

#define FAULTY_TAG 'tluF'

static KTIMER Timer;
static KDPC Dpc;
static KEVENT Event;
static WORK_QUEUE_ITEM Item;
static LOOKASIDE_LIST_EX Lookaside;
static PDEVICE_OBJECT Device;
static MDL *Mdl;
static PUCHAR Block;
static const WCHAR DeviceName[] = L"\\Device\\Faulty";

static VOID NothingDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

static VOID WaitThread(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Event, Executive, KernelMode, FALSE, NULL);
}

static VOID SlowItem(PVOID Context) {
    LARGE_INTEGER Interval = {.QuadPart = -10000000};

    UNREFERENCED_PARAMETER(Context);
    KeDelayExecutionThread(KernelMode, FALSE, &Interval);
}

static VOID LeaveTimer(VOID) {
    LARGE_INTEGER Due = {.QuadPart = -10000000};

    KeInitializeDpc(&Dpc, NothingDpc, NULL);
    KeInitializeTimer(&Timer);
    KeSetTimer(&Timer, Due, &Dpc);
}

static VOID LeaveThread(VOID) {
    HANDLE Thread;

    KeInitializeEvent(&Event, NotificationEvent, FALSE);
    PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, WaitThread, NULL);
    ZwClose(Thread);
}

static VOID LeavePool(VOID) {
    Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 200, FAULTY_TAG);
}

static VOID LeaveItem(VOID) {
    ExInitializeWorkItem(&Item, SlowItem, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
}

static VOID LeaveLookaside(VOID) {
    ExInitializeLookasideListEx(&Lookaside, NULL, NULL, NonPagedPoolNx, 0, 100, FAULTY_TAG, 0);
}

static VOID LeaveLocked(VOID) {
    Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 200, FAULTY_TAG);
    Mdl = IoAllocateMdl(Block, 200, FALSE, FALSE, NULL);
    MmProbeAndLockPages(Mdl, KernelMode, IoReadAccess);
}

static VOID WriteReadOnly(VOID) {
    *(volatile WCHAR *)(ULONG_PTR)DeviceName = 'x';
}

static VOID WriteFreed(VOID) {
    LeavePool();
    ExFreePoolWithTag(Block, FAULTY_TAG);
    *(volatile UCHAR *)Block = 1;
}

/* Seen at the access only by special pool. */
static VOID ReadFreed(VOID) {
    LeavePool();
    ExFreePoolWithTag(Block, FAULTY_TAG);
    (VOID) * (volatile UCHAR *)Block;
}

static VOID LoopForEver(VOID) {
    while (KeGetCurrentIrql() != HIGH_LEVEL) {
        KeMemoryBarrier();
    }
}

/* No driver has it; a host's C library does. */
extern void exit(int code);

static VOID EndProcess(VOID) {
    exit(0);
}

static VOID Nothing(VOID) {
}

static VOID (*const Faults[])(VOID) = {
    Nothing,     LeaveTimer,    LeaveThread, LeavePool, LeaveItem,   LeaveLookaside,
    LeaveLocked, WriteReadOnly, WriteFreed,  ReadFreed, LoopForEver, EndProcess,
};

static NTSTATUS FaultyControl(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    ULONG Code = Stack->Parameters.DeviceIoControl.IoControlCode >> 2 & 0xFF;

    UNREFERENCED_PARAMETER(DeviceObject);
    Irp->IoStatus.Information = 0;
    Irp->IoStatus.Status = STATUS_SUCCESS;
    switch (Code) {
    case 0: /* completes twice */
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        return STATUS_SUCCESS;
    case 1: /* answers without completing */
        return STATUS_SUCCESS;
    case 2: /* pends without saying so */
        return STATUS_PENDING;
    case 3: /* completes with a cancel routine set */
        Irp->CancelRoutine = (PDRIVER_CANCEL)(ULONG_PTR)FaultyControl;
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        return STATUS_SUCCESS;
    case 4: /* completes as pending */
        Irp->IoStatus.Status = STATUS_PENDING;
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        return STATUS_PENDING;
    case 5: /* sends it on without a location left */
        return IoCallDriver(DeviceObject, Irp);
    case 6: /* marks it pending and answers something else */
        IoMarkIrpPending(Irp);
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        return STATUS_SUCCESS;
    case 7: /* a partial MDL that does not fit */
        Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 20000, FAULTY_TAG);
        Mdl = IoAllocateMdl(Block, 20000, FALSE, FALSE, NULL);
        MmBuildMdlForNonPagedPool(Mdl);
        IoBuildPartialMdl(Mdl, IoAllocateMdl(Block, 1, FALSE, FALSE, NULL), Block, 20000);
        return STATUS_SUCCESS;
    default:
        IoCompleteRequest(Irp, IO_NO_INCREMENT);
        return STATUS_SUCCESS;
    }
}

static VOID FaultyUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    IoDeleteDevice(Device);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNICODE_STRING Name;
    ULONG Fault;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = FaultyUnload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = FaultyControl;
    RtlInitUnicodeString(&Name, DeviceName);
    IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    Fault = NdksimRegistryUlong(L"Fault", 0);
    NT_ASSERT(Fault < RTL_NUMBER_OF(Faults));
    Faults[Fault]();
    return STATUS_SUCCESS;
}
