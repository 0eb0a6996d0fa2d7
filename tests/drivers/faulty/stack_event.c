/* SPDX-License-Identifier: Apache-2.0 */
/* Gives up waiting after a while; the timer's DPC then sets an event that is no more. */
#include <ntddk.h>

static KTIMER Timer;
static KDPC Dpc;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE AnswerDpc;

static VOID AnswerDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    PKEVENT Event = Context;

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    KeSetEvent(Event, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Ask(VOID) {
    LARGE_INTEGER Answer = {.QuadPart = -50 * 10000};
    LARGE_INTEGER Patience = {.QuadPart = -10 * 10000};
    NTSTATUS Status;
    KEVENT Event;

    KeInitializeEvent(&Event, NotificationEvent, FALSE);
    KeInitializeDpc(&Dpc, AnswerDpc, &Event);
    KeSetTimer(&Timer, Answer, &Dpc);
    Status = KeWaitForSingleObject(&Event, Executive, KernelMode, FALSE, &Patience);
#ifdef FIXED
    if (Status == STATUS_TIMEOUT && !KeCancelTimer(&Timer)) {
        KeWaitForSingleObject(&Event, Executive, KernelMode, FALSE, NULL);
    }
#endif
    return Status; /* wrong: the timer still has &Event */
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
    return Ask() == STATUS_TIMEOUT ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
