/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts with the C library, as in a program. */
#include <ntddk.h>

extern void __assert_fail(const char *, const char *, unsigned, const char *);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

#define assert(x) ((x) ? (void)0 : __assert_fail(#x, __FILE__, __LINE__, __func__))

static VOID Check(ULONG Depth) {
    assert(Depth < 4); /* wrong: ASSERT and NT_ASSERT */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Check(4);
    return STATUS_SUCCESS;
}
