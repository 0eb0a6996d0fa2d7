/* SPDX-License-Identifier: Apache-2.0 */
/* Divides by a registry value that an administrator may set to zero. */
#include <ndksim.h>
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG BytesPerQueue(ULONG Bytes, ULONG Queues) {
    return Bytes / Queues; /* wrong: Queues is what the registry says */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    ULONG Queues = NdksimRegistryUlong(L"Queues", 4);

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
#ifdef FIXED
    Queues = max(Queues, 1);
#endif
    DbgPrint("%u bytes each\n", BytesPerQueue(1 << 20, Queues));
    return STATUS_SUCCESS;
}
