/* SPDX-License-Identifier: Apache-2.0 */
/* Loads another driver on its own. */
#include <ntddk.h>

extern void *dlopen(const char *, int);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static PVOID Other;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Other = dlopen("./null_extension.so", 2); /* wrong: drivers are loaded by the system */
    DbgPrint("other %u\n", Other != NULL);
    return STATUS_SUCCESS;
}
