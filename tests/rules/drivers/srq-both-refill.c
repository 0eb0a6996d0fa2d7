/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the SRQ says that fewer than two receives are left, all that fit are posted. But each result
 * posts one, too: as the first few messages come faster than their results are taken, both do.
 */
#include "srq_end.h"

#define MESSAGES 12
#define FIRST 3u
#define THRESHOLD 2u

static SRQ_END Server;
static KSPIN_LOCK Lock;  /* one post at a time */
static BOOLEAN HasEnded; /* nothing is posted any more: the SRQ is about to be closed */
static LONG Taken;
static LONG Refused;

static VOID Post(ULONG Count) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
    for (; Count != 0 && !HasEnded; Count--) {
        if (!NT_SUCCESS(SrqPost(&Server))) {
            InterlockedIncrement(&Refused);
        }
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* Waits for whoever posts. */
static VOID PostsEnd(VOID) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
    HasEnded = TRUE;
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID Low(PVOID Context, NTSTATUS SrqStatus) {
    UNREFERENCED_PARAMETER(Context);
    if (SrqStatus == STATUS_SUCCESS) {
        Post(SRQ_DEPTH - THRESHOLD + 1);
    }
}

static VOID Notified(PVOID Context, NTSTATUS CqStatus) {
    NDK_RESULT Result;

    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
    while (Server.Received->Dispatch->NdkGetCqResults(Server.Received, &Result, 1) != 0) {
        if (Result.Status == STATUS_SUCCESS) {
            Post(1);
        }
        InterlockedIncrement(&Taken);
        KeSetEvent(&Server.End.Result, IO_NO_INCREMENT, FALSE);
    }
    Server.Received->Dispatch->NdkArmCq(Server.Received, NDK_CQ_NOTIFY_ANY);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    KeInitializeSpinLock(&Lock);
    Status = SrqEndOpen(&Server, THRESHOLD, Low, Notified);
    if (NT_SUCCESS(Status)) {
        Post(FIRST);
        Server.Received->Dispatch->NdkArmCq(Server.Received, NDK_CQ_NOTIFY_ANY);
        ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
        Status = EndConnect(&Server.End, &Sketch.Source, &Sketch.Remote);
    }
    while (NT_SUCCESS(Status) && ReadNoFence(&Taken) < MESSAGES) {
        KeWaitForSingleObject(&Server.End.Result, Executive, KernelMode, FALSE, NULL);
    }
    PostsEnd();
    SrqEndClose(&Server);
    return Status;
}
