/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every NDK object of this driver starts with: the part that the consumer sees, and references
 * counted BY KIND, so that a close that does not come to its end names what holds it.
 *
 *   Open --close--> Closing --last reference--> Retiring --device done--> Ended (freed)
 *
 *   Open      the consumer holds its reference (RefConsumer)
 *   Closing   the consumer gave it back; others still hold the object
 *   Retiring  nobody holds it; the device lets go of it (RefHardware)
 *   Ended     the close completion runs, then the antecedents are let go of (they must not end
 *             while a successor's close completion runs), then the memory is freed
 *
 * Whoever drops the last reference never runs the next stage itself: the object goes to the
 * adapter's deferred queue, whose DPC runs it with no lock held. The one exception is a close that
 * answers within the call. A count that is zero stays zero until the object retires.
 */
#ifndef PROVIDER_OBJECT_H
#define PROVIDER_OBJECT_H

#include "common.h"
#include "request.h"

typedef enum _RNIC_REF {
    RefConsumer,  /* from creation to close */
    RefSuccessor, /* one per object that relies on this one */
    RefRequest,   /* one per asynchronous request that has not been completed */
    RefCallback,  /* one per callback of the consumer that is running or about to */
    RefHardware,  /* the device or a queue of ours still uses it */
    RefKindCount
} RNIC_REF;

typedef enum _RNIC_OBJECT_STATE {
    ObjectOpen,
    ObjectClosing,
    ObjectRetiring,
    ObjectEnded,
    ObjectStateCount
} RNIC_OBJECT_STATE;

typedef struct _RNIC_OBJECT RNIC_OBJECT, *PRNIC_OBJECT;

typedef struct _RNIC_OBJECT_CLASS {
    NDK_OBJECT_TYPE Type;
    PCSTR Name;
    /* The consumer asked to close: cancel, refuse what comes. May be NULL. No lock is held. */
    VOID (*Closing)(PRNIC_OBJECT Object);
    /*
     * Nobody holds the object any more: take it from the device. TRUE: done. FALSE, only when not
     * `Polled`: ObjectRetired will be called once. May be NULL.
     */
    BOOLEAN (*Retire)(PRNIC_OBJECT Object, BOOLEAN Polled);
    /* Let go of the antecedents and free the memory. */
    VOID (*Release)(PRNIC_OBJECT Object);
} RNIC_OBJECT_CLASS;

struct _RNIC_OBJECT {
    union {
        NDK_OBJECT_HEADER Header;
        NDK_ADAPTER Adapter;
        NDK_CQ Cq;
        NDK_PD Pd;
        NDK_QP Qp;
        NDK_SRQ Srq;
        NDK_MR Mr;
        NDK_MW Mw;
        NDK_LISTENER Listener;
        NDK_CONNECTOR Connector;
        NDK_SHARED_ENDPOINT SharedEndpoint;
    } Ndk;
    PRNIC_ADAPTER Owner;
    const RNIC_OBJECT_CLASS *Class;
    volatile LONG64 References; /* packed counts, see object.c */
    volatile LONG State;        /* RNIC_OBJECT_STATE */
    NDK_FN_CLOSE_COMPLETION CloseCompletion;
    PVOID CloseContext;
    RNIC_REQUEST Request; /* the one asynchronous request that may be pending */
    LIST_ENTRY DeferLink;
};

C_ASSERT(FIELD_OFFSET(RNIC_OBJECT, Ndk) == 0);

/* A new object in zeroed memory, held by the consumer; `Version` is the negotiated one. */
VOID ObjectInit(PRNIC_OBJECT Object, PRNIC_ADAPTER Owner, const RNIC_OBJECT_CLASS *Class,
                NDK_VERSION Version);

/* Takes a reference. The caller must hold one of any kind already. */
VOID ObjectGet(PRNIC_OBJECT Object, RNIC_REF Kind);

/*
 * Takes a reference of an object found in a table; FALSE when it is past its last reference. The
 * caller holds the lock under which Retire takes the object out of that table.
 */
BOOLEAN ObjectTryGet(PRNIC_OBJECT Object, RNIC_REF Kind);

/* Drops one. If it was the last, the next stage is queued. Treat `Object` as gone afterwards. */
VOID ObjectPut(PRNIC_OBJECT Object, RNIC_REF Kind);

/* Turns one reference into another without passing zero. */
VOID ObjectMove(PRNIC_OBJECT Object, RNIC_REF From, RNIC_REF To);

ULONG ObjectCount(const RNIC_OBJECT *Object, RNIC_REF Kind);

static inline BOOLEAN ObjectIsOpen(const RNIC_OBJECT *Object) {
    return ReadNoFence(&Object->State) == ObjectOpen;
}

/* The consumer asked for this version of the interface, or a later one. */
static inline BOOLEAN ObjectKnows(const RNIC_OBJECT *Object, USHORT Major, USHORT Minor) {
    NDK_VERSION Version = Object->Ndk.Header.Version;

    return Version.Major > Major || (Version.Major == Major && Version.Minor >= Minor);
}

/*
 * Closes for the consumer. STATUS_SUCCESS: closed, `Completion` will not run. STATUS_PENDING: it
 * runs once. Never fails (R-LIFE-18, R-LIFE-19).
 */
NTSTATUS ObjectClose(PRNIC_OBJECT Object, NDK_FN_CLOSE_COMPLETION Completion, PVOID Context);

/* Leaves a trace record of each kind of reference that keeps a close from its end now. */
VOID ObjectTraceHolders(PRNIC_OBJECT Object);

/* Gives up a new object that the consumer never got; `Object` may be gone afterwards. */
VOID ObjectAbandon(PRNIC_OBJECT Object);

/* The Retire call of a class has done its work. */
VOID ObjectRetired(PRNIC_OBJECT Object);

/* Runs the next stage of an object from the deferred queue. */
VOID ObjectRunStage(PRNIC_OBJECT Object);

/* The generic slots of the dispatch tables; the second in extension.c. */
NTSTATUS NdkCloseObject(NDK_OBJECT_HEADER *pNdkObject, NDK_FN_CLOSE_COMPLETION CloseCompletion,
                        PVOID RequestContext);
NTSTATUS NdkQueryExtension(NDK_OBJECT_HEADER *pNdkObject, GUID *ExtensionInterfaceID,
                           NDK_VERSION ExtensionInterfaceVersion,
                           NDK_EXTENSION_INTERFACE *pExtensionInterface);

#endif
