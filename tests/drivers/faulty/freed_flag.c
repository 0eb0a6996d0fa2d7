/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a flag out of a block that was freed: no BOOLEAN of C has such a value. */
#include <ntddk.h>

#define FLAGS_TAG 'galF'

typedef struct _FLAGS {
    ULONG64 Head[4];
    volatile _Bool IsOpen;
} FLAGS;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG IsOpen(const FLAGS *Flags) {
    return Flags->IsOpen ? 1 : 0;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    FLAGS *Flags = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Flags), FLAGS_TAG);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Flags == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    ExFreePoolWithTag(Flags, FLAGS_TAG);
    DbgPrint("open %u\n", IsOpen(Flags)); /* wrong: it is gone */
    return STATUS_SUCCESS;
}
