/* SPDX-License-Identifier: Apache-2.0 */
/* Acquires a remove lock for one request and gives it back for another. */
#include <ntddk.h>

#define LOCK_TAG 'kcoL'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static IO_REMOVE_LOCK Lock;
static ULONG Read;
static ULONG Write;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    IoInitializeRemoveLock(&Lock, LOCK_TAG, 0, 0);
    if (NT_SUCCESS(IoAcquireRemoveLock(&Lock, &Read))) {
        IoReleaseRemoveLock(&Lock, &Write); /* wrong: it was for the read */
    }
    return STATUS_SUCCESS;
}
