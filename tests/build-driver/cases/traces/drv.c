/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>
#include "Trace.h"
#include "drv.tmh"

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    WPP_INIT_TRACING(DriverObject, RegistryPath);
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    TraceEvents(LEVEL_INFO, FLAG_INIT, "%!FUNC! begins, %d of %d", 1, 2);
    TraceError("%!STATUS! and %!STATUS!", STATUS_PENDING, STATUS_CONNECTION_REFUSED);
    DoTraceMessage(FLAG_INIT, "flags %!mask!", 0x12);
    return STATUS_SUCCESS;
}
