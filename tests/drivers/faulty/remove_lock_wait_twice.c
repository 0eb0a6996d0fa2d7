/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for the last user of a remove lock in the stop and in the removal. */
#include <ntddk.h>

#define LOCK_TAG 'kcoL'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static IO_REMOVE_LOCK Lock;

static VOID Stop(VOID) {
    if (NT_SUCCESS(IoAcquireRemoveLock(&Lock, NULL))) {
        IoReleaseRemoveLockAndWait(&Lock, NULL);
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    IoInitializeRemoveLock(&Lock, LOCK_TAG, 0, 0);
    Stop();
    IoReleaseRemoveLockAndWait(&Lock, NULL); /* wrong: nobody acquires it any more */
    return STATUS_SUCCESS;
}
