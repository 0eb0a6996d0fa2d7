/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous requests of a consumer and the shapes in which they may be answered.
 *
 *   Inline         finished within the call, its status is the call's, no callback
 *   Pending        STATUS_PENDING, the callback comes from a DPC
 *   CallbackFirst  the callback runs within the call, which then returns STATUS_PENDING
 *
 * A request holds its object (RefRequest) until its callback starts, which holds it on
 * (RefCallback) until it has returned. After that the object may be gone (R-LIFE-15).
 */
#ifndef PROVIDER_REQUEST_H
#define PROVIDER_REQUEST_H

#include "common.h"

typedef enum _RNIC_SHAPE { ShapePending, ShapeInline, ShapeCallbackFirst, ShapeCount } RNIC_SHAPE;

typedef struct _RNIC_REQUEST {
    LIST_ENTRY Link;
    struct _RNIC_OBJECT *Object; /* NULL: not in use */
    union {
        NDK_FN_CREATE_COMPLETION Created; /* IsCreate */
        NDK_FN_REQUEST_COMPLETION Done;
    } Completion;
    PVOID Context;
    NTSTATUS Status;
    UCHAR Shape; /* RNIC_SHAPE */
    BOOLEAN IsCreate;
    BOOLEAN FromPool; /* freed when completed */
} RNIC_REQUEST, *PRNIC_REQUEST;

/*
 * Asks in which shape to answer: `Topic` is "answer.<function>", `Subject` an NDK object that the
 * consumer knows. `Quiet` is the answer of an undisturbed run.
 */
RNIC_SHAPE AnswerChoose(PRNIC_ADAPTER Adapter, PVOID Subject, PCSTR Topic, RNIC_SHAPE Quiet);

/* True when the fault `Point` ("provider.<function>.<status>") is to be answered. */
BOOLEAN AnswerFault(PVOID Subject, PCSTR Point);

/* The status of the first of several that is to be answered, STATUS_SUCCESS when none is. */
typedef struct _RNIC_ANSWER_FAULT {
    PCSTR Point;
    NTSTATUS Status;
} RNIC_ANSWER_FAULT;
NTSTATUS AnswerFaults(PVOID Subject, const RNIC_ANSWER_FAULT *Faults, ULONG Count);

/* Starts a request; exactly one of the routines below ends it. */
VOID RequestBeginCreate(PRNIC_REQUEST Request, struct _RNIC_OBJECT *Object, RNIC_SHAPE Shape,
                        NDK_FN_CREATE_COMPLETION Completion, PVOID Context);
VOID RequestBegin(PRNIC_REQUEST Request, struct _RNIC_OBJECT *Object, RNIC_SHAPE Shape,
                  NDK_FN_REQUEST_COMPLETION Completion, PVOID Context);

/* Runs the callback now. No lock held, IRQL <= DISPATCH_LEVEL. */
VOID RequestComplete(PRNIC_REQUEST Request, NTSTATUS Status);

/*
 * The same in two steps, for a caller whose lock guards the slot: takes the request out of its slot
 * under the lock, then calls without it. `Taken` is a copy.
 */
RNIC_REQUEST RequestTake(PRNIC_REQUEST Request);
VOID RequestCall(const RNIC_REQUEST *Taken, NTSTATUS Status);

/* Lets the adapter's DPC run the callback. */
VOID RequestDefer(PRNIC_REQUEST Request, NTSTATUS Status);

/*
 * The outcome is known within the starting call: ends the request in its shape and returns what the
 * call returns. A create stores the object in *Out when it succeeds inline, and only then.
 */
NTSTATUS RequestAnswer(PRNIC_REQUEST Request, NTSTATUS Status);
NTSTATUS RequestAnswerCreate(PRNIC_REQUEST Request, NTSTATUS Status, PVOID *Out);

#endif
