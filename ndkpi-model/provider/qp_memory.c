/* SPDX-License-Identifier: Apache-2.0 */
/* Posting fast registrations. */
#include "adapter.h"
#include "qp_post.h"

#define RNIC_REMOTE_WRITE_BIT 0x20u /* of NDK_OP_FLAG_ALLOW_REMOTE_WRITE */
#define RNIC_FAST_REGISTER_FLAGS                                                                   \
    (RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_LOCAL_WRITE |      \
     NDK_OP_FLAG_ALLOW_REMOTE_WRITE | NDK_OP_FLAG_RDMA_READ_SINK)

static const RNIC_POST_KIND FastRegisterKind = {RNIC_WQE_FAST_REG, RNIC_FAST_REGISTER_FLAGS,
                                                RNIC_POST_KIND_OF("fast_register"),
                                                RNIC_POST_REFUSED("fast_register")};

/* FALSE: remote write without local write (F-28). */
static BOOLEAN RightsFromFlags(ULONG Flags, PULONG Rights) {
    *Rights = 0;
    if ((Flags & NDK_OP_FLAG_ALLOW_LOCAL_WRITE) != 0) {
        *Rights |= RNIC_RIGHT_LOCAL_WRITE;
    }
    if ((Flags & NDK_OP_FLAG_ALLOW_REMOTE_READ) != 0) {
        *Rights |= RNIC_RIGHT_REMOTE_READ;
    }
    if ((Flags & NDK_OP_FLAG_RDMA_READ_SINK) != 0) {
        *Rights |= RNIC_RIGHT_READ_SINK;
    }
    if ((Flags & RNIC_REMOTE_WRITE_BIT) != 0) {
        *Rights |= RNIC_RIGHT_REMOTE_WRITE;
        return (Flags & NDK_OP_FLAG_ALLOW_REMOTE_WRITE) == NDK_OP_FLAG_ALLOW_REMOTE_WRITE;
    }
    return TRUE;
}

typedef struct _RNIC_RANGE {
    ULONG PageCount;
    CONST NDK_LOGICAL_ADDRESS *Pages;
    ULONG Fbo;
    SIZE_T Length;
    ULONG_PTR Base;
} RNIC_RANGE;

static BOOLEAN RangeIsSound(PRNIC_MR Mr, const RNIC_RANGE *Range) {
    SIZE_T Space = (SIZE_T)Range->PageCount << PAGE_SHIFT;
    ULONG i;

    if (Range->PageCount == 0 || Range->PageCount > Mr->PageCountMax || Range->Fbo >= PAGE_SIZE ||
        Range->Length == 0 || Range->Length > Space - Range->Fbo ||
        Range->Base + Range->Length < Range->Base ||
        (Range->Base & (PAGE_SIZE - 1)) != Range->Fbo) {
        return FALSE;
    }
    for (i = 0; i < Range->PageCount; i++) {
        if ((Range->Pages[i].QuadPart & (PAGE_SIZE - 1)) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static NTSTATUS FastRegisterCheck(PRNIC_QP Qp, PRNIC_MR Mr, const RNIC_RANGE *Range, ULONG Flags,
                                  PULONG Rights) {
    if (!ObjectIsOpen(&Mr->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (!Mr->FastRegister || Mr->State != MrReady) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (!RightsFromFlags(Flags, Rights) || Mr->Pd != Qp->Pd || !RangeIsSound(Mr, Range)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!Mr->RemoteAccess && (*Rights & (RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE)) != 0) {
        return STATUS_ACCESS_VIOLATION;
    }
    return STATUS_SUCCESS;
}

/*
 * The device reads the list when it executes the entry, so the list belongs to the entry and may
 * be written again only when that is free.
 */
static PRNIC_DMA EntryPageList(PRNIC_QP Qp, ULONG Bytes) {
    PRNIC_DMA List;

    if (Qp->PageLists == NULL) {
        Qp->PageLists = PoolGet((Qp->Sq.Mask + 1) * sizeof(*Qp->PageLists));
        if (Qp->PageLists == NULL) {
            return NULL;
        }
    }
    List = &Qp->PageLists[Qp->Sq.Producer & Qp->Sq.Mask];
    if (List->Va != NULL && List->Bytes < Bytes) {
        DmaPut(Qp->Object.Owner, List);
    }
    if (List->Va == NULL && !NT_SUCCESS(DmaGet(Qp->Object.Owner, Bytes, List))) {
        return NULL;
    }
    return List;
}

static NTSTATUS FastRegisterFill(PRNIC_POST Post, PRNIC_MR Mr, const RNIC_RANGE *Range,
                                 ULONG Rights) {
    struct rnic_wqe_fast_reg *Wqe = (struct rnic_wqe_fast_reg *)Post->Wqe;
    ULONG Bytes = Range->PageCount * (ULONG)sizeof(ULONG64);
    PRNIC_DMA List = EntryPageList(Post->Qp, Bytes);
    ULONG i;

    if (List == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    for (i = 0; i < Range->PageCount; i++) {
        ((ULONG64 *)List->Va)[i] = (ULONG64)Range->Pages[i].QuadPart;
    }
    if (Post->Qp->Object.Owner->Settings.TokenRotates != 0) {
        Mr->Key = (Mr->Key & ~0xFFu) | (UCHAR)(Mr->Key + 1);
    }
    Wqe->control.key = Mr->Key;
    Wqe->base = Range->Base;
    Wqe->length = Range->Length;
    Wqe->page_list = List->Address;
    Wqe->page_count = Range->PageCount;
    Wqe->rights = Rights;
    RtlZeroMemory(Wqe->reserved, sizeof(Wqe->reserved));
    return STATUS_SUCCESS;
}

NTSTATUS NdkFastRegister(NDK_QP *pNdkQp, PVOID RequestContext, NDK_MR *pMr, ULONG AdapterPageCount,
                         CONST NDK_LOGICAL_ADDRESS *AdapterPageArray, ULONG FBO, SIZE_T Length,
                         PVOID BaseVirtualAddress, ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    PRNIC_MR Mr = MrOf(pMr);
    const RNIC_RANGE Range = {AdapterPageCount, AdapterPageArray, FBO, Length,
                              (ULONG_PTR)BaseVirtualAddress};
    RNIC_POST Post;
    ULONG Rights;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &FastRegisterKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = FastRegisterCheck(Qp, Mr, &Range, Flags, &Rights);
    if (NT_SUCCESS(Status)) {
        Status = FastRegisterFill(&Post, Mr, &Range, Rights);
    }
    return NT_SUCCESS(Status) ? SqEnd(&Post, RequestContext) : SqFail(&Post, Status);
}
