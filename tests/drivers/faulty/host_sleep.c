/* SPDX-License-Identifier: Apache-2.0 */
/* Waits by the host's clock, which stops the whole machine. */
#include <ntddk.h>

extern unsigned sleep(unsigned);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Settle(VOID) {
    (void)sleep(3600); /* wrong: KeDelayExecutionThread */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Settle();
    return STATUS_SUCCESS;
}
