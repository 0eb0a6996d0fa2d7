/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NdkResizeCq. The device copies what is not consumed to the new ring and goes on there; the driver
 * follows when it hears of it, with what it has made of the entries meanwhile. One after the other;
 * results are taken and placed all the time.
 */
#include "adapter.h"

typedef struct _RNIC_RESIZE {
    RNIC_REQUEST Request; /* first: its end frees all of it */
    RNIC_TURN Turn;
    PRNIC_CQ Cq; /* with RefHardware */
    RNIC_BOXED Boxed;
    RNIC_DMA Ring;
    ULONG Depth;
} RNIC_RESIZE, *PRNIC_RESIZE;

static VOID ResizeCommand(PRNIC_RESIZE Resize) {
    PRNIC_CQ Cq = Resize->Cq;
    struct rnic_cq_resize *To = &Resize->Boxed.In.CqResize;

    BoxedInit(&Resize->Boxed, RNIC_CMD_RESIZE_CQ, Cq->Cqn, sizeof(*To), 0);
    DmaPages(&Resize->Ring, &To->pages);
    To->entry_count_log2 = Log2(Resize->Depth);
    To->entry_limit = Resize->Depth;
    To->consumer = *(volatile ULONG *)Cq->Record.Va;
}

/* Resolved entries lie in the new ring as they were when the device copied; phases stay. */
static VOID RingFollow(PRNIC_CQ Cq, PRNIC_RESIZE Resize) {
    UCHAR Log = Log2(Resize->Depth);
    struct rnic_cqe *From = (struct rnic_cqe *)Cq->Ring.Va;
    struct rnic_cqe *To = (struct rnic_cqe *)Resize->Ring.Va;
    RNIC_DMA Old = Cq->Ring;
    ULONG Index;

    for (Index = Cq->Consumed; Index != Cq->Resolved; Index++) {
        RtlCopyMemory(&To[Index & ((1u << Log) - 1)], &From[Index & ((1u << Cq->EntryLog2) - 1)],
                      FIELD_OFFSET(struct rnic_cqe, phase));
    }
    Cq->Ring = Resize->Ring;
    Cq->EntryLog2 = Log;
    Cq->Depth = Resize->Depth;
    Resize->Ring = Old;
}

static NTSTATUS ResizeEnd(PRNIC_RESIZE Resize) {
    PRNIC_CQ Cq = Resize->Cq;
    NTSTATUS Status = CommandNtStatus(Resize->Boxed.Command.Status);
    KLOCK_QUEUE_HANDLE Lock;

    if (Resize->Boxed.Command.Status == RNIC_STATUS_LIMIT) {
        Status = STATUS_BUFFER_OVERFLOW; /* more entries are there (C-07) */
    } else if (Resize->Boxed.Command.Status == RNIC_STATUS_BAD_STATE) {
        Status = STATUS_INVALID_DEVICE_STATE;
    }
    if (NT_SUCCESS(Status)) {
        KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
        RingFollow(Cq, Resize);
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
    DmaPut(Cq->Object.Owner, &Resize->Ring);
    return Status;
}

static VOID ResizeDone(PRNIC_COMMAND Command) {
    PRNIC_RESIZE Resize = Command->Context;
    PRNIC_CQ Cq = Resize->Cq;
    NTSTATUS Status = ResizeEnd(Resize);

    RequestComplete(&Resize->Request, Status);
    TurnPass(&Cq->Resizes);
    ObjectPut(&Cq->Object, RefHardware);
}

static BOOLEAN ResizeTurn(PRNIC_TURN Turn) {
    PRNIC_RESIZE Resize = CONTAINING_RECORD(Turn, RNIC_RESIZE, Turn);

    ResizeCommand(Resize);
    CommandSubmit(Resize->Cq->Object.Owner, &Resize->Boxed.Command, ResizeDone, Resize);
    return FALSE;
}

static NTSTATUS ResizeRun(PRNIC_RESIZE Resize) {
    PRNIC_CQ Cq = Resize->Cq;
    NTSTATUS Status;

    ResizeCommand(Resize);
    if (Resize->Request.Shape == ShapePending) {
        CommandSubmit(Cq->Object.Owner, &Resize->Boxed.Command, ResizeDone, Resize);
        return STATUS_PENDING;
    }
    CommandPolled(Cq->Object.Owner, &Resize->Boxed.Command, NULL, 0);
    Status = RequestAnswer(&Resize->Request, ResizeEnd(Resize));
    TurnPass(&Cq->Resizes);
    ObjectPut(&Cq->Object, RefHardware);
    return Status;
}

NTSTATUS NdkResizeCq(NDK_CQ *pNdkCq, ULONG CqDepth, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                     PVOID RequestContext) {
    PRNIC_CQ Cq = CqOf(pNdkCq);
    PRNIC_ADAPTER Adapter = Cq->Object.Owner;
    PRNIC_RESIZE Resize;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if ((Adapter->Info.AdapterFlags & NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED) == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ObjectIsOpen(&Cq->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Resize = PoolGet(sizeof(*Resize));
    if (Resize == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Resize->Request.FromPool = TRUE;
    Resize->Turn.Begin = ResizeTurn;
    Resize->Cq = Cq;
    Resize->Depth = CqDepth;
    Shape = AnswerChoose(Adapter, pNdkCq, "answer.resize_cq", ShapePending);
    RequestBegin(&Resize->Request, &Cq->Object, Shape, RequestCompletion, RequestContext);
    Status = AnswerFault(pNdkCq, "provider.resize_cq.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : DmaGet(Adapter, RNIC_CQE_BYTES << Log2(CqDepth), &Resize->Ring);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswer(&Resize->Request, Status);
    }
    ObjectGet(&Cq->Object, RefHardware);
    return TurnTake(&Cq->Resizes, &Resize->Turn) ? ResizeRun(Resize) : STATUS_PENDING;
}
