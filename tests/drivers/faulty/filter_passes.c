/* SPDX-License-Identifier: Apache-2.0 */
/* A filter that lets the exception pass that came: only access violations are handled. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS Guarded(VOID) {
    NTSTATUS Status = STATUS_SUCCESS;

    __try {
        ExRaiseStatus(STATUS_DATATYPE_MISALIGNMENT);
    } __except (GetExceptionCode() == STATUS_ACCESS_VIOLATION ? EXCEPTION_EXECUTE_HANDLER
                                                              : EXCEPTION_CONTINUE_SEARCH) {
        Status = STATUS_INVALID_USER_BUFFER; /* wrong: probes raise others, too */
    }
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    return Guarded();
}
