/* SPDX-License-Identifier: Apache-2.0 */
/* Prints as a program does. */
#include <ntddk.h>

extern int printf(const char *, ...);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Settle(VOID) {
    (void)printf("settled, %d left\n", 3); /* wrong: DbgPrint */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Settle();
    return STATUS_SUCCESS;
}
