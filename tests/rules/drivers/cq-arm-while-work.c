/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arming costs a doorbell, so the notification arms again only while sends are outstanding; whoever
 * starts the first one arms. The sender counts a send after it has posted it: a notification that
 * comes in between finds nothing outstanding, and the sender sees a count that was not 0.
 */
#include "own_queue.h"

#define SENDS 12u

static SKETCH_END End;
static NDK_CQ *Sent;
static KSPIN_LOCK Lock; /* polls and arms come one at a time */
static LONG Outstanding;

static VOID Notified(PVOID Context, NTSTATUS CqStatus) {
    KLOCK_QUEUE_HANDLE Handle;
    NDK_RESULT Result;

    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
    while (Sent->Dispatch->NdkGetCqResults(Sent, &Result, 1) != 0) {
        InterlockedDecrement(&Outstanding);
        KeSetEvent(&End.Result, IO_NO_INCREMENT, FALSE);
    }
    if (ReadNoFence(&Outstanding) > 0) {
        Sent->Dispatch->NdkArmCq(Sent, NDK_CQ_NOTIFY_ANY);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static NTSTATUS Send(VOID) {
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
    if (ReadNoFence(&Outstanding) == 0) {
        Sent->Dispatch->NdkArmCq(Sent, NDK_CQ_NOTIFY_ANY);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    Status = EndSend(&End);
    if (NT_SUCCESS(Status)) {
        InterlockedIncrement(&Outstanding);
    }
    return Status;
}

static NTSTATUS Sends(VOID) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < SENDS; Index++) {
        while (ReadNoFence(&Outstanding) >= 2) {
            KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
        }
        Status = Send();
    }
    while (NT_SUCCESS(Status) && ReadNoFence(&Outstanding) > 0) {
        KeWaitForSingleObject(&End.Result, Executive, KernelMode, FALSE, NULL);
    }
    return Status;
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    KeInitializeSpinLock(&Lock);
    if (NT_SUCCESS(Status)) {
        Status = OwnQueue(&End, Notified, &Sent);
    }
    if (NT_SUCCESS(Status)) {
        ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
        Status = EndConnect(&End, &Sketch.Source, &Sketch.Remote);
    }
    if (NT_SUCCESS(Status)) {
        Status = Sends();
    }
    EndClose(&End);
    if (Sent != NULL) {
        SyncClose(&Sent->Header, Sent->Dispatch->NdkCloseCq);
    }
    return Status;
}
