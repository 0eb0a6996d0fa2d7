/* SPDX-License-Identifier: Apache-2.0 */
/* The adapter's queue of deferred work; see defer.h. */
#include "adapter.h"

static VOID DeferInsert(PRNIC_ADAPTER Adapter, PLIST_ENTRY List, PLIST_ENTRY Entry) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->Defer.Lock, &Lock);
    InsertTailList(List, Entry);
    KeReleaseInStackQueuedSpinLock(&Lock);
    KeInsertQueueDpc(&Adapter->Defer.Dpc, NULL, NULL);
}

VOID DeferObject(PRNIC_OBJECT Object) {
    DeferInsert(Object->Owner, &Object->Owner->Defer.Objects, &Object->DeferLink);
}

VOID DeferRequest(PRNIC_ADAPTER Adapter, PRNIC_REQUEST Request) {
    DeferInsert(Adapter, &Adapter->Defer.Requests, &Request->Link);
}

BOOLEAN DeferItem(PRNIC_ADAPTER Adapter, PRNIC_DEFERRED Deferred) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN New;

    KeAcquireInStackQueuedSpinLock(&Adapter->Defer.Lock, &Lock);
    New = !Deferred->Queued;
    if (New) {
        Deferred->Queued = TRUE;
        InsertTailList(&Adapter->Defer.Items, &Deferred->Link);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (New) {
        KeInsertQueueDpc(&Adapter->Defer.Dpc, NULL, NULL);
    }
    return New;
}

static PLIST_ENTRY DeferPop(PLIST_ENTRY List) {
    return IsListEmpty(List) ? NULL : RemoveHeadList(List);
}

/* Under the lock. */
static BOOLEAN DeferIsEmpty(const RNIC_DEFER *Defer) {
    return IsListEmpty(&Defer->Requests) && IsListEmpty(&Defer->Items) &&
           IsListEmpty(&Defer->Objects);
}

/*
 * Takes one piece of work and runs it; FALSE when there is none. `More` says whether others stood
 * behind it: what comes later queues the DPC again. Requests go before objects.
 */
static BOOLEAN DeferRunOne(RNIC_DEFER *Defer, BOOLEAN *More) {
    KLOCK_QUEUE_HANDLE Lock;
    PLIST_ENTRY Request;
    PLIST_ENTRY Item = NULL;
    PLIST_ENTRY Object = NULL;

    KeAcquireInStackQueuedSpinLock(&Defer->Lock, &Lock);
    Request = DeferPop(&Defer->Requests);
    if (Request == NULL) {
        Item = DeferPop(&Defer->Items);
    }
    if (Item != NULL) {
        CONTAINING_RECORD(Item, RNIC_DEFERRED, Link)->Queued = FALSE;
    }
    if (Request == NULL && Item == NULL) {
        Object = DeferPop(&Defer->Objects);
    }
    *More = !DeferIsEmpty(Defer);
    KeReleaseInStackQueuedSpinLock(&Lock);

    if (Request != NULL) {
        PRNIC_REQUEST Pending = CONTAINING_RECORD(Request, RNIC_REQUEST, Link);

        RequestComplete(Pending, Pending->Status);
    } else if (Item != NULL) {
        PRNIC_DEFERRED Deferred = CONTAINING_RECORD(Item, RNIC_DEFERRED, Link);

        Deferred->Run(Deferred);
    } else if (Object != NULL) {
        ObjectRunStage(CONTAINING_RECORD(Object, RNIC_OBJECT, DeferLink));
    } else {
        return FALSE;
    }
    return TRUE;
}

static VOID DeferDpcRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                            PVOID SystemArgument2) {
    PRNIC_ADAPTER Adapter = DeferredContext;
    ULONG Budget = RNIC_DPC_BUDGET;
    BOOLEAN More;

    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    while (DeferRunOne(&Adapter->Defer, &More) && More) {
        if (--Budget == 0) {
            KeInsertQueueDpc(Dpc, NULL, NULL);
            return;
        }
    }
}

VOID DeferDrain(PRNIC_ADAPTER Adapter) {
    KIRQL Irql = KeRaiseIrqlToDpcLevel();
    BOOLEAN More;

    while (DeferRunOne(&Adapter->Defer, &More)) {
    }
    KeLowerIrql(Irql);
}

VOID DeferInit(PRNIC_ADAPTER Adapter) {
    RNIC_DEFER *Defer = &Adapter->Defer;

    KeInitializeSpinLock(&Defer->Lock);
    InitializeListHead(&Defer->Objects);
    InitializeListHead(&Defer->Requests);
    InitializeListHead(&Defer->Items);
    KeInitializeDpc(&Defer->Dpc, DeferDpcRoutine, Adapter);
}
