/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S03, done right: a request that is given up keeps its record; the connector is closed, which ends
 * the request, and what comes next is a new connector with a record of its own.
 */
#include "s03.h"
#include "sketch.h"

static SKETCH_END End;
static SYNC_WAIT First;

static NTSTATUS TryConnect(VOID) {
    LARGE_INTEGER Limit;
    NTSTATUS Status;

    SyncInit(&First);
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, SyncRequested, &First);
    if (Status != STATUS_PENDING) {
        return Status;
    }
    Limit.QuadPart = -10000LL * CONNECT_LIMIT_MS;
    Status = KeWaitForSingleObject(&First.Event, Executive, KernelMode, FALSE, &Limit);
    return Status == STATUS_TIMEOUT ? STATUS_IO_TIMEOUT : First.Status;
}

static NTSTATUS ConnectAgain(VOID) {
    SyncClose(&End.Connector->Header, End.Connector->Dispatch->NdkCloseConnector);
    End.Connector = NULL;
    EndClose(&End);
    if (!NT_SUCCESS(EndOpen(&End, &Sketch.Rdma))) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return EndConnect(&End, &Sketch.Source, &Sketch.Remote);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateConnector(Sketch.Rdma.Adapter, &End.Connector);
    }
    if (NT_SUCCESS(Status)) {
        Status = TryConnect();
        NdksimCounter("timed_out", Status == STATUS_IO_TIMEOUT ? 1 : 0);
    }
    if (Status == STATUS_IO_TIMEOUT) {
        Status = ConnectAgain();
    }
    if (NT_SUCCESS(Status)) {
        SyncDisconnect(End.Connector);
    }
    EndClose(&End);
    return Status;
}
