/* SPDX-License-Identifier: Apache-2.0 */
/* __debugbreak in the way of a value that is not expected. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Expect(ULONG Value) {
    if (Value != 0) {
        __debugbreak(); /* wrong: left in a build that is shipped */
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Expect(1);
    return STATUS_SUCCESS;
}
