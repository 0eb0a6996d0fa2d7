/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes what is open, in an order that is legal whatever is open: nothing is closed before what
 * relies on it, and memory goes last. PASSIVE_LEVEL, no thread uses the objects any more; handlers
 * of events that come meanwhile do not run.
 */
#include "script.h"

#define LOOK_NS 10000u

/* Closes first what relies on what is closed later. */
static CONST ULONG Order[] = {SCRIPT_QP, SCRIPT_MW, SCRIPT_SRQ, SCRIPT_SHARED_ENDPOINT,
                              SCRIPT_MR, SCRIPT_CQ, SCRIPT_PD};

/* The script may have asked for a close early: it ends when what relies on the object is closed. */
static LONG ClosingLater(ULONG Done) {
    LONG Count = 0;
    ULONG Index, At;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        for (At = Done; At < RTL_NUMBER_OF(Order); At++) {
            Count +=
                Script.Slots[Index].Kind == Order[At] && Script.Slots[Index].State == SlotClosing;
        }
    }
    return Count;
}

/*
 * Completions owe their callbacks to us. Each step waits for all of them but closes of what the
 * order has not come to; `Done`: how far it has.
 */
static VOID PendingWait(ULONG Done) {
    while (Script.Pending > ClosingLater(Done) || Script.Working > 0) {
        SleepNs(LOOK_NS);
    }
}

static BOOLEAN IsOpening(VOID) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        if (Script.Slots[Index].State == SlotOpening) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Until no step runs elsewhere, and what is being created is there to be closed. */
static VOID SettledWait(VOID) {
    while (Script.Working > 0 || IsOpening()) {
        SleepNs(LOOK_NS);
    }
}

static VOID CloseAll(ULONG Kind) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        PSLOT Slot = &Script.Slots[Index];

        if (Slot->Kind == Kind && Slot->State == SlotOpen) {
            SlotClose(Slot);
        }
    }
}

static VOID Deregistered(PVOID Context, NTSTATUS Status) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Status);
    InterlockedDecrement(&Script.Pending);
}

static VOID DeregisterAll(ULONG Done) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        PSLOT Slot = &Script.Slots[Index];
        NDK_MR *Mr = (NDK_MR *)(PVOID)Slot->Object;

        if (Slot->Kind != SCRIPT_MR || Slot->State != SlotOpen || !Slot->IsRegistered) {
            continue;
        }
        InterlockedIncrement(&Script.Pending);
        if (((CONST NDK_MR_DISPATCH *)SlotTable(Slot))->NdkDeregisterMr(Mr, Deregistered, Slot) !=
            STATUS_PENDING) {
            InterlockedDecrement(&Script.Pending);
        }
    }
    PendingWait(Done);
}

static VOID StashFree(PSLOT Slot) {
    while (Slot->StashFirst != NULL) {
        PSTASH Next = Slot->StashFirst->Next;

        ExFreePoolWithTag(Slot->StashFirst, SCRIPT_POOL_TAG);
        Slot->StashFirst = Next;
    }
    Slot->StashLast = NULL;
}

static VOID SlotFree(PSLOT Slot) {
    StashFree(Slot);
    if (Slot->Kind == SCRIPT_MEMORY && Slot->State == SlotOpen) {
        MemoryFree(Slot);
    }
    if (Slot->Trap != NULL) {
        ExFreePoolWithTag((PVOID)(ULONG_PTR)Slot->Trap, SCRIPT_DATA_TAG);
        Slot->Trap = NULL;
    }
}

static VOID AdaptersClose(VOID) {
    ULONG Index;

    for (Index = 0; Index < Script.Program->object_count; Index++) {
        PSLOT Slot = &Script.Slots[Index];

        if (Slot->Kind == SCRIPT_LAM && Slot->Lam != NULL) {
            LamRelease(Slot);
        }
    }
    for (Index = 0; Index < Script.Program->object_count; Index++) {
        PSLOT Slot = &Script.Slots[Index];

        if (Slot->Kind == SCRIPT_ADAPTER && Slot->State == SlotOpen) {
            AdapterSlotClose(Slot);
        }
    }
}

VOID Cleanup(VOID) {
    ULONG Index;

    PAGED_CODE();
    InterlockedIncrement(&Script.Cleaning);
    SettledWait();
    /* A listener's close waits for its connectors': they go together. */
    CloseAll(SCRIPT_LISTENER);
    CloseAll(SCRIPT_CONNECTOR);
    PendingWait(0);
    /* Created or handed over meanwhile. */
    CloseAll(SCRIPT_CONNECTOR);
    PendingWait(0);
    for (Index = 0; Index < RTL_NUMBER_OF(Order); Index++) {
        if (Order[Index] == SCRIPT_MR) {
            DeregisterAll(Index);
        }
        CloseAll(Order[Index]);
        PendingWait(Index + 1);
    }
    AdaptersClose();
    for (Index = 0; Index < Script.Program->object_count; Index++) {
        SlotFree(&Script.Slots[Index]);
    }
    InterlockedDecrement(&Script.Cleaning);
}
