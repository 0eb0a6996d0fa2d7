/* SPDX-License-Identifier: Apache-2.0 */
/* Posting binds of memory windows, and invalidations of whatever can be invalidated. */
#include "adapter.h"
#include "qp_post.h"

#define RNIC_BIND_FLAGS                                                                            \
    (RNIC_POST_FLAGS_COMMON | NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)

static const RNIC_POST_KIND BindKind = {RNIC_WQE_BIND_MW, RNIC_BIND_FLAGS,
                                        RNIC_POST_KIND_OF("bind"), RNIC_POST_REFUSED("bind")};

static const RNIC_POST_KIND InvalidateKind = {RNIC_WQE_LOCAL_INV, RNIC_POST_FLAGS_COMMON,
                                              RNIC_POST_KIND_OF("invalidate"), RNIC_POST_NO_OTHER};

typedef struct _RNIC_BIND {
    PRNIC_MR Mr;
    PRNIC_MW Mw;
    ULONG_PTR Base;
    SIZE_T Length;
    ULONG Rights;
} RNIC_BIND;

/* FALSE: neither right (F-23), or half of remote write (F-28). */
static BOOLEAN BindRights(ULONG Flags, PULONG Rights) {
    ULONG Write = Flags & NDK_OP_FLAG_ALLOW_REMOTE_WRITE;

    *Rights = 0;
    if ((Flags & NDK_OP_FLAG_ALLOW_REMOTE_READ) != 0) {
        *Rights |= RNIC_RIGHT_REMOTE_READ;
    }
    if (Write == NDK_OP_FLAG_ALLOW_REMOTE_WRITE) {
        *Rights |= RNIC_RIGHT_REMOTE_WRITE;
    }
    return *Rights != 0 && (Write == 0 || Write == NDK_OP_FLAG_ALLOW_REMOTE_WRITE);
}

/* What the region allows its windows (R-MEM-23). Addresses are compared, never followed. */
static BOOLEAN RegionCovers(PRNIC_MR Mr, const RNIC_BIND *Bind) {
    BOOLEAN Freely = Mr->Object.Owner->Settings.WindowsReadFreely != 0;
    ULONG_PTR Offset = Bind->Base - Mr->Base;

    if (Bind->Base < Mr->Base || Offset > Mr->Length || Bind->Length > Mr->Length - Offset) {
        return FALSE;
    }
    if ((Bind->Rights & RNIC_RIGHT_REMOTE_WRITE) != 0 &&
        (Mr->Rights & RNIC_RIGHT_LOCAL_WRITE) == 0) {
        return FALSE;
    }
    return (Bind->Rights & RNIC_RIGHT_REMOTE_READ) == 0 || Freely ||
           (Mr->Rights & RNIC_RIGHT_REMOTE_READ) != 0;
}

/* A region that is not registered now may be when the entry is executed: the device judges. */
static NTSTATUS BindCheck(PRNIC_QP Qp, RNIC_BIND *Bind, ULONG Flags) {
    PRNIC_MR Mr = Bind->Mr;

    if (!ObjectIsOpen(&Mr->Object) || !ObjectIsOpen(&Bind->Mw->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Mr->FastRegister || Mr->Pd != Qp->Pd || Bind->Mw->Pd != Qp->Pd || Bind->Length == 0 ||
        Bind->Length > Qp->Object.Owner->Info.MaxWindowSize ||
        Bind->Base + Bind->Length < Bind->Base || !BindRights(Flags, &Bind->Rights)) {
        return STATUS_INVALID_PARAMETER;
    }
    return Mr->State != MrRegistered || RegionCovers(Mr, Bind) ? STATUS_SUCCESS
                                                               : STATUS_ACCESS_VIOLATION;
}

static NTSTATUS BindFill(PRNIC_POST Post, const RNIC_BIND *Bind, PBOOLEAN Awaited) {
    struct rnic_wqe_bind *Wqe = (struct rnic_wqe_bind *)Post->Wqe;
    PRNIC_MW Mw = Bind->Mw;
    PRNIC_WINDOW_WORK Work = WindowWorkNew(Mw, Bind->Mr);

    if (Work == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Mw->Key = MwNextKey(Mw);
    Mw->BindsOfKey++;
    Mw->HasToken = TRUE;
    Wqe->control.key = Mw->Key;
    Wqe->base = Bind->Base;
    Wqe->length = Bind->Length;
    Wqe->region_key = Bind->Mr->Key;
    Wqe->rights = Bind->Rights;
    RtlZeroMemory(Wqe->reserved, sizeof(Wqe->reserved));
    *Awaited = WindowWorkPosted(Post->Qp, Work, Post->Wqe->index, Mw->Key);
    return STATUS_SUCCESS;
}

static NTSTATUS BindPost(PRNIC_QP Qp, PVOID Context, RNIC_BIND *Bind, ULONG Flags) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    BOOLEAN Awaited = FALSE;
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &BindKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = BindCheck(Qp, Bind, Flags);
    if (NT_SUCCESS(Status)) {
        Status = BindFill(&Post, Bind, &Awaited);
    }
    if (!NT_SUCCESS(Status)) {
        return SqFail(&Post, Status);
    }
    Status = SqEnd(&Post, Context);
    if (Awaited) {
        WindowsWatch(Adapter);
    }
    return Status;
}

NTSTATUS NdkBind(NDK_QP *pNdkQp, PVOID RequestContext, NDK_MR *pMr, NDK_MW *pMw,
                 PVOID VirtualAddress, SIZE_T Length, ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    RNIC_BIND Bind = {MrOf(pMr), MwOf(pMw), (ULONG_PTR)VirtualAddress, Length, 0};

    if (!MwRenewKey(Bind.Mw, Qp)) {
        QpTellHeld(Qp);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return BindPost(Qp, RequestContext, &Bind, Flags);
}

/* ---- Invalidation ---- */

/* What was registered by NdkRegisterMr is not for NdkInvalidate (R-MEM-21). */
static NTSTATUS InvalidateMrCheck(PRNIC_QP Qp, PRNIC_MR Mr) {
    if (Mr->Pd != Qp->Pd) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ObjectIsOpen(&Mr->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    return Mr->FastRegister && Mr->State == MrReady ? STATUS_SUCCESS
                                                    : STATUS_INVALID_DEVICE_REQUEST;
}

static NTSTATUS InvalidateMwCheck(PRNIC_QP Qp, PRNIC_MW Mw) {
    if (Mw->Pd != Qp->Pd) {
        return STATUS_INVALID_PARAMETER;
    }
    return ObjectIsOpen(&Mw->Object) ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
}

static NTSTATUS InvalidateMw(PRNIC_POST Post, PRNIC_MW Mw, PBOOLEAN Awaited) {
    NTSTATUS Status = InvalidateMwCheck(Post->Qp, Mw);
    PRNIC_WINDOW_WORK Work = NT_SUCCESS(Status) ? WindowWorkNew(Mw, NULL) : NULL;

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    if (Work == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Post->Wqe->key = Mw->Key;
    *Awaited = WindowWorkPosted(Post->Qp, Work, Post->Wqe->index, Mw->Key);
    return STATUS_SUCCESS;
}

static NTSTATUS InvalidateFill(PRNIC_POST Post, NDK_OBJECT_HEADER *pNdkMrOrMw, PBOOLEAN Awaited) {
    PRNIC_MR Mr = CONTAINING_RECORD(pNdkMrOrMw, RNIC_MR, Object.Ndk.Header);
    NTSTATUS Status;

    switch (pNdkMrOrMw->ObjectType) {
    case NdkObjectTypeMw:
        return InvalidateMw(Post, CONTAINING_RECORD(pNdkMrOrMw, RNIC_MW, Object.Ndk.Header),
                            Awaited);
    case NdkObjectTypeMr:
        Status = InvalidateMrCheck(Post->Qp, Mr);
        Post->Wqe->key = Mr->Key;
        return Status;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

NTSTATUS NdkInvalidate(NDK_QP *pNdkQp, PVOID RequestContext, NDK_OBJECT_HEADER *pNdkMrOrMw,
                       ULONG Flags) {
    PRNIC_QP Qp = QpOf(pNdkQp);
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    BOOLEAN Awaited = FALSE;
    RNIC_POST Post;
    NTSTATUS Status = SqBegin(&Post, Qp, Flags, &InvalidateKind);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = InvalidateFill(&Post, pNdkMrOrMw, &Awaited);
    if (!NT_SUCCESS(Status)) {
        return SqFail(&Post, Status);
    }
    Status = SqEnd(&Post, RequestContext);
    if (Awaited) {
        WindowsWatch(Adapter);
    }
    return Status;
}
