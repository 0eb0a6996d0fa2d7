/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From interrupt to event: the interrupt of a vector queues the DPC of its event queue and writes
 * nothing, since each is a message and arming the queue clears its cause. The DPC takes a bounded
 * number of events, hands each to its owner, and arms the queue again when it is empty. No lock is
 * held over an owner's routine.
 */
#include "adapter.h"

BOOLEAN EqInterrupt(PRNIC_ADAPTER Adapter, ULONG Vector) {
    if (Adapter->Stopping || Vector >= Adapter->EqCount) {
        return FALSE;
    }
    if (Vector == 0 && (RegisterRead32(Adapter, RNIC_REG_STATUS) & RNIC_STATUS_FATAL) != 0) {
        Adapter->FatalSeen = TRUE;
    }
    KeInsertQueueDpc(&Adapter->Eqs[Vector].Dpc, NULL, NULL);
    return TRUE;
}

/* FALSE: the queue is empty. */
static BOOLEAN RingTake(PRNIC_ADAPTER Adapter, PRNIC_EQ_RING Ring, struct rnic_eqe *Event) {
    const struct rnic_eqe *Entries = (const struct rnic_eqe *)Ring->Dma.Va;
    ULONG Count = 1u << Ring->EntryLog2;
    const struct rnic_eqe *Entry = &Entries[Ring->Consumer & (Count - 1)];
    UCHAR Phase = (UCHAR)((Ring->Consumer & Count) == 0);

    if (*(const volatile UCHAR *)&Entry->phase != Phase) {
        return FALSE;
    }
    *Event = *Entry;
    Ring->Armed = FALSE;
    Ring->Consumer++;
    if (Ring->Consumer - Ring->Told >= Count / 8) {
        Ring->Told = Ring->Consumer;
        DoorbellRing(Adapter, RNIC_DOORBELL_EQ, Ring->Eqn, 0, Ring->Consumer);
    }
    return TRUE;
}

static VOID EqDispatchCq(PRNIC_ADAPTER Adapter, const struct rnic_eqe *Event) {
    PRNIC_CQ Cq = CqFind(Adapter, Event->number);

    if (Cq == NULL) {
        return; /* closed meanwhile */
    }
    if (Event->type == RNIC_EVENT_CQ_ERROR) {
        CqFault(Cq, Event->status == RNIC_CQ_FAULT_OVERRUN ? STATUS_BUFFER_OVERFLOW
                                                           : STATUS_INTERNAL_ERROR);
    } else {
        CqDeviceEvent(Cq);
    }
    ObjectPut(&Cq->Object, RefCallback);
}

/* Of QP1 or its CQ. Without them the adapter is of no use: the device is restarted. */
static VOID EqDispatchGsi(PRNIC_ADAPTER Adapter, const struct rnic_eqe *Event) {
    if (Event->type == RNIC_EVENT_CQ_ERROR || Event->type == RNIC_EVENT_QP_ERROR) {
        AdapterDeviceLost(Adapter);
    } else {
        GsiEvent(Adapter);
    }
}

static VOID EqDispatchSrq(PRNIC_ADAPTER Adapter, const struct rnic_eqe *Event) {
    PRNIC_SRQ Srq = SrqFind(Adapter, Event->number);

    if (Srq == NULL) {
        return;
    }
    if (Event->type == RNIC_EVENT_SRQ_ERROR) {
        SrqFault(Srq);
    } else {
        SrqEvent(Srq);
    }
    ObjectPut(&Srq->Object, RefCallback);
}

static VOID EqDispatchQp(PRNIC_ADAPTER Adapter, const struct rnic_eqe *Event) {
    PRNIC_QP Qp = QpFind(Adapter, Event->number);

    if (Qp == NULL) {
        return;
    }
    if (Event->type == RNIC_EVENT_QP_ERROR) {
        QpDeviceError(Qp, Event->status);
    } else {
        CmCommunicationEstablished(Qp);
    }
    ObjectPut(&Qp->Object, RefHardware);
}

static VOID EqDispatch(PRNIC_ADAPTER Adapter, const struct rnic_eqe *Event) {
    switch (Event->type) {
    case RNIC_EVENT_COMMAND_DONE:
        CommandEvent(Adapter);
        break;
    case RNIC_EVENT_CQ:
    case RNIC_EVENT_CQ_ERROR:
        if (Event->number == Adapter->Gsi.Cqn && Adapter->Gsi.Ready) {
            EqDispatchGsi(Adapter, Event);
        } else {
            EqDispatchCq(Adapter, Event);
        }
        break;
    case RNIC_EVENT_QP_ERROR:
        if (Event->number == RNIC_GSI_QPN) {
            EqDispatchGsi(Adapter, Event);
        } else {
            EqDispatchQp(Adapter, Event);
        }
        break;
    case RNIC_EVENT_QP_COMM_EST:
        EqDispatchQp(Adapter, Event);
        break;
    case RNIC_EVENT_SRQ_LIMIT:
    case RNIC_EVENT_SRQ_ERROR:
        EqDispatchSrq(Adapter, Event);
        break;
    case RNIC_EVENT_PORT_UP:
    case RNIC_EVENT_PORT_DOWN:
        AdapterLinkChanged(Adapter, Event->type == RNIC_EVENT_PORT_UP);
        break;
    case RNIC_EVENT_DEVICE_FATAL:
        AdapterDeviceLost(Adapter);
        break;
    default:
        break;
    }
}

/* Others are added at the end meanwhile. */
static PRNIC_EQ_RING RingNext(PRNIC_EQ_RING Ring) {
    return ReadPointerAcquire((PVOID const volatile *)&Ring->Next);
}

VOID EqDpcRoutine(PKDPC Dpc, PVOID DeferredContext, PVOID SystemArgument1, PVOID SystemArgument2) {
    PRNIC_EQ Eq = DeferredContext;
    ULONG Budget = RNIC_DPC_BUDGET;
    PRNIC_EQ_RING Ring;
    struct rnic_eqe Event;

    UNREFERENCED_PARAMETER(SystemArgument1);
    UNREFERENCED_PARAMETER(SystemArgument2);
    if (Eq->Adapter->Stopping) {
        return;
    }
    if (Eq->Adapter->FatalSeen) {
        AdapterDeviceLost(Eq->Adapter);
        return;
    }
    /* An older ring first: what it holds came before. */
    for (Ring = &Eq->First; Ring != NULL; Ring = RingNext(Ring)) {
        while (RingTake(Eq->Adapter, Ring, &Event)) {
            EqDispatch(Eq->Adapter, &Event);
            if (--Budget == 0) {
                KeInsertQueueDpc(Dpc, NULL, NULL);
                return;
            }
        }
    }
    for (Ring = &Eq->First; Ring != NULL; Ring = RingNext(Ring)) {
        if (!Ring->Armed) {
            EqArm(Eq->Adapter, Ring);
        }
    }
}
