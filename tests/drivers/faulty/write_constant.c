/* SPDX-License-Identifier: Apache-2.0 */
/* Upper-cases a device name in place; the name is a constant of the image. */
#include <ntddk.h>

static const WCHAR DeviceName[] = L"\\Device\\telemetry0";

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID UpperCase(PWCHAR Text) {
    for (; *Text != 0; Text++) {
        if (*Text >= 'a' && *Text <= 'z') {
            *Text = (WCHAR)(*Text - 'a' + 'A'); /* wrong for a constant */
        }
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    UpperCase((PWCHAR)(ULONG_PTR)DeviceName);
    return STATUS_SUCCESS;
}
