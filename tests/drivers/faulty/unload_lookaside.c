/* SPDX-License-Identifier: Apache-2.0 */
/* Frees what it took from its lookaside list and leaves the list. */
#include <ntddk.h>

#define ENTRY_TAG 'yrtE'

static LOOKASIDE_LIST_EX List;
static PVOID Entry;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreeToLookasideListEx(&List, Entry); /* wrong: ExDeleteLookasideListEx is missing */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeLookasideListEx(&List, NULL, NULL, NonPagedPoolNx, 0, 64, ENTRY_TAG, 0);
    Entry = ExAllocateFromLookasideListEx(&List);
    return Entry != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}
