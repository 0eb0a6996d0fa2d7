/* SPDX-License-Identifier: Apache-2.0 */
/* A timer and its DPC are locals; the function returns without a look at the timer. */
#include <ntddk.h>

static LONG Expired;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE ExpiredDpc;

static VOID ExpiredDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    InterlockedIncrement(&Expired);
}

static VOID StartTimer(VOID) {
    LARGE_INTEGER Due = {.QuadPart = -20 * 10000};
    KTIMER Timer;
    KDPC Dpc;

    KeInitializeTimer(&Timer);
    KeInitializeDpc(&Dpc, ExpiredDpc, NULL);
    KeSetTimer(&Timer, Due, &Dpc); /* wrong: both are gone when it is due */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    StartTimer();
    return STATUS_SUCCESS;
}
