/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a name that is longer than its place on the stack; the compiler guards the frame. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static volatile ULONG Given = 28;

static DECLSPEC_NOINLINE VOID Fill(volatile UCHAR *Name, ULONG Count) {
    for (ULONG i = 0; i < Count; i++) {
        Name[i] = (UCHAR)i; /* wrong: Count is not compared */
    }
}

static DECLSPEC_NOINLINE ULONG SumOf(ULONG Count) {
    volatile UCHAR Name[16];
    ULONG Sum = 0;

    Fill(Name, Count);
    for (ULONG i = 0; i < sizeof(Name); i++) {
        Sum += Name[i];
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
