/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>

#define LIMIT (4 * 1024UL)
DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

/* A long in a comment, "1L" in a text: */
static const char *Text = "long 1L";

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    unsigned long Count = LIMIT;
    long long Wide = 1LL + 2ull;
    LONG Fine = 3;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DbgPrint("%s %u %I64d %d\n", Text, (ULONG)Count, Wide, Fine);
    return STATUS_SUCCESS;
}
