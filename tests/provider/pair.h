/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer for the tests of the provider: one driver, client or server by its parameter "Role".
 *
 *   client                                  server
 *   connect (private data)           ->     connect event, accept (private data)
 *   complete-connect
 *   PING x messages                  ->     echo
 *   OFFER address, token             ->     write a pattern, read it back, send-and-invalidate
 *   check content and result
 *   disconnect or close (parameter "Abort")
 */
#ifndef TESTS_PROVIDER_PAIR_H
#define TESTS_PROVIDER_PAIR_H

#include <ntddk.h>
#include <wskndk.h>

#include "adapter.h"
#include "lam.h"
#include "ndksim.h"
#include "settings.h"
#include "sync.h"
#include "thread.h"

#define PAIR_PORT 445
#define PAIR_DEPTH 8u
#define PAIR_MESSAGE_BYTES 64u
#define PAIR_BULK_BYTES 20000u
#define PAIR_BUFFER_BYTES (PAIR_DEPTH * PAIR_MESSAGE_BYTES * 2u)

enum { PairPing = 1, PairOffer = 2 };

typedef struct _PAIR_MESSAGE {
    ULONG Kind;
    ULONG Number;
    UINT64 Address;
    UINT32 Token;
    ULONG Bytes;
} PAIR_MESSAGE, *PPAIR_MESSAGE;

/* One end of a connection and what it stands on. */
typedef struct _PAIR {
    RDMA_ADDRESS Local;
    RDMA_ADDRESS Peer;
    ULONG Count;    /* pings */
    ULONG Abort;    /* 1: the client closes instead of disconnecting; 2: the server does */
    ULONG NoPeer;   /* the client expects to be refused */
    ULONG Rounds;   /* connections one after the other */
    ULONG Seed;     /* of the race */
    ULONG Shared;   /* the race connects from a shared endpoint */
    ULONG Extended; /* ... with the calls of 2.1, here and there */
    PVOID Thread;

    RDMA_ADAPTER Rdma;
    NDK_PD *Pd;
    NDK_CQ *Cq;
    KEVENT CqEvent;
    NDK_QP *Qp;
    RDMA_REGION Messages; /* receives first, then sends */
    RDMA_REGION Bulk;
    NDK_MR *FastMr;
    RDMA_MAPPING Mapping;
    NDK_CONNECTOR *Connector;
    NDK_CONNECTOR *Arrived; /* server: not accepted yet */
    NDK_LISTENER *Listener;
    KEVENT Incoming;
    KEVENT Disconnected;
    ULONG Disconnects;
} PAIR, *PPAIR;

/* Everything below stops the run as a failed expectation. */
VOID PairMustSucceed(NTSTATUS Status, PCSTR What);

/* pair_exchange.c */
VOID PairOpen(PPAIR Pair);
VOID PairOpenConnection(PPAIR Pair);
VOID PairCloseConnection(PPAIR Pair);
VOID PairClose(PPAIR Pair);
VOID PairPostReceive(PPAIR Pair, ULONG Slot);
PPAIR_MESSAGE PairReceived(PPAIR Pair, ULONG Slot);
VOID PairSend(PPAIR Pair, const PAIR_MESSAGE *Message, ULONG Flags);
VOID PairSendAndInvalidate(PPAIR Pair, const PAIR_MESSAGE *Message, UINT32 Token);
/* Waits for the next result. */
VOID PairResult(PPAIR Pair, NDK_RESULT_EX *Result);
/* ... which must be a success of this type. */
ULONG PairExpect(PPAIR Pair, NDK_OPERATION_TYPE Type);
/* The bulk holds the server's pattern. */
BOOLEAN PairBulkIsRight(PPAIR Pair);
VOID PairDisconnected(PVOID Context);
/* Until nothing is pending on the QP: everything posted has its result. */
VOID PairDrain(PPAIR Pair, ULONG Receives);

KSTART_ROUTINE PairClient;
KSTART_ROUTINE PairServer;

/* race.c: both sides give up at any moment; roles 2 (server) and 3 (client). */
KSTART_ROUTINE RaceClient;
KSTART_ROUTINE RaceServer;
VOID RaceStop(VOID);

#endif
