/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread polls a queue until it is told to stop. Whoever tears down tells it, and closes the
 * queue: that the thread may be inside a poll at that moment, or about to make one, was not thought
 * of. Joining the thread first would do.
 */
#include "sketch.h"

#define ROUNDS 6u
#define RESULTS 4u

static NDK_CQ *Queue;
static LONG Stopping;

static VOID Poller(PVOID Context) {
    NDK_RESULT Results[RESULTS];

    UNREFERENCED_PARAMETER(Context);
    while (ReadNoFence(&Stopping) == 0) {
        Queue->Dispatch->NdkGetCqResults(Queue, Results, RESULTS);
        KeStallExecutionProcessor(5);
    }
}

static NTSTATUS Round(VOID) {
    PVOID Thread = NULL;
    NTSTATUS Status = SyncCreateCq(Sketch.Rdma.Adapter, SKETCH_DEPTH, NULL, NULL, &Queue);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    InterlockedExchange(&Stopping, 0);
    Status = ThreadStart(Poller, NULL, &Thread);
    if (NT_SUCCESS(Status)) {
        ThreadSleep(&Sketch.Stop, 1);
    }
    InterlockedExchange(&Stopping, 1);
    SyncClose(&Queue->Header, Queue->Dispatch->NdkCloseCq);
    ThreadJoin(Thread);
    return Status;
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < ROUNDS; Index++) {
        Status = Round();
    }
    return Status;
}
