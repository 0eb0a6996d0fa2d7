/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, queues and their callbacks; see queues.h. */
#include "queues.h"

#define QUIET_US 3000u

VOID Check(BOOLEAN Condition, PCSTR What) {
    NdksimRequire(Condition, What);
}

VOID CheckStatus(NTSTATUS Status, NTSTATUS Wanted, PCSTR What) {
    if (Status != Wanted) {
        DbgPrint("queues: %s: 0x%08X instead of 0x%08X\n", What, Status, Wanted);
    }
    NdksimRequire(Status == Wanted, What);
}

VOID SleepUs(ULONG Us) {
    LARGE_INTEGER Due;

    Due.QuadPart = -10 * (LONGLONG)Us;
    KeDelayExecutionThread(KernelMode, FALSE, &Due);
}

ULONGLONG NowNs(VOID) {
    LARGE_INTEGER Frequency;
    LARGE_INTEGER Now = KeQueryPerformanceCounter(&Frequency);

    return (ULONGLONG)Now.QuadPart * (1000000000ull / (ULONGLONG)Frequency.QuadPart);
}

VOID SubjectOpen(PSUBJECT Subject) {
    CheckStatus(AdapterOpen(&Subject->Rdma, 1), STATUS_SUCCESS, "open the adapter");
    CheckStatus(SyncCreatePd(Subject->Rdma.Adapter, &Subject->Pd), STATUS_SUCCESS, "create a PD");
    CheckStatus(RegionCreate(&Subject->Slots, Subject->Pd, NULL, QUEUES_SLOTS * QUEUES_SLOT_BYTES,
                             NDK_MR_FLAG_ALLOW_LOCAL_WRITE),
                STATUS_SUCCESS, "register the slots");
}

VOID SubjectClose(PSUBJECT Subject) {
    RegionClose(&Subject->Slots);
    SyncClose(&Subject->Pd->Header, Subject->Pd->Dispatch->NdkClosePd);
    AdapterClose(&Subject->Rdma);
    RegionFree(&Subject->Slots);
}

/* ---- CQs ---- */

static VOID WatchedNotified(PVOID Context, NTSTATUS Status) {
    PWATCHED Watched = Context;

    if (InterlockedIncrement(&Watched->Running) != 1) {
        InterlockedIncrement(&Watched->Overlaps);
    }
    Watched->Status = Status;
    Watched->Processor = KeGetCurrentProcessorNumberEx(NULL);
    Watched->Time = NowNs();
    InterlockedIncrement(&Watched->Calls);
    if (Watched->Then != NULL) {
        Watched->Then(Watched, Status);
    }
    InterlockedDecrement(&Watched->Running);
    KeSetEvent(&Watched->Event, IO_NO_INCREMENT, FALSE);
}

VOID WatchedCreate(PSUBJECT Subject, PWATCHED Watched, ULONG Depth, GROUP_AFFINITY *Affinity) {
    NDK_ADAPTER *Adapter = Subject->Rdma.Adapter;
    SYNC_WAIT Wait;
    NTSTATUS Started;

    RtlZeroMemory(Watched, sizeof(*Watched));
    KeInitializeEvent(&Watched->Event, SynchronizationEvent, FALSE);
    SyncInit(&Wait);
    Started = Adapter->Dispatch->NdkCreateCq(Adapter, Depth, WatchedNotified, Watched, Affinity,
                                             SyncCreated, &Wait, &Watched->Cq);
    CheckStatus(SyncFinish(&Wait, Started), STATUS_SUCCESS, "create a CQ");
    if (Started == STATUS_PENDING) {
        Watched->Cq = (NDK_CQ *)Wait.Object;
    }
}

VOID WatchedClose(PWATCHED Watched) {
    SyncClose(&Watched->Cq->Header, Watched->Cq->Dispatch->NdkCloseCq);
    Check(Watched->Overlaps == 0, "callbacks of one CQ do not overlap");
}

VOID WatchedArm(PWATCHED Watched, ULONG Type) {
    Watched->Cq->Dispatch->NdkArmCq(Watched->Cq, Type);
}

VOID WatchedWait(PWATCHED Watched) {
    KeWaitForSingleObject(&Watched->Event, Executive, KernelMode, FALSE, NULL);
}

VOID WatchedQuiet(PWATCHED Watched) {
    LONG Calls = Watched->Calls;

    SleepUs(QUIET_US);
    Check(Watched->Calls == Calls, "no callback");
}

ULONG WatchedTake(PWATCHED Watched, NDK_RESULT_EX *Results, ULONG Count) {
    return Watched->Cq->Dispatch->NdkGetCqResultsEx(Watched->Cq, Results, Count);
}

VOID WatchedNext(PWATCHED Watched, NDK_RESULT_EX *Result) {
    while (WatchedTake(Watched, Result, 1) == 0) {
        WatchedArm(Watched, NDK_CQ_NOTIFY_ANY);
        WatchedWait(Watched);
        CheckStatus(Watched->Status, STATUS_SUCCESS, "a healthy CQ");
    }
}

VOID WatchedReceive(PSUBJECT Subject, PWATCHED Watched, PVOID QpContext, ULONG Number) {
    NDK_RESULT_EX Result;
    ULONG Slot;

    WatchedNext(Watched, &Result);
    CheckStatus(Result.Status, STATUS_SUCCESS, "a receive");
    Check(Result.Type == NdkOperationTypeReceive && Result.QPContext == QpContext,
          "type and QP of a receive");
    Slot = (ULONG)(ULONG_PTR)Result.RequestContext - 1;
    Check(Slot < QUEUES_SLOTS && Result.BytesTransferred == QUEUES_SLOT_BYTES, "a slot, filled");
    Check(*(const ULONG *)(Subject->Slots.Buffer + Slot * QUEUES_SLOT_BYTES) == Number,
          "the message of this number");
}

/* ---- SRQs ---- */

static VOID SrqNotified(PVOID Context, NTSTATUS Status) {
    PSHARED Shared = Context;

    Check(InterlockedIncrement(&Shared->Running) == 1, "callbacks of one SRQ do not overlap");
    Shared->Status = Status;
    Shared->Processor = KeGetCurrentProcessorNumberEx(NULL);
    InterlockedIncrement(&Shared->Calls);
    if (Shared->CloseInCallback) {
        CloseGroupStart(Shared->Group, &Shared->Srq->Header, Shared->Srq->Dispatch->NdkCloseSrq);
    }
    InterlockedDecrement(&Shared->Running);
    KeSetEvent(&Shared->Event, IO_NO_INCREMENT, FALSE);
}

NTSTATUS SrqCreate(PSUBJECT Subject, PSHARED Shared, ULONG Depth, ULONG Threshold,
                   GROUP_AFFINITY *Affinity) {
    SYNC_WAIT Wait;
    NTSTATUS Started;
    NTSTATUS Status;

    RtlZeroMemory(Shared, sizeof(*Shared));
    KeInitializeEvent(&Shared->Event, SynchronizationEvent, FALSE);
    SyncInit(&Wait);
    Started =
        Subject->Pd->Dispatch->NdkCreateSrq(Subject->Pd, Depth, 2, Threshold, SrqNotified, Shared,
                                            Affinity, SyncCreated, &Wait, &Shared->Srq);
    Status = SyncFinish(&Wait, Started);
    if (Started == STATUS_PENDING) {
        Shared->Srq = (NDK_SRQ *)Wait.Object;
    }
    return Status;
}

NTSTATUS SrqModify(PSHARED Shared, ULONG Depth, ULONG Threshold) {
    SYNC_WAIT Wait;

    SyncInit(&Wait);
    return SyncFinish(&Wait, Shared->Srq->Dispatch->NdkModifySrq(Shared->Srq, Depth, Threshold,
                                                                 SyncRequested, &Wait));
}

static NDK_SGE SlotSge(PSUBJECT Subject, ULONG Slot) {
    NDK_SGE Sge = {{Subject->Slots.Buffer + (Slot % QUEUES_SLOTS) * QUEUES_SLOT_BYTES},
                   QUEUES_SLOT_BYTES,
                   Subject->Slots.LocalToken};

    return Sge;
}

NTSTATUS SrqPost(PSUBJECT Subject, PSHARED Shared, ULONG Slot) {
    NDK_SGE Sge = SlotSge(Subject, Slot);

    return Shared->Srq->Dispatch->NdkSrqReceive(
        Shared->Srq, (PVOID)(ULONG_PTR)(Slot % QUEUES_SLOTS + 1), &Sge, 1);
}

VOID SrqPosts(PSUBJECT Subject, PSHARED Shared, ULONG First, ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        CheckStatus(SrqPost(Subject, Shared, First + i), STATUS_SUCCESS, "post to the SRQ");
    }
}

VOID SrqWait(PSHARED Shared, NTSTATUS Status) {
    KeWaitForSingleObject(&Shared->Event, Executive, KernelMode, FALSE, NULL);
    CheckStatus(Shared->Status, Status, "the SRQ's notification");
}

VOID SrqQuiet(PSHARED Shared) {
    LONG Calls = Shared->Calls;

    SleepUs(QUIET_US);
    Check(Shared->Calls == Calls, "no notification of the SRQ");
}

VOID SrqClose(PSHARED Shared) {
    SyncClose(&Shared->Srq->Header, Shared->Srq->Dispatch->NdkCloseSrq);
}

/* ---- QPs ---- */

NTSTATUS QpWithSrq(PSUBJECT Subject, PWATCHED Receive, PWATCHED Initiator, PSHARED Shared,
                   PVOID Context, NDK_QP **Qp) {
    SYNC_WAIT Wait;
    NTSTATUS Started;
    NTSTATUS Status;

    SyncInit(&Wait);
    Started = Subject->Pd->Dispatch->NdkCreateQpWithSrq(Subject->Pd, Receive->Cq, Initiator->Cq,
                                                        Shared->Srq, Context, QUEUES_DEPTH, 2, 64,
                                                        SyncCreated, &Wait, Qp);
    Status = SyncFinish(&Wait, Started);
    if (Started == STATUS_PENDING) {
        *Qp = (NDK_QP *)Wait.Object;
    }
    return Status;
}

NDK_QP *QpCreate(PSUBJECT Subject, PWATCHED Receive, PWATCHED Initiator, PVOID Context) {
    const SYNC_QP_SIZES Sizes = {QUEUES_DEPTH, QUEUES_DEPTH, 2, 2, 64};
    NDK_QP *Qp;

    CheckStatus(SyncCreateQp(Subject->Pd, Receive->Cq, Initiator->Cq, Context, &Sizes, &Qp),
                STATUS_SUCCESS, "create a QP");
    return Qp;
}

VOID QpReceive(PSUBJECT Subject, NDK_QP *Qp, ULONG Slot) {
    NDK_SGE Sge = SlotSge(Subject, Slot);

    CheckStatus(Qp->Dispatch->NdkReceive(Qp, (PVOID)(ULONG_PTR)(Slot % QUEUES_SLOTS + 1), &Sge, 1),
                STATUS_SUCCESS, "post a receive");
}

NTSTATUS QpNothing(NDK_QP *Qp, ULONG_PTR Context) {
    return Qp->Dispatch->NdkWrite(Qp, (PVOID)Context, NULL, 0, 0, 0, 0);
}
