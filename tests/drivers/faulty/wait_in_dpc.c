/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC that sleeps for the device's reset. */
#include <ntddk.h>

static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE ResetDpc;

static VOID ResetDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    LARGE_INTEGER Interval = {.QuadPart = -10 * 1000};

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    KeDelayExecutionThread(KernelMode, FALSE, &Interval); /* wrong: belongs into a work item */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, ResetDpc, NULL);
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
