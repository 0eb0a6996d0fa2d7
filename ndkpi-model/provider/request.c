/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of asynchronous requests, and the choice of their shape; see request.h. */
#include "adapter.h"

BOOLEAN AnswerFault(PVOID Subject, PCSTR Point) {
    return NdksimFault(Point, Subject);
}

NTSTATUS AnswerFaults(PVOID Subject, const RNIC_ANSWER_FAULT *Faults, ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        if (AnswerFault(Subject, Faults[i].Point)) {
            return Faults[i].Status;
        }
    }
    return STATUS_SUCCESS;
}

RNIC_SHAPE AnswerChoose(PRNIC_ADAPTER Adapter, PVOID Subject, PCSTR Topic, RNIC_SHAPE Quiet) {
    static const PCSTR Label[ShapeCount] = {"pending", "inline", "callback-first"};
    PCSTR Options[ShapeCount];
    RNIC_SHAPE Shapes[ShapeCount];
    ULONG Count = 0;
    ULONG Shape;

    if (Adapter->Settings.AnswerShape != 0) {
        static const RNIC_SHAPE Forced[] = {ShapeInline, ShapePending, ShapeCallbackFirst};

        return Forced[(Adapter->Settings.AnswerShape - 1) % RTL_NUMBER_OF(Forced)];
    }
    Shapes[Count] = Quiet;
    Options[Count++] = Label[Quiet];
    for (Shape = 0; Shape < ShapeCount; Shape++) {
        if (Shape != (ULONG)Quiet) {
            Shapes[Count] = (RNIC_SHAPE)Shape;
            Options[Count++] = Label[Shape];
        }
    }
    return Shapes[NdksimChoose(Topic, Subject, Options, Count)];
}

static VOID RequestStart(PRNIC_REQUEST Request, PRNIC_OBJECT Object, RNIC_SHAPE Shape,
                         PVOID Context) {
    NT_ASSERT(Request->Object == NULL);
    ObjectGet(Object, RefRequest);
    Request->Object = Object;
    Request->Shape = (UCHAR)Shape;
    Request->Context = Context;
}

VOID RequestBeginCreate(PRNIC_REQUEST Request, PRNIC_OBJECT Object, RNIC_SHAPE Shape,
                        NDK_FN_CREATE_COMPLETION Completion, PVOID Context) {
    RequestStart(Request, Object, Shape, Context);
    Request->IsCreate = TRUE;
    Request->Completion.Created = Completion;
}

VOID RequestBegin(PRNIC_REQUEST Request, PRNIC_OBJECT Object, RNIC_SHAPE Shape,
                  NDK_FN_REQUEST_COMPLETION Completion, PVOID Context) {
    RequestStart(Request, Object, Shape, Context);
    Request->IsCreate = FALSE;
    Request->Completion.Done = Completion;
}

/* The slot is free again before the consumer hears of it: it may start the next request at once. */
RNIC_REQUEST RequestTake(PRNIC_REQUEST Request) {
    RNIC_REQUEST Taken = *Request;

    NT_ASSERT(Taken.Object != NULL);
    Request->Object = NULL;
    if (Taken.FromPool) {
        PoolPut(Request);
    }
    return Taken;
}

VOID RequestCall(const RNIC_REQUEST *Taken, NTSTATUS Status) {
    PRNIC_OBJECT Object = Taken->Object;

    NT_ASSERT(Status != STATUS_PENDING);
    ObjectMove(Object, RefRequest, RefCallback);
    if (!Taken->IsCreate) {
        Taken->Completion.Done(Taken->Context, Status);
    } else if (NT_SUCCESS(Status)) {
        Taken->Completion.Created(Taken->Context, Status, &Object->Ndk.Header);
    } else {
        Taken->Completion.Created(Taken->Context, Status, NULL);
        ObjectAbandon(Object);
    }
    ObjectPut(Object, RefCallback);
}

VOID RequestComplete(PRNIC_REQUEST Request, NTSTATUS Status) {
    RNIC_REQUEST Taken = RequestTake(Request);

    RequestCall(&Taken, Status);
}

VOID RequestDefer(PRNIC_REQUEST Request, NTSTATUS Status) {
    Request->Status = Status;
    DeferRequest(Request->Object->Owner, Request);
}

/* What the call returns when the callback does it all, or STATUS_SUCCESS when the call does. */
static NTSTATUS RequestAnswerByCallback(PRNIC_REQUEST Request, NTSTATUS Status) {
    switch (Request->Shape) {
    case ShapeInline:
        return STATUS_SUCCESS;
    case ShapeCallbackFirst:
        RequestComplete(Request, Status);
        return STATUS_PENDING;
    default:
        RequestDefer(Request, Status);
        return STATUS_PENDING;
    }
}

NTSTATUS RequestAnswer(PRNIC_REQUEST Request, NTSTATUS Status) {
    RNIC_REQUEST Taken;

    if (RequestAnswerByCallback(Request, Status) == STATUS_PENDING) {
        return STATUS_PENDING;
    }
    Taken = RequestTake(Request);
    ObjectPut(Taken.Object, RefRequest);
    return Status;
}

NTSTATUS RequestAnswerCreate(PRNIC_REQUEST Request, NTSTATUS Status, PVOID *Out) {
    RNIC_REQUEST Taken;

    if (RequestAnswerByCallback(Request, Status) == STATUS_PENDING) {
        return STATUS_PENDING;
    }
    Taken = RequestTake(Request);
    if (NT_SUCCESS(Status)) {
        *Out = Taken.Object;
    } else {
        ObjectAbandon(Taken.Object);
    }
    ObjectPut(Taken.Object, RefRequest);
    return Status;
}
