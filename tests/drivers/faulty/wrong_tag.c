/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates with one spelling of its tag and frees with the other. */
#include <ntddk.h>

#define TAG_AS_WRITTEN 'abcd'
#ifdef FIXED
#define TAG_AS_SHOWN TAG_AS_WRITTEN
#else
#define TAG_AS_SHOWN 'dcba' /* wrong: as it looks in a debugger */
#endif

static PVOID Block;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Block, TAG_AS_SHOWN);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, TAG_AS_WRITTEN);
    return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}
