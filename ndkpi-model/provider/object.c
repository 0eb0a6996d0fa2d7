/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References by kind and the way to the end of an object; the machine is drawn in object.h.
 *
 * All counts of an object share one 64-bit word, so that one interlocked operation both changes a
 * count and tells whether anything at all is left.
 */
#include "adapter.h"
#include "object.h"

/* Lowest bit of each count. RefConsumer is 0 or 1; the others are far from their limits. */
static const UCHAR RefShift[RefKindCount] = {
    [RefConsumer] = 0,  [RefSuccessor] = 2, [RefRequest] = 22,
    [RefCallback] = 36, [RefHardware] = 48,
};
static const UCHAR RefBits[RefKindCount] = {
    [RefConsumer] = 2,  [RefSuccessor] = 20, [RefRequest] = 14,
    [RefCallback] = 12, [RefHardware] = 14,
};

static LONG64 RefUnit(RNIC_REF Kind) {
    return (LONG64)1 << RefShift[Kind];
}

static ULONG RefCountOf(LONG64 References, RNIC_REF Kind) {
    return (ULONG)((ULONG64)References >> RefShift[Kind]) & ((1u << RefBits[Kind]) - 1);
}

VOID ObjectInit(PRNIC_OBJECT Object, PRNIC_ADAPTER Owner, const RNIC_OBJECT_CLASS *Class,
                NDK_VERSION Version) {
    Object->Ndk.Header.Version = Version;
    Object->Ndk.Header.ObjectType = Class->Type;
    Object->Owner = Owner;
    Object->Class = Class;
    Object->References = RefUnit(RefConsumer);
    Object->State = ObjectOpen;
}

VOID ObjectGet(PRNIC_OBJECT Object, RNIC_REF Kind) {
    LONG64 After = InterlockedAdd64(&Object->References, RefUnit(Kind));

    NT_ASSERT(After != RefUnit(Kind) || Object->State == ObjectRetiring);
    NT_ASSERT(RefCountOf(After, Kind) != 0);
    UNREFERENCED_PARAMETER(After);
}

BOOLEAN ObjectTryGet(PRNIC_OBJECT Object, RNIC_REF Kind) {
    for (;;) {
        LONG64 Before = ReadNoFence64(&Object->References);

        if (Before == 0 || ReadNoFence(&Object->State) >= ObjectRetiring) {
            return FALSE;
        }
        if (InterlockedCompareExchange64(&Object->References, Before + RefUnit(Kind), Before) ==
            Before) {
            return TRUE;
        }
    }
}

VOID ObjectMove(PRNIC_OBJECT Object, RNIC_REF From, RNIC_REF To) {
    LONG64 After = InterlockedAdd64(&Object->References, RefUnit(To) - RefUnit(From));

    NT_ASSERT(RefCountOf(After, To) != 0);
    UNREFERENCED_PARAMETER(After);
}

ULONG ObjectCount(const RNIC_OBJECT *Object, RNIC_REF Kind) {
    return RefCountOf(ReadNoFence64(&Object->References), Kind);
}

/* True when that was the last one. */
static BOOLEAN ObjectDrop(PRNIC_OBJECT Object, RNIC_REF Kind) {
    LONG64 After = InterlockedAdd64(&Object->References, -RefUnit(Kind));

    NT_ASSERT(After >= 0);
    return After == 0;
}

VOID ObjectPut(PRNIC_OBJECT Object, RNIC_REF Kind) {
    if (ObjectDrop(Object, Kind)) {
        DeferObject(Object);
    }
}

/* The device is done with it: the consumer hears of it, then the antecedents may go on. */
static VOID ObjectEnd(PRNIC_OBJECT Object, BOOLEAN CallBack) {
    Object->State = ObjectEnded;
    if (CallBack && Object->CloseCompletion != NULL) {
        Object->CloseCompletion(Object->CloseContext);
    }
    Object->Class->Release(Object);
}

/* TRUE: the device is done already, and nobody holds the object. */
static BOOLEAN ObjectRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    BOOLEAN Done;

    /* State first: a look-up that still finds the object must see that it is past its end. */
    Object->State = ObjectRetiring;
    Object->References = RefUnit(RefHardware);
    Done = Object->Class->Retire == NULL || Object->Class->Retire(Object, Polled);
    NT_ASSERT(Done || !Polled);
    return Done;
}

VOID ObjectRetired(PRNIC_OBJECT Object) {
    ObjectPut(Object, RefHardware);
}

VOID ObjectRunStage(PRNIC_OBJECT Object) {
    if (Object->State == ObjectRetiring || ObjectRetire(Object, FALSE)) {
        ObjectEnd(Object, TRUE);
    }
}

VOID ObjectTraceHolders(PRNIC_OBJECT Object) {
    static const PCSTR Event[RefKindCount] = {
        [RefConsumer] = "close.held_by_consumer", [RefSuccessor] = "close.held_by_successor",
        [RefRequest] = "close.held_by_request",   [RefCallback] = "close.held_by_callback",
        [RefHardware] = "close.held_by_hardware",
    };
    ULONG Kind;

    for (Kind = RefSuccessor; Kind < RefKindCount; Kind++) {
        ULONG Count = ObjectCount(Object, (RNIC_REF)Kind);

        if (Count != 0) {
            NdksimTrace(Event[Kind], &Object->Ndk.Header, Count, 0);
        }
    }
}

NTSTATUS ObjectClose(PRNIC_OBJECT Object, NDK_FN_CLOSE_COMPLETION Completion, PVOID Context) {
    RNIC_SHAPE Shape;

    NT_ASSERT(ObjectIsOpen(Object));
    Shape = AnswerChoose(Object->Owner, &Object->Ndk.Header, "answer.close", ShapePending);
    Object->CloseCompletion = Completion;
    Object->CloseContext = Context;
    Object->State = ObjectClosing;
    if (Object->Class->Closing != NULL) {
        Object->Class->Closing(Object);
    }
    ObjectTraceHolders(Object);
    if (!ObjectDrop(Object, RefConsumer)) {
        return STATUS_PENDING; /* the object may be gone by now */
    }
    if (Shape == ShapePending) {
        DeferObject(Object);
        return STATUS_PENDING;
    }
    ObjectRetire(Object, TRUE);
    ObjectEnd(Object, Shape == ShapeCallbackFirst);
    return Shape == ShapeInline ? STATUS_SUCCESS : STATUS_PENDING;
}

VOID ObjectAbandon(PRNIC_OBJECT Object) {
    Object->State = ObjectClosing;
    ObjectPut(Object, RefConsumer);
}

NTSTATUS NdkCloseObject(NDK_OBJECT_HEADER *pNdkObject, NDK_FN_CLOSE_COMPLETION CloseCompletion,
                        PVOID RequestContext) {
    PRNIC_OBJECT Object = CONTAINING_RECORD(pNdkObject, RNIC_OBJECT, Ndk.Header);

    return ObjectClose(Object, CloseCompletion, RequestContext);
}
