/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer may end a connection at any time; then this driver connects again, with a new connector,
 * for a connector is used up. So is the queue pair, which it keeps: making one takes so long.
 */
#include "sketch.h"

#define TRIES 3u
#define STAY_US 200

static SKETCH_END End;

/* TRUE: the peer has ended it, and the work is not done. */
static BOOLEAN Work(VOID) {
    LARGE_INTEGER Stay;

    Stay.QuadPart = -10 * STAY_US;
    return KeWaitForSingleObject(&End.Disconnected, Executive, KernelMode, FALSE, &Stay) !=
           STATUS_TIMEOUT;
}

static VOID CloseConnector(VOID) {
    SyncDisconnect(End.Connector);
    SyncClose(&End.Connector->Header, End.Connector->Dispatch->NdkCloseConnector);
    End.Connector = NULL;
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);
    ULONG Try;

    ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
    for (Try = 0; NT_SUCCESS(Status) && Try < TRIES; Try++) {
        BOOLEAN Again;

        KeClearEvent(&End.Disconnected);
        Status = EndConnect(&End, &Sketch.Source, &Sketch.Remote);
        if (!NT_SUCCESS(Status)) {
            break;
        }
        Again = Work();
        CloseConnector();
        if (!Again) {
            break;
        }
    }
    EndClose(&End);
    return STATUS_SUCCESS;
}
