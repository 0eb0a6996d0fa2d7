/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a connection of a sketch; see sketch.h. */
#include "sketch.h"

static VOID EndCount(PSKETCH_END End, const NDK_RESULT *Result) {
    if (Result->Status == STATUS_SUCCESS) {
        InterlockedIncrement(&End->Succeeded);
    } else if (Result->Status == STATUS_CANCELLED) {
        InterlockedIncrement(&End->Cancelled);
    } else {
        End->LastFailure = Result->Status;
        InterlockedIncrement(&End->Failed);
    }
    KeSetEvent(&End->Result, IO_NO_INCREMENT, FALSE);
}

static VOID EndNotify(PVOID Context, NTSTATUS CqStatus) {
    PSKETCH_END End = Context;
    NDK_RESULT Result;

    UNREFERENCED_PARAMETER(CqStatus);
    if (!ExAcquireRundownProtection(&End->CqUse)) {
        return;
    }
    while (End->Cq->Dispatch->NdkGetCqResults(End->Cq, &Result, 1) != 0) {
        if (End->OnResult != NULL) {
            End->OnResult(End, &Result);
        }
        EndCount(End, &Result);
    }
    End->Cq->Dispatch->NdkArmCq(End->Cq, NDK_CQ_NOTIFY_ANY);
    ExReleaseRundownProtection(&End->CqUse);
}

NTSTATUS EndOpen(PSKETCH_END End, PRDMA_ADAPTER Rdma) {
    static const SYNC_QP_SIZES Sizes = {SKETCH_DEPTH, SKETCH_DEPTH, 1, 1, 0};
    NTSTATUS Status;

    PAGED_CODE();
    RtlZeroMemory(End, sizeof(*End));
    End->Rdma = Rdma;
    ExInitializeRundownProtection(&End->CqUse);
    KeInitializeEvent(&End->Result, SynchronizationEvent, FALSE);
    KeInitializeEvent(&End->Disconnected, NotificationEvent, FALSE);
    Status = SyncCreatePd(Rdma->Adapter, &End->Pd);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateCq(Rdma->Adapter, 2 * SKETCH_DEPTH, EndNotify, End, &End->Cq);
    }
    if (NT_SUCCESS(Status)) {
        End->Cq->Dispatch->NdkArmCq(End->Cq, NDK_CQ_NOTIFY_ANY);
        Status = SyncCreateQp(End->Pd, End->Cq, End->Cq, End, &Sizes, &End->Qp);
    }
    if (NT_SUCCESS(Status)) {
        Status = RegionCreate(&End->Region, End->Pd, NULL, 2 * SKETCH_MESSAGE_BYTES,
                              NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
    }
    return Status;
}

VOID EndClose(PSKETCH_END End) {
    PAGED_CODE();
    if (End->Connector != NULL) {
        SyncClose(&End->Connector->Header, End->Connector->Dispatch->NdkCloseConnector);
        End->Connector = NULL;
    }
    if (End->Qp != NULL) {
        SyncClose(&End->Qp->Header, End->Qp->Dispatch->NdkCloseQp);
        End->Qp = NULL;
    }
    RegionClose(&End->Region);
    if (End->Cq != NULL) {
        ExWaitForRundownProtectionRelease(&End->CqUse);
        SyncClose(&End->Cq->Header, End->Cq->Dispatch->NdkCloseCq);
        End->Cq = NULL;
    }
    if (End->Pd != NULL) {
        SyncClose(&End->Pd->Header, End->Pd->Dispatch->NdkClosePd);
        End->Pd = NULL;
    }
    RegionFree(&End->Region);
}

NTSTATUS EndReceiveAt(PSKETCH_END End, PVOID Context, ULONG Offset, ULONG Bytes) {
    NTSTATUS Status;
    NDK_SGE Sge;

    Sge.VirtualAddress = End->Region.Buffer + Offset;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = End->Region.LocalToken;
    Status = End->Qp->Dispatch->NdkReceive(End->Qp, Context, &Sge, 1);
    End->ReceivesPosted += NT_SUCCESS(Status) ? 1 : 0;
    return Status;
}

NTSTATUS EndSendFrom(PSKETCH_END End, PVOID Context, ULONG Offset, ULONG Bytes) {
    NDK_SGE Sge;

    Sge.VirtualAddress = End->Region.Buffer + Offset;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = End->Region.LocalToken;
    return End->Qp->Dispatch->NdkSend(End->Qp, Context, &Sge, 1, 0);
}

NTSTATUS EndReceive(PSKETCH_END End) {
    return EndReceiveAt(End, NULL, 0, SKETCH_MESSAGE_BYTES);
}

NTSTATUS EndSend(PSKETCH_END End) {
    return EndSendFrom(End, NULL, SKETCH_MESSAGE_BYTES, SKETCH_MESSAGE_BYTES);
}

VOID EndDisconnected(PVOID Context) {
    PSKETCH_END End = Context;

    InterlockedIncrement(&End->DisconnectEvents);
    KeSetEvent(&End->Disconnected, IO_NO_INCREMENT, FALSE);
}

NTSTATUS EndStartConnect(PSKETCH_END End, const RDMA_ADDRESS *From, const RDMA_ADDRESS *To,
                         NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    return End->Connector->Dispatch->NdkConnect(End->Connector, End->Qp, &From->Plain, From->Bytes,
                                                &To->Plain, To->Bytes, 0, 0, NULL, 0, Completion,
                                                Context);
}

NTSTATUS EndConnect(PSKETCH_END End, const RDMA_ADDRESS *From, const RDMA_ADDRESS *To) {
    NTSTATUS Status;

    PAGED_CODE();
    Status = SyncCreateConnector(End->Rdma->Adapter, &End->Connector);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    SyncInit(&End->Request);
    Status = EndStartConnect(End, From, To, SyncRequested, &End->Request);
    Status = SyncFinish(&End->Request, Status);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    SyncInit(&End->Request);
    Status = End->Connector->Dispatch->NdkCompleteConnect(End->Connector, EndDisconnected, End,
                                                          SyncRequested, &End->Request);
    return SyncFinish(&End->Request, Status);
}

NTSTATUS EndStartAccept(PSKETCH_END End, NDK_CONNECTOR *Connector) {
    End->Connector = Connector;
    SyncInit(&End->Request);
    return Connector->Dispatch->NdkAccept(Connector, End->Qp, 0, 0, NULL, 0, EndDisconnected, End,
                                          SyncRequested, &End->Request);
}
