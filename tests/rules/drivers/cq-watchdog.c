/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "In case an interrupt gets lost": a watchdog thread takes results now and then, by the same
 * routine as the notification, which may be running on another CPU or may come in between.
 */
#include "own_queue.h"

#define SENDS 12u

static SKETCH_END End;
static NDK_CQ *Sent;
static LONG Outstanding;
static LONG Stopping;

static VOID Drain(VOID) {
    NDK_RESULT Result;

    while (Sent->Dispatch->NdkGetCqResults(Sent, &Result, 1) != 0) {
        InterlockedDecrement(&Outstanding);
        KeSetEvent(&End.Result, IO_NO_INCREMENT, FALSE);
    }
}

static VOID Notified(PVOID Context, NTSTATUS CqStatus) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    Drain();
    Sent->Dispatch->NdkArmCq(Sent, NDK_CQ_NOTIFY_ANY);
}

static VOID Watchdog(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    while (ReadNoFence(&Stopping) == 0) {
        Drain();
        KeStallExecutionProcessor(5);
    }
}

static NTSTATUS Sends(VOID) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    Sent->Dispatch->NdkArmCq(Sent, NDK_CQ_NOTIFY_ANY);
    for (Index = 0; NT_SUCCESS(Status) && Index < SENDS; Index++) {
        while (ReadNoFence(&Outstanding) >= 2) {
            KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
        }
        InterlockedIncrement(&Outstanding);
        Status = EndSend(&End);
    }
    while (NT_SUCCESS(Status) && ReadNoFence(&Outstanding) > 0) {
        KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
    }
    return Status;
}

NTSTATUS SketchMain(VOID) {
    PVOID Thread = NULL;
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    if (NT_SUCCESS(Status)) {
        Status = OwnQueue(&End, Notified, &Sent);
    }
    if (NT_SUCCESS(Status)) {
        ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
        Status = EndConnect(&End, &Sketch.Source, &Sketch.Remote);
    }
    if (NT_SUCCESS(Status)) {
        Status = ThreadStart(Watchdog, NULL, &Thread);
    }
    if (NT_SUCCESS(Status)) {
        Status = Sends();
    }
    InterlockedExchange(&Stopping, 1);
    ThreadJoin(Thread);
    EndClose(&End);
    if (Sent != NULL) {
        SyncClose(&Sent->Header, Sent->Dispatch->NdkCloseCq);
    }
    return Status;
}
