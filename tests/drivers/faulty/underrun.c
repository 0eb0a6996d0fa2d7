/* SPDX-License-Identifier: Apache-2.0 */
/* Goes back in a buffer for a separator and, where there is none, writes in front of it. */
#include <ntddk.h>

#define PATH_TAG 'htaP'

static PCHAR Path;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID CutLastName(volatile CHAR *Text, LONG Length) {
    LONG At = Length - 1;

    while (At >= 0 && Text[At] != '\\') {
        At--;
    }
    Text[At] = 0; /* wrong: At is -1 when there is no separator */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Path, PATH_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Path = ExAllocatePool2(POOL_FLAG_NON_PAGED, 48, PATH_TAG);
    if (Path == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlCopyMemory(Path, "device0", 7);
    CutLastName(Path, 7);
    return STATUS_SUCCESS;
}
