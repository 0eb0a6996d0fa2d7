/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What both drivers of the memory tests stand on. The client runs a case; the peer does what the
 * client orders, over the connection, and remembers how its last operation ended: an operation
 * that ends the connection is asked about over the next one.
 *
 * A failed check ends the run. Every case may reconnect as often as it likes.
 */
#ifndef TESTS_PROVIDER_MEMORY_SIDE_H
#define TESTS_PROVIDER_MEMORY_SIDE_H

#include <ntddk.h>
#include <wskndk.h>

#include "adapter.h"
#include "lam.h"
#include "ndksim.h"
#include "settings.h"
#include "sync.h"
#include "thread.h"

#define SIDE_PORT 445
#define SIDE_RECEIVES 8u
#define SIDE_MESSAGE_BYTES 128u
#define SIDE_BULK_BYTES 0x5000u
#define SIDE_INLINE_BYTES 64u

/* Contexts below are the harness's own; cases use larger ones. */
#define SIDE_SEND ((PVOID)(ULONG_PTR)0x100)
#define SIDE_FIRST_CONTEXT 0x1000u

typedef enum _ORDER_KIND {
    OrderStatus = 1, /* answered with the outcome of the last operation */
    OrderRead,       /* Value of the answer: SumOf the bytes */
    OrderWrite,      /* bytes of PatternByte(Value) */
    OrderSend,       /* the same as a message; no answer beside it */
    OrderSendAndInvalidate,
    OrderWhere, /* answered with address and token of the peer's bulk */
    OrderFlush,
    OrderDisconnect,
} ORDER_KIND;

typedef struct _ORDER {
    ULONG Kind;
    ULONG Flags;
    UINT64 Address;
    UINT32 Token;
    ULONG Bytes;
    ULONG Value;
    NTSTATUS Status;
} ORDER, *PORDER;

typedef struct _SIDE {
    RDMA_ADDRESS Local;
    RDMA_ADDRESS Peer;
    ULONG Case;
    ULONG Seed;
    ULONG Lossy; /* the link loses frames */
    PVOID Thread;

    RDMA_ADAPTER Rdma;
    NDK_PD *Pd;
    RDMA_REGION Messages; /* receives, then one send */
    RDMA_REGION Bulk;
    SYNC_QP_SIZES Sizes; /* of the QPs to come */

    NDK_CQ *Cq;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    KEVENT CqEvent;
    KEVENT Disconnected;
    BOOLEAN Connected;
    UINT64 PeerAddress; /* the client's: of the peer's bulk */
    UINT32 PeerToken;

    NDK_LISTENER *Listener; /* the peer's */
    KEVENT Incoming;
    KEVENT Stop;
    NTSTATUS Last;
} SIDE, *PSIDE;

VOID Check(BOOLEAN Condition, PCSTR What);
/* With both values in the log when they differ. */
VOID CheckStatus(NTSTATUS Status, NTSTATUS Wanted, PCSTR What);

/* side.c */
VOID SideOpen(PSIDE Side);
VOID SideClose(PSIDE Side);
/* A CQ, a QP, receives. */
VOID SideMakeQueues(PSIDE Side);
VOID SideCloseQueues(PSIDE Side);
VOID SideDisconnected(PVOID Context);
VOID SidePostReceive(PSIDE Side, ULONG Slot);
PORDER SideMessage(PSIDE Side, ULONG Slot);
VOID SideSendOrder(PSIDE Side, const ORDER *Order);
/* FALSE: the connection ended, or the peer was told to stop, and nothing more is to be had. */
BOOLEAN SideResult(PSIDE Side, NDK_RESULT_EX *Result);
/* One that must come, whatever has become of the connection. */
VOID SideAwait(PSIDE Side, NDK_RESULT_EX *Result);
/* The adapter was opened with this version, or a later one. */
BOOLEAN SideHasVersion(const SIDE *Side, USHORT Major, USHORT Minor);
ULONG SideRandom(PSIDE Side, ULONG Below);

UCHAR PatternByte(ULONG Value, ULONG Index);
VOID PatternFill(PUCHAR Buffer, ULONG Bytes, ULONG Value);
BOOLEAN PatternIs(const UCHAR *Buffer, ULONG Bytes, ULONG Value);
ULONG SumOf(const UCHAR *Buffer, ULONG Bytes);

KSTART_ROUTINE ClientThread;
KSTART_ROUTINE PeerThread;

#endif
