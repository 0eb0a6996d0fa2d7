/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts. All checks come before the entry, so that a post that fails leaves nothing behind. Nothing
 * is held back by NDK_OP_FLAG_DEFER, which is a hint: the doorbell is rung with every entry.
 */
#include "mbx.h"

#define MBX_FLAGS_COMMON (NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_READ_FENCE | NDK_OP_FLAG_DEFER)
#define MBX_FLAGS_RIGHTS                                                                           \
    (NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE | NDK_OP_FLAG_RDMA_READ_SINK)
#define MBX_FLAGS_SINCE_1_2 (NDK_OP_FLAG_DEFER | NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE)

typedef struct _MBX_POST {
    PMBX_QP Qp;
    KLOCK_QUEUE_HANDLE Lock;
    struct mbx_work *Work; /* the entry, zeroed but for what Begin has filled in */
} MBX_POST, *PMBX_POST;

/* ---- The send ring ---- */

static NTSTATUS SendCheck(PMBX_QP Qp, ULONG Flags, ULONG Allowed) {
    if (Qp->Orphan) {
        return STATUS_DEVICE_REMOVED;
    }
    if (ReadNoFence(&Qp->Object.Closing) != 0 || ReadNoFence(&Qp->InitiatorCq->Failed) != 0 ||
        ReadNoFence(&Qp->ReceiveCq->Failed) != 0) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Qp->Phase == QpUnconnected || Qp->Phase == QpEnded) {
        return STATUS_CONNECTION_INVALID;
    }
    if (!ObjectKnows(&Qp->Object, 1, 2)) {
        Allowed &= ~(ULONG)MBX_FLAGS_SINCE_1_2;
    }
    if ((Flags & ~Allowed) != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return Qp->Send.Tail - Qp->Progress->sent < Qp->Send.Depth ? STATUS_SUCCESS
                                                               : STATUS_NO_MORE_ENTRIES;
}

static ULONG WorkFlags(ULONG Flags) {
    ULONG Work = 0;

    if ((Flags & NDK_OP_FLAG_SILENT_SUCCESS) != 0) {
        Work |= MBX_WORK_SILENT;
    }
    if ((Flags & NDK_OP_FLAG_READ_FENCE) != 0) {
        Work |= MBX_WORK_FENCE;
    }
    if ((Flags & NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT) != 0) {
        Work |= MBX_WORK_SOLICIT;
    }
    if ((Flags & NDK_OP_FLAG_INLINE) != 0) {
        Work |= MBX_WORK_INLINE;
    }
    return Work;
}

static NTSTATUS PostFail(PMBX_POST Post, NTSTATUS Status) {
    KeReleaseInStackQueuedSpinLock(&Post->Lock);
    return Status;
}

/* With success the lock is held, until PostFail or PostEnd. */
static NTSTATUS PostBegin(PMBX_POST Post, NDK_QP *QpHandle, PVOID Caller, ULONG Opcode, ULONG Flags,
                          ULONG Allowed) {
    PMBX_QP Qp = QpOf(QpHandle);
    NTSTATUS Status;

    Post->Qp = Qp;
    KeAcquireInStackQueuedSpinLock(&Qp->Lock, &Post->Lock);
    Status = SendCheck(Qp, Flags, Allowed);
    if (!NT_SUCCESS(Status)) {
        return PostFail(Post, Status);
    }
    Post->Work = &Qp->Send.Entries[Qp->Send.Tail & Qp->Send.Mask];
    RtlZeroMemory(Post->Work, FIELD_OFFSET(struct mbx_work, payload));
    Post->Work->cookie = (ULONG_PTR)Caller;
    Post->Work->opcode = Opcode;
    Post->Work->flags = WorkFlags(Flags);
    return STATUS_SUCCESS;
}

static NTSTATUS PostEnd(PMBX_POST Post) {
    PMBX_QP Qp = Post->Qp;

    Qp->Send.Tail++;
    DoorbellRing(Qp->Object.Adapter, MBX_DOORBELL_SEND, Qp->Object.Number, Qp->Send.Tail);
    KeReleaseInStackQueuedSpinLock(&Post->Lock);
    return STATUS_SUCCESS;
}

/* ---- Payloads ---- */

static NTSTATUS SglBytes(CONST NDK_SGE *Sges, ULONG SgeCount, ULONG64 Max, PULONG Bytes) {
    ULONG64 Sum = 0;
    ULONG i;

    for (i = 0; i < SgeCount; i++) {
        Sum += Sges[i].Length;
    }
    *Bytes = (ULONG)Sum;
    return Sum <= Max ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

static VOID SglCopy(struct mbx_work *Work, CONST NDK_SGE *Sges, ULONG SgeCount) {
    ULONG i;

    for (i = 0; i < SgeCount; i++) {
        /* A virtual address, or a logical one with the privileged token: the same place. */
        Work->payload.sge[i].address = (ULONG64)Sges[i].LogicalAddress.QuadPart;
        Work->payload.sge[i].length = Sges[i].Length;
        Work->payload.sge[i].token = Sges[i].MemoryRegionToken;
    }
    Work->sge_count = SgeCount;
}

/* The bytes are taken now; tokens are not looked at. */
static NTSTATUS PayloadInline(PMBX_POST Post, CONST NDK_SGE *Sges, ULONG SgeCount) {
    PUCHAR To = Post->Work->payload.inline_bytes;
    ULONG Bytes;
    NTSTATUS Status = SglBytes(Sges, SgeCount, Post->Qp->InlineBytes, &Bytes);
    ULONG i;

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    for (i = 0; i < SgeCount; i++) {
        RtlCopyMemory(To, Sges[i].VirtualAddress, Sges[i].Length);
        To += Sges[i].Length;
    }
    Post->Work->length = Bytes;
    return STATUS_SUCCESS;
}

static NTSTATUS PayloadAndEnd(PMBX_POST Post, CONST NDK_SGE *Sges, ULONG SgeCount, ULONG SgeMax) {
    NTSTATUS Status;
    ULONG Bytes;

    if ((Post->Work->flags & MBX_WORK_INLINE) != 0) {
        Status = PayloadInline(Post, Sges, SgeCount);
    } else {
        Status = SgeCount > SgeMax ? STATUS_DATA_OVERRUN
                                   : SglBytes(Sges, SgeCount, MBX_MESSAGE_BYTES_MAX, &Bytes);
        if (NT_SUCCESS(Status)) {
            SglCopy(Post->Work, Sges, SgeCount);
        }
    }
    return NT_SUCCESS(Status) ? PostEnd(Post) : PostFail(Post, Status);
}

/* ---- Sends, reads, writes ---- */

NTSTATUS MbxSend(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount, ULONG Flags) {
    MBX_POST Post;
    NTSTATUS Status =
        PostBegin(&Post, QpHandle, Caller, MBX_WORK_SEND, Flags,
                  MBX_FLAGS_COMMON | NDK_OP_FLAG_INLINE | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT);

    return NT_SUCCESS(Status) ? PayloadAndEnd(&Post, Sges, SgeCount, Post.Qp->Send.SgeMax) : Status;
}

NTSTATUS MbxSendAndInvalidate(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                              ULONG Flags, UINT32 RemoteToken) {
    MBX_POST Post;
    NTSTATUS Status =
        PostBegin(&Post, QpHandle, Caller, MBX_WORK_SEND_INVALIDATE, Flags,
                  MBX_FLAGS_COMMON | NDK_OP_FLAG_INLINE | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (!ObjectKnows(&Post.Qp->Object, 1, 2)) {
        return PostFail(&Post, STATUS_NOT_SUPPORTED);
    }
    Post.Work->token = RemoteToken;
    return PayloadAndEnd(&Post, Sges, SgeCount, Post.Qp->Send.SgeMax);
}

NTSTATUS MbxWrite(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                  UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags) {
    MBX_POST Post;
    NTSTATUS Status = PostBegin(&Post, QpHandle, Caller, MBX_WORK_WRITE, Flags,
                                MBX_FLAGS_COMMON | NDK_OP_FLAG_INLINE);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Post.Work->remote_address = RemoteAddress;
    Post.Work->token = RemoteToken;
    return PayloadAndEnd(&Post, Sges, SgeCount, Post.Qp->Send.SgeMax);
}

/* RDMA_READ_LOCAL_INVALIDATE is not advertised, and so ignored. */
NTSTATUS MbxRead(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount,
                 UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags) {
    MBX_POST Post;
    NTSTATUS Status = PostBegin(&Post, QpHandle, Caller, MBX_WORK_READ, Flags,
                                MBX_FLAGS_COMMON | NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Post.Work->remote_address = RemoteAddress;
    Post.Work->token = RemoteToken;
    return PayloadAndEnd(&Post, Sges, SgeCount, MBX_SGE_COUNT_MAX);
}

/* ---- Memory ---- */

static const MBX_RIGHT OpRights[] = {
    {NDK_OP_FLAG_ALLOW_REMOTE_WRITE & ~NDK_OP_FLAG_ALLOW_LOCAL_WRITE, MBX_REMOTE_WRITE},
    {NDK_OP_FLAG_ALLOW_REMOTE_READ, MBX_REMOTE_READ},
    {NDK_OP_FLAG_ALLOW_LOCAL_WRITE, MBX_LOCAL_WRITE},
    {NDK_OP_FLAG_RDMA_READ_SINK, MBX_READ_SINK},
    {0, 0},
};

/* Of a fast registration, whose flags have others beside rights. */
static NTSTATUS RightsOfPost(const MBX_MR *Mr, ULONG Flags, PULONG Rights) {
    ULONG Others;

    if (!RightsTake(OpRights, Flags, Rights, &Others)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!Mr->RemoteAccess && (*Rights & (MBX_REMOTE_WRITE | MBX_REMOTE_READ)) != 0) {
        return STATUS_ACCESS_VIOLATION;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS FastRegisterCheck(const MBX_QP *Qp, const MBX_MR *Mr, ULONG Pages, ULONG FBO,
                                  SIZE_T Length, ULONG_PTR Base) {
    if (Mr->Object.Parents[0] != Qp->Object.Parents[0]) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!Mr->FastRegister || Mr->Object.Number == 0) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (Pages == 0 || Pages > Mr->PageCount || FBO >= PAGE_SIZE || Length == 0 ||
        Length > ((SIZE_T)Pages << PAGE_SHIFT) - FBO || (Base & (PAGE_SIZE - 1)) != FBO) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

NTSTATUS MbxFastRegister(NDK_QP *QpHandle, PVOID Caller, NDK_MR *pMr, ULONG AdapterPageCount,
                         CONST NDK_LOGICAL_ADDRESS *AdapterPageArray, ULONG FBO, SIZE_T Length,
                         PVOID BaseVirtualAddress, ULONG Flags) {
    PMBX_MR Mr = MrOf(pMr);
    MBX_POST Post;
    ULONG Rights;
    ULONG i;
    NTSTATUS Status = PostBegin(&Post, QpHandle, Caller, MBX_WORK_FAST_REGISTER, Flags,
                                MBX_FLAGS_COMMON | MBX_FLAGS_RIGHTS);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = FastRegisterCheck(Post.Qp, Mr, AdapterPageCount, FBO, Length,
                               (ULONG_PTR)BaseVirtualAddress);
    if (NT_SUCCESS(Status)) {
        Status = RightsOfPost(Mr, Flags, &Rights);
    }
    for (i = 0; NT_SUCCESS(Status) && i < AdapterPageCount; i++) {
        Post.Work->payload.pages[i] = (ULONG64)AdapterPageArray[i].QuadPart;
        if ((Post.Work->payload.pages[i] & (PAGE_SIZE - 1)) != 0) {
            Status = STATUS_INVALID_PARAMETER;
        }
    }
    if (!NT_SUCCESS(Status)) {
        return PostFail(&Post, Status);
    }
    Post.Work->token = Mr->Object.Number;
    Post.Work->base = (ULONG64)(ULONG_PTR)BaseVirtualAddress;
    Post.Work->length = (ULONG)Length;
    Post.Work->rights = Rights;
    Post.Work->page_count = AdapterPageCount;
    Post.Work->page_offset = FBO;
    return PostEnd(&Post);
}

NTSTATUS MbxInvalidate(NDK_QP *QpHandle, PVOID Caller, NDK_OBJECT_HEADER *pNdkMrOrMw, ULONG Flags) {
    MBX_POST Post;
    NTSTATUS Status =
        PostBegin(&Post, QpHandle, Caller, MBX_WORK_INVALIDATE, Flags, MBX_FLAGS_COMMON);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (pNdkMrOrMw->ObjectType != NdkObjectTypeMr) {
        return PostFail(&Post, STATUS_NOT_SUPPORTED);
    }
    Post.Work->token = CONTAINING_RECORD(pNdkMrOrMw, MBX_OBJECT, Ndk.Header)->Number;
    return PostEnd(&Post);
}

/* There are no windows to bind. */
NTSTATUS MbxBind(NDK_QP *QpHandle, PVOID Caller, NDK_MR *pMr, NDK_MW *pMw, PVOID VirtualAddress,
                 SIZE_T Length, ULONG Flags) {
    MBX_POST Post;
    NTSTATUS Status =
        PostBegin(&Post, QpHandle, Caller, 0, Flags, MBX_FLAGS_COMMON | MBX_FLAGS_RIGHTS);

    UNREFERENCED_PARAMETER(pMr);
    UNREFERENCED_PARAMETER(pMw);
    UNREFERENCED_PARAMETER(VirtualAddress);
    UNREFERENCED_PARAMETER(Length);
    return NT_SUCCESS(Status) ? PostFail(&Post, STATUS_NOT_SUPPORTED) : Status;
}

/* ---- Receives ---- */

static NTSTATUS ReceiveCheck(PMBX_QP Qp, CONST NDK_SGE *Sges, ULONG SgeCount) {
    ULONG Bytes;

    if (Qp->Orphan) {
        return STATUS_DEVICE_REMOVED;
    }
    if (ReadNoFence(&Qp->Object.Closing) != 0 || ReadNoFence(&Qp->InitiatorCq->Failed) != 0 ||
        ReadNoFence(&Qp->ReceiveCq->Failed) != 0) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (SgeCount > Qp->Receive.SgeMax) {
        return STATUS_DATA_OVERRUN;
    }
    if (Qp->Receive.Tail - Qp->Progress->received >= Qp->Receive.Depth) {
        return STATUS_NO_MORE_ENTRIES;
    }
    return SglBytes(Sges, SgeCount, MBX_MESSAGE_BYTES_MAX, &Bytes);
}

NTSTATUS MbxReceive(NDK_QP *QpHandle, PVOID Caller, CONST NDK_SGE *Sges, ULONG SgeCount) {
    PMBX_QP Qp = QpOf(QpHandle);
    KLOCK_QUEUE_HANDLE Lock;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Qp->Lock, &Lock);
    Status = ReceiveCheck(Qp, Sges, SgeCount);
    if (NT_SUCCESS(Status)) {
        struct mbx_work *Work = &Qp->Receive.Entries[Qp->Receive.Tail & Qp->Receive.Mask];

        RtlZeroMemory(Work, FIELD_OFFSET(struct mbx_work, payload));
        Work->cookie = (ULONG_PTR)Caller;
        SglCopy(Work, Sges, SgeCount);
        Qp->Receive.Tail++;
        DoorbellRing(Qp->Object.Adapter, MBX_DOORBELL_RECEIVE, Qp->Object.Number, Qp->Receive.Tail);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
