/* SPDX-License-Identifier: Apache-2.0 */
/* Gives an entry back to its lookaside list twice. */
#include <ntddk.h>

#define ENTRY_TAG 'yrtE'

static LOOKASIDE_LIST_EX List;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExDeleteLookasideListEx(&List);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PVOID Entry;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeLookasideListEx(&List, NULL, NULL, NonPagedPoolNx, 0, 64, ENTRY_TAG, 0);
    Entry = ExAllocateFromLookasideListEx(&List);
    if (Entry != NULL) {
        ExFreeToLookasideListEx(&List, Entry);
        ExFreeToLookasideListEx(&List, Entry); /* wrong */
    }
    return STATUS_SUCCESS;
}
