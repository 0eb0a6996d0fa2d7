/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDK comes and goes; the device is lost and comes back. Whoever wants something sets a flag; one
 * work item does a step at a time until what was announced is what should be. (An announcement may
 * not be made in an OID handler, and blocks until every NDK adapter is closed.)
 *
 *   NDK is to be on   Wanted by OID_NDK_SET_STATE, and the device neither Lost nor Removed nor to
 *                     be reset
 *   a restart         once NDK is off; three times in a row at most
 */
#include "mbx.h"

#define MBX_RESTARTS_MAX 3u

typedef enum _MBX_STEP { StepNone, StepOn, StepOff, StepRestart, StepResetFailed } MBX_STEP;

/* Under the lock. */
static MBX_STEP StateStep(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;
    BOOLEAN Lost = ReadNoFence(&Adapter->Lost) != 0;
    BOOLEAN On = State->Wanted && !Lost && !State->Removed && !State->ResetWanted;

    if (State->Announced != On) {
        return On ? StepOn : StepOff;
    }
    if (State->Removed) {
        return State->ResetWanted ? StepResetFailed : StepNone;
    }
    if (!State->Halting && !State->Suspended &&
        (State->ResetWanted || (Lost && State->RestartsLeft != 0))) {
        return StepRestart;
    }
    return StepNone;
}

static VOID Announce(PMBX_ADAPTER Adapter, BOOLEAN On) {
    NET_PNP_EVENT_NOTIFICATION Event;

    RtlZeroMemory(&Event, sizeof(Event));
    Event.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Event.Header.Revision = NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.Header.Size = NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.NetPnPEvent.NetEvent = On ? NetEventNDKEnable : NetEventNDKDisable;
    NdisMNetPnPEvent(Adapter->MiniportHandle, &Event);
}

static VOID ResetComplete(PMBX_ADAPTER Adapter, BOOLEAN Good) {
    NdisMResetComplete(Adapter->MiniportHandle,
                       Good ? NDIS_STATUS_SUCCESS : NDIS_STATUS_HARD_ERRORS, FALSE);
}

/* No NDK adapter is open: there is nothing but the device itself. */
static VOID Restart(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN WasReset;
    BOOLEAN Good;

    DeviceStop(Adapter);
    Good = NT_SUCCESS(DeviceStart(Adapter));
    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    WasReset = State->ResetWanted;
    State->ResetWanted = FALSE;
    InterlockedExchange(&Adapter->Lost, !Good);
    State->RestartsLeft = Good ? MBX_RESTARTS_MAX : State->RestartsLeft - 1;
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (WasReset) {
        ResetComplete(Adapter, Good);
    }
}

/* StepNone: the work item ends. */
static MBX_STEP StateNext(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    MBX_STEP Step;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    Step = StateStep(Adapter);
    State->Running = Step != StepNone;
    if (Step == StepOn || Step == StepOff) {
        State->Announced = Step == StepOn;
        Adapter->Enabled = State->Announced; /* no new opens from here on */
    } else if (Step == StepResetFailed) {
        State->ResetWanted = FALSE;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Step;
}

static VOID StateWork(PVOID Parameter) {
    PMBX_ADAPTER Adapter = Parameter;
    MBX_STEP Step;

    while ((Step = StateNext(Adapter)) != StepNone) {
        if (Step == StepRestart) {
            Restart(Adapter);
        } else if (Step == StepResetFailed) {
            ResetComplete(Adapter, FALSE);
        } else {
            Announce(Adapter, Step == StepOn);
        }
    }
    KeSetEvent(&Adapter->State.Idle, IO_NO_INCREMENT, FALSE);
}

VOID StateInit(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;

    KeInitializeSpinLock(&State->Lock);
    KeInitializeEvent(&State->Idle, NotificationEvent, TRUE);
    ExInitializeWorkItem(&State->Work, StateWork, Adapter);
    State->RestartsLeft = MBX_RESTARTS_MAX;
}

VOID StateSet(PMBX_ADAPTER Adapter, PBOOLEAN Flag, BOOLEAN Value) {
    MBX_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Start;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    *Flag = Value;
    Start = !State->Running && StateStep(Adapter) != StepNone;
    if (Start) {
        State->Running = TRUE;
        KeClearEvent(&State->Idle);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Start) {
        ExQueueWorkItem(&State->Work, DelayedWorkQueue);
    }
}

VOID StateSettle(PMBX_ADAPTER Adapter) {
    KeWaitForSingleObject(&Adapter->State.Idle, Executive, KernelMode, FALSE, NULL);
}

BOOLEAN StateIsGone(PMBX_ADAPTER Adapter) {
    return Adapter->State.Removed ||
           (ReadNoFence(&Adapter->Lost) != 0 && Adapter->State.RestartsLeft == 0);
}

/* ---- The device is lost ---- */

/* In the DPC. Commands first: what they answer is what connectors and QPs look at. */
VOID AdapterLost(PMBX_ADAPTER Adapter) {
    const struct mbx_event Event = {.type = MBX_EVENT_LOST, .status = MBX_ABORTED};
    PLIST_ENTRY Entry;

    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_RESET);
    InterlockedExchange(&Adapter->Lost, 1);
    MailboxLost(Adapter);
    for (Entry = Adapter->Qps.Flink; Entry != &Adapter->Qps; Entry = Entry->Flink) {
        QpCancelAll(CONTAINING_RECORD(Entry, MBX_QP, Object.Link));
    }
    for (Entry = Adapter->Connectors.Flink; Entry != &Adapter->Connectors; Entry = Entry->Flink) {
        ConnectorEvent(CONTAINING_RECORD(Entry, MBX_CONNECTOR, Object.Link), &Event);
    }
    for (Entry = Adapter->Cqs.Flink; Entry != &Adapter->Cqs; Entry = Entry->Flink) {
        CqEvent(CONTAINING_RECORD(Entry, MBX_CQ, Object.Link));
    }
    StateSet(Adapter, &Adapter->State.Suspended, Adapter->State.Suspended);
}

static VOID FatalSet(PMBX_ADAPTER Adapter) {
    InterlockedExchange(&Adapter->FatalSeen, 1);
    KeInsertQueueDpc(&Adapter->Mailbox.Dpc, NULL, NULL);
}

VOID MbxDevicePnPEventNotify(NDIS_HANDLE MiniportAdapterContext,
                             PNET_DEVICE_PNP_EVENT NetDevicePnPEvent) {
    PMBX_ADAPTER Adapter = MiniportAdapterContext;

    if (NetDevicePnPEvent->DevicePnPEvent == NdisDevicePnPEventSurpriseRemoved) {
        StateSet(Adapter, &Adapter->State.Removed, TRUE);
        FatalSet(Adapter);
    }
}

/* Consumers are told by the announcement that NDK is off; then the device starts anew. */
NDIS_STATUS MbxReset(NDIS_HANDLE MiniportAdapterContext, PBOOLEAN AddressingReset) {
    PMBX_ADAPTER Adapter = MiniportAdapterContext;

    *AddressingReset = FALSE;
    if (Adapter->State.Removed) {
        return NDIS_STATUS_HARD_ERRORS;
    }
    StateSet(Adapter, &Adapter->State.ResetWanted, TRUE);
    return NDIS_STATUS_PENDING;
}

/* ---- Power: NDIS has had every NDK adapter closed ---- */

NDIS_STATUS PowerDown(PMBX_ADAPTER Adapter) {
    StateSet(Adapter, &Adapter->State.Suspended, TRUE);
    StateSettle(Adapter);
    DeviceStop(Adapter);
    return NDIS_STATUS_SUCCESS;
}

NDIS_STATUS PowerUp(PMBX_ADAPTER Adapter) {
    BOOLEAN Good = NT_SUCCESS(DeviceStart(Adapter));

    InterlockedExchange(&Adapter->Lost, !Good || Adapter->State.Removed);
    StateSet(Adapter, &Adapter->State.Suspended, FALSE);
    if (Good) {
        AdapterLinkChanged(Adapter);
    }
    return Good ? NDIS_STATUS_SUCCESS : NDIS_STATUS_DEVICE_FAILED;
}

VOID AdapterLinkChanged(PMBX_ADAPTER Adapter) {
    BOOLEAN Up = (RegisterRead(Adapter, MBX_REG_STATUS) & MBX_STATUS_LINK) != 0;
    NDIS_STATUS_INDICATION Indication;
    NDIS_LINK_STATE Link;

    RtlZeroMemory(&Link, sizeof(Link));
    Link.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Link.Header.Revision = NDIS_LINK_STATE_REVISION_1;
    Link.Header.Size = NDIS_SIZEOF_LINK_STATE_REVISION_1;
    Link.MediaConnectState = Up ? MediaConnectStateConnected : MediaConnectStateDisconnected;
    Link.MediaDuplexState = MediaDuplexStateFull;
    Link.XmitLinkSpeed = Link.RcvLinkSpeed = Adapter->LinkBps;
    Link.PauseFunctions = NdisPauseFunctionsUnsupported;
    RtlZeroMemory(&Indication, sizeof(Indication));
    Indication.Header.Type = NDIS_OBJECT_TYPE_STATUS_INDICATION;
    Indication.Header.Revision = NDIS_STATUS_INDICATION_REVISION_1;
    Indication.Header.Size = NDIS_SIZEOF_STATUS_INDICATION_REVISION_1;
    Indication.SourceHandle = Adapter->MiniportHandle;
    Indication.StatusCode = NDIS_STATUS_LINK_STATE;
    Indication.StatusBuffer = &Link;
    Indication.StatusBufferSize = sizeof(Link);
    NdisMIndicateStatusEx(Adapter->MiniportHandle, &Indication);
}
