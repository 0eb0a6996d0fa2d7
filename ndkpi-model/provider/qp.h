/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue pairs. What a post may expect is the phase:
 *
 *   Unconnected --establishment--> Connected --flush, error, disconnect--> Flushing
 *        '------------------------- flush --------------------------------^     '--> Ended
 *
 *   Unconnected  initiator requests fail with STATUS_CONNECTION_INVALID; receives wait
 *   Connected    everything goes to the device
 *   Flushing     everything goes to the device, which cancels it; the connector is still there
 *   Ended        as Flushing for receives; initiator requests fail again
 */
#ifndef PROVIDER_QP_H
#define PROVIDER_QP_H

#include "command.h"
#include "cq.h"
#include "dma.h"
#include "object.h"
#include "srq.h"

typedef enum _RNIC_QP_PHASE {
    QpUnconnected,
    QpConnected,
    QpFlushing,
    QpEnded,
    QpPhaseCount
} RNIC_QP_PHASE;

/* One of the two queues. Indices are free running; an entry lies at index & Mask. */
typedef struct _RNIC_QUEUE {
    KSPIN_LOCK Lock;
    RNIC_DMA Ring;
    ULONG Mask;
    UCHAR StrideLog2;
    ULONG Depth; /* what the consumer asked for */
    ULONG SgeMax;
    ULONG Producer;
    ULONG Rung;           /* as far as the device was told */
    ULONG Completed;      /* behind the last completion resolved; under the CQ's lock; no SRQ's */
    volatile ULONG Freed; /* entries before it are free, their contexts no longer needed */
    PVOID *Contexts;
    NTSTATUS PlannedStatus; /* how a fault has entry PlannedIndex complete; STATUS_SUCCESS: none */
    ULONG PlannedIndex;
} RNIC_QUEUE, *PRNIC_QUEUE;

typedef struct _RNIC_QP_LINK {
    LIST_ENTRY Link;
    PRNIC_QP Qp;
} RNIC_QP_LINK, *PRNIC_QP_LINK;

struct _RNIC_QP {
    RNIC_OBJECT Object;
    PRNIC_PD Pd;
    PRNIC_CQ ReceiveCq;
    PRNIC_CQ InitiatorCq;
    PRNIC_SRQ Srq; /* NULL: receives of its own */
    LIST_ENTRY SrqLink;
    RNIC_QP_LINK ReceiveLink;
    RNIC_QP_LINK InitiatorLink; /* only with two CQs */
    LIST_ENTRY TableLink;
    ULONG Qpn;
    BOOLEAN Counted;
    BOOLEAN Created;
    PVOID Context;
    volatile LONG Phase; /* RNIC_QP_PHASE; changed under the lock of Sq */
    RNIC_QUEUE Sq;
    RNIC_QUEUE Rq; /* not with an SRQ */
    ULONG ReadSgeMax;
    ULONG InlineBytes;
    RNIC_DMA Record;     /* number of finished SQ entries, written by the device */
    PRNIC_DMA PageLists; /* of fast-registers, one per SQ entry; made with the first */
    LIST_ENTRY Windows;  /* RNIC_WINDOW_WORK that is not settled; under Windows.Lock */
    ULONG WindowsTick;
    RNIC_COMMAND Command;
    RNIC_COMMAND FlushCommand;
    volatile LONG FlushUnderWay;
    BOOLEAN Lost;            /* cancelled because the device is gone; under the table lock */
    volatile BOOLEAN Silent; /* a CQ or the SRQ has failed: nothing more is reported */

    /* Read where completions are resolved, written before the device is told to flush. */
    NTSTATUS AbortStatus; /* of the oldest request that the flush hits; STATUS_SUCCESS: none */
    BOOLEAN HoldReceives; /* the accept has not been completed yet */

    PRNIC_CONNECTOR Connector; /* tied to; guarded by the CM lock */
};

/* qp.c */
extern const RNIC_OBJECT_CLASS QpClass;
extern const NDK_QP_DISPATCH QpDispatch;
/* The device knows the QP: completions and events find it from now on. */
VOID QpPublish(PRNIC_QP Qp);

/* qp_create.c */
NTSTATUS NdkCreateQp(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, PVOID QPContext,
                     ULONG ReceiveQueueDepth, ULONG InitiatorQueueDepth, ULONG MaxReceiveRequestSge,
                     ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                     NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                     NDK_QP **ppNdkQp);

NTSTATUS NdkCreateQpWithSrq(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, NDK_SRQ *pSrq,
                            PVOID QPContext, ULONG InitiatorQueueDepth,
                            ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                            NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                            NDK_QP **ppNdkQp);

/* The QP of a number, with RefHardware, or NULL. */
PRNIC_QP QpFind(PRNIC_ADAPTER Adapter, ULONG Qpn);

static inline PRNIC_QP QpOf(NDK_QP *pNdkQp) {
    return CONTAINING_RECORD(pNdkQp, RNIC_QP, Object.Ndk.Qp);
}

/* qp_state.c */
VOID NdkFlush(NDK_QP *pNdkQp);
VOID QpRingSq(PRNIC_QP Qp);
VOID QpTellHeld(PRNIC_QP Qp);
/* To a later phase; the device is told of held requests. */
VOID QpSetPhase(PRNIC_QP Qp, RNIC_QP_PHASE Phase);
/* Initiator requests that the device has not finished. */
ULONG QpInitiatorPending(PRNIC_QP Qp);
VOID QpDeviceError(PRNIC_QP Qp, UCHAR Syndrome);
/* What the abort hit has been cancelled; what comes later is just cancelled, too. */
VOID QpAbortOver(PRNIC_QP Qp);
/* Fills a command that cancels everything. */
VOID QpErrorCommand(PRNIC_QP Qp, PRNIC_COMMAND Command);
/* Receives are seen only after the release. */
VOID QpHoldReceives(PRNIC_QP Qp);
VOID QpReleaseReceives(PRNIC_QP Qp);

/* qp_complete.c, under the CQ's lock: rewrites a device entry as a result; the consumer took it. */
VOID QpResolve(PRNIC_QP Qp, struct rnic_cqe *Entry);
VOID QpRetrieved(PRNIC_CQ Cq, const RNIC_RESOLVED *Entry);

/* qp_lost.c. The device is lost: what it owes is cancelled. */
VOID QpCancel(PRNIC_QP Qp);
VOID QpsDeviceLost(PRNIC_ADAPTER Adapter);

/* qp_post.c, qp_memory.c, qp_bind.c */
NTSTATUS NdkSend(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                 ULONG Flags);
NTSTATUS NdkSendAndInvalidate(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                              ULONG Flags, UINT32 RemoteToken);
NTSTATUS NdkReceive(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge);
NTSTATUS NdkRead(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                 UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags);
NTSTATUS NdkWrite(NDK_QP *pNdkQp, PVOID RequestContext, CONST NDK_SGE *pSgl, ULONG nSge,
                  UINT64 RemoteAddress, UINT32 RemoteToken, ULONG Flags);
NTSTATUS NdkFastRegister(NDK_QP *pNdkQp, PVOID RequestContext, NDK_MR *pMr, ULONG AdapterPageCount,
                         CONST NDK_LOGICAL_ADDRESS *AdapterPageArray, ULONG FBO, SIZE_T Length,
                         PVOID BaseVirtualAddress, ULONG Flags);
NTSTATUS NdkBind(NDK_QP *pNdkQp, PVOID RequestContext, NDK_MR *pMr, NDK_MW *pMw,
                 PVOID VirtualAddress, SIZE_T Length, ULONG Flags);
NTSTATUS NdkInvalidate(NDK_QP *pNdkQp, PVOID RequestContext, NDK_OBJECT_HEADER *pNdkMrOrMw,
                       ULONG Flags);

#endif
