/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: creation, phases, flush; posts are in mbx_post.c. */
#include "mbx.h"

static VOID QpFree(PMBX_OBJECT Object) {
    SharedFree(&CONTAINING_RECORD(Object, MBX_QP, Object)->Memory);
}

static const MBX_CLASS QpClass = {.Type = NdkObjectTypeQp,
                                  .CreateFault = "provider.create_qp.insufficient_resources",
                                  .DestroyOpcode = MBX_DESTROY_QP,
                                  .Free = QpFree};

VOID QpSetPhase(PMBX_QP Qp, MBX_QP_PHASE Phase) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->Lock, &Lock);
    if (Qp->Phase < (LONG)Phase) {
        Qp->Phase = Phase;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* ---- Flush ---- */

static VOID FlushDone(PMBX_COMMAND Command) {
    ObjectPut(&CONTAINING_RECORD(Command, MBX_QP, FlushCommand)->Object);
}

/* For good: what is posted later is cancelled, too. The connection is left alone. */
static VOID MbxFlush(NDK_QP *QpHandle) {
    PMBX_QP Qp = QpOf(QpHandle);

    if (InterlockedExchange(&Qp->FlushPosted, 1) != 0) {
        return;
    }
    QpSetPhase(Qp, Qp->Phase == QpUnconnected ? QpEnded : QpFlushing);
    ObjectGet(&Qp->Object);
    CommandInit(&Qp->FlushCommand, MBX_FLUSH_QP, Qp->Object.Number, FlushDone);
    CommandPost(Qp->Object.Adapter, &Qp->FlushCommand);
}

/* ---- Without a device ---- */

static VOID CancelRing(PMBX_QP Qp, PMBX_RING Ring, volatile UINT32 *Finished, PMBX_CQ Cq,
                       BOOLEAN IsReceive) {
    for (; *Finished != Ring->Tail; (*Finished)++) {
        const struct mbx_work *Work = &Ring->Entries[*Finished & Ring->Mask];
        struct mbx_completion Completion = {.cookie = Work->cookie,
                                            .qp_cookie = (ULONG_PTR)Qp->Context,
                                            .status = MBX_FLUSHED,
                                            .opcode = IsReceive ? MBX_WORK_RECEIVE : Work->opcode};

        CqPut(Cq, &Completion);
    }
}

VOID QpCancelAll(PMBX_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->Lock, &Lock);
    Qp->Orphan = TRUE;
    CancelRing(Qp, &Qp->Send, &Qp->Progress->sent, Qp->InitiatorCq, FALSE);
    CancelRing(Qp, &Qp->Receive, &Qp->Progress->received, Qp->ReceiveCq, TRUE);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* ---- Creation ---- */

static const NDK_QP_DISPATCH QpDispatch = {
    .NdkCloseQp = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkFlush = MbxFlush,
    .NdkSend = MbxSend,
    .NdkReceive = MbxReceive,
    .NdkBind = MbxBind,
    .NdkFastRegister = MbxFastRegister,
    .NdkInvalidate = MbxInvalidate,
    .NdkRead = MbxRead,
    .NdkWrite = MbxWrite,
    .NdkSendAndInvalidate = MbxSendAndInvalidate,
};

static VOID RingInit(PMBX_RING Ring, ULONG Depth, ULONG SgeMax) {
    ULONG Count = 1;

    while (Count < Depth) {
        Count *= 2;
    }
    Ring->Mask = Count - 1;
    Ring->Depth = Depth;
    Ring->SgeMax = SgeMax;
}

/* Both rings, and behind them how far the device has come. */
static NTSTATUS QpAllocate(PMBX_QP Qp) {
    SIZE_T SendBytes = (Qp->Send.Mask + 1) * sizeof(struct mbx_work);
    SIZE_T ReceiveBytes = (Qp->Receive.Mask + 1) * sizeof(struct mbx_work);
    struct mbx_qp_body *Body = &Qp->Object.Command.Data.body.qp;
    NTSTATUS Status =
        SharedAllocate(&Qp->Memory, SendBytes + ReceiveBytes + sizeof(struct mbx_progress));

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Qp->Send.Entries = Qp->Memory.Va;
    Qp->Receive.Entries = Qp->Send.Entries + Qp->Send.Mask + 1;
    Qp->Progress = (struct mbx_progress *)(Qp->Receive.Entries + Qp->Receive.Mask + 1);
    CommandInit(&Qp->Object.Command, MBX_CREATE_QP, 0, NULL);
    Body->cookie = (ULONG_PTR)Qp->Context;
    Body->send_ring = Qp->Memory.Address;
    Body->receive_ring = Qp->Memory.Address + SendBytes;
    Body->progress = Body->receive_ring + ReceiveBytes;
    Body->pd = Qp->Object.Parents[0]->Number;
    Body->send_cq = Qp->InitiatorCq->Object.Number;
    Body->receive_cq = Qp->ReceiveCq->Object.Number;
    Body->send_count = Qp->Send.Mask + 1;
    Body->receive_count = Qp->Receive.Mask + 1;
    return STATUS_SUCCESS;
}

static BOOLEAN LimitsAreGood(const NDK_ADAPTER_INFO *Info, const MBX_RING *Receive,
                             const MBX_RING *Send, ULONG InlineBytes) {
    return Receive->Depth != 0 && Receive->Depth <= Info->MaxReceiveQueueDepth &&
           Send->Depth != 0 && Send->Depth <= Info->MaxInitiatorQueueDepth &&
           Receive->SgeMax <= Info->MaxReceiveRequestSge &&
           Send->SgeMax <= Info->MaxInitiatorRequestSge && InlineBytes <= Info->MaxInlineDataSize;
}

NTSTATUS MbxCreateQp(NDK_PD *PdHandle, NDK_CQ *ReceiveHandle, NDK_CQ *InitiatorHandle,
                     PVOID ForResults, ULONG ReceiveDepth, ULONG SendDepth, ULONG ReceiveSges,
                     ULONG SendSges, ULONG InlineRoom, NDK_FN_CREATE_COMPLETION OnMade,
                     PVOID Caller, NDK_QP **Made) {
    PMBX_OBJECT Pd = &PdOf(PdHandle)->Object;
    PMBX_ADAPTER Adapter = Pd->Adapter;
    const MBX_RING Receive = {.Depth = ReceiveDepth, .SgeMax = ReceiveSges};
    const MBX_RING Send = {.Depth = SendDepth, .SgeMax = SendSges};
    PMBX_QP Qp;

    UNREFERENCED_PARAMETER(Made);
    if (!LimitsAreGood(&Adapter->Info, &Receive, &Send, InlineRoom) ||
        CqOf(ReceiveHandle)->Object.Parents[0] != Pd->Parents[0] ||
        CqOf(InitiatorHandle)->Object.Parents[0] != Pd->Parents[0]) {
        return STATUS_INVALID_PARAMETER;
    }
    Qp = (PMBX_QP)ObjectNew(Adapter, &QpClass, sizeof(*Qp), Pd);
    if (Qp == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeSpinLock(&Qp->Lock);
    Qp->Object.Ndk.Qp.Dispatch = &QpDispatch;
    Qp->ReceiveCq = CqOf(ReceiveHandle);
    Qp->InitiatorCq = CqOf(InitiatorHandle);
    ObjectAddParent(&Qp->Object, 1, &Qp->ReceiveCq->Object);
    ObjectAddParent(&Qp->Object, 2, &Qp->InitiatorCq->Object);
    Qp->Context = ForResults;
    Qp->InlineBytes = InlineRoom;
    RingInit(&Qp->Receive, ReceiveDepth, ReceiveSges);
    RingInit(&Qp->Send, SendDepth, SendSges);
    if (!NT_SUCCESS(QpAllocate(Qp))) {
        ObjectPut(&Qp->Object);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return ObjectCreate(&Qp->Object, &Adapter->Qps, OnMade, Caller);
}
