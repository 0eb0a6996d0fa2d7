/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NdkModifySrq: another depth, another ring, another arm. One modification after the other; posts
 * go on meanwhile, and callbacks wait for the answer.
 */
#include "adapter.h"

typedef struct _RNIC_MODIFY {
    RNIC_REQUEST Request; /* first: its end frees all of it */
    RNIC_TURN Turn;
    PRNIC_SRQ Srq; /* with RefHardware */
    RNIC_BOXED Boxed;
    ULONG Depth;    /* 0: as it is */
    ULONG OldDepth; /* when that is undone */
    ULONG Threshold;
    BOOLEAN Arms;
    BOOLEAN WasArmed;
    BOOLEAN Moves; /* to another ring */
    BOOLEAN Resizes;
} RNIC_MODIFY, *PRNIC_MODIFY;

/* What the device may still read of the old ring lies in the new one, too; under the lock. */
static VOID EntriesCopy(PRNIC_SRQ Srq) {
    const RNIC_SRQ_RING *From = &Srq->Ring;
    const RNIC_SRQ_RING *To = &Srq->Next;
    SIZE_T Stride = (SIZE_T)1 << Srq->StrideLog2;
    ULONG Count = min(min(From->Mask, To->Mask) + 1, Srq->Producer);
    ULONG Index;

    for (Index = Srq->Producer - Count; Index != Srq->Producer; Index++) {
        RtlCopyMemory(To->Dma.Va + (Index & To->Mask) * Stride,
                      From->Dma.Va + (Index & From->Mask) * Stride, Stride);
    }
}

/* The lower of both depths holds until the outcome is known. */
static NTSTATUS DepthBegin(PRNIC_MODIFY Modify) {
    PRNIC_SRQ Srq = Modify->Srq;
    NTSTATUS Status = SrqSlotsGrow(Srq, Modify->Depth);
    KLOCK_QUEUE_HANDLE Lock;

    if (NT_SUCCESS(Status) && Log2(Modify->Depth) != Log2(Srq->Ring.Mask + 1)) {
        Status = SrqRingGet(Srq, Modify->Depth, &Srq->Next);
        Modify->Moves = NT_SUCCESS(Status);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    Modify->OldDepth = Srq->Depth;
    if (SrqOutstanding(Srq) > Modify->Depth) {
        Status = STATUS_BUFFER_OVERFLOW;
    } else {
        Modify->Resizes = TRUE;
        Srq->Depth = min(Srq->Depth, Modify->Depth);
        Srq->Moving = Modify->Moves;
        if (Srq->Moving) {
            EntriesCopy(Srq);
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}

static VOID DepthEnd(PRNIC_MODIFY Modify, BOOLEAN Success) {
    PRNIC_SRQ Srq = Modify->Srq;
    RNIC_DMA Unused;
    KLOCK_QUEUE_HANDLE Lock;

    RtlZeroMemory(&Unused, sizeof(Unused));
    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    if (Modify->Resizes) {
        Srq->Depth = Success ? Modify->Depth : Modify->OldDepth;
    }
    if (Modify->Moves) {
        Unused = Success ? Srq->Ring.Dma : Srq->Next.Dma;
        if (Success) {
            Srq->Ring = Srq->Next;
        }
        RtlZeroMemory(&Srq->Next, sizeof(Srq->Next));
        Srq->Moving = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    DmaPut(Srq->Object.Owner, &Unused);
}

static VOID ModifyCommand(PRNIC_MODIFY Modify) {
    PRNIC_SRQ Srq = Modify->Srq;
    struct rnic_srq_modify *To = &Modify->Boxed.In.SrqModify;

    BoxedInit(&Modify->Boxed, RNIC_CMD_MODIFY_SRQ, Srq->Srqn, sizeof(*To), 0);
    if (Modify->Arms) {
        To->flags |= RNIC_SRQ_MODIFY_LIMIT;
        To->limit = Modify->Threshold;
    }
    if (Modify->Moves) {
        To->flags |= RNIC_SRQ_MODIFY_RING;
        DmaPages(&Srq->Next.Dma, &To->pages);
        To->entry_count_log2 = Log2(Srq->Next.Mask + 1);
    }
}

/* STATUS_PENDING: the device must be asked. A queue that failed only arms, to be told of it. */
static NTSTATUS ModifyBegin(PRNIC_MODIFY Modify) {
    PRNIC_SRQ Srq = Modify->Srq;
    NTSTATUS Status = STATUS_SUCCESS;

    Modify->WasArmed = SrqQuiet(Srq, Modify->Arms);
    if (Modify->Depth != 0) {
        Status = Srq->Failed ? STATUS_INVALID_DEVICE_STATE : DepthBegin(Modify);
    }
    if (!NT_SUCCESS(Status) || Srq->Failed || !(Modify->Arms || Modify->Moves)) {
        return Status;
    }
    ModifyCommand(Modify);
    return STATUS_PENDING;
}

/* The queue may have failed meanwhile: then the arm hears of that. */
static NTSTATUS ModifyStatus(PRNIC_MODIFY Modify) {
    if (Modify->Boxed.Command.Status != RNIC_STATUS_BAD_STATE) {
        return CommandNtStatus(Modify->Boxed.Command.Status);
    }
    return Modify->Depth == 0 ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
}

/* What is done when the outcome is known and told; `Modify` is gone by then. */
static VOID ModifyPass(PRNIC_SRQ Srq, BOOLEAN Undo, BOOLEAN WasArmed) {
    SrqResume(Srq, Undo, WasArmed);
    TurnPass(&Srq->Turns);
    ObjectPut(&Srq->Object, RefHardware);
}

static VOID ModifyDone(PRNIC_COMMAND Command) {
    PRNIC_MODIFY Modify = Command->Context;
    PRNIC_SRQ Srq = Modify->Srq;
    BOOLEAN WasArmed = Modify->WasArmed;
    NTSTATUS Status = ModifyStatus(Modify);

    DepthEnd(Modify, NT_SUCCESS(Status));
    RequestComplete(&Modify->Request, Status);
    ModifyPass(Srq, !NT_SUCCESS(Status), WasArmed);
}

/* Begun by the one before it, perhaps in the call of somebody else. */
static BOOLEAN ModifyTurn(PRNIC_TURN Turn) {
    PRNIC_MODIFY Modify = CONTAINING_RECORD(Turn, RNIC_MODIFY, Turn);
    PRNIC_SRQ Srq = Modify->Srq;
    BOOLEAN WasArmed;
    NTSTATUS Status = ModifyBegin(Modify);

    if (Status == STATUS_PENDING) {
        CommandSubmit(Srq->Object.Owner, &Modify->Boxed.Command, ModifyDone, Modify);
        return FALSE;
    }
    WasArmed = Modify->WasArmed;
    DepthEnd(Modify, NT_SUCCESS(Status));
    RequestDefer(&Modify->Request, Status);
    SrqResume(Srq, !NT_SUCCESS(Status), WasArmed);
    ObjectPut(&Srq->Object, RefHardware);
    return TRUE;
}

static NTSTATUS ModifyRun(PRNIC_MODIFY Modify) {
    PRNIC_SRQ Srq = Modify->Srq;
    BOOLEAN WasArmed;
    NTSTATUS Status = ModifyBegin(Modify);
    NTSTATUS Answer;

    if (Status == STATUS_PENDING && Modify->Request.Shape == ShapePending) {
        CommandSubmit(Srq->Object.Owner, &Modify->Boxed.Command, ModifyDone, Modify);
        return STATUS_PENDING;
    }
    if (Status == STATUS_PENDING) {
        CommandPolled(Srq->Object.Owner, &Modify->Boxed.Command, NULL, 0);
        Status = ModifyStatus(Modify);
    }
    WasArmed = Modify->WasArmed;
    DepthEnd(Modify, NT_SUCCESS(Status));
    Answer = RequestAnswer(&Modify->Request, Status);
    ModifyPass(Srq, !NT_SUCCESS(Status), WasArmed);
    return Answer;
}

static PRNIC_MODIFY ModifyNew(PRNIC_SRQ Srq, ULONG Depth, ULONG Threshold) {
    PRNIC_MODIFY Modify = PoolGet(sizeof(*Modify));

    if (Modify != NULL) {
        Modify->Request.FromPool = TRUE;
        Modify->Turn.Begin = ModifyTurn;
        Modify->Srq = Srq;
        Modify->Depth = Depth;
        Modify->Threshold = Threshold;
        Modify->Arms = Threshold != 0 && Srq->Notification != NULL;
    }
    return Modify;
}

NTSTATUS NdkModifySrq(NDK_SRQ *pNdkSrq, ULONG SrqDepth, ULONG NotifyThreshold,
                      NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext) {
    PRNIC_SRQ Srq = SrqOf(pNdkSrq);
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;
    PRNIC_MODIFY Modify;
    RNIC_SHAPE Shape;

    if (SrqDepth > Adapter->Info.MaxSrqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ObjectIsOpen(&Srq->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Modify = ModifyNew(Srq, SrqDepth, NotifyThreshold);
    if (Modify == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkSrq, "answer.modify_srq", ShapePending);
    RequestBegin(&Modify->Request, &Srq->Object, Shape, RequestCompletion, RequestContext);
    if (AnswerFault(pNdkSrq, "provider.modify_srq.insufficient_resources")) {
        return RequestAnswer(&Modify->Request, STATUS_INSUFFICIENT_RESOURCES);
    }
    ObjectGet(&Srq->Object, RefHardware);
    return TurnTake(&Srq->Turns, &Modify->Turn) ? ModifyRun(Modify) : STATUS_PENDING;
}
