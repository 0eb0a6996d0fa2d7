/* SPDX-License-Identifier: Apache-2.0 */
/* Shared receive queues: who gets what, and when they tell. */
#include "queues.h"

static ULONG SlotsFree(VOID) {
    return NdksimRegistryUlong(L"StrictSlots", 0) == 0;
}

static VOID TakeAll(PSUBJECT Subject, PWATCHED Watched, PVOID Context, ULONG First, ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        WatchedReceive(Subject, Watched, Context, First + i);
    }
}

/* Five receives are taken, by two QPs, and five are posted again: before or after the results. */
static VOID FeedOnce(PSUBJECT Subject, PSHARED Shared, WATCHED *Cqs, ULONG Round) {
    ULONG First = Round * 5;

    CheckStatus(PeerSends(Subject, 1, First, 3, 0), STATUS_SUCCESS, "sends to the first QP");
    CheckStatus(PeerSends(Subject, 2, First + 3, 2, 0), STATUS_SUCCESS, "sends to the second QP");
    if (SlotsFree()) {
        SrqPosts(Subject, Shared, 8 + First, 5);
    }
    TakeAll(Subject, &Cqs[0], &Cqs[0], First, 3);
    TakeAll(Subject, &Cqs[1], &Cqs[1], First + 3, 2);
    if (!SlotsFree()) {
        SrqPosts(Subject, Shared, 8 + First, 5);
    }
    CheckStatus(SrqPost(Subject, Shared, 0), STATUS_NO_MORE_ENTRIES, "one receive too many");
}

VOID SrqFeedsTwoQps(PSUBJECT Subject) {
    static WATCHED Cqs[2];
    static SHARED Shared;
    NDK_QP *Qps[2];
    ULONG i;

    CheckStatus(SrqCreate(Subject, &Shared, 8, 0, NULL), STATUS_SUCCESS, "create an SRQ");
    Check(Shared.Srq->Header.ObjectType == NdkObjectTypeSrq, "an SRQ's type");
    for (i = 0; i < 2; i++) {
        WatchedCreate(Subject, &Cqs[i], 64, NULL);
        CheckStatus(QpWithSrq(Subject, &Cqs[i], &Cqs[i], &Shared, &Cqs[i], &Qps[i]), STATUS_SUCCESS,
                    "create a QP with the SRQ");
        Check(LinkConnect(Subject, Qps[i]) == i + 1, "the peer's link");
    }
    SrqPosts(Subject, &Shared, 0, 8);
    for (i = 0; i < 6; i++) {
        FeedOnce(Subject, &Shared, Cqs, i);
    }
    /* Results that outlive their QP leave their slots, too. */
    CheckStatus(PeerSends(Subject, 1, 30, 4, 0), STATUS_SUCCESS, "sends before the close");
    LinksClose(Subject);
    SrqPosts(Subject, &Shared, 0, 4);
    TakeAll(Subject, &Cqs[0], &Cqs[0], 30, 4);
    SrqClose(&Shared);
    WatchedClose(&Cqs[0]);
    WatchedClose(&Cqs[1]);
}

/* What every case with one QP on an SRQ stands on. */
typedef struct _ONE {
    SHARED Shared;
    WATCHED Cq;
    NDK_QP *Qp;
} ONE, *PONE;

static ONE One;

static VOID OneOpen(PSUBJECT Subject, ULONG Depth, ULONG Threshold) {
    CheckStatus(SrqCreate(Subject, &One.Shared, Depth, Threshold, NULL), STATUS_SUCCESS,
                "create an SRQ");
    WatchedCreate(Subject, &One.Cq, 64, NULL);
    CheckStatus(QpWithSrq(Subject, &One.Cq, &One.Cq, &One.Shared, &One, &One.Qp), STATUS_SUCCESS,
                "create a QP with the SRQ");
    LinkConnect(Subject, One.Qp);
}

static VOID OneClose(PSUBJECT Subject) {
    LinksClose(Subject);
    SrqClose(&One.Shared);
    WatchedClose(&One.Cq);
}

static VOID OneReceives(PSUBJECT Subject, ULONG First, ULONG Count) {
    CheckStatus(PeerSends(Subject, 1, First, Count, 0), STATUS_SUCCESS, "sends to the SRQ");
    TakeAll(Subject, &One.Cq, &One, First, Count);
}

VOID SrqHoldsWhenEmpty(PSUBJECT Subject) {
    const ORDER Order = {OrderSend, 1, 2, 0, QUEUES_SLOT_BYTES, 7, STATUS_SUCCESS};
    NDK_RESULT_EX Result;

    OneOpen(Subject, 4, 0);
    Tell(Subject, &Order);
    SleepUs(20000);
    Check(WatchedTake(&One.Cq, &Result, 1) == 0, "nothing was received");
    Check(KeReadStateEvent(&Subject->Links[0].Disconnected) == 0, "the connection stands");
    SrqPosts(Subject, &One.Shared, 0, 2);
    CheckStatus(Answer(Subject), STATUS_SUCCESS, "sends that were held");
    TakeAll(Subject, &One.Cq, &One, 7, 2);
    OneClose(Subject);
}

VOID SrqThreshold(PSUBJECT Subject) {
    OneOpen(Subject, 16, 3);
    SrqPosts(Subject, &One.Shared, 0, 5);
    OneReceives(Subject, 0, 2);
    SrqQuiet(&One.Shared);
    OneReceives(Subject, 2, 1);
    SrqWait(&One.Shared, STATUS_SUCCESS);
    OneReceives(Subject, 3, 2);
    SrqPosts(Subject, &One.Shared, 0, 8);
    /* A threshold of 0 leaves it disarmed. */
    CheckStatus(SrqModify(&One.Shared, 0, 0), STATUS_SUCCESS, "modify nothing");
    OneReceives(Subject, 5, 6);
    SrqQuiet(&One.Shared);
    SrqPosts(Subject, &One.Shared, 8, 6);
    CheckStatus(SrqModify(&One.Shared, 0, 4), STATUS_SUCCESS, "arm again");
    /* ... and armed. */
    CheckStatus(SrqModify(&One.Shared, 12, 0), STATUS_SUCCESS, "another depth only");
    OneReceives(Subject, 11, 4);
    SrqQuiet(&One.Shared);
    OneReceives(Subject, 15, 1);
    SrqWait(&One.Shared, STATUS_SUCCESS);
    Check(One.Shared.Calls == 2, "one notification per arm");
    OneClose(Subject);
}

VOID SrqThresholdArmedLow(PSUBJECT Subject) {
    static const ULONG Thresholds[] = {5, 3, 1000};
    ULONG i;

    OneOpen(Subject, 8, 0);
    SrqPosts(Subject, &One.Shared, 0, 2);
    SrqQuiet(&One.Shared);
    for (i = 0; i < RTL_NUMBER_OF(Thresholds); i++) {
        CheckStatus(SrqModify(&One.Shared, 0, Thresholds[i]), STATUS_SUCCESS, "arm below");
        SrqWait(&One.Shared, STATUS_SUCCESS);
        Check(One.Shared.Calls == (LONG)i + 1, "one notification per arm");
    }
    SrqQuiet(&One.Shared);
    OneReceives(Subject, 0, 2);
    SrqQuiet(&One.Shared);
    OneClose(Subject);
}

VOID SrqChangesDepth(PSUBJECT Subject) {
    const ORDER Order = {OrderSend, 1, 12, 0, QUEUES_SLOT_BYTES, 16, STATUS_SUCCESS};
    static const ULONG Depths[] = {40, 13, 64, 14, 20};
    ULONG i;

    OneOpen(Subject, 4, 0);
    SrqPosts(Subject, &One.Shared, 0, 4);
    CheckStatus(SrqModify(&One.Shared, 16, 0), STATUS_SUCCESS, "more");
    SrqPosts(Subject, &One.Shared, 4, 12);
    CheckStatus(SrqPost(Subject, &One.Shared, 16), STATUS_NO_MORE_ENTRIES, "the 17th");
    OneReceives(Subject, 0, 10);
    CheckStatus(SrqModify(&One.Shared, 5, 0), STATUS_BUFFER_OVERFLOW, "less than there are");
    SrqPosts(Subject, &One.Shared, 16, 10);
    CheckStatus(SrqPost(Subject, &One.Shared, 16), STATUS_NO_MORE_ENTRIES, "as deep as before");
    OneReceives(Subject, 10, 6);
    CheckStatus(SrqModify(&One.Shared, 10, 0), STATUS_SUCCESS, "as many as there are");
    CheckStatus(SrqPost(Subject, &One.Shared, 0), STATUS_NO_MORE_ENTRIES, "one more");
    CheckStatus(SrqModify(&One.Shared, 13, 0), STATUS_SUCCESS, "a few more");
    /* While messages come and receives are posted. */
    Tell(Subject, &Order);
    for (i = 0; i < RTL_NUMBER_OF(Depths); i++) {
        SYNC_WAIT Wait;
        NTSTATUS Status;

        SyncInit(&Wait);
        Status = One.Shared.Srq->Dispatch->NdkModifySrq(One.Shared.Srq, Depths[i], 0, SyncRequested,
                                                        &Wait);
        if (i < 3) {
            SrqPosts(Subject, &One.Shared, 26 + i, 1);
        }
        CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "a ring that moves");
    }
    CheckStatus(Answer(Subject), STATUS_SUCCESS, "sends to a moving ring");
    TakeAll(Subject, &One.Cq, &One, 16, 12);
    OneReceives(Subject, 28, 1);
    OneClose(Subject);
}

VOID SrqClosedFirst(PSUBJECT Subject) {
    CLOSE_GROUP Group;

    OneOpen(Subject, 8, 2);
    SrqPosts(Subject, &One.Shared, 0, 6);
    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &One.Shared.Srq->Header, One.Shared.Srq->Dispatch->NdkCloseSrq);
    /* The QP goes on, and draws from it; nobody is notified any more. */
    OneReceives(Subject, 0, 5);
    SrqQuiet(&One.Shared);
    Check(One.Shared.Calls == 0 && ReadNoFence(&Group.Pending) == 2, "the close waits");
    LinksClose(Subject);
    CloseGroupWait(&Group);
    WatchedClose(&One.Cq);
}

VOID SrqClosedInCallback(PSUBJECT Subject) {
    CLOSE_GROUP Group;

    CloseGroupInit(&Group);
    OneOpen(Subject, 8, 2);
    One.Shared.Group = &Group;
    One.Shared.CloseInCallback = TRUE;
    SrqPosts(Subject, &One.Shared, 0, 2);
    OneReceives(Subject, 0, 1);
    SrqWait(&One.Shared, STATUS_SUCCESS);
    OneReceives(Subject, 1, 1);
    LinksClose(Subject);
    CloseGroupWait(&Group);
    WatchedClose(&One.Cq);
}

VOID SrqAfterFlush(PSUBJECT Subject) {
    static WATCHED Other;
    NDK_RESULT_EX Result;
    NDK_QP *Qp;

    OneOpen(Subject, 8, 0);
    WatchedCreate(Subject, &Other, 64, NULL);
    CheckStatus(QpWithSrq(Subject, &Other, &Other, &One.Shared, &Other, &Qp), STATUS_SUCCESS,
                "create a second QP");
    LinkConnect(Subject, Qp);
    SrqPosts(Subject, &One.Shared, 0, 4);
    WatchedArm(&Other, NDK_CQ_NOTIFY_ANY);
    Qp->Dispatch->NdkFlush(Qp);
    WatchedQuiet(&Other);
    Check(WatchedTake(&Other, &Result, 1) == 0, "nothing was taken, so nothing is cancelled");
    OneReceives(Subject, 0, 4);
    OneClose(Subject);
    WatchedClose(&Other);
}

static VOID OneHasFailed(PSUBJECT Subject) {
    NDK_SGE Sge = {{NULL}, 0, 0};
    NDK_RESULT_EX Result;

    KeWaitForSingleObject(&Subject->Links[0].Disconnected, Executive, KernelMode, FALSE, NULL);
    CheckStatus(SrqPost(Subject, &One.Shared, 0), STATUS_INVALID_DEVICE_STATE, "post to the SRQ");
    CheckStatus(QpNothing(One.Qp, 1), STATUS_INVALID_DEVICE_STATE, "post to its QP");
    CheckStatus(One.Qp->Dispatch->NdkReceive(One.Qp, NULL, &Sge, 1), STATUS_INVALID_DEVICE_STATE,
                "a receive of its own");
    SleepUs(3000);
    Check(WatchedTake(&One.Cq, &Result, 1) == 0, "nothing more is reported");
}

/* The device fails the queue at the third receive that is taken. */
static VOID OneFails(PSUBJECT Subject, ULONG Threshold) {
    const ORDER Order = {OrderSend, 1, 1, 0, QUEUES_SLOT_BYTES, 2, STATUS_SUCCESS};

    OneOpen(Subject, 8, Threshold);
    SrqPosts(Subject, &One.Shared, 0, 5);
    OneReceives(Subject, 0, 2);
    Tell(Subject, &Order);
}

VOID SrqFails(PSUBJECT Subject) {
    OneFails(Subject, 1);
    SrqWait(&One.Shared, STATUS_INTERNAL_ERROR);
    OneHasFailed(Subject);
    Check(!NT_SUCCESS(Answer(Subject)), "the peer's send fails");
    CheckStatus(SrqModify(&One.Shared, 0, 2), STATUS_SUCCESS, "arm a failed SRQ");
    SrqQuiet(&One.Shared);
    OneClose(Subject);
}

VOID SrqFailsUnarmed(PSUBJECT Subject) {
    OneFails(Subject, 0);
    OneHasFailed(Subject);
    SrqQuiet(&One.Shared);
    CheckStatus(SrqModify(&One.Shared, 0, 1), STATUS_SUCCESS, "the next arm");
    SrqWait(&One.Shared, STATUS_INTERNAL_ERROR);
    CheckStatus(SrqModify(&One.Shared, 0, 1), STATUS_SUCCESS, "the arm after that");
    SrqQuiet(&One.Shared);
    CheckStatus(SrqModify(&One.Shared, 16, 0), STATUS_INVALID_DEVICE_STATE, "another depth");
    Check(!NT_SUCCESS(Answer(Subject)), "the peer's send fails");
    OneClose(Subject);
}
