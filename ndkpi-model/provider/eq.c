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

VOID EqArm(PRNIC_EQ Eq) {
    DoorbellRing(Eq->Adapter, RNIC_DOORBELL_EQ, Eq->Eqn, RNIC_EQ_ARM, Eq->Consumer);
}

static NTSTATUS EqCreate(PRNIC_ADAPTER Adapter, ULONG Index, CCHAR Processor) {
    PRNIC_EQ Eq = &Adapter->Eqs[Index];
    RNIC_COMMAND Command;
    NTSTATUS Status;

    Eq->Adapter = Adapter;
    Eq->Vector = Index;
    Eq->Consumer = 0;
    Eq->CqCount = 0;
    KeInitializeDpc(&Eq->Dpc, EqDpcRoutine, Eq);
    KeSetTargetProcessorDpc(&Eq->Dpc, Processor);
    Status = DmaGet(Adapter, RNIC_EQE_BYTES << RNIC_EQ_ENTRY_LOG2, &Eq->Ring);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    CommandInit(&Command, RNIC_CMD_CREATE_EQ, 0);
    Command.InBytes = sizeof(Command.In.Eq);
    DmaPages(&Eq->Ring, &Command.In.Eq.pages);
    Command.In.Eq.entry_count_log2 = RNIC_EQ_ENTRY_LOG2;
    Command.In.Eq.vector = Index;
    Command.In.Eq.event_mask = Index == 0 ? RNIC_EVENTS_OF_OBJECTS : 0;
    Status = CommandNtStatus(CommandPolled(Adapter, &Command, NULL, 0));
    if (NT_SUCCESS(Status)) {
        Eq->Eqn = Command.Number;
        Eq->Created = TRUE;
    }
    return Status;
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
        EqArm(&Adapter->Eqs[i]);
    }
    /* One queue alone serves everything. */
    return Adapter->EqCount >= 1 ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

VOID EqStop(PRNIC_ADAPTER Adapter) {
    ULONG i;

    for (i = 0; i < RNIC_EQ_COUNT_MAX; i++) {
        PRNIC_EQ Eq = &Adapter->Eqs[i];

        if (Eq->Created) {
            RNIC_COMMAND Command;

            CommandInit(&Command, RNIC_CMD_DESTROY_EQ, Eq->Eqn);
            CommandPolled(Adapter, &Command, NULL, 0);
            Eq->Created = FALSE;
        }
        DmaPut(Adapter, &Eq->Ring);
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

/* Queue i serves processor i - 1; where there are more processors than queues, several share one.
 */
PRNIC_EQ EqTakeForCq(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity) {
    ULONG Queues = Adapter->EqCount > 1 ? Adapter->EqCount - 1 : 1;
    ULONG First = Adapter->EqCount > 1 ? 1 : 0;
    ULONG Wanted = EqProcessor(Adapter, Affinity);
    PRNIC_EQ Best = NULL;
    ULONG i;

    for (i = 0; i < Queues && Best == NULL; i++) {
        PRNIC_EQ Eq = &Adapter->Eqs[First + (Wanted + i) % Queues];

        /* An entry for a notification and one for a failure of each CQ always fit. */
        if (InterlockedIncrement(&Eq->CqCount) <= (LONG)(1u << RNIC_EQ_ENTRY_LOG2) / 4) {
            Best = Eq;
        } else {
            InterlockedDecrement(&Eq->CqCount);
        }
    }
    return Best;
}

VOID EqGiveBack(PRNIC_EQ Eq) {
    InterlockedDecrement(&Eq->CqCount);
}
