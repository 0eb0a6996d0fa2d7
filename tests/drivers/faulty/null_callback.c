/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a slot of a table of routines that nobody filled. */
#include <ntddk.h>

typedef struct _OPERATIONS {
    NTSTATUS (*Start)(ULONG Flags);
    NTSTATUS (*Ready)(ULONG Flags); /* optional: only some back ends have it */
} OPERATIONS;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static NTSTATUS StartNothing(ULONG Flags) {
    UNREFERENCED_PARAMETER(Flags);
    return STATUS_SUCCESS;
}

static OPERATIONS Operations;
static OPERATIONS *volatile Chosen = &Operations;

static NTSTATUS StartBackEnd(OPERATIONS *Of) {
    NTSTATUS Status = Of->Start(1);

    if (NT_SUCCESS(Status)) {
        Status = Of->Ready(1); /* wrong: Ready may be NULL */
    }
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    RtlZeroMemory(&Operations, sizeof(Operations));
    Operations.Start = StartNothing;
    return StartBackEnd(Chosen);
}
