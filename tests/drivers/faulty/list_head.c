/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts into a list whose head was zeroed and never initialised. */
#include <ntddk.h>

typedef struct _SESSION {
    LIST_ENTRY Link;
    ULONG Id;
} SESSION;

static LIST_ENTRY Sessions;
static SESSION First;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID AddSession(SESSION *Session) {
    InsertTailList(&Sessions, &Session->Link);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
#ifdef FIXED
    InitializeListHead(&Sessions);
#endif
    First.Id = 1; /* wrong: InitializeListHead(&Sessions) is missing */
    AddSession(&First);
    return STATUS_SUCCESS;
}
