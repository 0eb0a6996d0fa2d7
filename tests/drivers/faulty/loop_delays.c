/* SPDX-License-Identifier: Apache-2.0 */
/* Looks every microsecond for something that never comes: it does wait, but the run never ends. */
#include <ntddk.h>

static volatile LONG Answers;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID WaitForAnswer(VOID) {
    LARGE_INTEGER Pause;

    Pause.QuadPart = -10LL; /* a microsecond */
    while (Answers == 0) {
        KeDelayExecutionThread(KernelMode, FALSE, &Pause); /* wrong: nothing ends this */
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    WaitForAnswer();
    return STATUS_SUCCESS;
}
