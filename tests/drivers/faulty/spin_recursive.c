/* SPDX-License-Identifier: Apache-2.0 */
/* A function that takes the lock calls another that takes it. */
#include <ntddk.h>

static KSPIN_LOCK Lock;
static ULONG Count;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG CountNow(VOID) {
    KIRQL Irql;
    ULONG Now;

    KeAcquireSpinLock(&Lock, &Irql); /* wrong: AddOne holds it */
    Now = Count;
    KeReleaseSpinLock(&Lock, Irql);
    return Now;
}

static VOID AddOne(VOID) {
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    Count++;
#ifdef FIXED
    DbgPrint("now %u\n", Count);
    (VOID) CountNow;
#else
    DbgPrint("now %u\n", CountNow());
#endif
    KeReleaseSpinLock(&Lock, Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    AddOne();
    return STATUS_SUCCESS;
}
