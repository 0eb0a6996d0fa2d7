/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a flag in a loop that calls nothing: the thread never gives the processor away. */
#include <ntddk.h>

static volatile BOOLEAN IsReady;
static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE ReadyDpc;

static VOID ReadyDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    IsReady = TRUE;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    KIRQL Irql;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, ReadyDpc, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    KeInsertQueueDpc(&Dpc, NULL, NULL); /* wrong: no DPC runs here before the level falls */
    while (!IsReady) {
    }
    KeLowerIrql(Irql);
    return STATUS_SUCCESS;
}
