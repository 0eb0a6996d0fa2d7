/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to PASSIVE_LEVEL for a call in the middle of what a spin lock guards. */
#include <ntddk.h>

static KSPIN_LOCK Lock;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Save(VOID) {
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    KeLowerIrql(Irql); /* wrong: the lock is still held */
    DbgPrint("saved at %u\n", KeGetCurrentIrql());
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    KeReleaseSpinLock(&Lock, Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    Save();
    return STATUS_SUCCESS;
}
