/* SPDX-License-Identifier: Apache-2.0 */
/* Releases its lock on a path that never took it. */
#include <ntddk.h>

static KSPIN_LOCK Lock;
static ULONG Queued;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Take(BOOLEAN IsShared) {
    KIRQL Irql = PASSIVE_LEVEL;

    if (!IsShared) {
        KeAcquireSpinLock(&Lock, &Irql);
    }
    Queued++;
    KeReleaseSpinLock(&Lock, Irql); /* wrong: only if it was acquired */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    Take(FALSE);
    Take(TRUE);
    return STATUS_SUCCESS;
}
