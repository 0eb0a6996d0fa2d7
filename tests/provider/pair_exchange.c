/* SPDX-License-Identifier: Apache-2.0 */
/* Objects, posts and results of the pair driver; see pair.h. */
#include "pair.h"

#define PAIR_RIGHTS                                                                                \
    (NDK_MR_FLAG_ALLOW_LOCAL_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE)

static VOID PairNotified(PVOID Context, NTSTATUS Status) {
    PPAIR Pair = Context;

    NdksimRequire(Status == STATUS_SUCCESS, "a healthy CQ");
    KeSetEvent(&Pair->CqEvent, IO_NO_INCREMENT, FALSE);
}

VOID PairDisconnected(PVOID Context) {
    PPAIR Pair = Context;

    Pair->Disconnects++;
    KeSetEvent(&Pair->Disconnected, IO_NO_INCREMENT, FALSE);
}

VOID PairOpen(PPAIR Pair) {
    PairMustSucceed(AdapterOpen(&Pair->Rdma, 1), "open the adapter");
    PairMustSucceed(SyncCreatePd(Pair->Rdma.Adapter, &Pair->Pd), "create a PD");
    PairMustSucceed(RegionCreate(&Pair->Messages, Pair->Pd, NULL, PAIR_BUFFER_BYTES,
                                 NDK_MR_FLAG_ALLOW_LOCAL_WRITE),
                    "register the messages");
    PairMustSucceed(RegionCreate(&Pair->Bulk, Pair->Pd, NULL, PAIR_BULK_BYTES, PAIR_RIGHTS),
                    "register the bulk");
    PairMustSucceed(SyncCreateMr(Pair->Pd, TRUE, &Pair->FastMr), "create a fast-register MR");
    PairMustSucceed(SyncInitializeFastRegisterMr(Pair->FastMr, 16, TRUE),
                    "initialise fast registration");
    PairMustSucceed(
        MappingBuild(&Pair->Mapping, Pair->Rdma.Adapter, Pair->Bulk.Mdl, PAIR_BULK_BYTES),
        "build a mapping");
}

VOID PairClose(PPAIR Pair) {
    MappingRelease(&Pair->Mapping, Pair->Rdma.Adapter);
    SyncClose(&Pair->FastMr->Header, Pair->FastMr->Dispatch->NdkCloseMr);
    RegionClose(&Pair->Bulk);
    RegionClose(&Pair->Messages);
    SyncClose(&Pair->Pd->Header, Pair->Pd->Dispatch->NdkClosePd);
    AdapterClose(&Pair->Rdma);
    RegionFree(&Pair->Bulk);
    RegionFree(&Pair->Messages);
}

VOID PairOpenConnection(PPAIR Pair) {
    const SYNC_QP_SIZES Sizes = {PAIR_DEPTH, PAIR_DEPTH, 1, 1, 32};
    ULONG i;

    Pair->Disconnects = 0;
    KeInitializeEvent(&Pair->CqEvent, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Pair->Disconnected, NotificationEvent, FALSE);
    PairMustSucceed(SyncCreateCq(Pair->Rdma.Adapter, 2 * PAIR_DEPTH, PairNotified, Pair, &Pair->Cq),
                    "create a CQ");
    PairMustSucceed(SyncCreateQp(Pair->Pd, Pair->Cq, Pair->Cq, Pair, &Sizes, &Pair->Qp),
                    "create a QP");
    for (i = 0; i < PAIR_DEPTH; i++) {
        PairPostReceive(Pair, i);
    }
}

VOID PairCloseConnection(PPAIR Pair) {
    CLOSE_GROUP Group;

    /* All at once: the antecedents wait for their successors. */
    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &Pair->Cq->Header, Pair->Cq->Dispatch->NdkCloseCq);
    CloseGroupStart(&Group, &Pair->Qp->Header, Pair->Qp->Dispatch->NdkCloseQp);
    CloseGroupStart(&Group, &Pair->Connector->Header, Pair->Connector->Dispatch->NdkCloseConnector);
    CloseGroupWait(&Group);
    Pair->Connector = NULL;
    Pair->Qp = NULL;
    Pair->Cq = NULL;
}

static PUCHAR ReceiveBuffer(PPAIR Pair, ULONG Slot) {
    return Pair->Messages.Buffer + (Slot % PAIR_DEPTH) * PAIR_MESSAGE_BYTES;
}

PPAIR_MESSAGE PairReceived(PPAIR Pair, ULONG Slot) {
    return (PPAIR_MESSAGE)ReceiveBuffer(Pair, Slot);
}

VOID PairPostReceive(PPAIR Pair, ULONG Slot) {
    NDK_SGE Sge = {{ReceiveBuffer(Pair, Slot)}, PAIR_MESSAGE_BYTES, Pair->Messages.LocalToken};

    PairMustSucceed(Pair->Qp->Dispatch->NdkReceive(Pair->Qp, (PVOID)(ULONG_PTR)(Slot + 1), &Sge, 1),
                    "post a receive");
}

static NDK_SGE SendSge(PPAIR Pair, const PAIR_MESSAGE *Message) {
    PUCHAR Buffer =
        Pair->Messages.Buffer + (PAIR_DEPTH + Message->Number % PAIR_DEPTH) * PAIR_MESSAGE_BYTES;
    NDK_SGE Sge = {{Buffer}, sizeof(*Message), Pair->Messages.LocalToken};

    *(PPAIR_MESSAGE)Buffer = *Message;
    return Sge;
}

VOID PairSend(PPAIR Pair, const PAIR_MESSAGE *Message, ULONG Flags) {
    NDK_SGE Sge = SendSge(Pair, Message);

    if ((Flags & NDK_OP_FLAG_INLINE) != 0) {
        Sge.MemoryRegionToken = 0xDEAD;
    }
    PairMustSucceed(Pair->Qp->Dispatch->NdkSend(Pair->Qp, NULL, &Sge, 1, Flags), "post a send");
}

VOID PairSendAndInvalidate(PPAIR Pair, const PAIR_MESSAGE *Message, UINT32 Token) {
    NDK_SGE Sge = SendSge(Pair, Message);

    PairMustSucceed(Pair->Qp->Dispatch->NdkSendAndInvalidate(Pair->Qp, NULL, &Sge, 1, 0, Token),
                    "post a send-and-invalidate");
}

VOID PairResult(PPAIR Pair, NDK_RESULT_EX *Result) {
    while (Pair->Cq->Dispatch->NdkGetCqResultsEx(Pair->Cq, Result, 1) == 0) {
        Pair->Cq->Dispatch->NdkArmCq(Pair->Cq, NDK_CQ_NOTIFY_ANY);
        if (Pair->Cq->Dispatch->NdkGetCqResultsEx(Pair->Cq, Result, 1) != 0) {
            break;
        }
        KeWaitForSingleObject(&Pair->CqEvent, Executive, KernelMode, FALSE, NULL);
    }
    NdksimRequire(Result->QPContext == Pair, "the QP's context");
}

ULONG PairExpect(PPAIR Pair, NDK_OPERATION_TYPE Type) {
    NDK_RESULT_EX Result;

    PairResult(Pair, &Result);
    if (Result.Status != STATUS_SUCCESS || Result.Type != Type) {
        DbgPrint("pair: type 0x%X status 0x%08X, wanted type 0x%X\n", Result.Type, Result.Status,
                 Type);
    }
    NdksimRequire(Result.Status == STATUS_SUCCESS && Result.Type == Type, "a result of this type");
    NdksimRequire(Result.ProviderErrorCode == 0, "no error code with success");
    return (ULONG)(ULONG_PTR)Result.RequestContext - 1;
}

VOID PairDrain(PPAIR Pair, ULONG Receives) {
    NDK_RESULT_EX Result;

    while (Receives != 0) {
        PairResult(Pair, &Result);
        if (Result.Type == NdkOperationTypeReceive) {
            NdksimRequire(Result.Status == STATUS_CANCELLED, "a cancelled receive");
            Receives--;
        } else {
            /* A silent send whose acknowledgement was lost to an abort. */
            NdksimRequire(Pair->Abort != 0 && !NT_SUCCESS(Result.Status), "a failed send");
        }
    }
}

BOOLEAN PairBulkIsRight(PPAIR Pair) {
    ULONG i;

    for (i = 0; i < PAIR_BULK_BYTES; i++) {
        if (Pair->Bulk.Buffer[i] != (UCHAR)(i * 7 + 3)) {
            return FALSE;
        }
    }
    return TRUE;
}
