/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SMB Direct over NDK: one connection, either side.
 *
 *   Idle --hello receive posted--> Negotiating --agreed--> Established
 *     '----------------------------------'--------------------'--> Ended
 *
 * Each connection has a thread, which connects or accepts, negotiates, does the layer above's work
 * and tears down. DPCs (completion queues, disconnect event) move messages and wake the thread by
 * `Kick`; whoever sees the connection end calls SmbdEnd, once it counts, and the thread finds `End`
 * set. Nothing is posted after that.
 *
 * Everything below `Lock` is under that lock, posts included, so that posts to one queue never
 * overlap. Results are polled outside it, only by the queue's own notification, which the provider
 * serialises; the use counts keep a queue from being closed meanwhile.
 */
#ifndef SMB_DIRECT_SMBD_H
#define SMB_DIRECT_SMBD_H

#include "adapter.h"
#include "ndksim.h"
#include "settings.h"
#include "smbd_check.h"
#include "smbd_credit.h"
#include "smbd_stream.h"

#define SMBD_POOL_TAG 'dBmS'
#define SMBD_HELLO_BYTES 512u /* a negotiation message may be padded to this */
#define SMBD_DESCRIPTOR_MAX 16u
#define SMBD_OUTBOUND_HEAD_MAX 320u
#define SMBD_MR_MAX 66u

typedef enum _SMBD_STATE { SmbdIdle, SmbdNegotiating, SmbdEstablished, SmbdEnded } SMBD_STATE;
typedef enum _SMBD_TEARDOWN { TeardownOrderly, TeardownAbrupt, TeardownAny } SMBD_TEARDOWN;

typedef struct _SMBD_COUNTERS {
    ULONG64 Connections;
    ULONG64 Negotiated;
    ULONG64 BytesWritten;
    ULONG64 BytesRead;
    ULONG64 Messages;
    ULONG64 CreditsGranted;
    ULONG64 ReceivesPosted;
    ULONG64 Keepalives;
    ULONG64 Disconnects;
    ULONG64 ChecksumErrors;
    ULONG64 Timeouts;
    ULONG64 Duplicates;
    ULONG64 CreditsOver; /* granted beyond what was ever posted */
    ULONG64 Failed;
} SMBD_COUNTERS, *PSMBD_COUNTERS;

/* What the connections of a driver share. Constant but for the counters. */
typedef struct _SMBD_TRANSPORT {
    PCSTR Name; /* in the log */
    RDMA_ADAPTER Rdma;
    SMBD_LIMITS Limits;
    ULONG SendBufferCount;
    ULONG RdmaDepth;    /* reads and writes under way on one connection */
    ULONG PieceBytes;   /* of one read or write */
    ULONG RequestCount; /* of the layer above, at a time */
    ULONG IdleMs;
    ULONG KeepaliveMs;
    ULONG NegotiateMs;
    ULONG ConnectTries; /* 0: one attempt, without limit; else see smbd_path.h */
    ULONG ConnectMs;
    ULONG ConnectDelayMs;
    ULONG RequestMs; /* limit of a request of the layer above; 0: none */
    SMBD_TEARDOWN Teardown;
    BOOLEAN IsStrict;
    KSPIN_LOCK CounterLock;
    SMBD_COUNTERS Counters;
    volatile LONG PathsUp;
} SMBD_TRANSPORT, *PSMBD_TRANSPORT;

/* What a RequestContext points to. */
typedef enum _SMBD_OP_KIND {
    OpHello,
    OpReceive,
    OpSend,
    OpTransfer,
    OpRegister,
    OpInvalidate
} SMBD_OP_KIND;
typedef struct _SMBD_OP {
    SMBD_OP_KIND Kind;
    BOOLEAN IsBusy; /* posted, its completion was not seen */
    PVOID Owner;
    LIST_ENTRY Link; /* in a list of free ones */
} SMBD_OP, *PSMBD_OP;
typedef struct _SMBD_BUFFER {
    SMBD_OP Op; /* first */
    PUCHAR Data;
} SMBD_BUFFER, *PSMBD_BUFFER;

/* A buffer that the peer may reach while it is fast-registered. Client side. */
typedef struct _SMBD_REGISTRATION {
    NDK_MR *Mr;
    const NDK_LOGICAL_ADDRESS_MAPPING *Lam;
    ULONG FirstByteOffset;
    PVOID Base;
    ULONG Bytes;
    ULONG Flags; /* NDK_OP_FLAG_ALLOW_... */
    UINT32 Token;
    BOOLEAN IsValid;
    SMBD_OP Register;
    SMBD_OP Invalidate;
} SMBD_REGISTRATION, *PSMBD_REGISTRATION;

/* A message to send: a head, and payload elsewhere that follows it. The layer above owns it. */
typedef struct _SMBD_OUTBOUND {
    LIST_ENTRY Link;
    UCHAR Head[SMBD_OUTBOUND_HEAD_MAX];
    ULONG HeadBytes;
    const UCHAR *Tail;
    ULONG TailBytes;
    ULONG Sent;
    BOOLEAN IsQueued;
    BOOLEAN Invalidates; /* of the peer's tokens, RemoteToken, by the last fragment */
    UINT32 RemoteToken;
    PSMBD_REGISTRATION Register; /* posted just before, in one chain; NULL: none */
    /* Under the lock, when Register is posted and its token known. */
    VOID (*Prepare)(struct _SMBD_OUTBOUND *Outbound);
    /* Under the lock, when the last fragment is posted: memory is the owner's again. */
    VOID (*Posted)(struct _SMBD_OUTBOUND *Outbound);
} SMBD_OUTBOUND, *PSMBD_OUTBOUND;

/* Bulk data from or to the peer's memory. Server side. */
typedef struct _SMBD_TRANSFER {
    LIST_ENTRY Link;
    BOOLEAN IsWrite; /* into the peer's memory */
    PUCHAR Local;
    UINT32 LocalToken;
    ULONG Bytes;
    SMBD_DESCRIPTOR Descriptors[SMBD_DESCRIPTOR_MAX];
    ULONG DescriptorCount;
    ULONG Descriptor; /* where the next piece begins */
    ULONG Offset;
    ULONG Started;
    ULONG Outstanding;
    NTSTATUS Status;
    PSMBD_OUTBOUND Then; /* queued right behind the last piece; NULL: nothing */
} SMBD_TRANSFER, *PSMBD_TRANSFER;

/* MRs of the layer above, which go with the connection. */
typedef struct _SMBD_MR {
    NDK_MR *Mr;
    PRDMA_REGION Region; /* NULL: a fast-register MR */
    PCSTR Label;
} SMBD_MR, *PSMBD_MR;

typedef struct _SMBD_CONNECTION {
    PSMBD_TRANSPORT Transport;
    ULONG Number;
    BOOLEAN IsServer;
    PVOID Upper; /* of the layer above */
    /* A whole message came in; under the lock. NULL: nobody wants to know at once. */
    VOID (*Arrived)(struct _SMBD_CONNECTION *Connection, const SMBD_INBOUND *Inbound);
    struct _SMBD_PATH *Path;     /* NULL: one attempt only */
    UCHAR Hail[SMBD_HAIL_BYTES]; /* private data of the connect */
    ULONG HailBytes;
    RDMA_ADDRESS Local;
    RDMA_ADDRESS Remote;

    KEVENT End;     /* notification: the connection has ended */
    KEVENT Kick;    /* synchronization: something for the thread */
    KEVENT Hello;   /* notification: the peer's negotiation message is here */
    KEVENT Drained; /* notification: see SmbdDrain */
    SYNC_WAIT Connecting;
    SYNC_WAIT Completing;
    CLOSE_GROUP Early; /* see SmbdEndAlive */
    BOOLEAN IsEarly;
    BOOLEAN IsConnected;
    BOOLEAN IsTakenOver; /* somebody waits for what it holds */
    BOOLEAN MayEndEarly; /* the chooser may have it torn down at any stage */
    BOOLEAN EndedEarly;

    NDK_PD *Pd;
    NDK_CQ *ReceiveCq;
    NDK_CQ *InitiatorCq;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    EX_RUNDOWN_REF ReceiveCqUse;
    EX_RUNDOWN_REF InitiatorCqUse;
    EX_RUNDOWN_REF TimerUse; /* see smbd_timer.h */
    RDMA_REGION SendRegion;  /* hello, then send buffers */
    RDMA_REGION ReceiveRegion;
    SMBD_MR Mrs[SMBD_MR_MAX];
    ULONG MrCount;
    PSMBD_BUFFER SendBuffers;
    PSMBD_BUFFER ReceiveBuffers;
    PSMBD_OP TransferOps;
    SMBD_BUFFER HelloBuffer;
    ULONG InitiatorDepth;
    ULONG ReadDepth; /* what the peer lets us read at a time */

    KSPIN_LOCK Lock;
    SMBD_STATE State;
    NTSTATUS EndStatus;
    PCSTR EndReason;
    SMBD_LIMITS Limits;
    SMBD_CREDITS Credits;
    SMBD_STREAM Stream;
    ULONG HelloLength;
    LIST_ENTRY FreeSends;
    LIST_ENTRY FreeReceives;
    LIST_ENTRY FreeTransferOps;
    LIST_ENTRY Outbound;  /* SMBD_OUTBOUND, in order */
    LIST_ENTRY Transfers; /* SMBD_TRANSFER with pieces to start */
    LIST_ENTRY Inbound;   /* whole messages for the thread */
    LIST_ENTRY Finished;  /* SMBD_TRANSFER that are done */
    ULONG InitiatorOut;
    ULONG ReceivesOut;
    ULONG PostedEver;  /* receives for data */
    ULONG GrantedEver; /* credits; never more than that */
    ULONG GrantedOver; /* the most by which it was more */
    BOOLEAN IsDraining;
    BOOLEAN DrainReceives;
    BOOLEAN CqFailed;
    BOOLEAN SlotWanted;    /* the thread waits for room in the initiator queue */
    ULONGLONG LastReceive; /* interrupt time, 100 ns */
    ULONGLONG KeepaliveSent;
    BOOLEAN KeepaliveWanted;
    BOOLEAN KeepaliveOutstanding;
    BOOLEAN ResponseOwed;
    SMBD_COUNTERS Counters; /* since the last flush */
} SMBD_CONNECTION, *PSMBD_CONNECTION;

/* smbd_connection.c: life of the structure. PASSIVE_LEVEL but for SmbdEnd. */
PSMBD_CONNECTION SmbdAllocate(PSMBD_TRANSPORT Transport, ULONG Number, BOOLEAN IsServer);
/* All NDK objects but the connector; negotiation may begin when it succeeds. */
NTSTATUS SmbdOpen(PSMBD_CONNECTION Connection);
NTSTATUS SmbdOpenReceives(PSMBD_CONNECTION Connection);
VOID SmbdFree(PSMBD_CONNECTION Connection);
/* Ends the connection; only the first reason counts. IRQL <= DISPATCH_LEVEL, lock not held. */
VOID SmbdEnd(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason);
VOID SmbdEndLocked(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason);
NTSTATUS SmbdAddMr(PSMBD_CONNECTION Connection, NDK_MR *Mr, PRDMA_REGION Region, PCSTR Label);
VOID SmbdRemoveMr(PSMBD_CONNECTION Connection, const NDK_MR *Mr);
VOID SmbdCountersFlush(PSMBD_CONNECTION Connection);
VOID SmbdCountersPublish(PSMBD_TRANSPORT Transport);

/* smbd_connect.c. PASSIVE_LEVEL; they return early when the connection ends. */
NTSTATUS SmbdReadLimits(PSMBD_CONNECTION Connection, NDK_CONNECTOR *Connector);
NTSTATUS SmbdConnect(PSMBD_CONNECTION Connection);
NTSTATUS SmbdAccept(PSMBD_CONNECTION Connection);

/* smbd_negotiate.c. PASSIVE_LEVEL. */
NTSTATUS SmbdNegotiateAsClient(PSMBD_CONNECTION Connection);
NTSTATUS SmbdNegotiateAsServer(PSMBD_CONNECTION Connection);

/* smbd_receive.c */
VOID SmbdReceiveNotify(PVOID Context, NTSTATUS CqStatus);
NTSTATUS SmbdPostHelloLocked(PSMBD_CONNECTION Connection);
/* Posts receives up to the peer's wish. */
VOID SmbdPostReceivesLocked(PSMBD_CONNECTION Connection);
/* Whole messages for the thread; give them back. */
PSMBD_INBOUND SmbdTakeInbound(PSMBD_CONNECTION Connection);
VOID SmbdReturnInbound(PSMBD_CONNECTION Connection, PSMBD_INBOUND Inbound);
ULONG SmbdPoll(NDK_CQ *Cq, BOOLEAN HasVersion12, NDK_RESULT_EX *Results, ULONG Count);
VOID SmbdDrainCheckLocked(PSMBD_CONNECTION Connection);

/* smbd_send.c */
VOID SmbdInitiatorNotify(PVOID Context, NTSTATUS CqStatus);
/* Sends what credits, buffers and queue allow. */
VOID SmbdPumpLocked(PSMBD_CONNECTION Connection);
/* Queues a message; dropped silently when the connection has ended. */
VOID SmbdQueue(PSMBD_CONNECTION Connection, PSMBD_OUTBOUND Outbound);
VOID SmbdQueueLocked(PSMBD_CONNECTION Connection, PSMBD_OUTBOUND Outbound);
/* A negotiation message, outside the credits. */
NTSTATUS SmbdSendHelloLocked(PSMBD_CONNECTION Connection, const UCHAR *Message, ULONG Bytes);
/* Credits go out. */
VOID SmbdCountGrant(PSMBD_CONNECTION Connection, ULONG Grant);
BOOLEAN SmbdPostLocked(PSMBD_CONNECTION Connection, PSMBD_OP Op, NTSTATUS Status);

/* smbd_rdma.c */
BOOLEAN SmbdPumpTransferLocked(PSMBD_CONNECTION Connection);
VOID SmbdQueueTransfer(PSMBD_CONNECTION Connection, PSMBD_TRANSFER Transfer);
PSMBD_TRANSFER SmbdTakeFinished(PSMBD_CONNECTION Connection);
VOID SmbdTransferCompletedLocked(PSMBD_CONNECTION Connection, PSMBD_OP Op, NTSTATUS Status);
BOOLEAN SmbdRegisterLocked(PSMBD_CONNECTION Connection, PSMBD_REGISTRATION Registration);
/*
 * Takes the peer's access away; its end is a kick, with IsValid FALSE. May do nothing when the
 * queue is full: ask again at the next kick.
 */
VOID SmbdInvalidate(PSMBD_CONNECTION Connection, PSMBD_REGISTRATION Registration);

/* smbd_wait.c. PASSIVE_LEVEL. */
/* Waits for a kick and keeps the connection alive meanwhile. FALSE: it has ended. */
BOOLEAN SmbdWait(PSMBD_CONNECTION Connection);
BOOLEAN SmbdHasEnded(PSMBD_CONNECTION Connection);
/* Lets time pass and keeps the connection alive. FALSE: it has ended. */
BOOLEAN SmbdPause(PSMBD_CONNECTION Connection, ULONG Milliseconds);
/*
 * Waits for `Event`, at most TimeoutMs (0: no limit): STATUS_SUCCESS, STATUS_TIMEOUT, or
 * STATUS_CANCELLED when the connection ended first.
 */
NTSTATUS SmbdWaitEvent(PSMBD_CONNECTION Connection, PVOID Event, ULONG TimeoutMs);
/* Waits until nothing is posted on the initiator queue, and on the receive queue if asked. */
VOID SmbdDrain(PSMBD_CONNECTION Connection, BOOLEAN Receives);

/*
 * smbd_teardown.c. PASSIVE_LEVEL, the connection's thread. SmbdTeardown closes all NDK objects of a
 * connection that has ended. SmbdEndAlive ends it; in mode "any" its connector may be closed before
 * that, while DPCs still post.
 */
VOID SmbdEndAlive(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason);
VOID SmbdTeardown(PSMBD_CONNECTION Connection, SMBD_TEARDOWN Mode);

#endif
