/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that must not run where it arises (locks may be held, or it is a consumer's call): it is
 * queued here and run by one DPC of the adapter with no lock held. Each kind keeps its order.
 */
#ifndef PROVIDER_DEFER_H
#define PROVIDER_DEFER_H

#include "common.h"

struct _RNIC_OBJECT;
struct _RNIC_REQUEST;

/* What a structure embeds to be queued; a second insertion before it ran is ignored. */
typedef struct _RNIC_DEFERRED {
    LIST_ENTRY Link;
    VOID (*Run)(struct _RNIC_DEFERRED *Deferred);
    BOOLEAN Queued;
} RNIC_DEFERRED, *PRNIC_DEFERRED;

typedef struct _RNIC_DEFER {
    KSPIN_LOCK Lock;
    LIST_ENTRY Objects;  /* whose last reference is gone */
    LIST_ENTRY Requests; /* whose status is known */
    LIST_ENTRY Items;
    KDPC Dpc;
} RNIC_DEFER;

VOID DeferInit(PRNIC_ADAPTER Adapter);

VOID DeferObject(struct _RNIC_OBJECT *Object);
VOID DeferRequest(PRNIC_ADAPTER Adapter, struct _RNIC_REQUEST *Request);

/* TRUE when it was queued now, FALSE when it was queued already. */
BOOLEAN DeferItem(PRNIC_ADAPTER Adapter, PRNIC_DEFERRED Deferred);

/* Runs what is queued, here; for halt, at PASSIVE_LEVEL. */
VOID DeferDrain(PRNIC_ADAPTER Adapter);

#endif
