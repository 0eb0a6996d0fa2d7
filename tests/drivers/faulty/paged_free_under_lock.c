/* SPDX-License-Identifier: Apache-2.0 */
/* Frees a paged name while it holds the lock of the list that the name was in. */
#include <ntddk.h>

#define NAME_TAG 'emaN'

static KSPIN_LOCK Lock;
static PWCHAR Name;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    KIRQL Irql;

    UNREFERENCED_PARAMETER(DriverObject);
    KeAcquireSpinLock(&Lock, &Irql);
    ExFreePoolWithTag(Name, NAME_TAG); /* wrong: paged pool is freed below DISPATCH_LEVEL */
    Name = NULL;
    KeReleaseSpinLock(&Lock, Irql);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    Name = ExAllocatePool2(POOL_FLAG_PAGED, 32 * sizeof(WCHAR), NAME_TAG);
    return Name != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}
