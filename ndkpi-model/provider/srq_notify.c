/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifications of a shared receive queue: once per arm, from its own DPC, never with a lock held;
 * see srq.h.
 */
#include "adapter.h"

/* Whether the queue's DPC must run; under the lock. */
static BOOLEAN SrqIsOwed(const RNIC_SRQ *Srq) {
    return Srq->Due && !Srq->Quiet;
}

static VOID SrqKick(PRNIC_SRQ Srq) {
    ObjectGet(&Srq->Object, RefCallback);
    if (!KeInsertQueueDpc(&Srq->Dpc, NULL, NULL)) {
        ObjectPut(&Srq->Object, RefCallback);
    }
}

/* Under the lock: the arm is met. */
static VOID SrqMeet(PRNIC_SRQ Srq) {
    Srq->Armed = FALSE;
    Srq->Due = TRUE;
    Srq->Met = TRUE;
}

static VOID SrqDpcRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                          PVOID SystemArgument2) {
    PRNIC_SRQ Srq = DeferredContext;
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Call;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    Call = SrqIsOwed(Srq);
    if (Call) {
        Srq->Due = FALSE;
        if (Srq->Failed) {
            Srq->FailureReported = TRUE;
            Status = STATUS_INTERNAL_ERROR;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Call && ObjectIsOpen(&Srq->Object)) {
        Srq->Notification(Srq->NotificationContext, Status);
    }
    ObjectPut(&Srq->Object, RefCallback);
}

VOID SrqNotifyInit(PRNIC_SRQ Srq, const GROUP_AFFINITY *Affinity) {
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;

    KeInitializeDpc(&Srq->Dpc, SrqDpcRoutine, Srq);
    /* One processor, so that two runs never overlap. */
    KeSetTargetProcessorDpc(&Srq->Dpc, (CCHAR)EqProcessor(Adapter, Affinity));
}

/* The count has fallen below the threshold, or was below it when the queue was armed. */
VOID SrqEvent(PRNIC_SRQ Srq) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Owed;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    SrqMeet(Srq);
    Owed = SrqIsOwed(Srq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Owed) {
        SrqKick(Srq);
    }
}

/* Its QPs are in error by now, and silent; who posts to them is told so (R-SRQ-09). */
VOID SrqFault(PRNIC_SRQ Srq) {
    KLOCK_QUEUE_HANDLE Lock;
    PLIST_ENTRY Entry;
    BOOLEAN Owed;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    Srq->Failed = TRUE;
    for (Entry = Srq->Qps.Flink; Entry != &Srq->Qps; Entry = Entry->Flink) {
        CONTAINING_RECORD(Entry, RNIC_QP, SrqLink)->Silent = TRUE;
    }
    if (Srq->Armed) {
        SrqMeet(Srq);
    }
    Owed = SrqIsOwed(Srq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Owed) {
        SrqKick(Srq);
    }
}

BOOLEAN SrqQuiet(PRNIC_SRQ Srq, BOOLEAN Arms) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN WasArmed;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    WasArmed = Srq->Armed;
    Srq->Armed = WasArmed || Arms;
    Srq->Quiet = TRUE;
    Srq->Met = FALSE;
    KeReleaseInStackQueuedSpinLock(&Lock);
    return WasArmed;
}

/* A failure that came while nothing was armed is told to the next arm, once (G-06). */
VOID SrqResume(PRNIC_SRQ Srq, BOOLEAN Undo, BOOLEAN WasArmed) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Owed;

    KeAcquireInStackQueuedSpinLock(&Srq->Lock, &Lock);
    Srq->Quiet = FALSE;
    if (Undo) {
        Srq->Armed = WasArmed && !Srq->Met;
    }
    if (Srq->Failed && Srq->Armed && !Srq->FailureReported) {
        SrqMeet(Srq);
    }
    Owed = SrqIsOwed(Srq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Owed) {
        SrqKick(Srq);
    }
}
