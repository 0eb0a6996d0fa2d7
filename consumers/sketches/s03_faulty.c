/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S03, as it is found in the field: one wait record serves every request. The connect is given up,
 * and the record is made ready for the next request while the connect still has it.
 */
#include "s03.h"
#include "sketch.h"

static SKETCH_END End;
static SYNC_WAIT Request;

/* STATUS_IO_TIMEOUT after the limit. */
static NTSTATUS Await(NTSTATUS Status) {
    LARGE_INTEGER Limit;

    if (Status != STATUS_PENDING) {
        return Status;
    }
    Limit.QuadPart = -10000LL * CONNECT_LIMIT_MS;
    Status = KeWaitForSingleObject(&Request.Event, Executive, KernelMode, FALSE, &Limit);
    return Status == STATUS_TIMEOUT ? STATUS_IO_TIMEOUT : Request.Status;
}

static NTSTATUS Connect(VOID) {
    NTSTATUS Status;

    SyncInit(&Request);
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, SyncRequested, &Request);
    Status = Await(Status);
    NdksimCounter("timed_out", Status == STATUS_IO_TIMEOUT ? 1 : 0);
    /* "It must be up by now; if not, the next step says so." */
    SyncInit(&Request);
    Status = End.Connector->Dispatch->NdkCompleteConnect(End.Connector, EndDisconnected, &End,
                                                         SyncRequested, &Request);
    return Await(Status);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    Status = EndOpen(&End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateConnector(Sketch.Rdma.Adapter, &End.Connector);
    }
    if (NT_SUCCESS(Status)) {
        Status = Connect();
    }
    EndClose(&End);
    return Status;
}
