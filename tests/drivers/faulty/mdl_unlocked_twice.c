/* SPDX-License-Identifier: Apache-2.0 */
/* Unlocks an MDL where the request ends and where it is cleaned up. */
#include <ntddk.h>

#define DATA_TAG 'ataD'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID EndRequest(PMDL Mdl) {
    MmUnlockPages(Mdl);
}

static VOID CleanUp(PMDL Mdl) {
    MmUnlockPages(Mdl); /* wrong: EndRequest did */
    IoFreeMdl(Mdl);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PVOID Data = ExAllocatePool2(POOL_FLAG_NON_PAGED, 512, DATA_TAG);
    PMDL Mdl;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Mdl = IoAllocateMdl(Data, 512, FALSE, FALSE, NULL);
    MmProbeAndLockPages(Mdl, KernelMode, IoWriteAccess);
    EndRequest(Mdl);
    CleanUp(Mdl);
    ExFreePoolWithTag(Data, DATA_TAG);
    return STATUS_SUCCESS;
}
