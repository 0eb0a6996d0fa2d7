/* SPDX-License-Identifier: Apache-2.0 */
/* Stops the machine itself when it finds its own table spoilt. */
#include <ntddk.h>

#define TABLE_MAGIC 0x5441424C

static ULONG Magic = TABLE_MAGIC;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID CheckTable(VOID) {
    if (Magic != TABLE_MAGIC) {
        KeBugCheckEx(0xE2, Magic, TABLE_MAGIC, 0, 0); /* MANUALLY_INITIATED_CRASH */
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    CheckTable();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Magic = 0; /* wrong: cleared before the last look */
    return STATUS_SUCCESS;
}
