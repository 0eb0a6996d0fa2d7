/* SPDX-License-Identifier: Apache-2.0 */
/* Mixes up the two levels: what should go back goes up. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Quietly(VOID) {
    KIRQL Old = DISPATCH_LEVEL;

    /* wrong: KeRaiseIrql(DISPATCH_LEVEL, &Old) was meant */
    KeLowerIrql(Old);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Quietly();
    return STATUS_SUCCESS;
}
