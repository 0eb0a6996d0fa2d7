/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt of the race: its objects and the requests that were started and not waited for. The
 * memory lives until the objects are closed; by then every pending request has been completed once.
 */
#ifndef TESTS_PROVIDER_RACE_H
#define TESTS_PROVIDER_RACE_H

#include "pair.h"

typedef struct _RACE_REQUEST {
    KEVENT Done;
    NTSTATUS Status;
    LONG Owed; /* completions to come */
} RACE_REQUEST, *PRACE_REQUEST;

typedef struct _RACE_ATTEMPT {
    PPAIR Pair;
    NDK_CQ *Cq;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    RACE_REQUEST Open; /* connect or accept */
    RACE_REQUEST Complete;
    RACE_REQUEST Disconnect;
    KEVENT Event;
    LONG Events;
    LONG Notifications;
    KSPIN_LOCK ArmLock;
    BOOLEAN ArmOver; /* the CQ is about to be closed */
    BOOLEAN Closed;
    LIST_ENTRY Link;
} RACE_ATTEMPT, *PRACE_ATTEMPT;

ULONG RaceRandom(PPAIR Pair, ULONG Below);
/* For a while chosen at random, or until `Event` is set. */
VOID RaceWait(PPAIR Pair, PKEVENT Event);
/* NULL: something is short; the connector is closed. */
PRACE_ATTEMPT RaceNew(PPAIR Pair, NDK_CONNECTOR *Connector);
VOID RaceRequestStart(PRACE_REQUEST Request);
VOID RaceRequested(PVOID Context, NTSTATUS Status);
/* What the starting call returned; waits for a random while. The outcome, or STATUS_PENDING. */
NTSTATUS RaceOutcome(PPAIR Pair, PRACE_REQUEST Request, NTSTATUS Status);
VOID RaceDisconnected(PVOID Context);
VOID RaceDisconnectedEx(PVOID Context, ULONG Reason);
/* Sends, receives, reads results, disconnects: whatever comes to mind. */
VOID RacePlay(PRACE_ATTEMPT Attempt);
/* Closes all in a random order, waits, and checks that nothing is owed. Frees the attempt. */
VOID RaceEnd(PRACE_ATTEMPT Attempt);

/* race_start.c: which call starts a request, as the parameters and chance have it. */
NTSTATUS RaceStartConnect(PRACE_ATTEMPT Attempt);
NTSTATUS RaceStartComplete(PRACE_ATTEMPT Attempt);
NTSTATUS RaceStartAccept(PRACE_ATTEMPT Attempt);
/* After the attempt: the shared endpoint may have been closed before its connectors. */
VOID RaceSettleShared(PPAIR Pair, BOOLEAN Last);

#endif
