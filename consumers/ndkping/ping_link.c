/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of ndkping, either side; see ping.h. */
#include "ping.h"

#define RESULTS_AT_ONCE 4

VOID PingFill(PUCHAR Data, ULONG Bytes, ULONG Seed) {
    ULONG Index;

    for (Index = 0; Index < Bytes; Index++) {
        Data[Index] = (UCHAR)(Seed * 31 + Index * 7 + (Index >> 8));
    }
}

BOOLEAN PingEquals(const UCHAR *Data, ULONG Bytes, ULONG Seed) {
    ULONG Index;

    for (Index = 0; Index < Bytes; Index++) {
        if (Data[Index] != (UCHAR)(Seed * 31 + Index * 7 + (Index >> 8))) {
            return FALSE;
        }
    }
    return TRUE;
}

static VOID OverLocked(PPING_LINK Link, NTSTATUS Status) {
    if (!Link->IsOver) {
        Link->IsOver = TRUE;
        Link->OverStatus = Status;
        if (Link->Waits) {
            KeSetEvent(&Link->Changed, IO_NO_INCREMENT, FALSE);
        }
    }
}

VOID LinkOver(PPING_LINK Link, NTSTATUS Status) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Link->Lock, &Handle);
    OverLocked(Link, Status);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

BOOLEAN LinkIsOver(const PING_LINK *Link) {
    return *(const volatile BOOLEAN *)&Link->IsOver;
}

BOOLEAN LinkIsDone(const PING_OP *Op) {
    return !*(const volatile BOOLEAN *)&Op->IsBusy;
}

static VOID DrainCheckLocked(PPING_LINK Link) {
    BOOLEAN IsDrained = Link->SendsOut == 0 && (!Link->DrainReceives || Link->ReceivesOut == 0);

    if (Link->Drained != NULL && (IsDrained || Link->CqFailed)) {
        KeSetEvent(Link->Drained, IO_NO_INCREMENT, FALSE);
        Link->Drained = NULL;
    }
}

static VOID LinkDrain(PPING_LINK Link, BOOLEAN Receives) {
    KLOCK_QUEUE_HANDLE Handle;
    KEVENT Drained;

    KeInitializeEvent(&Drained, NotificationEvent, FALSE);
    KeAcquireInStackQueuedSpinLock(&Link->Lock, &Handle);
    Link->Drained = &Drained;
    Link->DrainReceives = Receives;
    DrainCheckLocked(Link);
    KeReleaseInStackQueuedSpinLock(&Handle);
    KeWaitForSingleObject(&Drained, Executive, KernelMode, FALSE, NULL);
}

static VOID LinkCompleted(PPING_LINK Link, const NDK_RESULT *Result) {
    PPING_OP Op = Result->RequestContext;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Link->Lock, &Handle);
    NT_ASSERT(Op->IsBusy);
    Op->Status = Result->Status;
    if (Op->IsReceive) {
        Op->Bytes = NT_SUCCESS(Result->Status) ? Result->BytesTransferred : 0;
        Link->ReceivesOut--;
    } else {
        Link->SendsOut--;
    }
    if (Result->Status != STATUS_SUCCESS) {
        OverLocked(Link, Result->Status);
    }
    /* Last, since LinkIsDone does not take the lock. */
    *(volatile BOOLEAN *)&Op->IsBusy = FALSE;
    DrainCheckLocked(Link);
    KeReleaseInStackQueuedSpinLock(&Handle);
    Link->Completed(Link, Op);
}

static VOID LinkNotify(PVOID Context, NTSTATUS CqStatus) {
    PPING_LINK Link = Context;
    NDK_RESULT Results[RESULTS_AT_ONCE];
    NDK_CQ *Cq = Link->Cq;
    KLOCK_QUEUE_HANDLE Handle;
    ULONG Count;
    ULONG Index;

    if (!ExAcquireRundownProtection(&Link->CqUse)) {
        return;
    }
    if (CqStatus != STATUS_SUCCESS) {
        KeAcquireInStackQueuedSpinLock(&Link->Lock, &Handle);
        Link->CqFailed = TRUE;
        OverLocked(Link, CqStatus);
        DrainCheckLocked(Link);
        KeReleaseInStackQueuedSpinLock(&Handle);
        ExReleaseRundownProtection(&Link->CqUse);
        return;
    }
    do {
        Count = Cq->Dispatch->NdkGetCqResults(Cq, Results, RESULTS_AT_ONCE);
        for (Index = 0; Index < Count; Index++) {
            LinkCompleted(Link, &Results[Index]);
        }
    } while (Count == RESULTS_AT_ONCE);
    /* What has come since this notification began meets the arm at once. */
    Cq->Dispatch->NdkArmCq(Cq, NDK_CQ_NOTIFY_ANY);
    ExReleaseRundownProtection(&Link->CqUse);
}

/* Posts under the lock; `Write` is meant for RDMA only. */
typedef enum _LINK_POST { PostReceive, PostSend, PostRead, PostWrite } LINK_POST;

static NTSTATUS LinkPostLocked(PPING_LINK Link, PPING_OP Op, LINK_POST Post, const NDK_SGE *Sge,
                               const PING_REMOTE *Remote) {
    NDK_QP *Qp = Link->Qp;

    switch (Post) {
    case PostReceive:
        return Qp->Dispatch->NdkReceive(Qp, Op, Sge, 1);
    case PostSend:
        return Qp->Dispatch->NdkSend(Qp, Op, Sge, 1, 0);
    case PostRead:
        return Qp->Dispatch->NdkRead(Qp, Op, Sge, 1, Remote->Address, Remote->Token, 0);
    default:
        return Qp->Dispatch->NdkWrite(Qp, Op, Sge, 1, Remote->Address, Remote->Token, 0);
    }
}

static NTSTATUS LinkPost(PPING_LINK Link, PPING_OP Op, LINK_POST Post, const NDK_SGE *Sge,
                         const PING_REMOTE *Remote) {
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status = STATUS_CANCELLED;

    KeAcquireInStackQueuedSpinLock(&Link->Lock, &Handle);
    if (!Link->IsOver) {
        NT_ASSERT(!Op->IsBusy);
        Op->IsBusy = TRUE;
        Status = LinkPostLocked(Link, Op, Post, Sge, Remote);
    }
    if (Status == STATUS_SUCCESS) {
        Link->SendsOut += Op->IsReceive ? 0 : 1;
        Link->ReceivesOut += Op->IsReceive ? 1 : 0;
    } else if (!Link->IsOver) {
        Op->IsBusy = FALSE;
        OverLocked(Link, Status);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Status;
}

NTSTATUS LinkReceive(PPING_LINK Link, PPING_OP Op) {
    NDK_SGE Sge;

    Sge.VirtualAddress = Op->Data;
    Sge.Length = Link->MessageBytes;
    Sge.MemoryRegionToken = Link->Messages.LocalToken;
    return LinkPost(Link, Op, PostReceive, &Sge, NULL);
}

NTSTATUS LinkSend(PPING_LINK Link, PPING_OP Op, ULONG Bytes) {
    NDK_SGE Sge;

    Sge.VirtualAddress = Op->Data;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = Link->Messages.LocalToken;
    return LinkPost(Link, Op, PostSend, &Sge, NULL);
}

NTSTATUS LinkRdma(PPING_LINK Link, BOOLEAN IsWrite, const PING_REMOTE *Remote) {
    NDK_SGE Sge;

    Sge.VirtualAddress = Link->Data.Buffer;
    Sge.Length = Remote->Bytes;
    Sge.MemoryRegionToken = Link->Data.LocalToken;
    return LinkPost(Link, &Link->Bulk, IsWrite ? PostWrite : PostRead, &Sge, Remote);
}

static VOID OpInit(PPING_OP Op, BOOLEAN IsReceive, PUCHAR Data) {
    Op->IsReceive = IsReceive;
    Op->Data = Data;
}

static NTSTATUS LinkBuffers(PPING_LINK Link, ULONG DataBytes, ULONG DataFlags) {
    ULONG Stride = (ULONG)ALIGN_UP_BY(Link->MessageBytes, 64);
    NTSTATUS Status;
    ULONG Index;

    Status = RegionCreate(&Link->Messages, Link->Pd, NULL, 2 * Link->Depth * Stride,
                          NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
    if (NT_SUCCESS(Status) && DataBytes != 0) {
        Status = RegionCreate(&Link->Data, Link->Pd, NULL, DataBytes, DataFlags);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    OpInit(&Link->Bulk, FALSE, NULL);
    for (Index = 0; Index < Link->Depth; Index++) {
        PUCHAR Data = Link->Messages.Buffer + Index * Stride;

        OpInit(&Link->Receives[Index], TRUE, Data);
        OpInit(&Link->Sends[Index], FALSE, Data + Link->Depth * Stride);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS LinkObjects(PPING_LINK Link) {
    /* The client has one send, read or write under way, the server its sends. */
    const SYNC_QP_SIZES Sizes = {Link->Depth, Link->Depth, 1, 1, 0};
    NTSTATUS Status;

    Status = SyncCreatePd(Link->Rdma->Adapter, &Link->Pd);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateCq(Link->Rdma->Adapter, 2 * Link->Depth, LinkNotify, Link, &Link->Cq);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    /* Before a QP uses it: nothing can complete yet, so no notification meets this call. */
    Link->Cq->Dispatch->NdkArmCq(Link->Cq, NDK_CQ_NOTIFY_ANY);
    return SyncCreateQp(Link->Pd, Link->Cq, Link->Cq, Link, &Sizes, &Link->Qp);
}

NTSTATUS LinkOpen(PPING_LINK Link, PRDMA_ADAPTER Rdma, ULONG MessageBytes, ULONG DataBytes,
                  ULONG DataFlags) {
    NTSTATUS Status;
    ULONG Index;

    PAGED_CODE();
    Link->Rdma = Rdma;
    Link->MessageBytes = MessageBytes;
    Link->Depth = Link->Waits ? PING_DEPTH_OF_CLIENT : PING_DEPTH;
    KeInitializeSpinLock(&Link->Lock);
    if (Link->Waits) {
        KeInitializeEvent(&Link->Changed, SynchronizationEvent, FALSE);
    }
    ExInitializeRundownProtection(&Link->CqUse);
    Status = LinkObjects(Link);
    if (NT_SUCCESS(Status)) {
        Status = LinkBuffers(Link, DataBytes, DataFlags);
    }
    for (Index = 0; NT_SUCCESS(Status) && Index < Link->Depth; Index++) {
        Status = LinkReceive(Link, &Link->Receives[Index]);
    }
    return Status;
}

static VOID LinkDisconnect(PPING_LINK Link) {
    NTSTATUS Status = STATUS_CONNECTION_INVALID;

    LinkDrain(Link, FALSE);
    if (Link->IsConnected) {
        Status = SyncDisconnect(Link->Connector);
    }
    if (Status != STATUS_SUCCESS) {
        Link->Qp->Dispatch->NdkFlush(Link->Qp);
    }
    LinkDrain(Link, TRUE);
}

VOID LinkClose(PPING_LINK Link) {
    PAGED_CODE();
    LinkOver(Link, STATUS_CANCELLED);
    if (Link->Qp != NULL) {
        LinkDisconnect(Link);
    }
    if (Link->Connector != NULL) {
        SyncClose(&Link->Connector->Header, Link->Connector->Dispatch->NdkCloseConnector);
        Link->Connector = NULL;
    }
    if (Link->Qp != NULL) {
        SyncClose(&Link->Qp->Header, Link->Qp->Dispatch->NdkCloseQp);
        Link->Qp = NULL;
    }
    RegionClose(&Link->Messages);
    RegionClose(&Link->Data);
    if (Link->Cq != NULL) {
        ExWaitForRundownProtectionRelease(&Link->CqUse);
        SyncClose(&Link->Cq->Header, Link->Cq->Dispatch->NdkCloseCq);
        Link->Cq = NULL;
    }
    if (Link->Pd != NULL) {
        SyncClose(&Link->Pd->Header, Link->Pd->Dispatch->NdkClosePd);
        Link->Pd = NULL;
    }
    RegionFree(&Link->Messages);
    RegionFree(&Link->Data);
}
