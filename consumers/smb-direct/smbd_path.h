/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to the server, found asynchronously: attempts, each with a limit, over one pair of
 * addresses after the other, with a pause between two.
 *
 *             .-------------------- pause over, tries left ---------------------.
 *             v                                                                 |
 *   Idle -> Creating -made-> Connecting -ok-> Connected -thread-> Completing -ok-> Up -lost-> Over
 *             |                  |                |                   |                        ^
 *             '------------------'--- failed, or the limit is over ---'--> Clearing            |
 *                                                                             |                |
 *                        Pausing <--------------- connector closed -----------'- no more tries-'
 *
 * Calls, completions and the timer run at any IRQL <= DISPATCH_LEVEL and on any processor; `Lock`
 * orders them, and no call is made under it. A reference is held by the owner, by each call whose
 * completion is owed, by the timer while it is out, and by being Up (the disconnect event may
 * come, and drops it, unless SmbdPathStop was first). The last one lets SmbdPathDestroy go on.
 *
 * A connector is closed by the path until Up, and by the connection from then on. While a call on
 * it is being made (`Calls`), its close waits for that call's return.
 */
#ifndef SMB_DIRECT_SMBD_PATH_H
#define SMB_DIRECT_SMBD_PATH_H

#include "smbd.h"

#define PATH_PAIR_MAX 2u

typedef enum _SMBD_PATH_STATE {
    PathIdle,
    PathCreating,
    PathConnecting,
    PathConnected,
    PathCompleting,
    PathUp,
    PathClearing,
    PathPausing,
    PathOver
} SMBD_PATH_STATE;

typedef struct _SMBD_PATH {
    PSMBD_CONNECTION Connection; /* outlives the path */
    RDMA_ADDRESS Local[PATH_PAIR_MAX];
    RDMA_ADDRESS Remote[PATH_PAIR_MAX];
    ULONG PairCount;
    ULONG PairFirst; /* of the first attempt */
    KEVENT Turn;     /* synchronization: something for the connection's thread */
    KEVENT Settled;  /* notification: no connector, no timer, nothing under way */
    KEVENT Gone;     /* notification: nobody has a reference */
    LONG References;
    KTIMER Timer; /* limit of an attempt, or the pause */
    KDPC TimerDpc;

    KSPIN_LOCK Lock;
    SMBD_PATH_STATE State;
    NTSTATUS Status; /* why the last attempt failed */
    NDK_CONNECTOR *Connector;
    ULONG Try; /* of this attempt, from 1 */
    LONG Calls;
    BOOLEAN IsCreating; /* a connector is on its way */
    BOOLEAN IsClosing;  /* the connector's close is under way */
    BOOLEAN IsTimerOut; /* set, or its DPC has not run yet */
    BOOLEAN IsStopping;
} SMBD_PATH, *PSMBD_PATH;

/* All PASSIVE_LEVEL, the connection's thread. Pairs are the caller's to fill in. */
PSMBD_PATH SmbdPathCreate(PSMBD_CONNECTION Connection);
/* Until it is Up (the connection has its connector then), or no tries are left, or the end. */
NTSTATUS SmbdPathRun(PSMBD_PATH Path);
/* Nothing of it is under way any more but what its references tell. Again: nothing. */
VOID SmbdPathStop(PSMBD_PATH Path);
/* The connector of an Up path is closed. */
VOID SmbdPathDestroy(PSMBD_PATH Path);

#endif
