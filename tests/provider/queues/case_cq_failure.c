/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues that overrun or fail, and what becomes of their QPs. */
#include "queues.h"

static WATCHED Cq; /* fails */
static WATCHED Healthy;
static NDK_QP *Qp;

static VOID Open(PSUBJECT Subject) {
    WatchedCreate(Subject, &Cq, 4, NULL);
    WatchedCreate(Subject, &Healthy, 64, NULL);
    Qp = QpCreate(Subject, &Healthy, &Cq, &Cq);
    LinkConnect(Subject, Qp);
    QpReceive(Subject, Qp, 0);
}

static VOID Nothings(ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        CheckStatus(QpNothing(Qp, i), STATUS_SUCCESS, "post a write of nothing");
    }
}

/* What was placed before can be taken, and nothing else is reported anywhere. */
static VOID HasFailed(PSUBJECT Subject, ULONG Placed) {
    NDK_SGE Sge = {{Subject->Slots.Buffer}, 1, Subject->Slots.LocalToken};
    NDK_RESULT_EX Result;
    ULONG i;

    KeWaitForSingleObject(&Subject->Links[0].Disconnected, Executive, KernelMode, FALSE, NULL);
    for (i = 0; i < Placed; i++) {
        Check(WatchedTake(&Cq, &Result, 1) == 1 && (ULONG_PTR)Result.RequestContext == i,
              "what was placed before the failure");
        CheckStatus(Result.Status, STATUS_SUCCESS, "its status");
    }
    Check(WatchedTake(&Cq, &Result, 1) == 0, "nothing after the failure");
    WatchedArm(&Healthy, NDK_CQ_NOTIFY_ANY);
    CheckStatus(QpNothing(Qp, 1), STATUS_INVALID_DEVICE_STATE, "post to the QP");
    CheckStatus(Qp->Dispatch->NdkReceive(Qp, NULL, &Sge, 1), STATUS_INVALID_DEVICE_STATE,
                "receive on the QP");
    Qp->Dispatch->NdkFlush(Qp);
    WatchedQuiet(&Healthy);
    Check(WatchedTake(&Healthy, &Result, 1) == 0, "nor in the other CQ");
}

static VOID Unusable(PSUBJECT Subject) {
    SYNC_WAIT Wait;
    NDK_QP *Other;
    const SYNC_QP_SIZES Sizes = {1, 1, 1, 1, 0};

    CheckStatus(SyncCreateQp(Subject->Pd, Cq.Cq, Cq.Cq, NULL, &Sizes, &Other),
                STATUS_INVALID_DEVICE_STATE, "another QP on it");
    SyncInit(&Wait);
    CheckStatus(SyncFinish(&Wait, Cq.Cq->Dispatch->NdkResizeCq(Cq.Cq, 64, SyncRequested, &Wait)),
                STATUS_INVALID_DEVICE_STATE, "resize it");
}

static VOID Close(PSUBJECT Subject) {
    const ORDER Order = {OrderClose, 1, 0, 0, 0, 0, STATUS_SUCCESS};

    Tell(Subject, &Order);
    CheckStatus(Answer(Subject), STATUS_SUCCESS, "the peer closes");
    LinksClose(Subject);
    WatchedClose(&Cq);
    WatchedClose(&Healthy);
}

static VOID FailsArmed(PSUBJECT Subject, ULONG Placed, NTSTATUS Status) {
    Open(Subject);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ERRORS);
    Nothings(Placed);
    WatchedQuiet(&Cq);
    Nothings(1);
    WatchedWait(&Cq);
    CheckStatus(Cq.Status, Status, "the failure's status");
    HasFailed(Subject, Placed);
    Unusable(Subject);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    WatchedQuiet(&Cq); /* told once */
    Close(Subject);
}

VOID CqOverrun(PSUBJECT Subject) {
    FailsArmed(Subject, 4, STATUS_BUFFER_OVERFLOW);
}

/* The device fails it at the third entry. */
VOID CqFails(PSUBJECT Subject) {
    FailsArmed(Subject, 2, STATUS_INTERNAL_ERROR);
}

VOID CqOverrunUnarmed(PSUBJECT Subject) {
    Open(Subject);
    Nothings(6);
    HasFailed(Subject, 4);
    WatchedQuiet(&Cq);
    WatchedArm(&Cq, NDK_CQ_NOTIFY_SOLICITED);
    WatchedWait(&Cq);
    CheckStatus(Cq.Status, STATUS_BUFFER_OVERFLOW, "the failure's status");
    Check(!NT_SUCCESS(Cq.Status) && !NT_ERROR(Cq.Status), "a warning value (C-06)");
    WatchedArm(&Cq, NDK_CQ_NOTIFY_ANY);
    WatchedQuiet(&Cq);
    Close(Subject);
}
