/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for an answer while it holds a spin lock. */
#include <ntddk.h>

static KSPIN_LOCK Lock;
static KEVENT Answered;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID AskAndWait(VOID) {
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
#ifdef FIXED
    KeReleaseSpinLock(&Lock, Irql);
    KeWaitForSingleObject(&Answered, Executive, KernelMode, FALSE, NULL);
#else
    KeWaitForSingleObject(&Answered, Executive, KernelMode, FALSE, NULL); /* wrong: DISPATCH */
    KeReleaseSpinLock(&Lock, Irql);
#endif
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    KeInitializeEvent(&Answered, NotificationEvent, TRUE);
    AskAndWait();
    return STATUS_SUCCESS;
}
