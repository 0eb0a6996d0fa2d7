/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC is initialised before the routine that it gets is known. */
#include <ntddk.h>

static KDPC Dpc;
static PKDEFERRED_ROUTINE Routine;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, Routine, NULL); /* wrong: Routine is NULL */
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
