/* SPDX-License-Identifier: Apache-2.0 */
/* Uses a device extension that it did not ask for: IoCreateDevice was told zero bytes. */
#include <ntddk.h>

typedef struct _STATISTICS {
    ULONG Version;
    ULONG Requests;
} STATISTICS;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    IoDeleteDevice(DriverObject->DeviceObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PDEVICE_OBJECT Device;
    STATISTICS *Statistics;
    NTSTATUS Status;
#ifdef FIXED
    ULONG Bytes = sizeof(STATISTICS);
#else
    ULONG Bytes = 0; /* wrong: the extension is written to below */
#endif

    UNREFERENCED_PARAMETER(RegistryPath);
    Status = IoCreateDevice(DriverObject, Bytes, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Statistics = Device->DeviceExtension;
    Statistics->Requests = 1;
    DriverObject->DriverUnload = Unload;
    return STATUS_SUCCESS;
}
