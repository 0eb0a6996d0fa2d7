/* SPDX-License-Identifier: Apache-2.0 */
/* S19, what both servers share; see s19.h. */
#include "s19.h"

#define SENDERS 2u

static SKETCH_END End;
static KSPIN_LOCK PostLock;
static FAST_MUTEX Batch;
static KEVENT SendDone[SENDERS]; /* synchronization */
static KEVENT Go;                /* notification: the first fragment is on its way */
static LONG Sent;

static VOID OnResult(PSKETCH_END Ignored, const NDK_RESULT *Result) {
    UNREFERENCED_PARAMETER(Ignored);
    InterlockedIncrement(&Sent);
    KeSetEvent(Result->RequestContext, IO_NO_INCREMENT, FALSE);
}

/* Posts to one queue never overlap. */
static NTSTATUS FragmentSend(ULONG Sender, ULONG Bytes, ULONG Remaining) {
    ULONG Offset = Sender * S19_SLOT_BYTES;
    PS19_HEAD Head = (PS19_HEAD)(End.Region.Buffer + Offset);
    NTSTATUS Status;
    KIRQL Irql;

    Head->Bytes = Bytes;
    Head->Remaining = Remaining;
    RtlFillMemory(Head + 1, Bytes, (UCHAR)(Remaining + 1));
    KeAcquireSpinLock(&PostLock, &Irql);
    Status = EndSendFrom(&End, &SendDone[Sender], Offset, (ULONG)sizeof(*Head) + Bytes);
    KeReleaseSpinLock(&PostLock, Irql);
    return Status;
}

static VOID SendWait(ULONG Sender) {
    KeWaitForSingleObject(&SendDone[Sender], Executive, KernelMode, FALSE, NULL);
}

/* One fragment after the other: each waits until the one before has been sent. */
static VOID MessageSend(VOID) {
    ULONG Left = S19_MESSAGE_BYTES;

    S19BatchBegin(&Batch);
    while (Left != 0) {
        Left -= S19_FRAGMENT_BYTES;
        if (!NT_SUCCESS(FragmentSend(0, S19_FRAGMENT_BYTES, Left))) {
            break;
        }
        KeSetEvent(&Go, IO_NO_INCREMENT, FALSE);
        SendWait(0);
    }
    KeSetEvent(&Go, IO_NO_INCREMENT, FALSE);
    S19BatchEnd(&Batch);
}

static VOID KeepaliveThread(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Go, Executive, KernelMode, FALSE, NULL);
    S19BatchBegin(&Batch);
    if (NT_SUCCESS(FragmentSend(1, 0, 0))) {
        SendWait(1);
    }
    S19BatchEnd(&Batch);
}

static VOID Serve(VOID) {
    PVOID Objects[2] = {&End.Disconnected, &Sketch.Stop};
    PVOID Keepalive = NULL;

    if (NT_SUCCESS(ThreadStart(KeepaliveThread, NULL, &Keepalive))) {
        MessageSend();
        ThreadJoin(Keepalive);
    }
    KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    SyncDisconnect(End.Connector);
}

NTSTATUS SketchMain(VOID) {
    NDK_CONNECTOR *Connector = NULL;
    NTSTATUS Status;
    ULONG Index;

    KeInitializeSpinLock(&PostLock);
    ExInitializeFastMutex(&Batch);
    KeInitializeEvent(&Go, NotificationEvent, FALSE);
    for (Index = 0; Index < SENDERS; Index++) {
        KeInitializeEvent(&SendDone[Index], SynchronizationEvent, FALSE);
    }
    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        End.OnResult = OnResult;
        Status = EndListen(&Connector);
    }
    if (Connector != NULL) {
        Status = EndStartAccept(&End, Connector);
        Status = SyncFinish(&End.Request, Status);
        if (NT_SUCCESS(Status)) {
            Serve();
        }
    }
    NdksimCounter("sent", (ULONG64)Sent);
    EndClose(&End);
    EndUnlisten();
    return Status == STATUS_CANCELLED ? STATUS_SUCCESS : Status;
}
