/* SPDX-License-Identifier: Apache-2.0 */
/* An end that receives from an SRQ, its results in a queue of the driver's own. */
#ifndef RULES_SRQ_END_H
#define RULES_SRQ_END_H

#include "sketch.h"

#define SRQ_DEPTH 8u

typedef struct _SRQ_END {
    SKETCH_END End;
    NDK_CQ *Received;
    NDK_SRQ *Srq;
} SRQ_END, *PSRQ_END;

static inline NTSTATUS SrqCreate(PSRQ_END This, ULONG Threshold,
                                 NDK_FN_SRQ_NOTIFICATION_CALLBACK Low) {
    NDK_PD *Pd = This->End.Pd;
    SYNC_WAIT Wait;
    NTSTATUS Started, Status;

    SyncInit(&Wait);
    Started = Pd->Dispatch->NdkCreateSrq(Pd, SRQ_DEPTH, 1, Threshold, Low, This, NULL, SyncCreated,
                                         &Wait, &This->Srq);
    Status = SyncFinish(&Wait, Started);
    if (Started == STATUS_PENDING) {
        This->Srq = (NDK_SRQ *)Wait.Object;
    }
    return Status;
}

static inline NTSTATUS SrqQp(PSRQ_END This) {
    NDK_PD *Pd = This->End.Pd;
    SYNC_WAIT Wait;
    NTSTATUS Started, Status;

    SyncInit(&Wait);
    Started =
        Pd->Dispatch->NdkCreateQpWithSrq(Pd, This->Received, This->End.Cq, This->Srq, This,
                                         SKETCH_DEPTH, 1, 0, SyncCreated, &Wait, &This->End.Qp);
    Status = SyncFinish(&Wait, Started);
    if (Started == STATUS_PENDING) {
        This->End.Qp = (NDK_QP *)Wait.Object;
    }
    return Status;
}

static inline NTSTATUS SrqEndOpen(PSRQ_END This, ULONG Threshold,
                                  NDK_FN_SRQ_NOTIFICATION_CALLBACK Low,
                                  NDK_FN_CQ_NOTIFICATION_CALLBACK Notify) {
    NTSTATUS Status = EndOpen(&This->End, &Sketch.Rdma);

    if (NT_SUCCESS(Status)) {
        SyncClose(&This->End.Qp->Header, This->End.Qp->Dispatch->NdkCloseQp);
        This->End.Qp = NULL;
        Status = SyncCreateCq(Sketch.Rdma.Adapter, 2 * SRQ_DEPTH, Notify, This, &This->Received);
    }
    if (NT_SUCCESS(Status)) {
        Status = SrqCreate(This, Threshold, Low);
    }
    return NT_SUCCESS(Status) ? SrqQp(This) : Status;
}

/* QP, SRQ, then what both rest on. */
static inline VOID SrqEndClose(PSRQ_END This) {
    PSKETCH_END End = &This->End;

    if (End->Connector != NULL) {
        SyncClose(&End->Connector->Header, End->Connector->Dispatch->NdkCloseConnector);
        End->Connector = NULL;
    }
    if (End->Qp != NULL) {
        SyncClose(&End->Qp->Header, End->Qp->Dispatch->NdkCloseQp);
        End->Qp = NULL;
    }
    if (This->Received != NULL) {
        SyncClose(&This->Received->Header, This->Received->Dispatch->NdkCloseCq);
    }
    if (This->Srq != NULL) {
        SyncClose(&This->Srq->Header, This->Srq->Dispatch->NdkCloseSrq);
    }
    EndClose(End);
}

static inline NTSTATUS SrqPost(PSRQ_END This) {
    NDK_SGE Sge;

    Sge.VirtualAddress = This->End.Region.Buffer;
    Sge.Length = SKETCH_MESSAGE_BYTES;
    Sge.MemoryRegionToken = This->End.Region.LocalToken;
    return This->Srq->Dispatch->NdkSrqReceive(This->Srq, NULL, &Sge, 1);
}

#endif
