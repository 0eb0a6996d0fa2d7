/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event queues. The first one carries command completions, asynchronous events and the completions
 * of the connection manager's QP; each further one the CQs of one processor. Each has a vector and
 * a DPC that is bound to a processor, so that the events of one queue are taken one after the
 * other.
 *
 * A queue begins with a small ring and gets another one of twice the size when objects come whose
 * events the last one might not hold. The rings of a queue share its vector; the device gives
 * asynchronous events to the youngest, and a CQ keeps the ring that it was made with. An entry is
 * the driver's again when the device is told so, at least once in an eighth of the ring.
 */
#ifndef PROVIDER_EQ_H
#define PROVIDER_EQ_H

#include "common.h"
#include "dma.h"

#define RNIC_EQ_COUNT_MAX 9u
#define RNIC_DPC_BUDGET 64u /* events, or pieces of deferred work, per run of a DPC */

typedef struct _RNIC_EQ_RING {
    struct _RNIC_EQ_RING *Next; /* the one made after it */
    RNIC_DMA Dma;
    ULONG Eqn;
    UCHAR EntryLog2;
    BOOLEAN Created;
    ULONG Consumer;
    ULONG Told;    /* consumer index that the device knows */
    LONG CqCount;  /* CQs that report here; under Adapter->EqLock */
    BOOLEAN Armed; /* since then nothing was taken */
} RNIC_EQ_RING, *PRNIC_EQ_RING;

typedef struct _RNIC_EQ {
    PRNIC_ADAPTER Adapter;
    ULONG Vector;
    RNIC_EQ_RING First;
    PRNIC_EQ_RING Last;
    KDPC Dpc;
} RNIC_EQ, *PRNIC_EQ;

VOID EqInit(PRNIC_ADAPTER Adapter);
/* Makes the queues; the device is enabled and initialised. PASSIVE_LEVEL. */
NTSTATUS EqStart(PRNIC_ADAPTER Adapter);
VOID EqStop(PRNIC_ADAPTER Adapter);

/* Tells how far the ring was taken; allows the next interrupt once there is more. */
VOID EqArm(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring);

/* The processor that suits `Affinity`; any, in turn, when it is NULL or names none of ours. */
ULONG EqProcessor(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity);

/* The ring for a new CQ; NULL: there is no room for more. `Affinity` may be NULL. */
PRNIC_EQ_RING EqTakeForCq(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity);
VOID EqGiveBack(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring);

/* Room for the asynchronous events of all QPs and SRQs that are counted now. */
NTSTATUS EqFitObjects(PRNIC_ADAPTER Adapter);

/* dpc.c: the DPC routine, and the interrupt of a vector. */
KDEFERRED_ROUTINE EqDpcRoutine;
BOOLEAN EqInterrupt(PRNIC_ADAPTER Adapter, ULONG Vector);

#endif
