/* SPDX-License-Identifier: Apache-2.0 */
/* Locks a buffer for a request and forgets it on the failure path. */
#include <ntddk.h>

#define DATA_TAG 'ataD'

static PUCHAR Data;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS Send(PMDL Mdl) {
    return MmGetMdlByteCount(Mdl) > 1024 ? STATUS_SUCCESS : STATUS_INVALID_BUFFER_SIZE;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Data, DATA_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PMDL Mdl;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Data = ExAllocatePool2(POOL_FLAG_NON_PAGED, 512, DATA_TAG);
    Mdl = IoAllocateMdl(Data, 512, FALSE, FALSE, NULL);
    MmProbeAndLockPages(Mdl, KernelMode, IoReadAccess);
    if (NT_SUCCESS(Send(Mdl))) {
        MmUnlockPages(Mdl);
    }
    IoFreeMdl(Mdl); /* wrong: still locked when Send failed */
    return STATUS_SUCCESS;
}
