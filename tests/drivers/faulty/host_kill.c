/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a signal to its own process, to wake a thread that does not listen. */
#include <ntddk.h>

extern int getpid(void);
extern int kill(int, int);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Wake(VOID) {
    (void)kill(getpid(), 10); /* wrong: a kernel has no signals */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Wake();
    return STATUS_SUCCESS;
}
