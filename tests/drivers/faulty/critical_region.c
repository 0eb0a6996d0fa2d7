/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a critical region on its error path, and again at its end. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS Update(ULONG Value) {
    NTSTATUS Status = STATUS_SUCCESS;

    KeEnterCriticalRegion();
    if (Value == 0) {
        KeLeaveCriticalRegion();
        Status = STATUS_INVALID_PARAMETER;
    }
    KeLeaveCriticalRegion(); /* wrong: left twice for 0 */
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    (VOID) Update(0);
    return STATUS_SUCCESS;
}
