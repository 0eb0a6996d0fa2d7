/* SPDX-License-Identifier: Apache-2.0 */
/* Moderation, affinity, records, levels, and interrupts that get lost. */
#include "queues.h"

static WATCHED Cq;
static NDK_QP *Qp;

static VOID Open(PSUBJECT Subject, ULONG Depth) {
    WatchedCreate(Subject, &Cq, Depth, NULL);
    Qp = QpCreate(Subject, &Cq, &Cq, &Cq);
    LinkConnect(Subject, Qp);
}

static VOID Close(PSUBJECT Subject) {
    LinksClose(Subject);
    WatchedClose(&Cq);
}

static NTSTATUS Moderate(ULONG Interval, ULONG Count) {
    return Cq.Cq->Dispatch->NdkControlCqInterruptModeration(Cq.Cq, Interval, Count);
}

static VOID Drain(VOID) {
    NDK_RESULT_EX Result;

    while (WatchedTake(&Cq, &Result, 1) != 0) {
    }
}

/* From now to the callback that so many completions bring, in ns. */
static ULONGLONG Delay(PSUBJECT Subject, ULONG Completions) {
    ULONGLONG Start = NowNs();
    ULONG i;

    UNREFERENCED_PARAMETER(Subject);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    for (i = 0; i < Completions; i++) {
        CheckStatus(QpNothing(Qp, i), STATUS_SUCCESS, "post a write of nothing");
    }
    WatchedWait(&Cq);
    SleepUs(100);
    Drain();
    return Cq.Time - Start;
}

static VOID CheckDelay(PSUBJECT Subject, ULONGLONG Delay, ULONGLONG Least, ULONGLONG Most) {
    if (Subject->Exact != 0) {
        Check(Delay >= Least && Delay <= Most, "the callback is as late as it may be");
    }
}

VOID Moderation(PSUBJECT Subject) {
    ULONGLONG Plain;

    Check((Subject->Rdma.Info.AdapterFlags & NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED) !=
              0,
          "moderation is offered");
    Open(Subject, 64);
    Plain = Delay(Subject, 1);
    CheckDelay(Subject, Plain, 0, 20000);
    /* Interval and count: whichever is first. */
    CheckStatus(Moderate(50, 4), STATUS_SUCCESS, "moderate");
    CheckDelay(Subject, Delay(Subject, 1), 45000, 50000 + Plain / 2);
    CheckDelay(Subject, Delay(Subject, 4), 0, 40000);
    /* The count alone. */
    CheckStatus(Moderate(MAXULONG, 3), STATUS_SUCCESS, "by count");
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    CheckStatus(QpNothing(Qp, 1), STATUS_SUCCESS, "post");
    CheckStatus(QpNothing(Qp, 2), STATUS_SUCCESS, "post");
    WatchedQuiet(&Cq);
    CheckStatus(QpNothing(Qp, 3), STATUS_SUCCESS, "post");
    WatchedWait(&Cq);
    Drain();
    /* The interval alone. */
    CheckStatus(Moderate(100, MAXULONG), STATUS_SUCCESS, "by interval");
    CheckDelay(Subject, Delay(Subject, 10), 95000, 100000 + 2 * Plain);
    CheckStatus(Moderate(100, 65), STATUS_SUCCESS, "by interval, too");
    CheckDelay(Subject, Delay(Subject, 10), 95000, 100000 + 2 * Plain);
    /* The newest settings hold; these turn it off. */
    CheckStatus(Moderate(0, 50), STATUS_SUCCESS, "off");
    CheckDelay(Subject, Delay(Subject, 1), 0, 20000);
    CheckStatus(Moderate(5000, 1), STATUS_SUCCESS, "off");
    CheckDelay(Subject, Delay(Subject, 1), 0, 20000);
    CheckStatus(Moderate(5000, 0), STATUS_SUCCESS, "off");
    CheckDelay(Subject, Delay(Subject, 1), 0, 20000);
    /* What fails is told at once (C-14). */
    CheckStatus(Moderate(1000000, 60), STATUS_SUCCESS, "long");
    QpReceive(Subject, Qp, 0);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    WatchedQuiet(&Cq);
    Plain = NowNs();
    Qp->Dispatch->NdkFlush(Qp);
    WatchedWait(&Cq);
    CheckDelay(Subject, Cq.Time - Plain, 0, 20000);
    Close(Subject);
}

VOID ModerationSettings(PSUBJECT Subject) {
    SYNC_WAIT Wait;

    Open(Subject, 33);
    CheckStatus(Moderate(MAXULONG, MAXULONG), STATUS_INVALID_PARAMETER_MIX, "both unbounded");
    CheckStatus(Moderate(MAXULONG, 34), STATUS_INVALID_PARAMETER_MIX, "more than fit");
    CheckStatus(Moderate(MAXULONG, 33), STATUS_SUCCESS, "as many as fit");
    CheckStatus(Moderate(MAXULONG, 0), STATUS_SUCCESS, "off");
    CheckStatus(Moderate(0, MAXULONG), STATUS_SUCCESS, "off");
    CheckStatus(Moderate(MAXULONG - 1, 2), STATUS_SUCCESS, "very long");
    SyncInit(&Wait);
    CheckStatus(SyncFinish(&Wait, Cq.Cq->Dispatch->NdkResizeCq(Cq.Cq, 70, SyncRequested, &Wait)),
                STATUS_SUCCESS, "resize");
    CheckStatus(Moderate(MAXULONG, 70), STATUS_SUCCESS, "as many as fit now");
    SyncInit(&Wait);
    CheckStatus(SyncFinish(&Wait, Cq.Cq->Dispatch->NdkResizeCq(Cq.Cq, 8, SyncRequested, &Wait)),
                STATUS_SUCCESS, "resize");
    /* More than can come is never waited for. */
    (VOID) Delay(Subject, 8);
    Close(Subject);
}

VOID Affinity(PSUBJECT Subject) {
    static const struct {
        KAFFINITY Mask;
        USHORT Group;
        BOOLEAN Granted;
        ULONG Processor;
    } Wishes[] = {
        {1, 0, TRUE, 0},  {2, 0, TRUE, 1},  {3, 0, TRUE, 0},     {0x12, 0, TRUE, 1},
        {2, 1, FALSE, 0}, {0, 0, FALSE, 0}, {0x10, 0, FALSE, 0},
    };
    static SHARED Shared;
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Wishes); i++) {
        GROUP_AFFINITY Wish;

        RtlZeroMemory(&Wish, sizeof(Wish));
        Wish.Mask = Wishes[i].Mask;
        Wish.Group = Wishes[i].Group;
        CheckStatus(SrqCreate(Subject, &Shared, 4, 0, &Wish), STATUS_SUCCESS, "create an SRQ");
        WatchedCreate(Subject, &Cq, 8, &Wish);
        CheckStatus(QpWithSrq(Subject, &Cq, &Cq, &Shared, &Cq, &Qp), STATUS_SUCCESS, "create a QP");
        WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
        /* Unconnected, it completes what is flushed. */
        CheckStatus(SrqModify(&Shared, 0, 1), STATUS_SUCCESS, "arm an empty SRQ");
        SrqWait(&Shared, STATUS_SUCCESS);
        SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
        Check(!Wishes[i].Granted || Shared.Processor == Wishes[i].Processor, "the SRQ's processor");
        SrqClose(&Shared);
        Qp = QpCreate(Subject, &Cq, &Cq, &Cq);
        QpReceive(Subject, Qp, 0);
        Qp->Dispatch->NdkFlush(Qp);
        WatchedWait(&Cq);
        Check(!Wishes[i].Granted || Cq.Processor == Wishes[i].Processor, "the CQ's processor");
        SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
        WatchedClose(&Cq);
    }
}

/* Each step waits for a callback. */
VOID PingPong(PSUBJECT Subject) {
    NDK_RESULT_EX Result;
    ULONG i;

    Open(Subject, 64);
    for (i = 0; i < 30; i++) {
        QpReceive(Subject, Qp, 0);
        WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
        CheckStatus(PeerSends(Subject, 1, i, 1, 0), STATUS_SUCCESS, "a message");
        WatchedWait(&Cq);
        Check(WatchedTake(&Cq, &Result, 1) == 1, "a result that was told of");
        CheckStatus(Result.Status, STATUS_SUCCESS, "its status");
    }
    Close(Subject);
}

static VOID RecordIs(const NDK_RESULT_EX *Result, BOOLEAN HasErrorCode, NTSTATUS Status) {
    CheckStatus(Result->Status, Status, "the record's status");
    if (!HasErrorCode) {
        Check(Result->ProviderErrorCode == 0xEEEEEEEE, "padding of an older consumer");
    } else {
        Check((Result->ProviderErrorCode == 0) == (Status == STATUS_SUCCESS), "the error code");
    }
}

VOID Records(PSUBJECT Subject) {
    NDK_VERSION Version = Subject->Rdma.Adapter->Header.Version;
    BOOLEAN HasErrorCode = Version.Major > 2 || (Version.Major == 2 && Version.Minor >= 1);
    NDK_RESULT_EX Extended[4];
    NDK_RESULT Plain[4];
    ULONG i;

    Open(Subject, 64);
    for (i = 0; i < 4; i++) {
        CheckStatus(QpNothing(Qp, i), STATUS_SUCCESS, "post a write of nothing");
    }
    SleepUs(1000);
    RtlFillMemory(Extended, sizeof(Extended), 0xEE);
    RtlFillMemory(Plain, sizeof(Plain), 0xEE);
    /* Both calls see one queue; what lies behind the count stays. */
    Check(WatchedTake(&Cq, Extended, 1) == 1, "the first");
    Check(Cq.Cq->Dispatch->NdkGetCqResults(Cq.Cq, Plain, 2) == 2, "two more");
    Check(WatchedTake(&Cq, Extended + 1, 3) == 1, "the last");
    Check((ULONG_PTR)Extended[0].RequestContext == 0 && (ULONG_PTR)Plain[0].RequestContext == 1 &&
              (ULONG_PTR)Plain[1].RequestContext == 2 && (ULONG_PTR)Extended[1].RequestContext == 3,
          "in order");
    Check(Plain[2].BytesTransferred == 0xEEEEEEEE && Extended[2].BytesTransferred == 0xEEEEEEEE,
          "nothing behind them");
    Check(Extended[0].Type == NdkOperationTypeWrite, "the type of a write");
    RecordIs(&Extended[0], HasErrorCode, STATUS_SUCCESS);
    QpReceive(Subject, Qp, 0);
    Qp->Dispatch->NdkFlush(Qp);
    SleepUs(1000);
    Check(WatchedTake(&Cq, Extended + 2, 1) == 1, "the flushed receive");
    Check(Extended[2].Type == NdkOperationTypeReceive, "its type (B-31)");
    RecordIs(&Extended[2], HasErrorCode, STATUS_CANCELLED);
    Close(Subject);
}

/* Every function of CQs and SRQs from DISPATCH_LEVEL; what pends is waited for below it. */
VOID AtDispatchLevel(PSUBJECT Subject) {
    static SHARED Shared;
    NDK_RESULT_EX Result;
    NDK_SRQ *Srq = NULL;
    NDK_CQ *Second = NULL;
    SYNC_WAIT Waits[5];
    NTSTATUS Started[5];
    CLOSE_GROUP Group;
    NDK_QP *Other = NULL;
    KIRQL Irql;
    ULONG i;

    Open(Subject, 16);
    CheckStatus(SrqCreate(Subject, &Shared, 4, 1, NULL), STATUS_SUCCESS, "create an SRQ");
    for (i = 0; i < RTL_NUMBER_OF(Waits); i++) {
        SyncInit(&Waits[i]);
    }
    CloseGroupInit(&Group);
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    Started[0] = Subject->Rdma.Adapter->Dispatch->NdkCreateCq(
        Subject->Rdma.Adapter, 4, NULL, NULL, NULL, SyncCreated, &Waits[0], &Second);
    Started[1] = Subject->Pd->Dispatch->NdkCreateSrq(Subject->Pd, 4, 1, 0, NULL, NULL, NULL,
                                                     SyncCreated, &Waits[1], &Srq);
    Started[2] = Cq.Cq->Dispatch->NdkResizeCq(Cq.Cq, 32, SyncRequested, &Waits[2]);
    Started[3] = Shared.Srq->Dispatch->NdkModifySrq(Shared.Srq, 8, 2, SyncRequested, &Waits[3]);
    Started[4] = Subject->Pd->Dispatch->NdkCreateQpWithSrq(
        Subject->Pd, Cq.Cq, Cq.Cq, Shared.Srq, NULL, 4, 1, 0, SyncCreated, &Waits[4], &Other);
    CheckStatus(Moderate(10, 2), STATUS_SUCCESS, "moderate");
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    CheckStatus(SrqPost(Subject, &Shared, 0), STATUS_SUCCESS, "post to the SRQ");
    Check(WatchedTake(&Cq, &Result, 1) == 0, "nothing there");
    KeLowerIrql(Irql);
    for (i = 0; i < RTL_NUMBER_OF(Waits); i++) {
        CheckStatus(SyncFinish(&Waits[i], Started[i]), STATUS_SUCCESS, "what began there");
    }
    Second = Started[0] == STATUS_PENDING ? (NDK_CQ *)Waits[0].Object : Second;
    Srq = Started[1] == STATUS_PENDING ? (NDK_SRQ *)Waits[1].Object : Srq;
    Other = Started[4] == STATUS_PENDING ? (NDK_QP *)Waits[4].Object : Other;
    KeRaiseIrql(DISPATCH_LEVEL, &Irql);
    Qp->Dispatch->NdkFlush(Qp);
    CloseGroupStart(&Group, &Shared.Srq->Header, Shared.Srq->Dispatch->NdkCloseSrq);
    CloseGroupStart(&Group, &Second->Header, Second->Dispatch->NdkCloseCq);
    CloseGroupStart(&Group, &Srq->Header, Srq->Dispatch->NdkCloseSrq);
    CloseGroupStart(&Group, &Other->Header, Other->Dispatch->NdkCloseQp);
    KeLowerIrql(Irql);
    CloseGroupWait(&Group);
    Close(Subject);
}
