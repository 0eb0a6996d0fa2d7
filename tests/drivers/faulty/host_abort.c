/* SPDX-License-Identifier: Apache-2.0 */
/* Gives up with abort() where a table has no room left. */
#include <ntddk.h>

extern void abort(void);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG Used;

static ULONG SlotTake(VOID) {
    if (Used == 2) {
        abort(); /* wrong: it is Windows that stops, with a code */
    }
    return Used++;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    for (ULONG i = 0; i < 3; i++) {
        DbgPrint("slot %u\n", SlotTake());
    }
    return STATUS_SUCCESS;
}
