/* SPDX-License-Identifier: Apache-2.0 */
/* Making and ending event queues; see eq.h. */
#include "adapter.h"

#define RNIC_EVENTS_OF_OBJECTS                                                                     \
    ((1ull << RNIC_EVENT_COMMAND_DONE) | (1ull << RNIC_EVENT_QP_ERROR) |                           \
     (1ull << RNIC_EVENT_QP_LAST_WQE) | (1ull << RNIC_EVENT_QP_COMM_EST) |                         \
     (1ull << RNIC_EVENT_SRQ_LIMIT) | (1ull << RNIC_EVENT_SRQ_ERROR) |                             \
     (1ull << RNIC_EVENT_PORT_UP) | (1ull << RNIC_EVENT_PORT_DOWN) |                               \
     (1ull << RNIC_EVENT_DEVICE_FATAL))

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

PRNIC_EQ EqTakeForCq(PRNIC_ADAPTER Adapter, const GROUP_AFFINITY *Affinity) {
    ULONG Queues = Adapter->EqCount > 1 ? Adapter->EqCount - 1 : 1;
    ULONG First = Adapter->EqCount > 1 ? 1 : 0;
    ULONG Wanted = 0;
    PRNIC_EQ Best = NULL;
    ULONG i;

    if (Affinity != NULL && BitScanForward64(&Wanted, Affinity->Mask)) {
        Wanted %= Queues;
    } else {
        Wanted = (ULONG)InterlockedIncrement(&Adapter->CqSpread) % Queues;
    }
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
