/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connect with a limit of its own. When that is over, the attempt counts as failed and the driver
 * turns to its other work; a success that comes after it finds nobody who would complete or reject
 * it. The late completion should close the connector.
 */
#include "sketch.h"

#define LIMIT_US 300
#define OTHER_WORK_MS 100000u

static SKETCH_END End;
static LONG GivenUp;

static VOID ConnectDone(PVOID Context, NTSTATUS Status) {
    if (ReadNoFence(&GivenUp) != 0) {
        return; /* too late */
    }
    SyncRequested(Context, Status);
}

static NTSTATUS ConnectWithin(LONGLONG LimitUs) {
    LARGE_INTEGER Limit;
    NTSTATUS Status;

    SyncInit(&End.Request);
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, ConnectDone, &End.Request);
    if (Status != STATUS_PENDING) {
        return Status;
    }
    Limit.QuadPart = -10 * LimitUs;
    Status = KeWaitForSingleObject(&End.Request.Event, Executive, KernelMode, FALSE, &Limit);
    if (Status == STATUS_TIMEOUT) {
        InterlockedExchange(&GivenUp, 1);
        return STATUS_IO_TIMEOUT;
    }
    return End.Request.Status;
}

static VOID Exchange(VOID) {
    NTSTATUS Status;

    SyncInit(&End.Request);
    Status = End.Connector->Dispatch->NdkCompleteConnect(End.Connector, EndDisconnected, &End,
                                                         SyncRequested, &End.Request);
    if (NT_SUCCESS(SyncFinish(&End.Request, Status))) {
        SyncDisconnect(End.Connector);
    }
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateConnector(Sketch.Rdma.Adapter, &End.Connector);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectWithin(LIMIT_US);
        if (NT_SUCCESS(Status)) {
            Exchange();
        } else if (Status == STATUS_IO_TIMEOUT) {
            ThreadSleep(&Sketch.Stop, OTHER_WORK_MS);
        }
    }
    EndClose(&End);
    return STATUS_SUCCESS;
}
