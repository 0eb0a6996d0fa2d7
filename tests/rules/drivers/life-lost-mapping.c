/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mapping is built before the queue pair that is to use it. When that cannot be made, the way out
 * gives back everything but the mapping.
 */
#include "lam.h"
#include "sketch.h"

#define BYTES 8192u

typedef struct _TRANSFER {
    PUCHAR Buffer;
    PMDL Mdl;
    RDMA_MAPPING Mapping;
    NDK_PD *Pd;
    NDK_CQ *Cq;
    NDK_QP *Qp;
} TRANSFER, *PTRANSFER;

static TRANSFER Transfer;

static NTSTATUS TransferMemory(PTRANSFER This) {
    This->Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, BYTES, SKETCH_POOL_TAG);
    if (This->Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    This->Mdl = IoAllocateMdl(This->Buffer, BYTES, FALSE, FALSE, NULL);
    if (This->Mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    MmBuildMdlForNonPagedPool(This->Mdl);
    return MappingBuild(&This->Mapping, Sketch.Rdma.Adapter, This->Mdl, BYTES);
}

static NTSTATUS TransferQueues(PTRANSFER This) {
    static const SYNC_QP_SIZES Sizes = {SKETCH_DEPTH, SKETCH_DEPTH, 1, 1, 0};
    NTSTATUS Status = SyncCreatePd(Sketch.Rdma.Adapter, &This->Pd);

    if (NT_SUCCESS(Status)) {
        Status = SyncCreateCq(Sketch.Rdma.Adapter, 2 * SKETCH_DEPTH, NULL, NULL, &This->Cq);
    }
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateQp(This->Pd, This->Cq, This->Cq, This, &Sizes, &This->Qp);
    }
    return Status;
}

static VOID TransferEnd(PTRANSFER This) {
    if (This->Qp != NULL) {
        /* It had been running: the mapping is in use until here. */
        SyncClose(&This->Qp->Header, This->Qp->Dispatch->NdkCloseQp);
        MappingRelease(&This->Mapping, Sketch.Rdma.Adapter);
    }
    if (This->Cq != NULL) {
        SyncClose(&This->Cq->Header, This->Cq->Dispatch->NdkCloseCq);
    }
    if (This->Pd != NULL) {
        SyncClose(&This->Pd->Header, This->Pd->Dispatch->NdkClosePd);
    }
    if (This->Mdl != NULL) {
        IoFreeMdl(This->Mdl);
    }
    if (This->Buffer != NULL) {
        ExFreePoolWithTag(This->Buffer, SKETCH_POOL_TAG);
    }
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status = TransferMemory(&Transfer);

    if (NT_SUCCESS(Status)) {
        Status = TransferQueues(&Transfer);
    }
    TransferEnd(&Transfer);
    return Status;
}
