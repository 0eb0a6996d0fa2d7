/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At the disconnect event this driver disconnects, too, once all its sends are done: if one is
 * outstanding, its result is to do it. But results are only counted; whoever comes second must look
 * at what the other one has left.
 */
#include "sketch.h"

static SKETCH_END End;
static KEVENT Ending;

static VOID Disconnected(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    if (ReadNoFence(&End.Succeeded) == 0) {
        return; /* the send's result comes, and then ... */
    }
    KeSetEvent(&Ending, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Connect(VOID) {
    NTSTATUS Status = SyncCreateConnector(Sketch.Rdma.Adapter, &End.Connector);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    SyncInit(&End.Request);
    Status = EndStartConnect(&End, &Sketch.Source, &Sketch.Remote, SyncRequested, &End.Request);
    Status = SyncFinish(&End.Request, Status);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    SyncInit(&End.Request);
    Status = End.Connector->Dispatch->NdkCompleteConnect(End.Connector, Disconnected, NULL,
                                                         SyncRequested, &End.Request);
    return SyncFinish(&End.Request, Status);
}

NTSTATUS SketchMain(VOID) {
    LARGE_INTEGER Patience;
    NTSTATUS Status = EndOpen(&End, &Sketch.Rdma);

    KeInitializeEvent(&Ending, NotificationEvent, FALSE);
    ThreadSleep(&Sketch.Stop, 10000); /* the peer listens by then */
    if (NT_SUCCESS(Status)) {
        Status = Connect();
    }
    if (NT_SUCCESS(Status)) {
        Status = EndSend(&End);
    }
    if (NT_SUCCESS(Status)) {
        Patience.QuadPart = -10000000LL * 200;
        KeWaitForSingleObject(&Ending, Executive, KernelMode, FALSE, &Patience);
        SyncDisconnect(End.Connector);
    }
    EndClose(&End);
    return STATUS_SUCCESS;
}
