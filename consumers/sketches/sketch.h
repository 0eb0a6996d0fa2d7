/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small drivers, each the core of a bug known from the field, and the same done right. What all of
 * them need: DriverEntry with a thread, the adapter, one end of a connection.
 *
 * A sketch gives SketchMain, which runs in a system thread with the adapter open. Its answer
 * becomes the counters "done" and "failed".
 */
#ifndef SKETCHES_SKETCH_H
#define SKETCHES_SKETCH_H

#include "adapter.h"
#include "ndksim.h"
#include "settings.h"
#include "thread.h"

#define SKETCH_POOL_TAG 'tkSN'
#define SKETCH_PORT 5445u
#define SKETCH_MESSAGE_BYTES 256u
#define SKETCH_DEPTH 4u

typedef struct _SKETCH {
    RDMA_ADAPTER Rdma;
    RDMA_ADDRESS Local;  /* LocalAddress; its port is Port */
    RDMA_ADDRESS Source; /* the same with port 0, to connect from */
    RDMA_ADDRESS Remote; /* RemoteAddress and Port; Bytes 0: none */
    KEVENT Stop;
    PVOID Thread;
} SKETCH, *PSKETCH;

extern SKETCH Sketch;

/* PASSIVE_LEVEL. What it made is closed when it returns. */
NTSTATUS SketchMain(VOID);

/* One end of a connection: CQ, QP, buffer, and results counted by kind. */
typedef struct _SKETCH_END {
    PRDMA_ADAPTER Rdma;
    /* Sees each result before it is counted; NULL: nobody. DISPATCH_LEVEL. */
    VOID (*OnResult)(struct _SKETCH_END *End, const NDK_RESULT *Result);
    NDK_PD *Pd;
    NDK_CQ *Cq;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    RDMA_REGION Region;
    EX_RUNDOWN_REF CqUse;
    KEVENT Result;       /* synchronization: a result was counted */
    KEVENT Disconnected; /* notification */
    SYNC_WAIT Request;   /* of connect, complete-connect, accept */
    LONG ReceivesPosted;
    LONG Succeeded;
    LONG Failed;
    LONG Cancelled;
    LONG DisconnectEvents;
    NTSTATUS LastFailure;
} SKETCH_END, *PSKETCH_END;

NTSTATUS EndOpen(PSKETCH_END End, PRDMA_ADAPTER Rdma);
/* Closes what there is, in order, and waits. */
VOID EndClose(PSKETCH_END End);
/* A part of the end's region, 2 * SKETCH_MESSAGE_BYTES long. */
NTSTATUS EndReceiveAt(PSKETCH_END End, PVOID Context, ULONG Offset, ULONG Bytes);
NTSTATUS EndSendFrom(PSKETCH_END End, PVOID Context, ULONG Offset, ULONG Bytes);
NTSTATUS EndReceive(PSKETCH_END End);
NTSTATUS EndSend(PSKETCH_END End);
/* The disconnect event callback; its context is the end. */
VOID EndDisconnected(PVOID Context);
/* Waits for connect, then completes it. PASSIVE_LEVEL. */
NTSTATUS EndConnect(PSKETCH_END End, const RDMA_ADDRESS *From, const RDMA_ADDRESS *To);
NTSTATUS EndStartConnect(PSKETCH_END End, const RDMA_ADDRESS *From, const RDMA_ADDRESS *To,
                         NDK_FN_REQUEST_COMPLETION Completion, PVOID Context);
NTSTATUS EndStartAccept(PSKETCH_END End, NDK_CONNECTOR *Connector);

/* sketch_meet.c. EndConnect again and again while it is refused: the server may not listen yet. */
NTSTATUS EndConnectPatiently(PSKETCH_END End);
/*
 * Listens and waits for one connection, the others are closed; *Connector is what
 * was handed over, or NULL. PASSIVE_LEVEL.
 */
NTSTATUS EndListen(NDK_CONNECTOR **Connector);
/* Everything that came over the listener is closed. Accepts that there is none. */
VOID EndUnlisten(VOID);

#endif
