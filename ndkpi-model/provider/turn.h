/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests on one object that are carried out one after the other: each takes its turn, and passes
 * it on when it is over. Whoever finds the object free goes on at once; the others are begun by the
 * one before them.
 */
#ifndef PROVIDER_TURN_H
#define PROVIDER_TURN_H

#include "common.h"

typedef struct _RNIC_TURN {
    LIST_ENTRY Link;
    /* It is this one's turn. TRUE: over already; FALSE: TurnPass will be called. No lock is held.
     */
    BOOLEAN (*Begin)(struct _RNIC_TURN *Turn);
} RNIC_TURN, *PRNIC_TURN;

typedef struct _RNIC_TURNS {
    PKSPIN_LOCK Lock; /* the object's own */
    LIST_ENTRY Waiting;
    BOOLEAN Busy;
} RNIC_TURNS, *PRNIC_TURNS;

/* The other calls take `Lock`, which guards the object they are about. */
VOID TurnsInit(PRNIC_TURNS Turns, PKSPIN_LOCK Lock);

/* TRUE: it is its turn now, and Begin is not called. FALSE: Begin will be, perhaps at once. */
BOOLEAN TurnTake(PRNIC_TURNS Turns, PRNIC_TURN Turn);

/* The turn is over. The caller holds the object; IRQL <= DISPATCH_LEVEL. */
VOID TurnPass(PRNIC_TURNS Turns);

#endif
