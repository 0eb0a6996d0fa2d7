/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S23: the connect's completion may run before NdkConnect has returned, and may close the connector
 * right there. Both are legal; the provider must not touch the connector any more. What belongs to
 * the attempt is in pool: the close completion frees it. A timer guards the attempt; the completion
 * cancels it.
 */
#include "sketch.h"

#define ATTEMPTS 4u
#define LIMIT_MS 20000u

typedef struct _ATTEMPT {
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;
    KTIMER Timer;
} ATTEMPT, *PATTEMPT;

static SKETCH_END End;
static KEVENT Gone;
static LONG Inline;
static BOOLEAN IsCalling;

static VOID Closed(PVOID Context) {
    ExFreePoolWithTag(Context, SKETCH_POOL_TAG);
    KeSetEvent(&Gone, IO_NO_INCREMENT, FALSE);
}

static VOID Connected(PVOID Context, NTSTATUS Status) {
    PATTEMPT Attempt = Context;
    NDK_CONNECTOR *Connector = Attempt->Connector;
    NTSTATUS Closing;

    if (IsCalling) {
        InterlockedIncrement(&Inline);
    }
    Attempt->Status = Status;
    KeCancelTimer(&Attempt->Timer);
    Closing = Connector->Dispatch->NdkCloseConnector(&Connector->Header, Closed, Attempt);
    if (Closing != STATUS_PENDING) {
        Closed(Attempt);
    }
}

static NTSTATUS TryOnce(VOID) {
    PATTEMPT Attempt;
    LARGE_INTEGER Limit;
    NTSTATUS Status;

    Attempt = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Attempt), SKETCH_POOL_TAG);
    if (Attempt == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = SyncCreateConnector(Sketch.Rdma.Adapter, &Attempt->Connector);
    if (!NT_SUCCESS(Status)) {
        ExFreePoolWithTag(Attempt, SKETCH_POOL_TAG);
        return Status;
    }
    KeClearEvent(&Gone);
    KeInitializeTimer(&Attempt->Timer);
    Limit.QuadPart = -10000LL * LIMIT_MS;
    KeSetTimer(&Attempt->Timer, Limit, NULL);
    End.Connector = Attempt->Connector;
    IsCalling = TRUE;
    /* From here on the attempt and its connector belong to the completion. */
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, Connected, Attempt);
    IsCalling = FALSE;
    End.Connector = NULL;
    if (Status != STATUS_PENDING) {
        Connected(Attempt, Status);
    }
    KeWaitForSingleObject(&Gone, Executive, KernelMode, FALSE, NULL);
    return STATUS_SUCCESS;
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;
    ULONG Index;

    KeInitializeEvent(&Gone, NotificationEvent, FALSE);
    Status = EndOpen(&End, &Sketch.Rdma);
    for (Index = 0; NT_SUCCESS(Status) && Index < ATTEMPTS; Index++) {
        Status = TryOnce();
    }
    NdksimCounter("attempts", Index);
    NdksimCounter("inline", (ULONG64)Inline);
    EndClose(&End);
    return Status;
}
