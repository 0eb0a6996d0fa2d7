/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a ring as if it were a tree: the recursion ends with the kernel stack. */
#include <ntddk.h>

typedef struct _ENTRY {
    struct _ENTRY *Child;
    ULONG Weight;
} ENTRY;

static ENTRY Entries[2];

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG WeightOf(const ENTRY *Entry) {
    volatile ULONG Parts[8] = {Entry->Weight};

    if (Entry->Child != NULL) {
        Parts[1] = WeightOf(Entry->Child); /* wrong: never asks where it began */
    }
    return Parts[0] + Parts[1];
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Entries[0].Child = &Entries[1];
    Entries[1].Child = &Entries[0];
    Entries[0].Weight = 1;
    DbgPrint("weight %u\n", WeightOf(&Entries[0]));
    return STATUS_SUCCESS;
}
