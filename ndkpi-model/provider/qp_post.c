/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posting data transfers and receives. The consumer serialises the posts to one queue; the lock is
 * for those who may come at the same time: flush, close, the end of a connection.
 */
#include "adapter.h"
#include "qp_post.h"

/* A flag that the device does not know: it refuses the entry when its turn comes. */
#define RNIC_WQE_NONSENSE 0x80u

/* Under the lock: entries whose completions stand in the CQ may be used again (B-10). */
static BOOLEAN SqHasRoom(PRNIC_QP Qp) {
    PRNIC_QUEUE Sq = &Qp->Sq;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Finished;

    if (Sq->Producer - Sq->Freed < Sq->Depth) {
        return TRUE;
    }
    if (Qp->Object.Owner->Settings.StrictSlots != 0) {
        return FALSE;
    }
    /* Read first: the completions of what is finished by now are in the CQ already. */
    Finished = *(volatile ULONG *)Qp->Record.Va;
    KeAcquireInStackQueuedSpinLock(&Qp->InitiatorCq->Lock, &Lock);
    CqResolve(Qp->InitiatorCq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    Sq->Freed = Finished;
    return Sq->Producer - Sq->Freed < Sq->Depth;
}

/* Which of the two ends of a connection posts fail behind (B-08). */
static BOOLEAN SqIsConnected(PRNIC_QP Qp) {
    LONG Fails = Qp->Object.Owner->Settings.PostsFailEarly != 0 ? QpFlushing : QpEnded;

    return Qp->Phase != QpUnconnected && Qp->Phase != Fails;
}

/* Flags that came with 1.2 mean nothing to who asked for less. */
static ULONG SqAllowed(PRNIC_QP Qp, ULONG Allowed) {
    return ObjectKnows(&Qp->Object, 1, 2)
               ? Allowed
               : Allowed & ~(ULONG)(NDK_OP_FLAG_DEFER | NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE);
}

static NTSTATUS SqCheck(PRNIC_QP Qp, ULONG Flags, ULONG Allowed) {
    if (Qp->Object.Owner->Lost != 0) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!ObjectIsOpen(&Qp->Object) || Qp->Silent) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (!SqIsConnected(Qp)) {
        return STATUS_CONNECTION_INVALID;
    }
    if ((Flags & ~SqAllowed(Qp, Allowed)) != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return SqHasRoom(Qp) ? STATUS_SUCCESS : STATUS_NO_MORE_ENTRIES;
}

NTSTATUS SqFail(PRNIC_POST Post, NTSTATUS Status) {
    QpRingSq(Post->Qp);
    KeReleaseInStackQueuedSpinLock(&Post->Lock);
    return Status;
}

/* How a fault has the request complete that is about to be posted. */
static NTSTATUS SqPlanned(PRNIC_QP Qp, const RNIC_POST_KIND *Kind) {
    if (AnswerFault(&Qp->Object.Ndk.Header, Kind->Broken)) {
        return STATUS_INTERNAL_ERROR;
    }
    if (Kind->Other != NULL && AnswerFault(&Qp->Object.Ndk.Header, Kind->Other)) {
        return Kind->OtherStatus;
    }
    return STATUS_SUCCESS;
}

NTSTATUS SqBegin(PRNIC_POST Post, PRNIC_QP Qp, ULONG Flags, const RNIC_POST_KIND *Kind) {
    PRNIC_QUEUE Sq = &Qp->Sq;
    NTSTATUS Status;

    Post->Qp = Qp;
    Post->Flags = Flags;
    KeAcquireInStackQueuedSpinLock(&Sq->Lock, &Post->Lock);
    Status = SqCheck(Qp, Flags, Kind->Flags);
    if (NT_SUCCESS(Status) && AnswerFault(&Qp->Object.Ndk.Header, Kind->Short)) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!NT_SUCCESS(Status)) {
        return SqFail(Post, Status);
    }
    Post->Planned = SqPlanned(Qp, Kind);
    Post->Wqe = (struct rnic_wqe_control *)(Sq->Ring.Va +
                                            ((SIZE_T)(Sq->Producer & Sq->Mask) << Sq->StrideLog2));
    RtlZeroMemory(Post->Wqe, RNIC_WQE_DATA_OFFSET);
    Post->Wqe->opcode = Kind->Opcode;
    Post->Wqe->index = Sq->Producer;
    if ((Flags & NDK_OP_FLAG_SILENT_SUCCESS) == 0) {
        Post->Wqe->flags |= RNIC_WQE_SIGNALLED;
    }
    if ((Flags & NDK_OP_FLAG_READ_FENCE) != 0) {
        Post->Wqe->flags |= RNIC_WQE_FENCE;
    }
    if ((Flags & NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT) != 0) {
        Post->Wqe->flags |= RNIC_WQE_SOLICITED;
    }
    return STATUS_SUCCESS;
}

/* DEFER is a hint (R-DEFER-02). */
static BOOLEAN SqHolds(PRNIC_POST Post) {
    static const PCSTR Options[] = {"hold", "go"};
    PRNIC_QP Qp = Post->Qp;

    if ((Post->Flags & NDK_OP_FLAG_DEFER) == 0) {
        return FALSE;
    }
    switch (Qp->Object.Owner->Settings.DeferHolds) {
    case RNIC_DEFER_NEVER:
        return FALSE;
    case RNIC_DEFER_ALWAYS:
        return TRUE;
    default:
        return NdksimChoose("post.defer", &Qp->Object.Ndk.Header, Options,
                            RTL_NUMBER_OF(Options)) == 0;
    }
}

/* The first one only: what follows it is cancelled. */
static BOOLEAN QueuePlan(PRNIC_QUEUE Queue, NTSTATUS Status) {
    if (Status == STATUS_SUCCESS || Queue->PlannedStatus != STATUS_SUCCESS) {
        return FALSE;
    }
    Queue->PlannedStatus = Status;
    Queue->PlannedIndex = Queue->Producer;
    return TRUE;
}

NTSTATUS SqEnd(PRNIC_POST Post, PVOID Context) {
    PRNIC_QP Qp = Post->Qp;
    PRNIC_QUEUE Sq = &Qp->Sq;

    if (QueuePlan(Sq, Post->Planned)) {
        Post->Wqe->flags |= RNIC_WQE_NONSENSE;
    }
    Sq->Contexts[Sq->Producer & Sq->Mask] = Context;
    Sq->Producer++;
    if (!SqHolds(Post)) {
        QpRingSq(Qp);
    }
    KeReleaseInStackQueuedSpinLock(&Post->Lock);
    return STATUS_SUCCESS;
}

NTSTATUS SglLength(PRNIC_ADAPTER Adapter, CONST NDK_SGE *pSgl, ULONG nSge, PULONG Length) {
    ULONG64 Total = 0;
    ULONG i;

    for (i = 0; i < nSge; i++) {
        Total += pSgl[i].Length;
    }
    if (Total > Adapter->Info.MaxTransferLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    *Length = (ULONG)Total;
    return STATUS_SUCCESS;
}

VOID SglCopy(PRNIC_ADAPTER Adapter, struct rnic_sge *To, CONST NDK_SGE *pSgl, ULONG nSge) {
    ULONG i;

    for (i = 0; i < nSge; i++) {
        To[i].address = pSgl[i].LogicalAddress.QuadPart;
        To[i].bytes = pSgl[i].Length;
        To[i].lkey = KeyFromToken(Adapter, pSgl[i].MemoryRegionToken);
    }
}

static NTSTATUS PayloadInline(PRNIC_POST Post, CONST NDK_SGE *pSgl, ULONG nSge, ULONG Length) {
    PUCHAR To = (PUCHAR)Post->Wqe + RNIC_WQE_DATA_OFFSET;
    ULONG i;

    if (Length > Post->Qp->InlineBytes) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (i = 0; i < nSge; i++) {
        RtlCopyMemory(To, pSgl[i].VirtualAddress, pSgl[i].Length);
        To += pSgl[i].Length;
    }
    Post->Wqe->flags |= RNIC_WQE_INLINE;
    Post->Wqe->inline_bytes = Length;
    return STATUS_SUCCESS;
}

static NTSTATUS Payload(PRNIC_POST Post, CONST NDK_SGE *pSgl, ULONG nSge, ULONG SgeMax) {
    PRNIC_ADAPTER Adapter = Post->Qp->Object.Owner;
    ULONG Length;
    NTSTATUS Status = SglLength(Adapter, pSgl, nSge, &Length);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if ((Post->Flags & NDK_OP_FLAG_INLINE) != 0) {
        return PayloadInline(Post, pSgl, nSge, Length);
    }
    if (nSge > SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
    SglCopy(Adapter, (struct rnic_sge *)((PUCHAR)Post->Wqe + RNIC_WQE_DATA_OFFSET), pSgl, nSge);
    Post->Wqe->sge_count = (USHORT)nSge;
    return STATUS_SUCCESS;
}

static NTSTATUS PayloadAndEnd(PRNIC_POST Post, PVOID Context, CONST NDK_SGE *pSgl, ULONG nSge,
                              ULONG SgeMax) {
    NTSTATUS Status = Payload(Post, pSgl, nSge, SgeMax);

    return NT_SUCCESS(Status) ? SqEnd(Post, Context) : SqFail(Post, Status);
}

#define RNIC_SEND_FLAGS                                                                            \
    (RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | NDK_OP_FLAG_INLINE)

static const RNIC_POST_KIND SendKind = {RNIC_WQE_SEND, RNIC_SEND_FLAGS, RNIC_POST_KIND_OF("send"),
                                        RNIC_POST_OVERRUN("send")};

static const RNIC_POST_KIND SendAndInvalidateKind = {RNIC_WQE_SEND_INV, RNIC_SEND_FLAGS,
                                                     RNIC_POST_KIND_OF("send_and_invalidate"),
                                                     RNIC_POST_OVERRUN("send_and_invalidate")};

static const RNIC_POST_KIND WriteKind = {RNIC_WQE_WRITE,
                                         RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_INLINE,
                                         RNIC_POST_KIND_OF("write"), RNIC_POST_OVERRUN("write")};

static const RNIC_POST_KIND ReadKind = {
    RNIC_WQE_READ, RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE,
    RNIC_POST_KIND_OF("read"), RNIC_POST_OVERRUN("read")};

NTSTATUS NdkSend(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                 ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &SendKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    return PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->Sq.SgeMax);
}

NTSTATUS NdkSendAndInvalidate(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                              ULONG Flags, UINT32 RemoteToken) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &SendAndInvalidateKind);

    if (NT_SUCCESS(Status) && !ObjectKnows(&Qp->Object, 1, 2)) {
        return SqFail(&Post, STATUS_NOT_SUPPORTED);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Post.Wqe->key = RemoteToken;
    return PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->Sq.SgeMax);
}

static VOID RemotePlace(PRNIC_POST Post, UINT64 RemoteAddress, UINT32 RemoteToken) {
    struct rnic_wqe_transfer *Transfer = (struct rnic_wqe_transfer *)Post->Wqe;

    Transfer->remote_address = RemoteAddress;
    Transfer->rkey = RemoteToken;
}

NTSTATUS NdkWrite(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                  UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &WriteKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RemotePlace(&Post, RemoteAddress, RemoteToken);
    return PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->Sq.SgeMax);
}

NTSTATUS NdkRead(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                 UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &ReadKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RemotePlace(&Post, RemoteAddress, RemoteToken);
    /* Ignored by an adapter that does not advertise it (R-POST-22). */
    if ((Flags & NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) != 0 &&
        (Qp->Object.Owner->Info.AdapterFlags &
         NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED) != 0) {
        Post.Wqe->flags |= RNIC_WQE_LOCAL_INVALIDATE;
    }
    return PayloadAndEnd(&Post, RequestContext, pSgl, nSge, Qp->ReadSgeMax);
}

static BOOLEAN RqHasRoom(PRNIC_QP Qp) {
    PRNIC_QUEUE Rq = &Qp->Rq;
    KLOCK_QUEUE_HANDLE Lock;

    if (Rq->Producer - Rq->Freed < Rq->Depth) {
        return TRUE;
    }
    KeAcquireInStackQueuedSpinLock(&Qp->ReceiveCq->Lock, &Lock);
    CqResolve(Qp->ReceiveCq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Rq->Producer - Rq->Freed < Rq->Depth;
}

static NTSTATUS RqCheck(PRNIC_QP Qp, CONST NDK_SGE *pSgl, ULONG nSge) {
    ULONG Length;

    if (Qp->Object.Owner->Lost != 0) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!ObjectIsOpen(&Qp->Object) || Qp->Silent) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Qp->Srq != NULL) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (nSge > Qp->Rq.SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
    if (!RqHasRoom(Qp)) {
        return STATUS_NO_MORE_ENTRIES;
    }
    if (AnswerFault(&Qp->Object.Ndk.Header, "provider.receive.insufficient_resources")) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return SglLength(Qp->Object.Owner, pSgl, nSge, &Length);
}

static NTSTATUS RqPlanned(PRNIC_QP Qp) {
    return AnswerFault(&Qp->Object.Ndk.Header, RNIC_POST_BROKEN("receive")) ? STATUS_INTERNAL_ERROR
                                                                            : STATUS_SUCCESS;
}

NTSTATUS NdkReceive(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    PRNIC_QUEUE Rq = &Qp->Rq;
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Rq->Lock, &Lock);
    Status = RqCheck(Qp, pSgl, nSge);
    if (NT_SUCCESS(Status)) {
        SIZE_T Offset = (SIZE_T)(Rq->Producer & Rq->Mask) << Rq->StrideLog2;
        struct rnic_wqe_receive *Wqe = (struct rnic_wqe_receive *)(Rq->Ring.Va + Offset);

        SglCopy(Adapter, (struct rnic_sge *)((PUCHAR)Wqe + RNIC_RECEIVE_DATA_OFFSET), pSgl, nSge);
        Wqe->sge_count = QueuePlan(Rq, RqPlanned(Qp)) ? MAXULONG : nSge;
        Wqe->index = Rq->Producer;
        Wqe->tag = 0;
        Rq->Contexts[Rq->Producer & Rq->Mask] = RequestContext;
        Rq->Producer++;
        DoorbellRing(Adapter, RNIC_DOORBELL_RQ, Qp->Qpn, 0, Rq->Producer);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
