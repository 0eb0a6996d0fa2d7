/* SPDX-License-Identifier: Apache-2.0 */
/* Unmaps a receive buffer on the way out that was never mapped (FB-035). */
#include <ntddk.h>

#define BUFFER_TAG 'ffuB'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Drop(PMDL Mdl, PVOID Mapped) {
    MmUnmapLockedPages(Mapped, Mdl); /* wrong: the mapping failed before */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        PVOID Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, 256, BUFFER_TAG);
        PMDL Mdl = IoAllocateMdl(Buffer, 256, FALSE, FALSE, NULL);

        if (Mdl != NULL) {
            MmProbeAndLockPages(Mdl, KernelMode, IoModifyAccess);
            Drop(Mdl, Buffer);
            MmUnlockPages(Mdl);
            IoFreeMdl(Mdl);
        }
        ExFreePoolWithTag(Buffer, BUFFER_TAG);
    }
    return STATUS_SUCCESS;
}
