/* SPDX-License-Identifier: Apache-2.0 */
/* Takes an entry of a lookaside list that was deleted. */
#include <ntddk.h>

#define ENTRY_TAG 'yrtE'

static NPAGED_LOOKASIDE_LIST List;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    PVOID Last;

    UNREFERENCED_PARAMETER(DriverObject);
    ExDeleteNPagedLookasideList(&List);
    Last = ExAllocateFromNPagedLookasideList(&List); /* wrong: the list is gone */
    if (Last != NULL) {
        ExFreeToNPagedLookasideList(&List, Last);
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeNPagedLookasideList(&List, NULL, NULL, 0, 64, ENTRY_TAG, 0);
    return STATUS_SUCCESS;
}
