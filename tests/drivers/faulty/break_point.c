/* SPDX-License-Identifier: Apache-2.0 */
/* A break point that was left in the code, without a debugger. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Look(ULONG Value) {
    if (Value == 3) {
#if defined(__x86_64__)
        __asm__ volatile("int3"); /* wrong: nobody goes on from here */
#else
        __debugbreak(); /* wrong: nobody goes on from here */
#endif
    }
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    for (ULONG i = 0; i < 5; i++) {
        Look(i);
    }
    return STATUS_SUCCESS;
}
