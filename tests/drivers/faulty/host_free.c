/* SPDX-License-Identifier: Apache-2.0 */
/* Gives pool back to the C library. */
#include <ntddk.h>

extern void free(void *);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static volatile ULONG HeaderBytes = 8;

static VOID Drop(PVOID Block) {
    free((PUCHAR)Block + HeaderBytes); /* wrong: ExFreePoolWithTag */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        PVOID Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'eerF');

        if (Block != NULL) {
            Drop(Block);
        }
    }
    return STATUS_SUCCESS;
}
