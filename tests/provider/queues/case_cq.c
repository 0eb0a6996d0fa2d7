/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: arms and what meets them, callbacks, sizes. */
#include "queues.h"

static WATCHED Cq;    /* of receives */
static WATCHED Sends; /* of initiator requests */
static NDK_QP *Qp;

static VOID Open(PSUBJECT Subject, ULONG Depth) {
    WatchedCreate(Subject, &Cq, Depth, NULL);
    WatchedCreate(Subject, &Sends, Depth, NULL);
    Qp = QpCreate(Subject, &Cq, &Sends, &Cq);
    LinkConnect(Subject, Qp);
}

static VOID Close(PSUBJECT Subject) {
    LinksClose(Subject);
    WatchedClose(&Cq);
    WatchedClose(&Sends);
}

/* A message, received; its result lies in the CQ. */
static VOID Message(PSUBJECT Subject, BOOLEAN Solicits) {
    QpReceive(Subject, Qp, 0);
    CheckStatus(PeerSends(Subject, 1, 0, 1, Solicits ? NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT : 0),
                STATUS_SUCCESS, "a message");
}

static VOID Drain(PWATCHED Watched) {
    NDK_RESULT_EX Results[8];

    while (WatchedTake(Watched, Results, RTL_NUMBER_OF(Results)) != 0) {
    }
}

static VOID Called(BOOLEAN Wanted) {
    if (Wanted) {
        WatchedWait(&Cq);
        CheckStatus(Cq.Status, STATUS_SUCCESS, "a healthy CQ");
    } else {
        WatchedQuiet(&Cq);
    }
}

VOID ArmTypes(PSUBJECT Subject) {
    NDK_RESULT_EX Result;

    Open(Subject, 64);
    Message(Subject, TRUE);
    Called(FALSE); /* never armed */
    Drain(&Cq);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ERRORS);
    Message(Subject, TRUE);
    Called(FALSE);
    WatchedArm(&Cq, 3); /* no type */
    Called(FALSE);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    Called(TRUE); /* by what came before the arm */
    Drain(&Cq);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_SOLICITED);
    Message(Subject, FALSE);
    Message(Subject, FALSE);
    Called(FALSE);
    Message(Subject, TRUE);
    Called(TRUE);
    Check(WatchedTake(&Cq, &Result, 1) == 1, "what met the arm can be taken");
    Drain(&Cq);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    Message(Subject, FALSE);
    Called(TRUE);
    Message(Subject, FALSE);
    Called(FALSE); /* once per arm */
    Drain(&Cq);
    /* What fails counts as solicited (R-CQ-10), but is no failure of the CQ (C-02). */
    WatchedArm(&Cq, NDK_CQ_NOTIFY_SOLICITED);
    WatchedArm(&Sends, NDK_CQ_NOTIFY_ERRORS);
    QpReceive(Subject, Qp, 1);
    CheckStatus(QpNothing(Qp, 1), STATUS_SUCCESS, "post a write");
    Qp->Dispatch->NdkFlush(Qp);
    CheckStatus(QpNothing(Qp, 2), STATUS_SUCCESS, "post a write to be cancelled");
    Called(TRUE);
    WatchedQuiet(&Sends);
    Close(Subject);
}

static ULONG Combined(ULONG First, ULONG Second) {
    if (First == NDK_CQ_NOTIFY_ANY || Second == NDK_CQ_NOTIFY_ANY) {
        return NDK_CQ_NOTIFY_ANY;
    }
    return First == Second ? First : NDK_CQ_NOTIFY_SOLICITED;
}

VOID ArmCombines(PSUBJECT Subject) {
    ULONG First;
    ULONG Second;

    Open(Subject, 64);
    for (First = 0; First < 3; First++) {
        for (Second = 0; Second < 3; Second++) {
            ULONG Type = Combined(First, Second);

            WatchedArm(&Cq, First);
            WatchedArm(&Cq, Second);
            Message(Subject, FALSE);
            Called(Type == NDK_CQ_NOTIFY_ANY);
            Message(Subject, TRUE);
            Called(Type == NDK_CQ_NOTIFY_SOLICITED);
            /* Whatever stands now is met, and all is old. */
            WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
            if (Type == NDK_CQ_NOTIFY_SOLICITED) {
                Message(Subject, FALSE);
            }
            Called(TRUE);
            Drain(&Cq);
        }
    }
    Close(Subject);
}

VOID ArmOnOldResults(PSUBJECT Subject) {
    BOOLEAN FiresOnOld = NdksimRegistryUlong(L"ArmFiresOnOld", 0) != 0;

    Open(Subject, 64);
    Message(Subject, FALSE);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    Called(TRUE);
    /* All that is there was there at the last callback (R-CQ-04, C-11). */
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    Called(FiresOnOld);
    if (!FiresOnOld) {
        Message(Subject, FALSE);
        Called(TRUE);
    }
    Drain(&Cq);
    Message(Subject, TRUE);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_SOLICITED);
    Called(TRUE); /* C-12 */
    Drain(&Cq);
    Message(Subject, FALSE);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_SOLICITED);
    Called(FALSE);
    Close(Subject);
}

static VOID TakeOneAndArm(PWATCHED Watched, NTSTATUS Status) {
    volatile LONG *Taken = Watched->ThenContext;
    NDK_RESULT_EX Result;

    UNREFERENCED_PARAMETER(Status);
    *Taken += (LONG)WatchedTake(Watched, &Result, 1);
    WatchedArm(Watched, NDK_CQ_NOTIFY_ANY);
}

VOID ArmInCallback(PSUBJECT Subject) {
    volatile LONG Taken = 0;
    NDK_RESULT_EX Result;
    ULONG i;

    Open(Subject, 64);
    Cq.Then = TakeOneAndArm;
    Cq.ThenContext = (PVOID)&Taken;
    for (i = 0; i < 8; i++) {
        QpReceive(Subject, Qp, i);
    }
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    CheckStatus(PeerSends(Subject, 1, 0, 8, 0), STATUS_SUCCESS, "messages");
    WatchedWait(&Cq);
    SleepUs(3000);
    Check(Taken >= 1 && Cq.Calls >= 1, "results were taken in callbacks");
    /* Nothing was lost on the way. */
    Cq.Then = NULL;
    for (i = (ULONG)Taken; i < 8; i++) {
        Check(WatchedTake(&Cq, &Result, 1) == 1, "the rest of the results");
    }
    Close(Subject);
}

static VOID CloseInside(PWATCHED Watched, NTSTATUS Status) {
    UNREFERENCED_PARAMETER(Status);
    Watched->Then = NULL;
    CloseGroupStart(Watched->ThenContext, &Watched->Cq->Header, Watched->Cq->Dispatch->NdkCloseCq);
}

VOID CqClosedInCallback(PSUBJECT Subject) {
    CLOSE_GROUP Group;

    CloseGroupInit(&Group);
    Open(Subject, 64);
    Cq.Then = CloseInside;
    Cq.ThenContext = &Group;
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    Message(Subject, FALSE);
    WatchedWait(&Cq);
    Message(Subject, TRUE);
    WatchedQuiet(&Cq);
    Check(Cq.Calls == 1, "no callback after the close");
    LinksClose(Subject);
    CloseGroupWait(&Group);
    WatchedClose(&Sends);
}

static VOID Resize(ULONG Depth, NTSTATUS Wanted) {
    SYNC_WAIT Wait;

    SyncInit(&Wait);
    CheckStatus(
        SyncFinish(&Wait, Sends.Cq->Dispatch->NdkResizeCq(Sends.Cq, Depth, SyncRequested, &Wait)),
        Wanted, "resize");
}

static VOID Nothings(ULONG First, ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        CheckStatus(QpNothing(Qp, First + i), STATUS_SUCCESS, "post a write of nothing");
    }
}

static VOID InOrder(ULONG First, ULONG Count) {
    NDK_RESULT_EX Result;
    ULONG i;

    for (i = 0; i < Count; i++) {
        WatchedNext(&Sends, &Result);
        CheckStatus(Result.Status, STATUS_SUCCESS, "a write of nothing");
        Check((ULONG_PTR)Result.RequestContext == First + i && Result.QPContext == &Cq,
              "results in the order of their requests");
    }
}

VOID CqResized(PSUBJECT Subject) {
    static const ULONG Depths[] = {33, 64, 40, 100, 32};
    ULONG i;

    Open(Subject, 8);
    Nothings(0, 6);
    SleepUs(200);
    Resize(32, STATUS_SUCCESS);
    Nothings(6, 20);
    SleepUs(200);
    InOrder(0, 21);
    Resize(4, STATUS_BUFFER_OVERFLOW);
    InOrder(21, 1);
    Resize(4, STATUS_SUCCESS);
    InOrder(22, 4);
    Nothings(26, 4);
    SleepUs(200);
    Resize(32, STATUS_SUCCESS);
    /* While results come and are taken. */
    for (i = 0; i < RTL_NUMBER_OF(Depths); i++) {
        SYNC_WAIT Wait;
        NTSTATUS Status;

        Nothings(30 + 8 * i, 8);
        SyncInit(&Wait);
        Status = Sends.Cq->Dispatch->NdkResizeCq(Sends.Cq, Depths[i], SyncRequested, &Wait);
        InOrder(26 + 8 * i, 8);
        CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "resize under way");
    }
    InOrder(66, 4);
    Close(Subject);
}

/*
 * Entries that the provider looks at after the device has copied them, and before it follows: one
 * poll at each moment between the call and its end.
 */
VOID CqPolledWhileResized(PSUBJECT Subject) {
    ULONG Moment;

    Open(Subject, 16);
    for (Moment = 0; Moment < 60; Moment++) {
        SYNC_WAIT Wait;
        NTSTATUS Status;
        ULONG i;

        Nothings(10 * Moment, 10);
        SleepUs(100);
        SyncInit(&Wait);
        Status = Sends.Cq->Dispatch->NdkResizeCq(Sends.Cq, Moment % 2 != 0 ? 16 : 40, SyncRequested,
                                                 &Wait);
        for (i = 0; i < 3 * Moment; i++) {
            (VOID) NowNs();
        }
        InOrder(10 * Moment, 1);
        CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "resize");
        InOrder(10 * Moment + 1, 9);
    }
    Close(Subject);
}

VOID CqResizeRefusals(PSUBJECT Subject) {
    Check((Subject->Rdma.Info.AdapterFlags & NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED) != 0,
          "resize is offered");
    Open(Subject, 8);
    Resize(0, STATUS_INVALID_PARAMETER);
    Resize(Subject->Rdma.Info.MaxCqDepth + 1, STATUS_INVALID_PARAMETER);
    Resize(Subject->Rdma.Info.MaxCqDepth, STATUS_SUCCESS);
    Close(Subject);
}

VOID CqResizesInARow(PSUBJECT Subject) {
    static const ULONG Depths[] = {16, 5, 40, 3, 9};
    static SYNC_WAIT Waits[RTL_NUMBER_OF(Depths)];
    NTSTATUS Started[RTL_NUMBER_OF(Depths)];
    ULONG i;

    Open(Subject, 8);
    Nothings(0, 3);
    SleepUs(200);
    for (i = 0; i < RTL_NUMBER_OF(Depths); i++) {
        SyncInit(&Waits[i]);
        Started[i] = Sends.Cq->Dispatch->NdkResizeCq(Sends.Cq, Depths[i], SyncRequested, &Waits[i]);
    }
    for (i = 0; i < RTL_NUMBER_OF(Depths); i++) {
        CheckStatus(SyncFinish(&Waits[i], Started[i]), STATUS_SUCCESS, "each resize");
    }
    /* The last one holds: nine fit. */
    Nothings(3, 6);
    SleepUs(200);
    InOrder(0, 9);
    Close(Subject);
}

VOID CqOptionsNotOffered(PSUBJECT Subject) {
    const ULONG Flags =
        NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED | NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED;

    Check((Subject->Rdma.Info.AdapterFlags & Flags) == 0, "neither is offered");
    Open(Subject, 8);
    Resize(16, STATUS_NOT_SUPPORTED);
    CheckStatus(Cq.Cq->Dispatch->NdkControlCqInterruptModeration(Cq.Cq, 10, 10),
                STATUS_NOT_SUPPORTED, "moderation");
    Close(Subject);
}

VOID CqShortage(PSUBJECT Subject) {
    NDK_ADAPTER *Adapter = Subject->Rdma.Adapter;
    NDK_SGE Sge = {{Subject->Slots.Buffer}, 1, Subject->Slots.LocalToken};
    NDK_CQ *Failed;

    CheckStatus(SyncCreateCq(Adapter, 8, NULL, NULL, &Failed), STATUS_INSUFFICIENT_RESOURCES,
                "a CQ that a fault denies");
    CheckStatus(SyncCreateCq(Adapter, 0, NULL, NULL, &Failed), STATUS_INVALID_PARAMETER,
                "no depth");
    CheckStatus(SyncCreateCq(Adapter, Subject->Rdma.Info.MaxCqDepth + 1, NULL, NULL, &Failed),
                STATUS_INVALID_PARAMETER, "too deep");
    Open(Subject, 8);
    Resize(16, STATUS_INSUFFICIENT_RESOURCES);
    Resize(16, STATUS_SUCCESS);
    CheckStatus(Cq.Cq->Dispatch->NdkControlCqInterruptModeration(Cq.Cq, 10, 4),
                STATUS_INSUFFICIENT_RESOURCES, "moderation that a fault denies");
    CheckStatus(Cq.Cq->Dispatch->NdkControlCqInterruptModeration(Cq.Cq, 10, 4), STATUS_SUCCESS,
                "moderation");
    CheckStatus(Qp->Dispatch->NdkReceive(Qp, NULL, &Sge, 1), STATUS_INSUFFICIENT_RESOURCES,
                "a receive that a fault denies");
    CheckStatus(Qp->Dispatch->NdkReceive(Qp, NULL, &Sge, 1), STATUS_SUCCESS, "a receive");
    Close(Subject);
}
