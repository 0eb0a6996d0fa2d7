/* SPDX-License-Identifier: Apache-2.0 */
/* Frees a session whose timer is still set. */
#include <ntddk.h>

#define SESSION_TAG 'sseS'

typedef struct _SESSION {
    KTIMER Timer;
    KDPC Dpc;
} SESSION;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE IdleDpc;
static SESSION *Session;

static VOID IdleDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
#ifdef FIXED
    KeCancelTimer(&Session->Timer);
    KeFlushQueuedDpcs();
#endif
    ExFreePoolWithTag(Session, SESSION_TAG); /* wrong: with the timer in it */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    LARGE_INTEGER Due = {.QuadPart = -1000 * 10000};

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    Session = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Session), SESSION_TAG);
    if (Session == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeDpc(&Session->Dpc, IdleDpc, Session);
    KeInitializeTimer(&Session->Timer);
    KeSetTimer(&Session->Timer, Due, &Session->Dpc);
    return STATUS_SUCCESS;
}
