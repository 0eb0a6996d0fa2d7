/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry fails after its timer was set. */
#include <ntddk.h>

static KTIMER Timer;
static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static KDEFERRED_ROUTINE BeatDpc;

static VOID BeatDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    LARGE_INTEGER Due = {.QuadPart = -10 * 10000};

    UNREFERENCED_PARAMETER(DriverObject);
    UNREFERENCED_PARAMETER(RegistryPath);
    KeInitializeDpc(&Dpc, BeatDpc, NULL);
    KeInitializeTimer(&Timer);
    KeSetTimerEx(&Timer, Due, 10, &Dpc);
    return STATUS_DEVICE_DOES_NOT_EXIST; /* wrong: the timer beats on */
}
