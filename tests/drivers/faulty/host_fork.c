/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the process, to do something in the background. */
#include <ntddk.h>

extern int fork(void);
extern void _exit(int);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG Done;

static VOID Background(VOID) {
    if (fork() == 0) { /* wrong: there is one kernel, with work items */
        Done++;
        _exit(0);
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Background();
    return STATUS_SUCCESS;
}
