/* SPDX-License-Identifier: Apache-2.0 */
/* A timer is cancelled, its DPC may be queued already: DriverUnload waits for neither. */
#include <ntddk.h>

static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE StopDpc;

static VOID StopDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeInsertQueueDpc(&Dpc, NULL, NULL); /* wrong: nobody waits for it */
#ifdef FIXED
    KeFlushQueuedDpcs();
#endif
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, StopDpc, NULL);
    KeSetTargetProcessorDpc(&Dpc, 1);
    return STATUS_SUCCESS;
}
