/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S01, as it is found in the field: the wait record of the connect is on the stack, and the
 * function returns when its limit is over, with the request still pending.
 */
#include "s01.h"
#include "sketch.h"

static SKETCH_END End;

/* Not inlined: its frame must be gone when it has returned. */
static DECLSPEC_NOINLINE NTSTATUS TryConnect(VOID) {
    SYNC_WAIT Connect;
    LARGE_INTEGER Limit;
    NTSTATUS Status;

    SyncInit(&Connect);
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, SyncRequested, &Connect);
    if (Status != STATUS_PENDING) {
        return Status;
    }
    Limit.QuadPart = -10000LL * CONNECT_LIMIT_MS;
    Status = KeWaitForSingleObject(&Connect.Event, Executive, KernelMode, FALSE, &Limit);
    if (Status == STATUS_TIMEOUT) {
        return STATUS_IO_TIMEOUT;
    }
    return Connect.Status;
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
        ThreadSleep(&Sketch.Stop, AFTERWARDS_MS);
        Status = STATUS_SUCCESS;
    }
    EndClose(&End);
    return Status;
}
