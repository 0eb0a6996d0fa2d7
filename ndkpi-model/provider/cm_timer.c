/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers of the connection manager: a list by due time and one kernel timer for its head. Setting,
 * cancelling and expiry all happen under the CM lock, so that a cancelled timer never fires.
 */
#include "adapter.h"

ULONG64 CmTimeoutOf(UCHAR Code) {
    return ((ULONG64)4096 << (Code & 31)) / 100;
}

/* The kernel timer follows the head; one that fires early finds nothing due. */
static VOID TimerFollow(PRNIC_ADAPTER Adapter) {
    RNIC_CM *Cm = &Adapter->Cm;
    PRNIC_CM_TIMER Head;
    LARGE_INTEGER Due;
    ULONG64 Now;

    if (IsListEmpty(&Cm->Timers)) {
        return;
    }
    Head = CONTAINING_RECORD(Cm->Timers.Flink, RNIC_CM_TIMER, Link);
    if (Cm->TimerDue != 0 && Cm->TimerDue <= Head->Due) {
        return;
    }
    Cm->TimerDue = Head->Due;
    Now = KeQueryInterruptTime();
    Due.QuadPart = Head->Due > Now ? -(LONGLONG)(Head->Due - Now) : -1;
    KeSetTimer(&Cm->Timer, Due, &Cm->TimerDpc);
}

VOID CmTimerCancel(PRNIC_CM_TIMER Timer) {
    if (Timer->Set) {
        Timer->Set = FALSE;
        RemoveEntryList(&Timer->Link);
    }
}

static ULONG64 DueOf(PLIST_ENTRY Entry) {
    return CONTAINING_RECORD(Entry, RNIC_CM_TIMER, Link)->Due;
}

/*
 * The entry after which `Due` belongs. Many old connections wait long, few others short: the search
 * begins at the nearer end.
 */
static PLIST_ENTRY TimerPlace(PLIST_ENTRY Timers, ULONG64 Due) {
    PLIST_ENTRY Entry = Timers->Blink;

    if (IsListEmpty(Timers) || DueOf(Entry) <= Due) {
        return Entry;
    }
    if (DueOf(Entry) - Due > Due - min(Due, DueOf(Timers->Flink))) {
        Entry = Timers->Flink;
        while (DueOf(Entry) <= Due) {
            Entry = Entry->Flink;
        }
        return Entry->Blink;
    }
    while (Entry != Timers && DueOf(Entry) > Due) {
        Entry = Entry->Blink;
    }
    return Entry;
}

VOID CmTimerSet(PRNIC_ADAPTER Adapter, PRNIC_CM_TIMER Timer, ULONG64 After100ns) {
    RNIC_CM *Cm = &Adapter->Cm;
    ULONG64 Now = KeQueryInterruptTime();
    PLIST_ENTRY Place;

    CmTimerCancel(Timer);
    if (Cm->Stopped) {
        return;
    }
    Timer->Due = Now + After100ns;
    Timer->Set = TRUE;
    Place = TimerPlace(&Cm->Timers, Timer->Due);
    InsertHeadList(Place, &Timer->Link);
    TimerFollow(Adapter);
}

static VOID TimerDpcRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1,
                            PVOID SystemArgument2) {
    PRNIC_ADAPTER Adapter = DeferredContext;
    RNIC_CM *Cm = &Adapter->Cm;
    KLOCK_QUEUE_HANDLE Lock;
    ULONG64 Now;

    UNREFERENCED_PARAMETER(Dpc);
    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    KeAcquireInStackQueuedSpinLock(&Cm->Lock, &Lock);
    Cm->TimerDue = 0;
    Now = KeQueryInterruptTime();
    while (!IsListEmpty(&Cm->Timers)) {
        PRNIC_CM_TIMER Head = CONTAINING_RECORD(Cm->Timers.Flink, RNIC_CM_TIMER, Link);

        if (Head->Due > Now) {
            break;
        }
        CmTimerCancel(Head);
        Head->Expired(Head);
    }
    TimerFollow(Adapter);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

VOID CmTimersInit(PRNIC_ADAPTER Adapter) {
    InitializeListHead(&Adapter->Cm.Timers);
    KeInitializeTimer(&Adapter->Cm.Timer);
    KeInitializeDpc(&Adapter->Cm.TimerDpc, TimerDpcRoutine, Adapter);
}
