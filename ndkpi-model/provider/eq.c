/* SPDX-License-Identifier: Apache-2.0 */
/* Making and ending event queues; see eq.h. */
#include "adapter.h"

#define RNIC_EVENTS_OF_OBJECTS                                                                     \
    ((1ull << RNIC_EVENT_COMMAND_DONE) | (1ull << RNIC_EVENT_QP_ERROR) |                           \
     (1ull << RNIC_EVENT_QP_LAST_WQE) | (1ull << RNIC_EVENT_QP_COMM_EST) |                         \
     (1ull << RNIC_EVENT_SRQ_LIMIT) | (1ull << RNIC_EVENT_SRQ_ERROR) |                             \
     (1ull << RNIC_EVENT_PORT_UP) | (1ull << RNIC_EVENT_PORT_DOWN) |                               \
     (1ull << RNIC_EVENT_DEVICE_FATAL))

/* A lost interrupt is made good by the device, unless its queue was armed again by then. */
#define RNIC_REPEAT_AFTER_US 1000u

/* First rings: of the queue of objects, and of a queue of CQs. */
#define RNIC_EQ_OBJECTS_LOG2 7u
#define RNIC_EQ_CQS_LOG2 6u

/* Events that may wait: ring commands, port and device, the CQ of QP1. */
#define RNIC_EQ_EVENTS_FIXED (RNIC_COMMAND_SLOTS + 12u)
/* Of an object: QP_ERROR, QP_COMM_EST, with an SRQ QP_LAST_WQE; SRQ_LIMIT, SRQ_ERROR; for a CQ one
 * for each strength of arm, one for an arm from further back, and CQ_ERROR. */
#define RNIC_EQ_EVENTS_OF_QP 3u
#define RNIC_EQ_EVENTS_OF_SRQ 3u
#define RNIC_EQ_EVENTS_OF_CQ 4u

/* Entries that are free whenever no event waits. */
static ULONG RingRoom(const RNIC_EQ_RING *Ring) {
    ULONG Count = 1u << Ring->EntryLog2;

    return Count - Count / 8;
}

VOID EqArm(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring) {
    Ring->Armed = TRUE;
    Ring->Told = Ring->Consumer;
    DoorbellRing(Adapter, RNIC_DOORBELL_EQ, Ring->Eqn, RNIC_EQ_ARM, Ring->Consumer);
}

VOID EqInit(PRNIC_ADAPTER Adapter) {
    KeInitializeSpinLock(&Adapter->EqLock);
}

static NTSTATUS RingCreate(PRNIC_EQ Eq, PRNIC_EQ_RING Ring, UCHAR EntryLog2) {
    PRNIC_ADAPTER Adapter = Eq->Adapter;
    RNIC_BOXED Make;
    NTSTATUS Status;

    RtlZeroMemory(Ring, sizeof(*Ring));
    Ring->EntryLog2 = EntryLog2;
    Status = DmaGet(Adapter, RNIC_EQE_BYTES << EntryLog2, &Ring->Dma);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    BoxedInit(&Make, RNIC_CMD_CREATE_EQ, 0, sizeof(Make.In.Eq), 0);
    DmaPages(&Ring->Dma, &Make.In.Eq.pages);
    Make.In.Eq.entry_count_log2 = EntryLog2;
    Make.In.Eq.vector = Eq->Vector;
    Make.In.Eq.event_mask = Eq->Vector == 0 ? RNIC_EVENTS_OF_OBJECTS : 0;
    Status = CommandNtStatus(CommandPolled(Adapter, &Make.Command, NULL, 0));
    if (NT_SUCCESS(Status)) {
        Ring->Eqn = Make.Command.Number;
        Ring->Created = TRUE;
    } else {
        DmaPut(Adapter, &Ring->Dma);
    }
    return Status;
}

/* Under EqLock, on a queue that is at work. NULL: no memory, or the device has no more. */
static PRNIC_EQ_RING EqGrow(PRNIC_EQ Eq, UCHAR EntryLog2) {
    PRNIC_EQ_RING Ring = PoolGet(sizeof(*Ring));

    if (Ring == NULL) {
        return NULL;
    }
    if (!NT_SUCCESS(RingCreate(Eq, Ring, EntryLog2))) {
        PoolPut(Ring);
        return NULL;
    }
    /* The DPC walks the rings without the lock, and is the only one that arms those it has met. */
    InterlockedExchangePointer((PVOID volatile *)&Eq->Last->Next, Ring);
    Eq->Last = Ring;
    KeInsertQueueDpc(&Eq->Dpc, NULL, NULL);
    return Ring;
}

static NTSTATUS EqCreate(PRNIC_ADAPTER Adapter, ULONG Index, CCHAR Processor) {
    PRNIC_EQ Eq = &Adapter->Eqs[Index];

    Eq->Adapter = Adapter;
    Eq->Vector = Index;
    Eq->Last = &Eq->First;
    KeInitializeDpc(&Eq->Dpc, EqDpcRoutine, Eq);
    KeSetTargetProcessorDpc(&Eq->Dpc, Processor);
    return RingCreate(Eq, &Eq->First, Index == 0 ? RNIC_EQ_OBJECTS_LOG2 : RNIC_EQ_CQS_LOG2);
}

NTSTATUS EqStart(PRNIC_ADAPTER Adapter) {
    ULONG Processors = KeQueryActiveProcessorCount(NULL);
    ULONG Wanted = Processors + 1;
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG i;

    RegisterWrite32(Adapter, RNIC_REG_REPEAT_US, RNIC_REPEAT_AFTER_US);
    Wanted = min(Wanted, RNIC_EQ_COUNT_MAX);
    Wanted = min(Wanted, Adapter->VectorCount);
    for (i = 0; i < Wanted; i++) {
        ULONG Processor = i == 0 ? 0 : (i - 1) % Processors;

        Status = EqCreate(Adapter, i, (CCHAR)Processor);
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
        Adapter->EqCount = i + 1;
    }
    /* Armed when their interrupts find them: one that came before that would be nobody's. */
    for (i = 0; i < Adapter->EqCount; i++) {
        EqArm(Adapter, &Adapter->Eqs[i].First);
    }
    /* One queue alone serves everything. */
    return Adapter->EqCount >= 1 ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID RingDestroy(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring) {
    RNIC_COMMAND Command;

    if (Ring->Created) {
        CommandInit(&Command, RNIC_CMD_DESTROY_EQ, Ring->Eqn);
        CommandPolled(Adapter, &Command, NULL, 0);
        Ring->Created = FALSE;
    }
    DmaPut(Adapter, &Ring->Dma);
}

VOID EqStop(PRNIC_ADAPTER Adapter) {
    ULONG i;

    for (i = 0; i < RNIC_EQ_COUNT_MAX; i++) {
        PRNIC_EQ Eq = &Adapter->Eqs[i];

        while (Eq->First.Next != NULL) {
            PRNIC_EQ_RING Ring = Eq->First.Next;

            Eq->First.Next = Ring->Next;
            RingDestroy(Adapter, Ring);
            PoolPut(Ring);
        }
        RingDestroy(Adapter, &Eq->First);
    }
    Adapter->EqCount = 0;
}

/* There is one group of processors. FALSE: a wish that cannot be granted. */
static BOOLEAN AffinityFirst(const GROUP_AFFINITY *Affinity, ULONG Processors, PULONG First) {
    KAFFINITY Ours = Processors < 64 ? ((KAFFINITY)1 << Processors) - 1 : ~(KAFFINITY)0;

    return Affinity != NULL && Affinity->Group == 0 &&
           BitScanForward64(First, Affinity->Mask & Ours);
}

ULONG EqProcessor(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity) {
    ULONG Processors = KeQueryActiveProcessorCount(NULL);
    ULONG First;

    if (AffinityFirst(Affinity, Processors, &First)) {
        return First;
    }
    return (ULONG)InterlockedIncrement(&Adapter->CqSpread) % Processors;
}

/* Where one queue serves everything, CQs may fill half of a ring. */
static BOOLEAN RingTakesCq(const PRNIC_EQ Eq, const RNIC_EQ_RING *Ring) {
    ULONG Room = Eq->Vector == 0 ? RingRoom(Ring) / 2 : RingRoom(Ring);

    return ((ULONG)Ring->CqCount + 1) * RNIC_EQ_EVENTS_OF_CQ <= Room;
}

static PRNIC_EQ_RING EqFindForCq(PRNIC_EQ Eq) {
    PRNIC_EQ_RING Ring;

    for (Ring = &Eq->First; Ring != NULL && !RingTakesCq(Eq, Ring); Ring = Ring->Next) {
    }
    return Ring;
}

/* Queue i serves processor i - 1; where there are more processors than queues, several share one.
 */
PRNIC_EQ_RING EqTakeForCq(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity) {
    ULONG Queues = Adapter->EqCount > 1 ? Adapter->EqCount - 1 : 1;
    ULONG First = Adapter->EqCount > 1 ? 1 : 0;
    PRNIC_EQ Eq = &Adapter->Eqs[First + EqProcessor(Adapter, Affinity) % Queues];
    KLOCK_QUEUE_HANDLE Lock;
    PRNIC_EQ_RING Ring;

    KeAcquireInStackQueuedSpinLock(&Adapter->EqLock, &Lock);
    Ring = EqFindForCq(Eq);
    if (Ring == NULL) {
        Ring = EqGrow(Eq, (UCHAR)(Eq->Last->EntryLog2 + 1));
    }
    if (Ring != NULL) {
        Ring->CqCount++;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Ring;
}

VOID EqGiveBack(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->EqLock, &Lock);
    Ring->CqCount--;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

NTSTATUS EqFitObjects(PRNIC_ADAPTER Adapter) {
    PRNIC_EQ Eq = &Adapter->Eqs[0];
    ULONG Events = RNIC_EQ_EVENTS_FIXED + (ULONG)Adapter->QpCount * RNIC_EQ_EVENTS_OF_QP +
                   (ULONG)Adapter->SrqCount * RNIC_EQ_EVENTS_OF_SRQ;
    ULONG Wanted = Adapter->EqCount > 1 ? Events : 2 * Events;
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->EqLock, &Lock);
    while (NT_SUCCESS(Status) && RingRoom(Eq->Last) < Wanted) {
        if (EqGrow(Eq, (UCHAR)(Eq->Last->EntryLog2 + 1)) == NULL) {
            Status = STATUS_INSUFFICIENT_RESOURCES;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Status;
}
