/* SPDX-License-Identifier: Apache-2.0 */
/* Posted requests about windows, and when a window relies on a region; see mw.h. */
#include "adapter.h"

#define RNIC_WINDOWS_TICK_US 20u
#define RNIC_WINDOWS_TICK_MAX_US 1000u

PRNIC_WINDOW_WORK WindowWorkNew(PRNIC_MW Mw, PRNIC_MR Mr) {
    PRNIC_WINDOW_WORK Work = PoolGet(sizeof(*Work));

    if (Work != NULL) {
        Work->Mw = Mw;
        Work->Mr = Mr;
    }
    return Work;
}

/* ---- Under Windows.Lock ---- */

static VOID WorkFree(PRNIC_WINDOW_WORK Work) {
    if (Work->Settled && !Work->Relies) {
        PoolPut(Work);
    }
}

static VOID BindingEnd(PRNIC_WINDOW_WORK Work) {
    RemoveEntryList(&Work->BindingLink);
    Work->Relies = FALSE;
    ObjectPut(&Work->Mr->Object, RefSuccessor);
    WorkFree(Work);
}

/* The window now points where the request `Serial` left it: older bindings are over. */
static VOID BindingsEndBefore(PRNIC_MW Mw, ULONG64 Serial) {
    PLIST_ENTRY Entry = Mw->Bindings.Flink;

    while (Entry != &Mw->Bindings) {
        PRNIC_WINDOW_WORK Work = CONTAINING_RECORD(Entry, RNIC_WINDOW_WORK, BindingLink);

        Entry = Entry->Flink;
        if (Work->Serial < Serial && Work->Settled) {
            BindingEnd(Work);
        }
    }
}

static VOID WorkSettle(PRNIC_QP Qp, PRNIC_WINDOW_WORK Work, RNIC_WINDOW_OUTCOME Outcome) {
    PRNIC_MW Mw = Work->Mw;

    RemoveEntryList(&Work->QpLink);
    Work->Settled = TRUE;
    InterlockedDecrement(&Qp->Object.Owner->Windows.WorkCount);
    if (Outcome == WindowDone) {
        BindingsEndBefore(Mw, Work->Serial);
    }
    if (Outcome == WindowRefused && Work->Relies) {
        BindingEnd(Work);
    } else {
        WorkFree(Work);
    }
    if (--Mw->Pending == 0) {
        ObjectPut(&Mw->Object, RefRequest);
    }
}

static PRNIC_WINDOW_WORK QpFirstWork(PRNIC_QP Qp) {
    return IsListEmpty(&Qp->Windows)
               ? NULL
               : CONTAINING_RECORD(Qp->Windows.Flink, RNIC_WINDOW_WORK, QpLink);
}

static BOOLEAN MwIsAwaited(PRNIC_MW Mw) {
    PLIST_ENTRY Entry;

    if (!ObjectIsOpen(&Mw->Object)) {
        return TRUE;
    }
    for (Entry = Mw->Bindings.Flink; Entry != &Mw->Bindings; Entry = Entry->Flink) {
        if (!ObjectIsOpen(&CONTAINING_RECORD(Entry, RNIC_WINDOW_WORK, BindingLink)->Mr->Object)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- What others call ---- */

BOOLEAN WindowWorkPosted(PRNIC_QP Qp, PRNIC_WINDOW_WORK Work, ULONG Index, ULONG Key) {
    RNIC_WINDOWS *Windows = &Qp->Object.Owner->Windows;
    PRNIC_MW Mw = Work->Mw;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Awaited;

    KeAcquireInStackQueuedSpinLock(&Windows->Lock, &Lock);
    Work->Index = Index;
    Work->Key = Key;
    Work->Serial = ++Windows->Serial;
    InsertTailList(&Qp->Windows, &Work->QpLink);
    InterlockedIncrement(&Windows->WorkCount);
    if (Mw->Pending++ == 0) {
        ObjectGet(&Mw->Object, RefRequest);
    }
    if (Work->Mr != NULL) {
        Work->Relies = TRUE;
        ObjectGet(&Work->Mr->Object, RefSuccessor);
        InsertTailList(&Mw->Bindings, &Work->BindingLink);
    }
    Awaited = MwIsAwaited(Mw);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Awaited;
}

VOID WindowsSettle(PRNIC_QP Qp, ULONG Index, RNIC_WINDOW_OUTCOME Outcome) {
    RNIC_WINDOWS *Windows = &Qp->Object.Owner->Windows;
    PRNIC_WINDOW_WORK Work;
    KLOCK_QUEUE_HANDLE Lock;

    if (ReadNoFence(&Windows->WorkCount) == 0) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Windows->Lock, &Lock);
    for (Work = QpFirstWork(Qp); Work != NULL && (LONG)(Work->Index - Index) <= 0;
         Work = QpFirstWork(Qp)) {
        /* Silent ones before it succeeded. */
        WorkSettle(Qp, Work, Work->Index == Index ? Outcome : WindowDone);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID WindowsSettleFinished(PRNIC_QP Qp) {
    PRNIC_CQ Cq = Qp->InitiatorCq;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Finished;

    if (ReadNoFence(&Qp->Object.Owner->Windows.WorkCount) == 0) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    /* Read first: the completions of what is finished by now are in the CQ already. */
    Finished = *(volatile ULONG *)Qp->Record.Va;
    CqResolve(Cq);
    /* Where entries may have been lost, silence does not mean success. */
    if (CqIsWhole(Cq)) {
        WindowsSettle(Qp, Finished - 1, WindowDone);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID WindowsQpEnd(PRNIC_QP Qp) {
    PRNIC_WINDOW_WORK Work;
    KLOCK_QUEUE_HANDLE Lock;

    WindowsSettleFinished(Qp);
    KeAcquireInStackQueuedSpinLock(&Qp->Object.Owner->Windows.Lock, &Lock);
    for (Work = QpFirstWork(Qp); Work != NULL; Work = QpFirstWork(Qp)) {
        WorkSettle(Qp, Work, WindowCancelled);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static PRNIC_MW WindowFind(RNIC_WINDOWS *Windows, ULONG Index) {
    PLIST_ENTRY Bucket = &Windows->Table[Index % RTL_NUMBER_OF(Windows->Table)];
    PLIST_ENTRY Entry;

    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_MW Mw = CONTAINING_RECORD(Entry, RNIC_MW, TableLink);

        if (RNIC_KEY_INDEX(Mw->Key) == Index) {
            return Mw;
        }
    }
    return NULL;
}

/* Also of a bind whose own completion was not looked at yet. */
static VOID BindingsEndOf(PRNIC_MW Mw, ULONG Key) {
    PLIST_ENTRY Entry = Mw->Bindings.Flink;

    while (Entry != &Mw->Bindings) {
        PRNIC_WINDOW_WORK Work = CONTAINING_RECORD(Entry, RNIC_WINDOW_WORK, BindingLink);

        Entry = Entry->Flink;
        if (Work->Key == Key) {
            BindingEnd(Work);
        }
    }
}

VOID WindowsInvalidated(PRNIC_ADAPTER Adapter, ULONG Key) {
    RNIC_WINDOWS *Windows = &Adapter->Windows;
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_MW Mw;

    if (ReadNoFence(&Adapter->MwCount) == 0) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Windows->Lock, &Lock);
    Mw = WindowFind(Windows, RNIC_KEY_INDEX(Key));
    if (Mw != NULL) {
        BindingsEndOf(Mw, Key);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID WindowsMwEnd(PRNIC_MW Mw) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Mw->Object.Owner->Windows.Lock, &Lock);
    NT_ASSERT(Mw->Pending == 0);
    BindingsEndBefore(Mw, MAXULONG64);
    NT_ASSERT(IsListEmpty(&Mw->Bindings));
    KeReleaseInStackQueuedSpinLock(&Lock);
}

BOOLEAN WindowIsQuiet(PRNIC_MW Mw) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Quiet;

    KeAcquireInStackQueuedSpinLock(&Mw->Object.Owner->Windows.Lock, &Lock);
    Quiet = Mw->Pending == 0 && IsListEmpty(&Mw->Bindings);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Quiet;
}

/* ---- The watch: nothing tells of the end of a silent request ---- */

static BOOLEAN QpIsAwaited(PRNIC_QP Qp) {
    BOOLEAN Awaited = FALSE;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Qp->Object.Owner->Windows.Lock, &Lock);
    for (Entry = Qp->Windows.Flink; Entry != &Qp->Windows && !Awaited; Entry = Entry->Flink) {
        Awaited = MwIsAwaited(CONTAINING_RECORD(Entry, RNIC_WINDOW_WORK, QpLink)->Mw);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Awaited;
}

/* A QP of the bucket that this tick has not looked at, with RefHardware, or NULL. */
static PRNIC_QP QpNextToWatch(PRNIC_ADAPTER Adapter, ULONG Bucket, ULONG Tick) {
    PLIST_ENTRY Head = &Adapter->QpTable[Bucket];
    PRNIC_QP Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Head->Flink; Entry != Head && Found == NULL; Entry = Entry->Flink) {
        PRNIC_QP Qp = CONTAINING_RECORD(Entry, RNIC_QP, TableLink);

        if (Qp->WindowsTick != Tick && ObjectTryGet(&Qp->Object, RefHardware)) {
            Qp->WindowsTick = Tick;
            Found = Qp;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

/* TRUE: a close still waits for a request of some queue. */
static BOOLEAN WindowsLook(PRNIC_ADAPTER Adapter) {
    ULONG Tick = (ULONG)InterlockedIncrement((volatile LONG *)&Adapter->Windows.Tick);
    BOOLEAN Awaited = FALSE;
    ULONG Bucket;

    for (Bucket = 0; Bucket < RNIC_TABLE_BUCKETS; Bucket++) {
        PRNIC_QP Qp;

        while ((Qp = QpNextToWatch(Adapter, Bucket, Tick)) != NULL) {
            if (QpIsAwaited(Qp)) {
                QpTellHeld(Qp);
                WindowsSettleFinished(Qp);
                Awaited = Awaited || QpIsAwaited(Qp);
            }
            ObjectPut(&Qp->Object, RefHardware);
        }
    }
    return Awaited;
}

static VOID WindowsTimerSet(RNIC_WINDOWS *Windows) {
    LARGE_INTEGER Due;

    Due.QuadPart = -10LL * Windows->IntervalUs;
    Windows->IntervalUs = min(2 * Windows->IntervalUs, RNIC_WINDOWS_TICK_MAX_US);
    KeSetTimer(&Windows->Timer, Due, &Windows->Dpc);
}

static VOID WindowsTickRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                               PVOID SystemArgument2) {
    PRNIC_ADAPTER Adapter = DeferredContext;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    /* Given back first: a close that comes during the look sets the timer anew. */
    InterlockedExchange(&Adapter->Windows.Ticking, 0);
    if (WindowsLook(Adapter) && InterlockedExchange(&Adapter->Windows.Ticking, 1) == 0) {
        WindowsTimerSet(&Adapter->Windows);
    }
}

VOID WindowsWatch(PRNIC_ADAPTER Adapter) {
    RNIC_WINDOWS *Windows = &Adapter->Windows;

    if (ReadNoFence(&Windows->WorkCount) == 0 || !WindowsLook(Adapter)) {
        return;
    }
    if (InterlockedExchange(&Windows->Ticking, 1) == 0) {
        Windows->IntervalUs = RNIC_WINDOWS_TICK_US;
        WindowsTimerSet(Windows);
    }
}

VOID WindowsStart(PRNIC_ADAPTER Adapter) {
    RNIC_WINDOWS *Windows = &Adapter->Windows;
    ULONG i;

    KeInitializeSpinLock(&Windows->Lock);
    for (i = 0; i < RTL_NUMBER_OF(Windows->Table); i++) {
        InitializeListHead(&Windows->Table[i]);
    }
    KeInitializeTimer(&Windows->Timer);
    KeInitializeDpc(&Windows->Dpc, WindowsTickRoutine, Adapter);
}

VOID WindowsStop(PRNIC_ADAPTER Adapter) {
    KeCancelTimer(&Adapter->Windows.Timer);
}
