/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server half of the request layer, for one connection; runs on the connection's thread.
 *
 *   free --inbound message--> at work --(transfer done, answer posted)--> free
 *
 * A request holds itself once for its transfer and once for its answer.
 */
#ifndef SMB_DIRECT_MINI_SERVER_H
#define SMB_DIRECT_MINI_SERVER_H

#include "mini_file.h"
#include "mini_wire.h"

#define MINI_OPEN_MAX 4u

typedef struct _MINI_REQUEST {
    LIST_ENTRY Link; /* in Free */
    struct _MINI_SERVER *Server;
    SMBD_OUTBOUND Answer;
    SMBD_TRANSFER Transfer;
    MINI_HEADER Header;
    PSMBD_INBOUND Inbound; /* kept while the answer points into it */
    LONG Holds;            /* under the connection's lock */
} MINI_REQUEST, *PMINI_REQUEST;

typedef struct _MINI_OPENING {
    PMINI_FILE File; /* NULL: not in use */
    RDMA_REGION Region;
} MINI_OPENING, *PMINI_OPENING;

typedef struct _MINI_SERVER {
    PSMBD_CONNECTION Connection;
    PMINI_STORE Store;
    MINI_OPENING Openings[MINI_OPEN_MAX];
    PMINI_REQUEST Requests;
    LIST_ENTRY Free; /* under the connection's lock */
    LONG BusyCount;
    volatile LONG64 *BytesMoved; /* of all connections of the driver */
    VOID (*Closed)(PVOID Upper); /* the client has closed its file; before the answer to that */
    PVOID Upper;
} MINI_SERVER, *PMINI_SERVER;

NTSTATUS MiniServerInit(PMINI_SERVER Server, PSMBD_CONNECTION Connection, PMINI_STORE Store);
/* Does what there is to do. IRQL PASSIVE_LEVEL, after each kick. */
VOID MiniServerRun(PMINI_SERVER Server);
/* The connection's NDK objects are closed: lets go of files and memory. */
VOID MiniServerDeinit(PMINI_SERVER Server);

#endif
