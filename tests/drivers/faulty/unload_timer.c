/* SPDX-License-Identifier: Apache-2.0 */
/* DriverUnload forgets the timer that beats every ten milliseconds. */
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

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
#ifdef FIXED
    KeCancelTimer(&Timer);
#endif
    KeFlushQueuedDpcs(); /* wrong: without KeCancelTimer it comes again */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    LARGE_INTEGER Due = {.QuadPart = -10 * 10000};

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, BeatDpc, NULL);
    KeInitializeTimer(&Timer);
    KeSetTimerEx(&Timer, Due, 10, &Dpc);
    return STATUS_SUCCESS;
}
