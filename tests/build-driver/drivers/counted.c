/* SPDX-License-Identifier: Apache-2.0 */
/* How often each line runs is known: what coverage must say of many runs and nodes. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static LONG Steps; /* a reset brings it back; the counters of its lines stay */

static VOID Step(VOID) {
    Steps++; /* five times in each load */
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NT_ASSERT(Steps == 5);
    Step(); /* once in each unload */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = DriverUnload; /* once in each load */
    for (int i = 0; i < 5; i++) {
        Step(); /* five in each */
    }
    return STATUS_SUCCESS;
}
