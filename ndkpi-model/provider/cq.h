/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues. Entries pass three indices, all free running:
 *
 *   Consumed  taken by the consumer; the device may write here again
 *   Visible   the consumer may take entries before it. It stands still at a receive of a QP whose
 *             accept has not been completed yet
 *   Resolved  entries before it are rewritten in place as results, with the contexts of their
 *             requests, so that the slots of the QP's queues may be used again
 *   (device)  entries past Resolved whose phase fits
 *
 * Notification: `Armed` is what the consumer asked for since the last callback started; `Notified`
 * is Visible as of that start. An arm is met by a visible entry past Notified that suits it, or by
 * a failure of the CQ that was not reported yet. Callbacks never overlap: `Notifying`.
 */
#ifndef PROVIDER_CQ_H
#define PROVIDER_CQ_H

#include "command.h"
#include "dma.h"
#include "eq.h"
#include "object.h"
#include "turn.h"

#define RNIC_CQ_UNARMED 3u /* beside NDK_CQ_NOTIFY_* */

/* A resolved entry: lies over the device's entry, whose phase stays as it is. */
typedef struct _RNIC_RESOLVED {
    NDK_RESULT_EX Result;
    ULONG Qpn;
    ULONG WqeIndex; /* of a receive from an SRQ: the tag of its slot */
    BOOLEAN Receive;
    BOOLEAN Solicits; /* meets a solicited arm */
} RNIC_RESOLVED, *PRNIC_RESOLVED;

C_ASSERT(sizeof(RNIC_RESOLVED) <= FIELD_OFFSET(struct rnic_cqe, phase));

struct _RNIC_CQ {
    RNIC_OBJECT Object;
    PRNIC_OPEN Open;
    LIST_ENTRY TableLink;
    ULONG Cqn;
    BOOLEAN Created;
    BOOLEAN Counted;
    PRNIC_EQ_RING Eq;
    RNIC_DMA Ring;
    RNIC_DMA Record; /* consumer index, read by the device when the ring looks full */
    RNIC_COMMAND Command;
    RNIC_TURNS Resizes;

    KSPIN_LOCK Lock; /* guards all below, and Ring */
    UCHAR EntryLog2;
    ULONG Depth;    /* entries that fit: what the consumer asked for */
    LIST_ENTRY Qps; /* RNIC_QP_LINK */
    PRNIC_QP LastQp;
    ULONG Consumed;
    ULONG Visible;
    ULONG Resolved;
    ULONG Holding;   /* QPs that hold their receives back */
    ULONG Solicited; /* index after the last visible entry that meets a solicited arm */
    BOOLEAN HasSolicited;
    BOOLEAN HasFailed;
    ULONG Failed; /* index after the last visible entry that failed */
    ULONG Notified;
    UCHAR Armed;
    UCHAR DeviceArm;      /* enum rnic_arm: an event of this kind is due or on its way ... */
    ULONG DeviceArmIndex; /* ... for an entry from here on */
    BOOLEAN Due;          /* a callback is owed */
    BOOLEAN Notifying;
    BOOLEAN FaultReported;
    NTSTATUS FaultStatus; /* STATUS_SUCCESS while healthy */
    NDK_FN_CQ_NOTIFICATION_CALLBACK Notification;
    PVOID NotificationContext;
    RNIC_DEFERRED Kick; /* looks again whether a callback is owed; holds RefCallback */
};

/* cq.c */
extern const NDK_CQ_DISPATCH CqDispatch;
NTSTATUS NdkCreateCq(NDK_ADAPTER *pNdkAdapter, ULONG CqDepth,
                     NDK_FN_CQ_NOTIFICATION_CALLBACK CqNotification, PVOID CqNotificationContext,
                     GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_CQ **ppNdkCq);

/* The CQ of a number, with RefCallback, or NULL. */
PRNIC_CQ CqFind(PRNIC_ADAPTER Adapter, ULONG Cqn);

static inline PRNIC_CQ CqOf(NDK_CQ *pNdkCq) {
    return CONTAINING_RECORD(pNdkCq, RNIC_CQ, Object.Ndk.Cq);
}

/* cq_resize.c, cq_moderate.c */
NTSTATUS NdkResizeCq(NDK_CQ *pNdkCq, ULONG CqDepth, NDK_FN_REQUEST_COMPLETION RequestCompletion,
                     PVOID RequestContext);
NTSTATUS NdkControlCqInterruptModeration(NDK_CQ *pNdkCq, ULONG ModerationInterval,
                                         ULONG ModerationCount);

/*
 * cq_poll.c. The first four: under the lock. CqFindQp: a QP that completes here, or NULL.
 * CqForget: the QP goes, so that slots of an SRQ cannot wait for its results any longer.
 */
VOID CqResolve(PRNIC_CQ Cq);
/* After CqResolve: no entry can have been lost to an overrun. */
BOOLEAN CqIsWhole(const RNIC_CQ *Cq);
PRNIC_QP CqFindQp(PRNIC_CQ Cq, ULONG Qpn);
VOID CqForget(PRNIC_CQ Cq, PRNIC_QP Qp);
ULONG NdkGetCqResults(NDK_CQ *pNdkCq, NDK_RESULT *Results, ULONG nResults);
ULONG NdkGetCqResultsEx(NDK_CQ *pNdkCq, NDK_RESULT_EX *Results, ULONG nResults);

/* cq_notify.c. DISPATCH_LEVEL, the caller holds a reference and no lock. */
VOID CqEvent(PRNIC_CQ Cq);
/* The same after the device has answered an arm. */
VOID CqDeviceEvent(PRNIC_CQ Cq);
VOID CqFault(PRNIC_CQ Cq, NTSTATUS Status);
/* As CqEvent, but from the adapter's deferred queue; the caller holds a reference. */
VOID CqKick(PRNIC_CQ Cq);
VOID CqKickInit(PRNIC_CQ Cq);
VOID NdkArmCq(NDK_CQ *pNdkCq, ULONG Type);

#endif
