/* SPDX-License-Identifier: Apache-2.0 */
/* Releases its rundown protection on the path on which it was refused, too. */
#include <ntddk.h>

static EX_RUNDOWN_REF Rundown;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS Use(BOOLEAN IsReady) {
    NTSTATUS Status = STATUS_DEVICE_NOT_READY;

    if (IsReady && ExAcquireRundownProtection(&Rundown)) {
        Status = STATUS_SUCCESS;
    }
    ExReleaseRundownProtection(&Rundown); /* wrong: perhaps not acquired */
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExWaitForRundownProtectionRelease(&Rundown);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeRundownProtection(&Rundown);
    (VOID) Use(TRUE);
    (VOID) Use(FALSE);
    return STATUS_SUCCESS;
}
