/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry fails in the middle and keeps what it had: DriverUnload is never called then. */
#include <ntddk.h>

#define STATE_TAG 'tatS'

static PVOID State;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS FindDevice(VOID) {
    return STATUS_DEVICE_NOT_CONNECTED;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(State, STATE_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    State = ExAllocatePool2(POOL_FLAG_NON_PAGED, 300, STATE_TAG);
    if (State == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = FindDevice();
    if (!NT_SUCCESS(Status)) {
        return Status; /* wrong: State stays */
    }
    return STATUS_SUCCESS;
}
