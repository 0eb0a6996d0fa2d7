/* SPDX-License-Identifier: Apache-2.0 */
/* Takes its own code out of memory. */
#include <ntddk.h>

extern int munmap(void *, SIZE_T);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Leave(VOID) {
    ULONG_PTR Page = (ULONG_PTR)DriverEntry & ~(ULONG_PTR)0xFFF;

    (void)munmap((PVOID)Page, 0x1000); /* wrong: DriverUnload returns, and Windows unmaps it */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Leave();
    return STATUS_SUCCESS;
}
