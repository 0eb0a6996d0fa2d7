/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory as a program does. */
#include <ntddk.h>

extern void *malloc(SIZE_T);

static void *volatile Table;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Settle(VOID) {
    Table = malloc(64); /* wrong: ExAllocatePool2 */
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
