/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndkping: what client and server share. A link is one connection with its NDK objects: one CQ for
 * both queues, a QP, a buffer for each request.
 *
 *   opened --connected or accepted--> up --LinkOver--> over --LinkClose--> closed
 *
 * Posts are made under the link's lock and only while it is not over. The CQ is polled by its own
 * notification alone; `CqUse` keeps it from being closed meanwhile.
 */
#ifndef NDKPING_PING_H
#define NDKPING_PING_H

#include "adapter.h"
#include "ndksim.h"
#include "settings.h"

#define PING_POOL_TAG 'gniP'
#define PING_PORT 5445u
/*
 * A client has one message under way, so one receive and one send do for it. The server does not
 * rely on that: it has a second pair for a client that does not wait.
 */
#define PING_DEPTH 2u
#define PING_DEPTH_OF_CLIENT 1u
#define PING_BYTES_MIN 32u
#define PING_BYTES_MAX 65536u
#define ADAPTER_WAIT_MS 60000u
#define PING_DEVICE L"\\Device\\NdkPing"

/* Starts a run of a client whose WaitForGo is set. No buffers. */
#define IOCTL_NDKPING_GO CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)

/* First bytes of every message, in the sender's byte order: both ends are little-endian. */
typedef enum _PING_KIND { PingOffer = 1, PingEcho = 2 } PING_KIND;
typedef struct _PING_MESSAGE {
    ULONG Kind;
    ULONG Index;
    ULONG64 Address; /* of the server's region, in its answer to an offer */
    ULONG Token;
    ULONG Bytes;
} PING_MESSAGE, *PPING_MESSAGE;

typedef struct _PING_OP {
    BOOLEAN IsReceive;
    BOOLEAN IsBusy; /* under the lock */
    NTSTATUS Status;
    ULONG Bytes; /* received */
    PUCHAR Data;
} PING_OP, *PPING_OP;

typedef struct _PING_LINK {
    PRDMA_ADAPTER Rdma;
    ULONG MessageBytes;
    ULONG Depth; /* receives, and sends */
    NDK_PD *Pd;
    NDK_CQ *Cq;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    EX_RUNDOWN_REF CqUse;
    RDMA_REGION Messages; /* receives, then sends */
    RDMA_REGION Data;     /* what RDMA reads and writes */
    BOOLEAN IsConnected;
    BOOLEAN Waits; /* before LinkOpen: somebody waits for completions */

    /* At DISPATCH_LEVEL, without the lock, after each completion. */
    VOID (*Completed)(struct _PING_LINK *Link, PPING_OP Op);
    KEVENT Changed; /* synchronization, of a link that waits: something is done, or it is over */

    KSPIN_LOCK Lock;
    BOOLEAN IsOver;
    BOOLEAN CqFailed;
    NTSTATUS OverStatus;
    ULONG SendsOut;
    ULONG ReceivesOut;
    PKEVENT Drained; /* of who waits in LinkDrain, else NULL */
    BOOLEAN DrainReceives;

    PING_OP Receives[PING_DEPTH];
    PING_OP Sends[PING_DEPTH];
    PING_OP Bulk; /* the one read or write */
} PING_LINK, *PPING_LINK;

/* PASSIVE_LEVEL. Makes all objects but the connector and posts all receives. */
NTSTATUS LinkOpen(PPING_LINK Link, PRDMA_ADAPTER Rdma, ULONG MessageBytes, ULONG DataBytes,
                  ULONG DataFlags);
/* Ends it; the first status counts. IRQL <= DISPATCH_LEVEL. */
VOID LinkOver(PPING_LINK Link, NTSTATUS Status);
/* IRQL <= DISPATCH_LEVEL. What a wait for `Changed` looks at. */
BOOLEAN LinkIsOver(const PING_LINK *Link);
BOOLEAN LinkIsDone(const PING_OP *Op);
/* PASSIVE_LEVEL. Disconnects if it is connected, closes everything; accepts what is half open. */
VOID LinkClose(PPING_LINK Link);

/* IRQL <= DISPATCH_LEVEL. STATUS_CANCELLED when the link is over. */
NTSTATUS LinkReceive(PPING_LINK Link, PPING_OP Op);
NTSTATUS LinkSend(PPING_LINK Link, PPING_OP Op, ULONG Bytes);
typedef struct _PING_REMOTE {
    ULONG64 Address;
    UINT32 Token;
    ULONG Bytes;
} PING_REMOTE, *PPING_REMOTE;
/* The link's Data from or to the peer's memory; completes Link->Bulk. */
NTSTATUS LinkRdma(PPING_LINK Link, BOOLEAN IsWrite, const PING_REMOTE *Remote);

VOID PingFill(PUCHAR Data, ULONG Bytes, ULONG Seed);
BOOLEAN PingEquals(const UCHAR *Data, ULONG Bytes, ULONG Seed);

#endif
