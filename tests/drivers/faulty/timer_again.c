/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises its timer again to change what it calls, while it is set. */
#include <ntddk.h>

static KTIMER Timer;
static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE BeatDpc;

static VOID BeatDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

static VOID SetBeat(LONG Milliseconds) {
    LARGE_INTEGER Due = {.QuadPart = -10000LL * Milliseconds};

#ifdef FIXED
    KeCancelTimer(&Timer);
    KeFlushQueuedDpcs();
#endif
    KeInitializeTimer(&Timer); /* wrong: it may be set */
    KeInitializeDpc(&Dpc, BeatDpc, NULL);
    KeSetTimer(&Timer, Due, &Dpc);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeCancelTimer(&Timer);
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeTimer(&Timer);
    SetBeat(1000);
    SetBeat(500);
    return STATUS_SUCCESS;
}
