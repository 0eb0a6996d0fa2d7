/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the drivers of the queues' tests stand on. The subject runs a case over connections of its
 * own making; the peer accepts whatever comes and sends over it what the subject orders, over the
 * first connection, the control link. A failed check ends the run.
 */
#ifndef TESTS_PROVIDER_QUEUES_H
#define TESTS_PROVIDER_QUEUES_H

#include <ntddk.h>
#include <wskndk.h>

#include "adapter.h"
#include "cases.h"
#include "ndksim.h"
#include "settings.h"
#include "sync.h"
#include "thread.h"

#define QUEUES_PORT 445
#define QUEUES_LINKS 4u /* of the peer, the control link not among them */
#define QUEUES_SLOTS 64u
#define QUEUES_SLOT_BYTES 256u
#define QUEUES_DEPTH 32u

enum { OrderSend = 1, OrderClose };

typedef struct _ORDER {
    ULONG Kind;
    ULONG Link;
    ULONG Count; /* sends */
    ULONG Flags; /* of the last one */
    ULONG Bytes; /* of each; the first four are its number */
    ULONG First; /* number of the first */
    NTSTATUS Status;
} ORDER, *PORDER;

/* A CQ, and what its callbacks told. */
typedef struct _WATCHED {
    NDK_CQ *Cq;
    KEVENT Event;
    volatile LONG Calls;
    volatile LONG Running;
    volatile LONG Overlaps;
    NTSTATUS Status;
    ULONG Processor;
    ULONGLONG Time; /* ns of the last callback */
    VOID (*Then)(struct _WATCHED *Watched, NTSTATUS Status);
    PVOID ThenContext;
} WATCHED, *PWATCHED;

typedef struct _SHARED {
    NDK_SRQ *Srq;
    KEVENT Event;
    volatile LONG Calls;
    volatile LONG Running;
    NTSTATUS Status;
    ULONG Processor;
    BOOLEAN CloseInCallback;
    PCLOSE_GROUP Group;
} SHARED, *PSHARED;

/* One end of a connection. */
typedef struct _LINK {
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    KEVENT Disconnected;
} LINK, *PLINK;

typedef struct _SUBJECT {
    RDMA_ADDRESS Local;
    RDMA_ADDRESS Peer;
    ULONG Case;
    ULONG Exact; /* nothing disturbs: times are as promised */
    PVOID Thread;
    KEVENT Stop;

    RDMA_ADAPTER Rdma;
    NDK_PD *Pd;
    RDMA_REGION Slots;
    WATCHED Control;
    LINK ControlLink;
    LINK Links[QUEUES_LINKS];
    ULONG LinkCount;

    NDK_LISTENER *Listener; /* the peer's ... */
    KEVENT Incoming;
    NDK_CONNECTOR *volatile Arrived;
    WATCHED PeerCq[QUEUES_LINKS + 1];
    LINK PeerLinks[QUEUES_LINKS + 1]; /* the first is the control link */
} SUBJECT, *PSUBJECT;

/* harness.c */
VOID Check(BOOLEAN Condition, PCSTR What);
VOID CheckStatus(NTSTATUS Status, NTSTATUS Wanted, PCSTR What);
VOID SubjectOpen(PSUBJECT Subject);
VOID SubjectClose(PSUBJECT Subject);
VOID SleepUs(ULONG Us);
ULONGLONG NowNs(VOID);

VOID WatchedCreate(PSUBJECT Subject, PWATCHED Watched, ULONG Depth, GROUP_AFFINITY *Affinity);
VOID WatchedClose(PWATCHED Watched);
VOID WatchedArm(PWATCHED Watched, ULONG Type);
/* The next callback; then there has been exactly one more. */
VOID WatchedWait(PWATCHED Watched);
/* None comes. */
VOID WatchedQuiet(PWATCHED Watched);
ULONG WatchedTake(PWATCHED Watched, NDK_RESULT_EX *Results, ULONG Count);
/* Waits for one more result. */
VOID WatchedNext(PWATCHED Watched, NDK_RESULT_EX *Result);
/* ... which is a receive into that slot, of a message with that number. */
VOID WatchedReceive(PSUBJECT Subject, PWATCHED Watched, PVOID QpContext, ULONG Number);

NTSTATUS SrqCreate(PSUBJECT Subject, PSHARED Shared, ULONG Depth, ULONG Threshold,
                   GROUP_AFFINITY *Affinity);
NTSTATUS SrqModify(PSHARED Shared, ULONG Depth, ULONG Threshold);
NTSTATUS SrqPost(PSUBJECT Subject, PSHARED Shared, ULONG Slot);
VOID SrqPosts(PSUBJECT Subject, PSHARED Shared, ULONG First, ULONG Count);
VOID SrqWait(PSHARED Shared, NTSTATUS Status);
VOID SrqQuiet(PSHARED Shared);
VOID SrqClose(PSHARED Shared);
NTSTATUS QpWithSrq(PSUBJECT Subject, PWATCHED Receive, PWATCHED Initiator, PSHARED Shared,
                   PVOID Context, NDK_QP **Qp);
NDK_QP *QpCreate(PSUBJECT Subject, PWATCHED Receive, PWATCHED Initiator, PVOID Context);
VOID QpReceive(PSUBJECT Subject, NDK_QP *Qp, ULONG Slot);
/* An initiator request that succeeds by itself: a write of nothing. */
NTSTATUS QpNothing(NDK_QP *Qp, ULONG_PTR Context);

/* link.c: the next of the peer's links; its number for orders. */
ULONG LinkConnect(PSUBJECT Subject, NDK_QP *Qp);
VOID LinksClose(PSUBJECT Subject);
/* Orders, answered with how they ended. Tell does not wait for that. */
VOID Tell(PSUBJECT Subject, const ORDER *Order);
NTSTATUS Answer(PSUBJECT Subject);
NTSTATUS PeerSends(PSUBJECT Subject, ULONG Link, ULONG First, ULONG Count, ULONG Flags);
VOID LinkTie(PSUBJECT Subject, PLINK Link, NDK_QP *Qp);

KSTART_ROUTINE PeerThread;

#define DECLARE_CASE(name) VOID name(PSUBJECT Subject);
QUEUES_CASES(DECLARE_CASE)

#endif
