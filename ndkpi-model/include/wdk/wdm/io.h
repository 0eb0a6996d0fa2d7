/* SPDX-License-Identifier: Apache-2.0 */
/*
 * I/O manager: devices, requests, work items, event log entries.
 */
#ifndef NDKSIM_WDK_WDM_IO_H
#define NDKSIM_WDK_WDM_IO_H

#include "../ntstatus.h"
#include "io_types.h"
#include "rtl.h"

/* The one symbol that a driver shows. */
#ifdef _NDKSIM_DRIVER_DIALECT
__attribute__((visibility("default"))) DRIVER_INITIALIZE DriverEntry;
#endif

/* Devices. */

NTSTATUS NTAPI IoCreateDevice(_In_ PDRIVER_OBJECT DriverObject, _In_ ULONG DeviceExtensionSize,
                              _In_opt_ PUNICODE_STRING DeviceName, _In_ DEVICE_TYPE DeviceType,
                              _In_ ULONG DeviceCharacteristics, _In_ BOOLEAN Exclusive,
                              _Out_ PDEVICE_OBJECT *DeviceObject);
NTSTATUS NTAPI IoCreateDeviceSecure(_In_ PDRIVER_OBJECT DriverObject,
                                    _In_ ULONG DeviceExtensionSize,
                                    _In_opt_ PUNICODE_STRING DeviceName,
                                    _In_ DEVICE_TYPE DeviceType, _In_ ULONG DeviceCharacteristics,
                                    _In_ BOOLEAN Exclusive, _In_ PCUNICODE_STRING DefaultSDDLString,
                                    _In_opt_ LPCGUID DeviceClassGuid,
                                    _Out_ PDEVICE_OBJECT *DeviceObject);
#define WdmlibIoCreateDeviceSecure IoCreateDeviceSecure
VOID NTAPI IoDeleteDevice(_In_ PDEVICE_OBJECT DeviceObject);
NTSTATUS NTAPI IoCreateSymbolicLink(_In_ PUNICODE_STRING SymbolicLinkName,
                                    _In_ PUNICODE_STRING DeviceName);
NTSTATUS NTAPI IoDeleteSymbolicLink(_In_ PUNICODE_STRING SymbolicLinkName);
NTSTATUS NTAPI IoGetDeviceObjectPointer(_In_ PUNICODE_STRING ObjectName,
                                        _In_ ACCESS_MASK DesiredAccess,
                                        _Out_ PFILE_OBJECT *FileObject,
                                        _Out_ PDEVICE_OBJECT *DeviceObject);
NTSTATUS NTAPI IoAllocateDriverObjectExtension(_In_ PDRIVER_OBJECT DriverObject,
                                               _In_ PVOID ClientIdentificationAddress,
                                               _In_ ULONG DriverObjectExtensionSize,
                                               _Out_ PVOID *DriverObjectExtension);
PVOID NTAPI IoGetDriverObjectExtension(_In_ PDRIVER_OBJECT DriverObject,
                                       _In_ PVOID ClientIdentificationAddress);

/* Requests. */

PIRP NTAPI IoAllocateIrp(_In_ CCHAR StackSize, _In_ BOOLEAN ChargeQuota);
VOID NTAPI IoFreeIrp(_In_ PIRP Irp);
VOID NTAPI IoInitializeIrp(_Inout_ PIRP Irp, _In_ USHORT PacketSize, _In_ CCHAR StackSize);
VOID NTAPI IoReuseIrp(_Inout_ PIRP Irp, _In_ NTSTATUS Iostatus);
BOOLEAN NTAPI IoCancelIrp(_In_ PIRP Irp);
NTSTATUS NTAPI IofCallDriver(_In_ PDEVICE_OBJECT DeviceObject, _Inout_ PIRP Irp);
VOID NTAPI IofCompleteRequest(_In_ PIRP Irp, _In_ CCHAR PriorityBoost);
VOID NTAPI IoAcquireCancelSpinLock(_Out_ PKIRQL Irql);
VOID NTAPI IoReleaseCancelSpinLock(_In_ KIRQL Irql);
PIRP NTAPI IoBuildDeviceIoControlRequest(_In_ ULONG IoControlCode, _In_ PDEVICE_OBJECT DeviceObject,
                                         _In_opt_ PVOID InputBuffer, _In_ ULONG InputBufferLength,
                                         _Out_opt_ PVOID OutputBuffer,
                                         _In_ ULONG OutputBufferLength,
                                         _In_ BOOLEAN InternalDeviceIoControl,
                                         _In_opt_ PKEVENT Event,
                                         _Out_ PIO_STATUS_BLOCK IoStatusBlock);
#define IoCompleteRequest(Irp, PriorityBoost) IofCompleteRequest(Irp, PriorityBoost)
#define IoCallDriver(DeviceObject, Irp) IofCallDriver(DeviceObject, Irp)
#define IoSizeOfIrp(StackSize) ((USHORT)(sizeof(IRP) + ((StackSize) * (sizeof(IO_STACK_LOCATION)))))
#define IoSetCancelRoutine(Irp, NewCancelRoutine)                                                  \
    ((PDRIVER_CANCEL)(ULONG_PTR)InterlockedExchangePointer((PVOID volatile *)(ULONG_PTR) &         \
                                                               (Irp)->CancelRoutine,               \
                                                           (PVOID)(ULONG_PTR)(NewCancelRoutine)))

FORCEINLINE PIO_STACK_LOCATION IoGetCurrentIrpStackLocation(_In_ PIRP Irp) {
    return Irp->Tail.Overlay.CurrentStackLocation;
}

FORCEINLINE PIO_STACK_LOCATION IoGetNextIrpStackLocation(_In_ PIRP Irp) {
    return Irp->Tail.Overlay.CurrentStackLocation - 1;
}

FORCEINLINE VOID IoSetNextIrpStackLocation(_Inout_ PIRP Irp) {
    Irp->CurrentLocation--;
    Irp->Tail.Overlay.CurrentStackLocation--;
}

FORCEINLINE VOID IoSkipCurrentIrpStackLocation(_Inout_ PIRP Irp) {
    Irp->CurrentLocation++;
    Irp->Tail.Overlay.CurrentStackLocation++;
}

FORCEINLINE VOID IoCopyCurrentIrpStackLocationToNext(_Inout_ PIRP Irp) {
    PIO_STACK_LOCATION IrpSp = IoGetCurrentIrpStackLocation(Irp);
    PIO_STACK_LOCATION NextIrpSp = IoGetNextIrpStackLocation(Irp);

    memcpy(NextIrpSp, IrpSp, offsetof(IO_STACK_LOCATION, CompletionRoutine));
    NextIrpSp->Control = 0;
}

FORCEINLINE VOID IoSetCompletionRoutine(_In_ PIRP Irp,
                                        _In_opt_ PIO_COMPLETION_ROUTINE CompletionRoutine,
                                        _In_opt_ PVOID Context, _In_ BOOLEAN InvokeOnSuccess,
                                        _In_ BOOLEAN InvokeOnError, _In_ BOOLEAN InvokeOnCancel) {
    PIO_STACK_LOCATION IrpSp = IoGetNextIrpStackLocation(Irp);

    IrpSp->CompletionRoutine = CompletionRoutine;
    IrpSp->Context = Context;
    IrpSp->Control = (UCHAR)((InvokeOnSuccess ? SL_INVOKE_ON_SUCCESS : 0) |
                             (InvokeOnError ? SL_INVOKE_ON_ERROR : 0) |
                             (InvokeOnCancel ? SL_INVOKE_ON_CANCEL : 0));
}

FORCEINLINE VOID IoMarkIrpPending(_Inout_ PIRP Irp) {
    IoGetCurrentIrpStackLocation(Irp)->Control |= SL_PENDING_RETURNED;
}

/* Work items. IoObject of the Ex form is a device or a driver object. */

PIO_WORKITEM NTAPI IoAllocateWorkItem(_In_ PDEVICE_OBJECT DeviceObject);
VOID NTAPI IoFreeWorkItem(_In_ PIO_WORKITEM IoWorkItem);
ULONG NTAPI IoSizeofWorkItem(VOID);
VOID NTAPI IoInitializeWorkItem(_In_ PVOID IoObject, _Out_ PIO_WORKITEM IoWorkItem);
VOID NTAPI IoUninitializeWorkItem(_In_ PIO_WORKITEM IoWorkItem);
VOID NTAPI IoQueueWorkItem(_In_ PIO_WORKITEM IoWorkItem, _In_ PIO_WORKITEM_ROUTINE WorkerRoutine,
                           _In_ WORK_QUEUE_TYPE QueueType, _In_opt_ PVOID Context);
VOID NTAPI IoQueueWorkItemEx(_In_ PIO_WORKITEM IoWorkItem,
                             _In_ PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                             _In_ WORK_QUEUE_TYPE QueueType, _In_opt_ PVOID Context);
BOOLEAN NTAPI IoTryQueueWorkItem(_In_ PIO_WORKITEM IoWorkItem,
                                 _In_ PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                                 _In_ WORK_QUEUE_TYPE QueueType, _In_opt_ PVOID Context);

/* Event log. */

typedef struct _IO_ERROR_LOG_PACKET {
    UCHAR MajorFunctionCode;
    UCHAR RetryCount;
    USHORT DumpDataSize;
    USHORT NumberOfStrings;
    USHORT StringOffset;
    USHORT EventCategory;
    NTSTATUS ErrorCode;
    ULONG UniqueErrorValue;
    NTSTATUS FinalStatus;
    ULONG SequenceNumber;
    ULONG IoControlCode;
    LARGE_INTEGER DeviceOffset;
    ULONG DumpData[1];
} IO_ERROR_LOG_PACKET, *PIO_ERROR_LOG_PACKET;
#define ERROR_LOG_MAXIMUM_SIZE 240
#define PORT_MAXIMUM_MESSAGE_LENGTH 512

PVOID NTAPI IoAllocateErrorLogEntry(_In_ PVOID IoObject, _In_ UCHAR EntrySize);
VOID NTAPI IoWriteErrorLogEntry(_In_ PVOID ElEntry);
VOID NTAPI IoFreeErrorLogEntry(_In_ PVOID ElEntry);

#endif
