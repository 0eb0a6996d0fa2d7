/* SPDX-License-Identifier: Apache-2.0 */
/* S18, what both drivers share; see s18.h. */
#include "s18.h"

#define RETURN_TICKS 100LL /* 10 us */
#define MESSAGE_BYTES 8u
#define SEND_OFFSET SKETCH_MESSAGE_BYTES

static SKETCH_END End;
static KSPIN_LOCK Lock;
static KTIMER ReturnTimer;
static KDPC ReturnDpc;
static KEVENT Over; /* notification: all sent, all received */
static ULONG Credits;
static ULONG Grantable;
static ULONG Kept[S18_BUFFERS]; /* offsets of buffers that are not back yet */
static ULONG KeptCount;
static ULONG Sent;
static ULONG Received;
static BOOLEAN IsSending; /* the send buffer is in use */
static BOOLEAN IsOver;

static VOID SendLocked(BOOLEAN HasData) {
    PUCHAR Message = End.Region.Buffer + SEND_OFFSET;

    Message[0] = (UCHAR)Grantable;
    Message[1] = HasData;
    Grantable = 0;
    Credits--;
    Sent += HasData ? 1 : 0;
    IsSending = TRUE;
    if (!NT_SUCCESS(EndSendFrom(&End, &Sent, SEND_OFFSET, MESSAGE_BYTES))) {
        IsOver = TRUE;
        KeSetEvent(&Over, IO_NO_INCREMENT, FALSE);
    }
}

/* Data as long as there is some, then credits as long as the peer has data. */
static VOID PumpLocked(VOID) {
    BOOLEAN HasData = Sent < S18_MESSAGES;
    BOOLEAN HasGrant = Grantable != 0 && Received < S18_MESSAGES;

    if (IsOver) {
        return;
    }
    if (!IsSending && Sent == S18_MESSAGES && Received == S18_MESSAGES) {
        IsOver = TRUE;
        KeSetEvent(&Over, IO_NO_INCREMENT, FALSE);
    } else if (!IsSending && (HasData || HasGrant) && S18MaySend(Credits, Grantable)) {
        SendLocked(HasData);
    }
}

static VOID PostLocked(ULONG Offset) {
    if (NT_SUCCESS(EndReceiveAt(&End, End.Region.Buffer + Offset, Offset, MESSAGE_BYTES))) {
        Grantable++;
    }
}

static VOID BuffersReturn(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Argument1);
    UNREFERENCED_PARAMETER(Argument2);
    KeAcquireSpinLockAtDpcLevel(&Lock);
    while (!IsOver && KeptCount != 0) {
        PostLocked(Kept[--KeptCount]);
    }
    PumpLocked();
    KeReleaseSpinLockFromDpcLevel(&Lock);
}

static VOID KeepLocked(ULONG Offset) {
    LARGE_INTEGER Due;

    Kept[KeptCount++] = Offset;
    if (KeptCount == 1) {
        Due.QuadPart = -RETURN_TICKS;
        KeSetTimer(&ReturnTimer, Due, &ReturnDpc);
    }
}

static VOID OnResult(PSKETCH_END Ignored, const NDK_RESULT *Result) {
    UNREFERENCED_PARAMETER(Ignored);
    KeAcquireSpinLockAtDpcLevel(&Lock);
    if (Result->Status != STATUS_SUCCESS) {
        IsOver = TRUE;
        KeSetEvent(&Over, IO_NO_INCREMENT, FALSE);
    } else if (Result->RequestContext == &Sent) {
        IsSending = FALSE;
    } else {
        const UCHAR *Message = Result->RequestContext;

        Credits += Message[0];
        Received += Message[1];
        KeepLocked((ULONG)(Message - End.Region.Buffer));
    }
    PumpLocked();
    KeReleaseSpinLockFromDpcLevel(&Lock);
}

static NTSTATUS Meet(VOID) {
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    if (Sketch.Remote.Bytes != 0) {
        return EndConnectPatiently(&End);
    }
    Status = EndListen(&Connector);
    if (NT_SUCCESS(Status)) {
        Status = EndStartAccept(&End, Connector);
        Status = SyncFinish(&End.Request, Status);
    }
    return Status;
}

/* The second buffer is with somebody still; the first one's credit is the peer's from the start. */
static NTSTATUS Begin(VOID) {
    NTSTATUS Status;

    KeInitializeSpinLock(&Lock);
    KeInitializeTimer(&ReturnTimer);
    KeInitializeDpc(&ReturnDpc, BuffersReturn, NULL);
    KeInitializeEvent(&Over, NotificationEvent, FALSE);
    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        End.OnResult = OnResult;
        Status = EndReceiveAt(&End, End.Region.Buffer, 0, MESSAGE_BYTES);
    }
    return Status;
}

static VOID Talk(VOID) {
    PVOID Objects[3] = {&Over, &End.Disconnected, &Sketch.Stop};
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    Credits++;
    KeepLocked(MESSAGE_BYTES);
    PumpLocked();
    KeReleaseSpinLock(&Lock, Irql);
    KeWaitForMultipleObjects(3, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    KeAcquireSpinLock(&Lock, &Irql);
    IsOver = TRUE;
    KeReleaseSpinLock(&Lock, Irql);
    KeCancelTimer(&ReturnTimer);
    KeFlushQueuedDpcs();
    SyncDisconnect(End.Connector);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    Status = Begin();
    if (NT_SUCCESS(Status)) {
        Status = Meet();
    }
    if (NT_SUCCESS(Status)) {
        Talk();
    }
    NdksimCounter("sent", Sent);
    NdksimCounter("received", Received);
    EndClose(&End);
    EndUnlisten();
    return Status == STATUS_CANCELLED ? STATUS_SUCCESS : Status;
}
