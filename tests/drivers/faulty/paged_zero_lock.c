/* SPDX-License-Identifier: Apache-2.0 */
/* A spin lock in zeroed paged pool, that nobody has to initialise. */
#include <ntddk.h>

#define TABLE_TAG 'lbaT'

typedef struct _TABLE {
    KSPIN_LOCK Lock;
    ULONG Count;
} TABLE;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    TABLE *Table = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*Table), TABLE_TAG);
    KIRQL Irql;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Table == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeAcquireSpinLock(&Table->Lock, &Irql); /* wrong: spin locks are resident */
    KeReleaseSpinLock(&Table->Lock, Irql);
    ExFreePoolWithTag(Table, TABLE_TAG);
    return STATUS_SUCCESS;
}
