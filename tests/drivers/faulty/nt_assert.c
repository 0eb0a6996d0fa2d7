/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts what a late answer breaks: the count of requests under way goes below zero. */
#include <ntddk.h>

static LONG UnderWay;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID RequestDone(VOID) {
    LONG Left = InterlockedDecrement(&UnderWay);

    NT_ASSERT(Left >= 0);
    UNREFERENCED_PARAMETER(Left);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    InterlockedIncrement(&UnderWay);
    RequestDone();
    RequestDone(); /* wrong: both the answer and the time-out count it */
    return STATUS_SUCCESS;
}
