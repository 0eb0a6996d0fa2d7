/* SPDX-License-Identifier: Apache-2.0 */
/* Gives back one slot more than it took. */
#include <ntddk.h>

static KSEMAPHORE Slots;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID SendOne(VOID) {
    KeWaitForSingleObject(&Slots, Executive, KernelMode, FALSE, NULL);
    KeReleaseSemaphore(&Slots, IO_NO_INCREMENT, 1, FALSE);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeReleaseSemaphore(&Slots, IO_NO_INCREMENT, 1, FALSE); /* wrong: all four are back already */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSemaphore(&Slots, 4, 4);
    SendOne();
    return STATUS_SUCCESS;
}
