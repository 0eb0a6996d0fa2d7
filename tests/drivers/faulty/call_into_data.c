/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a buffer for a structure with a routine at its start, and calls into the buffer. */
#include <ntddk.h>

#define HOOK_TAG 'kooH'

typedef NTSTATUS HOOK(ULONG Reason);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS RunHook(HOOK *Hook) {
    return Hook(0);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PVOID Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, HOOK_TAG);
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = RunHook((HOOK *)(ULONG_PTR)Buffer); /* wrong: not *(HOOK **)Buffer */
    ExFreePoolWithTag(Buffer, HOOK_TAG);
    return Status;
}
