/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the MDL of a header that is a local, and locks its pages when the local is gone. */
#include <ntddk.h>

typedef struct _HEADER {
    ULONG Magic;
    UCHAR Reserved[252];
} HEADER;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static DECLSPEC_NOINLINE PMDL MakeHeader(VOID) {
    HEADER Header = {.Magic = 0x52444850};

    return IoAllocateMdl(&Header, sizeof(Header), FALSE, FALSE, NULL); /* wrong: Header dies */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PMDL Mdl = MakeHeader();

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    MmProbeAndLockPages(Mdl, KernelMode, IoReadAccess);
    MmUnlockPages(Mdl);
    IoFreeMdl(Mdl);
    return STATUS_SUCCESS;
}
