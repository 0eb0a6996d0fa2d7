/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared receive queues. Receives are taken by any QP in the order they were posted, and complete
 * in any: so each has a slot, named to the device as the entry's tag, from its post until its
 * completion stands in some CQ (StrictSlots: until that is retrieved). Slot n has tag n + 1.
 *
 * Notification: `Armed` once per create or modify with a threshold; the device tells when the count
 * falls below. A callback is owed (`Due`) until it runs in the queue's own DPC, whose processor is
 * that of the affinity; so callbacks of one queue never overlap.
 *
 *   disarmed --create, modify--> Armed --below, failure--> Due --callback begins--> disarmed
 *   a failure while disarmed waits for the next arm
 *
 * Modifications take turns. While the ring moves (`Moving`) posts are written to both rings: the
 * device turns from the one to the other at a moment of its own.
 */
#ifndef PROVIDER_SRQ_H
#define PROVIDER_SRQ_H

#include "command.h"
#include "dma.h"
#include "object.h"
#include "turn.h"

typedef struct _RNIC_SRQ_RING {
    RNIC_DMA Dma;
    ULONG Mask;
} RNIC_SRQ_RING, *PRNIC_SRQ_RING;

typedef struct _RNIC_SRQ_SLOT {
    PVOID Context;
    NTSTATUS Planned; /* how a fault has it complete; STATUS_SUCCESS: as it will */
    ULONG Next;       /* free ones: the next tag, 0: none */
} RNIC_SRQ_SLOT, *PRNIC_SRQ_SLOT;

struct _RNIC_SRQ {
    RNIC_OBJECT Object;
    PRNIC_PD Pd;
    LIST_ENTRY TableLink;
    ULONG Srqn;
    BOOLEAN Created;
    BOOLEAN Counted;
    ULONG SgeMax;
    UCHAR StrideLog2;
    RNIC_COMMAND Command;
    ULONG Threshold; /* as created */
    NDK_FN_SRQ_NOTIFICATION_CALLBACK Notification;
    PVOID NotificationContext;
    RNIC_TURNS Turns; /* modifications */
    KDPC Dpc;         /* runs the callback; holds RefCallback while it is queued */

    KSPIN_LOCK Lock; /* guards what follows */
    LIST_ENTRY Qps;  /* RNIC_QP, by SrqLink */
    RNIC_SRQ_RING Ring;
    RNIC_SRQ_RING Next; /* while Moving */
    ULONG Depth;
    ULONG Producer;
    BOOLEAN Moving;
    BOOLEAN Armed;
    BOOLEAN Due;
    BOOLEAN Quiet; /* a modification is under way: callbacks wait for its answer ... */
    BOOLEAN Met;   /* ... and an arm was met meanwhile */
    BOOLEAN Failed;
    BOOLEAN FailureReported;

    KSPIN_LOCK SlotLock; /* guards the slots; innermost */
    PRNIC_SRQ_SLOT Slots;
    ULONG SlotCount;
    ULONG FreeTag;
    ULONG Outstanding; /* slots in use */
};

/* srq.c */
NTSTATUS NdkCreateSrq(NDK_PD *pNdkPd, ULONG SrqDepth, ULONG MaxReceiveRequestSge,
                      ULONG NotifyThreshold, NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
                      PVOID SrqNotificationContext, GROUP_AFFINITY *Affinity,
                      NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                      NDK_SRQ **ppNdkSrq);
/* The SRQ of a number, with RefCallback, or NULL. */
PRNIC_SRQ SrqFind(PRNIC_ADAPTER Adapter, ULONG Srqn);
/* A ring for so many entries of the queue's stride. */
NTSTATUS SrqRingGet(PRNIC_SRQ Srq, ULONG Depth, PRNIC_SRQ_RING Ring);

static inline PRNIC_SRQ SrqOf(NDK_SRQ *pNdkSrq) {
    return CONTAINING_RECORD(pNdkSrq, RNIC_SRQ, Object.Ndk.Srq);
}

/* srq_modify.c */
NTSTATUS NdkModifySrq(NDK_SRQ *pNdkSrq, ULONG SrqDepth, ULONG NotifyThreshold,
                      NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext);

/* srq_post.c */
NTSTATUS NdkSrqReceive(NDK_SRQ *pNdkSrq, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge);
/* Makes room for at least so many slots. `Srq->Lock` is not held. */
NTSTATUS SrqSlotsGrow(PRNIC_SRQ Srq, ULONG Count);
PVOID SrqSlotContext(PRNIC_SRQ Srq, ULONG Tag);
NTSTATUS SrqSlotPlanned(PRNIC_SRQ Srq, ULONG Tag);
VOID SrqSlotFree(PRNIC_SRQ Srq, ULONG Tag);
/* Under the lock: receives that were posted and are not completed. */
ULONG SrqOutstanding(PRNIC_SRQ Srq);

/* srq_notify.c. DISPATCH_LEVEL, the caller holds a reference and no lock. */
VOID SrqNotifyInit(PRNIC_SRQ Srq, const GROUP_AFFINITY *Affinity);
VOID SrqEvent(PRNIC_SRQ Srq);
VOID SrqFault(PRNIC_SRQ Srq);
/*
 * Between them no callback begins. The first tells whether the queue was armed; the second takes it
 * back when the modification came to nothing.
 */
BOOLEAN SrqQuiet(PRNIC_SRQ Srq, BOOLEAN Arms);
VOID SrqResume(PRNIC_SRQ Srq, BOOLEAN Undo, BOOLEAN WasArmed);

#endif
