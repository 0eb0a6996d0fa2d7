/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory windows, and what posted requests do to them.
 *
 *   Unbound --bind executed--> Bound --invalidate executed, by us or by the peer--> Unbound
 *
 * The device holds that state; here is kept what it means for the objects: a window relies on a
 * region from the call of its bind (R-LIFE-31) until it is known that it no longer points there
 * . What is known comes from completions and, for silent requests, from the number of
 * entries that the device has finished. A cancelled bind may have been executed before its queue
 * failed: its region stays relied on until the window is bound elsewhere, invalidated or closed.
 *
 * One record per posted request. It is in Qp->Windows until it is settled; that of a bind is also
 * in Mw->Bindings as long as the window relies on the region. Both under Adapter->Windows.Lock.
 */
#ifndef PROVIDER_MW_H
#define PROVIDER_MW_H

#include "command.h"
#include "object.h"

struct _RNIC_MW {
    RNIC_OBJECT Object;
    PRNIC_PD Pd;
    LIST_ENTRY TableLink; /* Adapter->Windows.Table, by the key's index */
    BOOLEAN Counted;
    BOOLEAN Created;
    ULONG Key;           /* of the last bind; at first the device's, which nobody is told */
    ULONG BindsOfKey;    /* since the index was given; its variants repeat after 255 */
    BOOLEAN HasToken;    /* bound at least once (F-07) */
    ULONG Pending;       /* posted requests about it that are not settled; held by RefRequest */
    LIST_ENTRY Bindings; /* RNIC_WINDOW_WORK, oldest first; RefSuccessor of each region */
    RNIC_COMMAND Command;
};

typedef struct _RNIC_WINDOW_WORK {
    LIST_ENTRY QpLink;
    LIST_ENTRY BindingLink;
    PRNIC_MW Mw;
    PRNIC_MR Mr;    /* NULL: an invalidation */
    ULONG64 Serial; /* in posting order */
    ULONG Index;    /* of the send queue's entry */
    ULONG Key;
    BOOLEAN Settled;
    BOOLEAN Relies;
} RNIC_WINDOW_WORK, *PRNIC_WINDOW_WORK;

typedef enum _RNIC_WINDOW_OUTCOME {
    WindowDone,      /* executed */
    WindowRefused,   /* not executed */
    WindowCancelled, /* either */
} RNIC_WINDOW_OUTCOME;

typedef struct _RNIC_WINDOWS {
    KSPIN_LOCK Lock;
    LIST_ENTRY Table[32];
    ULONG64 Serial;
    volatile LONG WorkCount; /* not settled */
    /* Looks after silent requests as long as a close waits for them. */
    KTIMER Timer;
    KDPC Dpc;
    ULONG Tick;
    ULONG IntervalUs;
    volatile LONG Ticking;
} RNIC_WINDOWS;

/* mw.c */
NTSTATUS NdkCreateMw(NDK_PD *pNdkPd, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_MW **ppNdkMw);
/* The key that the next bind gives the window. */
ULONG MwNextKey(const RNIC_MW *Mw);
/*
 * Before a bind, no lock held: gives a window whose tokens would soon repeat a new index, if
 * nothing of the old one is in use (F-03). FALSE: the device has none left.
 */
BOOLEAN MwRenewKey(PRNIC_MW Mw, PRNIC_QP Qp);

static inline PRNIC_MW MwOf(NDK_MW *pNdkMw) {
    return CONTAINING_RECORD(pNdkMw, RNIC_MW, Object.Ndk.Mw);
}

/* mw_work.c */
VOID WindowsStart(PRNIC_ADAPTER Adapter);
/* The caller then waits for queued DPCs. */
VOID WindowsStop(PRNIC_ADAPTER Adapter);

/* A record for a request about to be posted, or NULL. `Mr` NULL: an invalidation. */
PRNIC_WINDOW_WORK WindowWorkNew(PRNIC_MW Mw, PRNIC_MR Mr);
/* It is the entry `Index` of the queue; under the queue's lock. TRUE: a close waits for it. */
BOOLEAN WindowWorkPosted(PRNIC_QP Qp, PRNIC_WINDOW_WORK Work, ULONG Index, ULONG Key);

/* Under the initiator CQ's lock: a completion tells of entry `Index` and of those before it. */
VOID WindowsSettle(PRNIC_QP Qp, ULONG Index, RNIC_WINDOW_OUTCOME Outcome);
/* No lock held: what has finished without a completion is settled, too. */
VOID WindowsSettleFinished(PRNIC_QP Qp);
/* The queue is gone: what is left will never be known. */
VOID WindowsQpEnd(PRNIC_QP Qp);
/* A peer invalidated `Key`, of a window or not. */
VOID WindowsInvalidated(PRNIC_ADAPTER Adapter, ULONG Key);
/* The device has forgotten the window. */
VOID WindowsMwEnd(PRNIC_MW Mw);
/* An object waits for its end, or may: no request about its windows stays unnoticed. */
VOID WindowsWatch(PRNIC_ADAPTER Adapter);
/* Nothing is posted about the window, and it relies on no region. */
BOOLEAN WindowIsQuiet(PRNIC_MW Mw);

#endif
