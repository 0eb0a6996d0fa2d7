/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a registry value under the lock that guards what it writes. */
#include <ntddk.h>

static KSPIN_LOCK Lock;
static ULONG Errors = 3;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID SaveErrors(HANDLE Key) {
    UNICODE_STRING Name = RTL_CONSTANT_STRING(L"Errors");
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    ZwSetValueKey(Key, &Name, 0, REG_DWORD, &Errors,
                  sizeof(Errors)); /* wrong: PASSIVE_LEVEL only */
    KeReleaseSpinLock(&Lock, Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    OBJECT_ATTRIBUTES Attributes;
    NTSTATUS Status;
    HANDLE Key;

    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    InitializeObjectAttributes(&Attributes, RegistryPath, OBJ_KERNEL_HANDLE, NULL, NULL);
    Status = ZwOpenKey(&Key, KEY_ALL_ACCESS, &Attributes);
    if (NT_SUCCESS(Status)) {
        SaveErrors(Key);
        ZwClose(Key);
    }
    return Status;
}
