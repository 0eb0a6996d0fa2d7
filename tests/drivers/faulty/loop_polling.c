/* SPDX-License-Identifier: Apache-2.0 */
/* Polls the time for something that never comes, without a pause and without an end. */
#include <ntddk.h>

static volatile LONG Answers;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID WaitForAnswer(VOID) {
    LARGE_INTEGER Now;

    while (Answers == 0) {
        KeQuerySystemTime(&Now); /* wrong: nobody answers, and nothing ends the wait */
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
