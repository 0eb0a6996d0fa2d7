/* SPDX-License-Identifier: Apache-2.0 */
/* Posting receives to a shared queue, and the slots that remember their contexts; see srq.h. */
#include "adapter.h"
#include "qp_post.h"

/* Under SlotLock: the new slots are free. */
static VOID SlotsLink(PRNIC_SRQ Srq, ULONG From, ULONG To) {
    ULONG Tag;

    for (Tag = To; Tag != From; Tag--) {
        Srq->Slots[Tag - 1].Next = Srq->FreeTag;
        Srq->FreeTag = Tag;
    }
}

NTSTATUS SrqSlotsGrow(PRNIC_SRQ Srq, ULONG Count) {
    PRNIC_SRQ_SLOT Old = NULL;
    PRNIC_SRQ_SLOT New;
    KLOCK_QUEUE_HANDLE Lock;

    if (Count <= Srq->SlotCount) {
        return STATUS_SUCCESS;
    }
    New = PoolGet(Count * sizeof(*New));
    if (New == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeAcquireInStackQueuedSpinLock(&Srq->SlotLock, &Lock);
    if (Srq->SlotCount != 0) {
        Old = Srq->Slots;
        RtlCopyMemory(New, Old, Srq->SlotCount * sizeof(*New));
    }
    Srq->Slots = New;
    SlotsLink(Srq, Srq->SlotCount, Count);
    Srq->SlotCount = Count;
    KeReleaseInStackQueuedSpinLock(&Lock);
    PoolPut(Old);
    return STATUS_SUCCESS;
}

static ULONG SlotTake(PRNIC_SRQ Srq, PVOID Context, NTSTATUS Planned) {
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Tag;

    KeAcquireInStackQueuedSpinLock(&Srq->SlotLock, &Lock);
    Tag = Srq->FreeTag;
    NT_ASSERT(Tag != 0);
    Srq->FreeTag = Srq->Slots[Tag - 1].Next;
    Srq->Slots[Tag - 1].Context = Context;
    Srq->Slots[Tag - 1].Planned = Planned;
    Srq->Outstanding++;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Tag;
}

PVOID SrqSlotContext(PRNIC_SRQ Srq, ULONG Tag) {
    KLOCK_QUEUE_HANDLE Lock;
    PVOID Context;

    KeAcquireInStackQueuedSpinLock(&Srq->SlotLock, &Lock);
    NT_ASSERT(Tag != 0 && Tag <= Srq->SlotCount);
    Context = Srq->Slots[Tag - 1].Context;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Context;
}

NTSTATUS SrqSlotPlanned(PRNIC_SRQ Srq, ULONG Tag) {
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Planned;

    KeAcquireInStackQueuedSpinLock(&Srq->SlotLock, &Lock);
    NT_ASSERT(Tag != 0 && Tag <= Srq->SlotCount);
    Planned = Srq->Slots[Tag - 1].Planned;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Planned;
}

VOID SrqSlotFree(PRNIC_SRQ Srq, ULONG Tag) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Srq->SlotLock, &Lock);
    NT_ASSERT(Srq->Outstanding != 0);
    Srq->Slots[Tag - 1].Context = NULL;
    Srq->Slots[Tag - 1].Next = Srq->FreeTag;
    Srq->FreeTag = Tag;
    Srq->Outstanding--;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static ULONG SrqInUse(const RNIC_SRQ *Srq) {
    return *(const volatile ULONG *)&Srq->Outstanding;
}

/* Completions that stand in the queues of any QP free their slots. */
static VOID ResolveAll(PRNIC_SRQ Srq) {
    PLIST_ENTRY Entry;

    for (Entry = Srq->Qps.Flink; Entry != &Srq->Qps; Entry = Entry->Flink) {
        PRNIC_CQ Cq = CONTAINING_RECORD(Entry, RNIC_QP, SrqLink)->ReceiveCq;
        KLOCK_QUEUE_HANDLE Lock;

        KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
        CqResolve(Cq);
        KeReleaseInStackQueuedSpinLock(&Lock);
    }
}

ULONG SrqOutstanding(PRNIC_SRQ Srq) {
    ResolveAll(Srq);
    return SrqInUse(Srq);
}

static BOOLEAN SrqHasRoom(PRNIC_SRQ Srq) {
    return SrqInUse(Srq) < Srq->Depth || SrqOutstanding(Srq) < Srq->Depth;
}

static NTSTATUS SrqPostCheck(PRNIC_SRQ Srq, CONST NDK_SGE *pSgl, ULONG nSge) {
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;
    ULONG Length;

    if (Adapter->Lost != 0) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!ObjectIsOpen(&Srq->Object) || Srq->Failed) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (nSge > Srq->SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
    if (!SrqHasRoom(Srq)) {
        return STATUS_NO_MORE_ENTRIES;
    }
    if (AnswerFault(&Srq->Object.Ndk.Header, "provider.srq_receive.insufficient_resources")) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return SglLength(Adapter, pSgl, nSge, &Length);
}

static VOID EntryWrite(PRNIC_SRQ Srq, const RNIC_SRQ_RING *Ring, ULONG Tag, CONST NDK_SGE *pSgl,
                       ULONG nSge, NTSTATUS Planned) {
    SIZE_T Offset = (SIZE_T)(Srq->Producer & Ring->Mask) << Srq->StrideLog2;
    struct rnic_wqe_receive *Wqe = (struct rnic_wqe_receive *)(Ring->Dma.Va + Offset);

    Wqe->sge_count = Planned == STATUS_SUCCESS ? nSge : MAXULONG;
    Wqe->index = Srq->Producer;
    Wqe->tag = Tag;
    SglCopy(Srq->Object.Owner, (struct rnic_sge *)((PUCHAR)Wqe + RNIC_RECEIVE_DATA_OFFSET), pSgl,
            nSge);
}

/* A fault has the entry say that it holds more than it can: the device refuses it then. */
static NTSTATUS SrqPlanned(PRNIC_SRQ Srq) {
    return AnswerFault(&Srq->Object.Ndk.Header, RNIC_POST_BROKEN("srq_receive"))
               ? STATUS_INTERNAL_ERROR
               : STATUS_SUCCESS;
}

NTSTATUS NdkSrqReceive(NDK_SRQ *pNdkSrq, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge) {
    PRNIC_SRQ Srq = SrqOf(pNdkSrq);
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    Status = SrqPostCheck(Srq, pSgl, nSge);
    if (NT_SUCCESS(Status)) {
        NTSTATUS Planned = SrqPlanned(Srq);
        ULONG Tag = SlotTake(Srq, RequestContext, Planned);

        EntryWrite(Srq, &Srq->Ring, Tag, pSgl, nSge, Planned);
        if (Srq->Moving) {
            EntryWrite(Srq, &Srq->Next, Tag, pSgl, nSge, Planned);
        }
        Srq->Producer++;
        DoorbellRing(Srq->Object.Owner, RNIC_DOORBELL_SRQ, Srq->Srqn, 0, Srq->Producer);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
