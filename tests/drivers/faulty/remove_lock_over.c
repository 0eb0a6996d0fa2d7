/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a remove lock back on the path that failed, and again at the end. */
#include <ntddk.h>

#define LOCK_TAG 'kcoL'

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static IO_REMOVE_LOCK Lock;

static NTSTATUS Start(BOOLEAN IsReady) {
    if (!IsReady) {
        IoReleaseRemoveLock(&Lock, NULL);
        return STATUS_DEVICE_NOT_READY;
    }
    return STATUS_SUCCESS;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    IoInitializeRemoveLock(&Lock, LOCK_TAG, 0, 0);
    if (NT_SUCCESS(IoAcquireRemoveLock(&Lock, NULL))) {
        (void)Start(FALSE);
        IoReleaseRemoveLock(&Lock, NULL); /* wrong: Start has done so */
    }
    return STATUS_SUCCESS;
}
