/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC that works off its whole backlog at once. */
#include <ntddk.h>

static KDPC Dpc;
static ULONG Backlog = 20000;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE DrainDpc;

static VOID DrainDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    ULONG Budget = 20000; /* wrong: 20,000 times half a millisecond are ten seconds */

    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
#ifdef FIXED
    Budget = 50;
#endif
    for (; Backlog > 0 && Budget > 0; Backlog--, Budget--) {
        KeStallExecutionProcessor(500);
    }
    if (Backlog > 0) {
        KeInsertQueueDpc(Which, NULL, NULL);
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, DrainDpc, NULL);
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
