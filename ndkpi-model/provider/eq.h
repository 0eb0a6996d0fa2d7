/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event queues. The first one carries command completions, asynchronous events and the completions
 * of the connection manager's QP; each further one the CQs of one processor. Each has a vector and
 * a DPC that is bound to a processor, so that the events of one queue are taken one after the
 * other.
 */
#ifndef PROVIDER_EQ_H
#define PROVIDER_EQ_H

#include "common.h"
#include "dma.h"

#define RNIC_EQ_COUNT_MAX 9u
#define RNIC_EQ_ENTRY_LOG2 9u
#define RNIC_DPC_BUDGET 64u /* events, or pieces of deferred work, per run of a DPC */

typedef struct _RNIC_EQ {
    PRNIC_ADAPTER Adapter;
    ULONG Eqn;
    ULONG Vector;
    RNIC_DMA Ring;
    ULONG Consumer;
    volatile LONG CqCount; /* CQs that report here, at most a quarter of the ring */
    KDPC Dpc;
    BOOLEAN Created;
} RNIC_EQ, *PRNIC_EQ;

/* Makes the queues; the device is enabled and initialised. PASSIVE_LEVEL. */
NTSTATUS EqStart(PRNIC_ADAPTER Adapter);
VOID EqStop(PRNIC_ADAPTER Adapter);

/* Allows the next interrupt once there are entries past the consumer index. */
VOID EqArm(PRNIC_EQ Eq);

/* The processor that suits `Affinity`; any, in turn, when it is NULL or names none of ours. */
ULONG EqProcessor(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity);

/* The queue for a new CQ; NULL: none has room. `Affinity` may be NULL. */
PRNIC_EQ EqTakeForCq(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity);
VOID EqGiveBack(PRNIC_EQ Eq);

/* dpc.c: the DPC routine, and the interrupt of a vector. */
KDEFERRED_ROUTINE EqDpcRoutine;
BOOLEAN EqInterrupt(PRNIC_ADAPTER Adapter, ULONG Vector);

#endif
