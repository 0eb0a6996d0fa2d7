/* SPDX-License-Identifier: Apache-2.0 */
/* Objects, receives and results of either side; see side.h. */
#include "side.h"

VOID Check(BOOLEAN Condition, PCSTR What) {
    NdksimRequire(Condition, What);
}

VOID CheckStatus(NTSTATUS Status, NTSTATUS Wanted, PCSTR What) {
    if (Status != Wanted) {
        DbgPrint("memory: %s: 0x%08X instead of 0x%08X\n", What, Status, Wanted);
    }
    NdksimRequire(Status == Wanted, What);
}

ULONG SideRandom(PSIDE Side, ULONG Below) {
    Side->Seed = Side->Seed * 1664525u + 1013904223u;
    return (Side->Seed >> 8) % Below;
}

UCHAR PatternByte(ULONG Value, ULONG Index) {
    return (UCHAR)(Index * 7 + Value);
}

VOID PatternFill(PUCHAR Buffer, ULONG Bytes, ULONG Value) {
    ULONG i;

    for (i = 0; i < Bytes; i++) {
        Buffer[i] = PatternByte(Value, i);
    }
}

BOOLEAN PatternIs(const UCHAR *Buffer, ULONG Bytes, ULONG Value) {
    ULONG i;

    for (i = 0; i < Bytes; i++) {
        if (Buffer[i] != PatternByte(Value, i)) {
            return FALSE;
        }
    }
    return TRUE;
}

ULONG SumOf(const UCHAR *Buffer, ULONG Bytes) {
    ULONG Sum = 0;
    ULONG i;

    for (i = 0; i < Bytes; i++) {
        Sum = Sum * 31 + Buffer[i];
    }
    return Sum;
}

VOID SideOpen(PSIDE Side) {
    const ULONG Rights =
        NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_RDMA_READ_SINK;

    Side->Sizes.ReceiveDepth = SIDE_RECEIVES;
    Side->Sizes.InitiatorDepth = SIDE_RECEIVES;
    Side->Sizes.ReceiveSge = 2;
    Side->Sizes.InitiatorSge = 2;
    Side->Sizes.InlineBytes = SIDE_INLINE_BYTES;
    CheckStatus(AdapterOpen(&Side->Rdma, 1), STATUS_SUCCESS, "open the adapter");
    CheckStatus(SyncCreatePd(Side->Rdma.Adapter, &Side->Pd), STATUS_SUCCESS, "create a PD");
    CheckStatus(RegionCreate(&Side->Messages, Side->Pd, NULL,
                             (SIDE_RECEIVES + 1) * SIDE_MESSAGE_BYTES,
                             NDK_MR_FLAG_ALLOW_LOCAL_WRITE),
                STATUS_SUCCESS, "register the messages");
    CheckStatus(RegionCreate(&Side->Bulk, Side->Pd, NULL, SIDE_BULK_BYTES, Rights), STATUS_SUCCESS,
                "register the bulk");
}

VOID SideClose(PSIDE Side) {
    RegionClose(&Side->Bulk);
    RegionClose(&Side->Messages);
    SyncClose(&Side->Pd->Header, Side->Pd->Dispatch->NdkClosePd);
    AdapterClose(&Side->Rdma);
    RegionFree(&Side->Bulk);
    RegionFree(&Side->Messages);
}

static VOID SideNotified(PVOID Context, NTSTATUS Status) {
    PSIDE Side = Context;

    Check(Status == STATUS_SUCCESS, "a healthy CQ");
    KeSetEvent(&Side->CqEvent, IO_NO_INCREMENT, FALSE);
}

VOID SideDisconnected(PVOID Context) {
    PSIDE Side = Context;

    KeSetEvent(&Side->Disconnected, IO_NO_INCREMENT, FALSE);
}

VOID SideMakeQueues(PSIDE Side) {
    ULONG i;

    KeInitializeEvent(&Side->CqEvent, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Side->Disconnected, NotificationEvent, FALSE);
    CheckStatus(SyncCreateCq(Side->Rdma.Adapter,
                             Side->Sizes.ReceiveDepth + Side->Sizes.InitiatorDepth, SideNotified,
                             Side, &Side->Cq),
                STATUS_SUCCESS, "create a CQ");
    CheckStatus(SyncCreateQp(Side->Pd, Side->Cq, Side->Cq, Side, &Side->Sizes, &Side->Qp),
                STATUS_SUCCESS, "create a QP");
    for (i = 0; i < SIDE_RECEIVES; i++) {
        SidePostReceive(Side, i);
    }
}

VOID SideCloseQueues(PSIDE Side) {
    CLOSE_GROUP Group;

    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &Side->Cq->Header, Side->Cq->Dispatch->NdkCloseCq);
    CloseGroupStart(&Group, &Side->Qp->Header, Side->Qp->Dispatch->NdkCloseQp);
    if (Side->Connector != NULL) {
        CloseGroupStart(&Group, &Side->Connector->Header,
                        Side->Connector->Dispatch->NdkCloseConnector);
    }
    CloseGroupWait(&Group);
    Side->Connector = NULL;
    Side->Connected = FALSE;
}

PORDER SideMessage(PSIDE Side, ULONG Slot) {
    return (PORDER)(Side->Messages.Buffer + Slot * SIDE_MESSAGE_BYTES);
}

VOID SidePostReceive(PSIDE Side, ULONG Slot) {
    NDK_SGE Sge = {{SideMessage(Side, Slot)}, SIDE_MESSAGE_BYTES, Side->Messages.LocalToken};

    CheckStatus(Side->Qp->Dispatch->NdkReceive(Side->Qp, (PVOID)(ULONG_PTR)(Slot + 1), &Sge, 1),
                STATUS_SUCCESS, "post a receive");
}

VOID SideSendOrder(PSIDE Side, const ORDER *Order) {
    PORDER Message = SideMessage(Side, SIDE_RECEIVES);
    NDK_SGE Sge = {{Message}, sizeof(*Message), Side->Messages.LocalToken};

    *Message = *Order;
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, SIDE_SEND, &Sge, 1, 0), STATUS_SUCCESS,
                "post an order");
}

/* Before 1.2 there are plain results only; our receives are known by their contexts. */
static ULONG SideTakePlain(PSIDE Side, NDK_RESULT_EX *Result) {
    NDK_RESULT Plain;
    ULONG Count = Side->Cq->Dispatch->NdkGetCqResults(Side->Cq, &Plain, 1);
    ULONG_PTR Context = (ULONG_PTR)Plain.RequestContext;

    if (Count != 0) {
        RtlZeroMemory(Result, sizeof(*Result));
        Result->Status = Plain.Status;
        Result->BytesTransferred = Plain.BytesTransferred;
        Result->QPContext = Plain.QPContext;
        Result->RequestContext = Plain.RequestContext;
        if (Context != 0 && Context <= SIDE_RECEIVES) {
            Result->Type = NdkOperationTypeReceive;
        }
    }
    return Count;
}

/* A member that came with 2.1 is padding of ours before: it stays as it was. */
static ULONG SideTakeExtended(PSIDE Side, NDK_RESULT_EX *Result) {
    const ULONG Padding = 0x5AA55AA5;
    ULONG Count;

    Result->ProviderErrorCode = Padding;
    Count = Side->Cq->Dispatch->NdkGetCqResultsEx(Side->Cq, Result, 1);
    if (!SideHasVersion(Side, 2, 1)) {
        Check(Result->ProviderErrorCode == Padding, "no error code before 2.1");
        Result->ProviderErrorCode = 0;
    }
    return Count;
}

BOOLEAN SideHasVersion(const SIDE *Side, USHORT Major, USHORT Minor) {
    NDK_VERSION Version = Side->Rdma.Info.Version;

    return Version.Major > Major || (Version.Major == Major && Version.Minor >= Minor);
}

static ULONG SideTake(PSIDE Side, NDK_RESULT_EX *Result) {
    ULONG Count =
        SideHasVersion(Side, 1, 2) ? SideTakeExtended(Side, Result) : SideTakePlain(Side, Result);

    Check(Count == 0 || Result->QPContext == Side, "the QP's context");
    return Count;
}

/* One that is there, or comes by the next notification: then the wait is worth while. */
static BOOLEAN SideTakeOrArm(PSIDE Side, NDK_RESULT_EX *Result) {
    if (SideTake(Side, Result) != 0) {
        return TRUE;
    }
    Side->Cq->Dispatch->NdkArmCq(Side->Cq, NDK_CQ_NOTIFY_ANY);
    return SideTake(Side, Result) != 0;
}

BOOLEAN SideResult(PSIDE Side, NDK_RESULT_EX *Result) {
    PVOID Waits[] = {&Side->CqEvent, &Side->Disconnected, &Side->Stop};

    while (!SideTakeOrArm(Side, Result)) {
        if (KeWaitForMultipleObjects(3, Waits, WaitAny, Executive, KernelMode, FALSE, NULL, NULL) !=
            STATUS_WAIT_0) {
            /* What was completed before the end is there by now. */
            return SideTake(Side, Result) != 0;
        }
    }
    return TRUE;
}

VOID SideAwait(PSIDE Side, NDK_RESULT_EX *Result) {
    while (!SideTakeOrArm(Side, Result)) {
        LARGE_INTEGER Time;

        Time.QuadPart = -10LL * 30000000;
        Check(KeWaitForSingleObject(&Side->CqEvent, Executive, KernelMode, FALSE, &Time) ==
                  STATUS_SUCCESS,
              "a result that is owed");
    }
}
