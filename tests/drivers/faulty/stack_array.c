/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the octets of an address into an array that is one too short. */
#include <ntddk.h>

static volatile ULONG Given = 17;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG SumOf(ULONG Count) {
    volatile ULONG Octets[16];
    ULONG Sum = 0;

    for (ULONG i = 0; i < Count; i++) {
        Octets[i] = i; /* wrong: Count may be 17 */
        Sum += Octets[i];
    }
    return Sum;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    DbgPrint("sum %u\n", SumOf(Given));
    return STATUS_SUCCESS;
}
