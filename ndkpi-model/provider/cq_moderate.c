/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt moderation of completion queues. */
#include "adapter.h"

/*
 * From the device's event to the callback: the interval is how late a notification may be, not how
 * late the device may tell of it (R-MOD-09 lets the provider round down).
 */
#define RNIC_MODERATION_SLACK_NS 2000u

static ULONG PeriodOf(ULONG IntervalUs) {
    ULONG64 Ns = (ULONG64)IntervalUs * 1000;

    if (IntervalUs == MAXULONG) {
        return RNIC_MODERATION_UNBOUNDED;
    }
    Ns = Ns > RNIC_MODERATION_SLACK_NS ? Ns - RNIC_MODERATION_SLACK_NS : 0;
    return (ULONG)min(Ns, RNIC_MODERATION_UNBOUNDED - 1);
}

NTSTATUS NdkControlCqInterruptModeration(NDK_CQ *pNdkCq, ULONG ModerationInterval,
                                         ULONG ModerationCount) {
    PRNIC_CQ Cq = CqOf(pNdkCq);
    PRNIC_ADAPTER Adapter = Cq->Object.Owner;
    RNIC_COMMAND Command;

    if ((Adapter->Info.AdapterFlags & NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED) == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    if (ModerationInterval == MAXULONG && ModerationCount > *(volatile ULONG *)&Cq->Depth) {
        return STATUS_INVALID_PARAMETER_MIX;
    }
    if (AnswerFault(pNdkCq, "provider.control_cq_interrupt_moderation.insufficient_resources")) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    CommandInit(&Command, RNIC_CMD_MODERATE_CQ, Cq->Cqn);
    Command.Argument = RNIC_MODERATION(ModerationCount, PeriodOf(ModerationInterval));
    /* Nothing else may be said where the device does not answer (R-MOD-03). */
    return CommandPolled(Adapter, &Command, NULL, 0) == RNIC_STATUS_OK
               ? STATUS_SUCCESS
               : STATUS_INSUFFICIENT_RESOURCES;
}
