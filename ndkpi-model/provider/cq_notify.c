/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arming and notification callbacks of a completion queue: once per arm that is met, never two at a
 * time, never with a lock held; see cq.h.
 */
#include "adapter.h"

/* What two arms before a callback add up to (R-CQ-06); row: the one that stands. */
static const UCHAR ArmCombined[4][3] = {
    [NDK_CQ_NOTIFY_ERRORS] = {NDK_CQ_NOTIFY_ERRORS, NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_SOLICITED},
    [NDK_CQ_NOTIFY_ANY] = {NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_ANY},
    [NDK_CQ_NOTIFY_SOLICITED] = {NDK_CQ_NOTIFY_SOLICITED, NDK_CQ_NOTIFY_ANY,
                                 NDK_CQ_NOTIFY_SOLICITED},
    [RNIC_CQ_UNARMED] = {NDK_CQ_NOTIFY_ERRORS, NDK_CQ_NOTIFY_ANY, NDK_CQ_NOTIFY_SOLICITED},
};

/* The entry from which on completions meet an arm. */
static ULONG CqArmIndex(PRNIC_CQ Cq) {
    return Cq->Object.Owner->Settings.ArmFiresOnOld != 0 ? Cq->Consumed : Cq->Notified;
}

/* Whether requests that failed meet an arm for errors, too (C-02). */
static BOOLEAN ErrorsMeetFailures(const RNIC_CQ *Cq) {
    return Cq->Object.Owner->Settings.ErrorsMeetFailures != 0;
}

static BOOLEAN CqFaultOwed(const RNIC_CQ *Cq) {
    return !NT_SUCCESS(Cq->FaultStatus) && !Cq->FaultReported;
}

static BOOLEAN CqArmIsMet(PRNIC_CQ Cq) {
    if (CqFaultOwed(Cq)) {
        return TRUE;
    }
    switch (Cq->Armed) {
    case NDK_CQ_NOTIFY_ANY:
        return (LONG)(Cq->Visible - CqArmIndex(Cq)) > 0;
    case NDK_CQ_NOTIFY_SOLICITED:
        return Cq->HasSolicited && (LONG)(Cq->Solicited - CqArmIndex(Cq)) > 0;
    case NDK_CQ_NOTIFY_ERRORS:
        return ErrorsMeetFailures(Cq) && Cq->HasFailed && (LONG)(Cq->Failed - CqArmIndex(Cq)) > 0;
    default:
        return FALSE;
    }
}

/* Asks the device for an event; failures of the CQ come without being asked for. */
static VOID CqArmDevice(PRNIC_CQ Cq) {
    /* What is held back is looked at again when it is released. */
    ULONG Index = Cq->Visible != Cq->Resolved ? Cq->Resolved : CqArmIndex(Cq);
    ULONG Arm;

    switch (Cq->Armed) {
    case NDK_CQ_NOTIFY_ANY:
        Arm = RNIC_ARM_ANY;
        break;
    case NDK_CQ_NOTIFY_SOLICITED:
        Arm = RNIC_ARM_SOLICITED;
        break;
    case NDK_CQ_NOTIFY_ERRORS:
        if (!ErrorsMeetFailures(Cq)) {
            return;
        }
        /* Entries that solicit and have not failed bring an event each, once. */
        Arm = RNIC_ARM_SOLICITED;
        Index = Cq->Resolved;
        break;
    default:
        return;
    }
    /* An arm that the device has already would bring one event more than the ring has room for. */
    if (Cq->DeviceArm >= Arm && (LONG)(Index - Cq->DeviceArmIndex) >= 0) {
        return;
    }
    Cq->DeviceArm = (UCHAR)max(Cq->DeviceArm, Arm);
    Cq->DeviceArmIndex = Index;
    DoorbellRing(Cq->Object.Owner, RNIC_DOORBELL_CQ, Cq->Cqn, Arm, Index);
}

/* Under the lock. An event may be older than the arm that stands now: then ask again. */
static VOID CqJudge(PRNIC_CQ Cq) {
    CqResolve(Cq);
    if (Cq->Armed == RNIC_CQ_UNARMED) {
        return;
    }
    if (CqArmIsMet(Cq)) {
        Cq->Armed = RNIC_CQ_UNARMED;
        Cq->Due = TRUE;
    } else {
        CqArmDevice(Cq);
    }
}

/* Under the lock, which is let go of around the callback. */
static VOID CqCallBack(PRNIC_CQ Cq, PKLOCK_QUEUE_HANDLE Lock) {
    Cq->Notifying = TRUE;
    while (Cq->Due) {
        NTSTATUS Status = Cq->FaultStatus; /* a CQ that has failed stays so */

        Cq->Due = FALSE;
        CqResolve(Cq);
        Cq->Notified = Cq->Visible;
        Cq->FaultReported = !NT_SUCCESS(Status);
        KeReleaseInStackQueuedSpinLock(Lock);
        if (Cq->Notification != NULL && ObjectIsOpen(&Cq->Object)) {
            Cq->Notification(Cq->NotificationContext, Status);
        }
        KeAcquireInStackQueuedSpinLock(&Cq->Lock, Lock);
    }
    Cq->Notifying = FALSE;
}

static VOID CqLook(PRNIC_CQ Cq, BOOLEAN FromDevice) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    if (FromDevice) {
        Cq->DeviceArm = RNIC_ARM_NONE;
    }
    CqJudge(Cq);
    /* Who is calling back already sees Due when he comes back. */
    if (Cq->Due && !Cq->Notifying) {
        CqCallBack(Cq, &Lock);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID CqEvent(PRNIC_CQ Cq) {
    CqLook(Cq, FALSE);
}

VOID CqDeviceEvent(PRNIC_CQ Cq) {
    CqLook(Cq, TRUE);
}

/* Under the lock: its QPs report nothing more, wherever (R-CQ-13); who posts to them is told so. */
static VOID CqSilence(PRNIC_CQ Cq) {
    PLIST_ENTRY Entry;

    for (Entry = Cq->Qps.Flink; Entry != &Cq->Qps; Entry = Entry->Flink) {
        CONTAINING_RECORD(Entry, RNIC_QP_LINK, Link)->Qp->Silent = TRUE;
    }
}

VOID CqFault(PRNIC_CQ Cq, NTSTATUS Status) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    if (NT_SUCCESS(Cq->FaultStatus)) {
        Cq->FaultStatus = Status;
        AdapterCount(&Cq->Object.Owner->Counters.CQError);
        CqSilence(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    CqEvent(Cq);
}

static VOID CqKickRun(PRNIC_DEFERRED Deferred) {
    PRNIC_CQ Cq = CONTAINING_RECORD(Deferred, RNIC_CQ, Kick);

    CqEvent(Cq);
    ObjectPut(&Cq->Object, RefCallback);
}

VOID CqKickInit(PRNIC_CQ Cq) {
    Cq->Kick.Run = CqKickRun;
}

VOID CqKick(PRNIC_CQ Cq) {
    ObjectGet(&Cq->Object, RefCallback);
    if (!DeferItem(Cq->Object.Owner, &Cq->Kick)) {
        ObjectPut(&Cq->Object, RefCallback);
    }
}

VOID NdkArmCq(NDK_CQ *pNdkCq, ULONG Type) {
    PRNIC_CQ Cq = CqOf(pNdkCq);
    BOOLEAN Inline = Cq->Object.Owner->Settings.ArmInline != 0;
    BOOLEAN Look;
    KLOCK_QUEUE_HANDLE Lock;

    if (Type > NDK_CQ_NOTIFY_SOLICITED || !ObjectIsOpen(&Cq->Object)) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Cq->Armed = ArmCombined[Cq->Armed][Type];
    /* A device that is lost answers no arm: what it owed may have been cancelled just before. */
    Look = CqFaultOwed(Cq) || Inline || Cq->Object.Owner->Lost != 0 ||
           (Cq->Armed == NDK_CQ_NOTIFY_ERRORS && CqArmIsMet(Cq));
    if (!Look) {
        CqArmDevice(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (!Look) {
        return;
    }
    if (Inline) {
        ObjectGet(&Cq->Object, RefCallback);
        CqEvent(Cq);
        ObjectPut(&Cq->Object, RefCallback);
    } else {
        CqKick(Cq);
    }
}
