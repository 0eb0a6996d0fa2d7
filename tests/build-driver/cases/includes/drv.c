/* SPDX-License-Identifier: Apache-2.0 */
#include <NTDDK.H>
#include "Inc\Sub\Numbers.h"
#include "inc/SUB/../sub/Words.H"

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DbgPrint("%s %d\n", WORD, NUMBER);
    return STATUS_SUCCESS;
}
