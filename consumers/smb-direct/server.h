/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smb-direct-server: what its files share. See server.c.
 */
#ifndef SMB_DIRECT_SERVER_H
#define SMB_DIRECT_SERVER_H

#include "driver.h"
#include "mini_server.h"

#define SERVER_POOL_TAG 'vBmS'

/* A connector that the connect event handed over, not looked at yet. */
typedef struct _SERVER_INCOMING {
    LIST_ENTRY Link;
    NDK_CONNECTOR *Connector;
} SERVER_INCOMING, *PSERVER_INCOMING;

/* One address: a listener on its way (with its callbacks), then the server's. */
typedef struct _SERVER_LISTENING {
    struct _SMB_SERVER *Server;
    ULONG Index;
    NDK_LISTENER *Made;     /* of the callbacks */
    NDK_LISTENER *Listener; /* under the server's lock: to be closed by ServerCloseListeners */
    NTSTATUS Status;
} SERVER_LISTENING, *PSERVER_LISTENING;

typedef struct _SERVER_CONNECTION {
    LIST_ENTRY Link;
    struct _SMB_SERVER *Server;
    PSMBD_CONNECTION Connection; /* under the server's lock; NULL when it is gone */
    MINI_SERVER Mini;
    PVOID Thread;
    ULONG SessionId; /* under the server's lock; 0: none */
    BOOLEAN IsOver;  /* under the server's lock: its thread does nothing more */
} SERVER_CONNECTION, *PSERVER_CONNECTION;

typedef struct _SMB_SERVER {
    SMBD_TRANSPORT Transport;
    MINI_STORE Store;
    RDMA_ADDRESS Addresses[ADDRESS_MAX];
    ULONG AddressCount;
    ULONG ConnectionMax;
    ULONG TeardownAfterBytes;
    ULONG ListenAgainDelayMs;
    BOOLEAN ChecksSessions;
    KEVENT Stop; /* notification */
    KEVENT Wake; /* synchronization: something for the main thread */
    PVOID Thread;
    ULONG Serial;
    volatile LONG64 BytesMoved;

    SERVER_LISTENING Listenings[ADDRESS_MAX];
    ULONG ActivatingCount; /* under the lock */
    KEVENT Activated;      /* notification: no listener is on its way */
    CLOSE_GROUP Refused;   /* connectors closed in the connect event, listeners too late */

    KSPIN_LOCK Lock; /* taken before a connection's */
    LIST_ENTRY Incoming;
    LIST_ENTRY Connections;
    ULONG LiveCount;
    ULONG RejectsLeft;
    ULONG RestartsLeft;
    BOOLEAN IsRefusing;
    BOOLEAN RestartWanted;
} SMB_SERVER, *PSMB_SERVER;

/*
 * server_listen.c. PASSIVE_LEVEL. ServerListen returns early when the driver stops; what is on its
 * way then is closed when it comes (Activated, Refused).
 */
NTSTATUS ServerListen(PSMB_SERVER Server);
/* From now on every connector that is handed over is closed; those that wait are closed too. */
VOID ServerRefuse(PSMB_SERVER Server, PCLOSE_GROUP Group);
VOID ServerCloseListeners(PSMB_SERVER Server, PCLOSE_GROUP Group);
/*
 * Tries to listen while the old listener closes, and lets go of it again. The address is taken as
 * long as one of its connections is open: listening again in earnest comes after that.
 */
VOID ServerListenAtOnce(PSMB_SERVER Server);
/* The next connector that was handed over, or NULL. */
NDK_CONNECTOR *ServerTakeIncoming(PSMB_SERVER Server);

/*
 * server_session.c. PASSIVE_LEVEL. A client that names its session in its connect has one
 * connection at a time: another one with that name is rejected until the first has closed the
 * session (or has ended without).
 */
NTSTATUS ServerSessionClaim(PSERVER_CONNECTION Entry);
VOID ServerSessionRelease(PVOID Entry);

/* server_connection.c. PASSIVE_LEVEL. */
VOID ServerConnectionStart(PSMB_SERVER Server, NDK_CONNECTOR *Connector);
/* Joins the threads of connections that are over; all: ends the others first. */
VOID ServerConnectionsReap(PSMB_SERVER Server, BOOLEAN All);

#endif
