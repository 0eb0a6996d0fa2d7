/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that take turns; see turn.h. */
#include "turn.h"

VOID TurnsInit(PRNIC_TURNS Turns, PKSPIN_LOCK Lock) {
    Turns->Lock = Lock;
    InitializeListHead(&Turns->Waiting);
    Turns->Busy = FALSE;
}

BOOLEAN TurnTake(PRNIC_TURNS Turns, PRNIC_TURN Turn) {
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Free;

    KeAcquireInStackQueuedSpinLock(Turns->Lock, &Lock);
    Free = !Turns->Busy;
    if (Free) {
        Turns->Busy = TRUE;
    } else {
        InsertTailList(&Turns->Waiting, &Turn->Link);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Free;
}

static PRNIC_TURN TurnNext(PRNIC_TURNS Turns) {
    PRNIC_TURN Next = NULL;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(Turns->Lock, &Lock);
    if (IsListEmpty(&Turns->Waiting)) {
        Turns->Busy = FALSE;
    } else {
        PLIST_ENTRY Entry = RemoveHeadList(&Turns->Waiting);

        Next = CONTAINING_RECORD(Entry, RNIC_TURN, Link);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Next;
}

VOID TurnPass(PRNIC_TURNS Turns) {
    PRNIC_TURN Next;

    do {
        Next = TurnNext(Turns);
    } while (Next != NULL && Next->Begin(Next));
}
