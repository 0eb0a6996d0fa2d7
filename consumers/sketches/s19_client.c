/* SPDX-License-Identifier: Apache-2.0 */
/* S19, the client: puts fragments together and looks at what comes of it; see s19.h. */
#include "s19.h"

#define RECEIVES (S19_FRAGMENTS + 1u)

static SKETCH_END End;
static KEVENT Came; /* notification: every fragment and the keepalive */
static UCHAR Stream[S19_MESSAGE_BYTES];
static ULONG Filled;
static ULONG Expected; /* bytes that the fragment before has announced; 0: a message may begin */
static ULONG Fragments;
static ULONG Mismatches;

/* A message is over when nothing remains, and must be whole then. */
static VOID Fragment(const S19_HEAD *Head) {
    if (Expected != 0 && Head->Bytes + Head->Remaining != Expected) {
        Mismatches++;
    }
    Expected = Head->Remaining;
    if (Filled + Head->Bytes <= sizeof(Stream)) {
        RtlCopyMemory(Stream + Filled, Head + 1, Head->Bytes);
        Filled += Head->Bytes;
    }
}

static VOID OnResult(PSKETCH_END Ignored, const NDK_RESULT *Result) {
    UNREFERENCED_PARAMETER(Ignored);
    if (Result->Status == STATUS_SUCCESS) {
        Fragment(Result->RequestContext);
    }
    Fragments++;
    if (Fragments == RECEIVES) {
        KeSetEvent(&Came, IO_NO_INCREMENT, FALSE);
    }
}

static NTSTATUS PostReceives(VOID) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < RECEIVES; Index++) {
        ULONG Offset = Index * S19_SLOT_BYTES;

        Status = EndReceiveAt(&End, End.Region.Buffer + Offset, Offset, S19_SLOT_BYTES);
    }
    return Status;
}

static VOID Compare(VOID) {
    ULONG Index;

    for (Index = 0; Index < Filled; Index++) {
        ULONG Left = S19_MESSAGE_BYTES - ALIGN_DOWN_BY(Index, S19_FRAGMENT_BYTES);

        if (Stream[Index] != (UCHAR)(Left - S19_FRAGMENT_BYTES + 1)) {
            Mismatches++;
        }
    }
}

NTSTATUS SketchMain(VOID) {
    PVOID Objects[2] = {&Came, &Sketch.Stop};
    NTSTATUS Status;

    KeInitializeEvent(&Came, NotificationEvent, FALSE);
    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        End.OnResult = OnResult;
        Status = PostReceives();
    }
    if (NT_SUCCESS(Status)) {
        Status = EndConnectPatiently(&End);
    }
    if (NT_SUCCESS(Status)) {
        KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        SyncDisconnect(End.Connector);
        Compare();
    }
    NdksimCounter("bytes", Filled);
    NdksimCounter("mismatches", Mismatches);
    EndClose(&End);
    return Status;
}
