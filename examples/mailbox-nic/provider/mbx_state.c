/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDK comes and goes; the device is lost and comes back. What is known stands in one word of facts
 * (MBX_FACT_...), under one lock. Whoever learns something changes the word; a work item, which
 * runs while the word asks for anything, takes a step at a time. (An announcement may not be made
 * in an OID handler, and blocks until every NDK adapter is closed.)
 *
 *   told that NDK is on, and it should not be     say that it is off
 *   the other way round                           say that it is on
 *   a reset is asked for and no device is there   the reset failed
 *   a reset is asked for, or the device is lost   start it anew, three times in a row at most
 *
 * NDK should be on while it is WANTED and the device is there, sound and not about to be reset.
 */
#include "mbx.h"

#define MBX_RESTARTS_MAX 3u

typedef VOID MBX_STEP(PMBX_ADAPTER Adapter);

static MBX_STEP SayOn, SayOff, StartAnew, ResetFails;

static BOOLEAN IsLost(PMBX_ADAPTER Adapter) {
    return ReadNoFence(&Adapter->Lost) != 0;
}

/* Under the lock. NULL: all is as it should be. */
static MBX_STEP *StepDue(PMBX_ADAPTER Adapter) {
    const ULONG Facts = Adapter->State.Facts;
    const ULONG Quiet = MBX_FACT_HALTING | MBX_FACT_SUSPENDED | MBX_FACT_REMOVED;
    const BOOLEAN Lost = IsLost(Adapter);
    const ULONG Off = MBX_FACT_REMOVED | MBX_FACT_RESET;
    BOOLEAN Should = (Facts & (MBX_FACT_WANTED | Off)) == MBX_FACT_WANTED && !Lost;

    if (Should != ((Facts & MBX_FACT_TOLD) != 0)) {
        return Should ? SayOn : SayOff;
    }
    if ((Facts & Off) == Off) {
        return ResetFails;
    }
    if ((Facts & Quiet) != 0) {
        return NULL;
    }
    return (Facts & MBX_FACT_RESET) != 0 || (Lost && Adapter->State.RestartsLeft != 0) ? StartAnew
                                                                                       : NULL;
}

/* The step that is due, with its mark in the word; NULL: the work item ends. */
static MBX_STEP *StepTake(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Held;
    MBX_STEP *Due;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Held);
    Due = StepDue(Adapter);
    if (Due == SayOn) {
        State->Facts |= MBX_FACT_TOLD;
    } else if (Due == SayOff) {
        State->Facts &= ~MBX_FACT_TOLD;
    } else if (Due == ResetFails) {
        State->Facts &= ~MBX_FACT_RESET;
    } else if (Due == NULL) {
        State->Facts &= ~MBX_FACT_BUSY;
    }
    /* No new opens once NDK is about to be off. */
    Adapter->Enabled = (State->Facts & MBX_FACT_TOLD) != 0;
    KeReleaseInStackQueuedSpinLock(&Held);
    return Due;
}

static VOID StateWork(PVOID Parameter) {
    PMBX_ADAPTER Adapter = Parameter;

    for (MBX_STEP *Due = StepTake(Adapter); Due != NULL; Due = StepTake(Adapter)) {
        Due(Adapter);
    }
    KeSetEvent(&Adapter->State.Idle, IO_NO_INCREMENT, FALSE);
}

VOID StateChange(PMBX_ADAPTER Adapter, ULONG Set, ULONG Clear) {
    MBX_STATE *State = &Adapter->State;
    BOOLEAN Wakes = FALSE;
    KLOCK_QUEUE_HANDLE Held;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Held);
    State->Facts = (State->Facts & ~Clear) | Set;
    if ((State->Facts & MBX_FACT_BUSY) == 0 && StepDue(Adapter) != NULL) {
        State->Facts |= MBX_FACT_BUSY;
        KeClearEvent(&State->Idle);
        Wakes = TRUE;
    }
    KeReleaseInStackQueuedSpinLock(&Held);
    if (Wakes) {
        ExQueueWorkItem(&State->Work, DelayedWorkQueue);
    }
}

VOID StateSettle(PMBX_ADAPTER Adapter) {
    KeWaitForSingleObject(&Adapter->State.Idle, Executive, KernelMode, FALSE, NULL);
}

static BOOLEAN StateHas(PMBX_ADAPTER Adapter, ULONG Fact) {
    return (ReadULongNoFence(&Adapter->State.Facts) & Fact) != 0;
}

BOOLEAN StateIsGone(PMBX_ADAPTER Adapter) {
    return StateHas(Adapter, MBX_FACT_REMOVED) ||
           (IsLost(Adapter) && Adapter->State.RestartsLeft == 0);
}

VOID StateInit(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;

    State->RestartsLeft = MBX_RESTARTS_MAX;
    ExInitializeWorkItem(&State->Work, StateWork, Adapter);
    KeInitializeEvent(&State->Idle, NotificationEvent, TRUE);
    KeInitializeSpinLock(&State->Lock);
}

VOID StateBegin(PMBX_ADAPTER Adapter, BOOLEAN On) {
    Adapter->State.Facts = On ? MBX_FACT_WANTED | MBX_FACT_TOLD : 0;
    Adapter->Enabled = On;
}

/* ---- Steps ---- */

static VOID Say(PMBX_ADAPTER Adapter, NET_PNP_EVENT_CODE What) {
    NET_PNP_EVENT_NOTIFICATION Notification = {
        .Header = {NDIS_OBJECT_TYPE_DEFAULT, NET_PNP_EVENT_NOTIFICATION_REVISION_1,
                   NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1},
        .NetPnPEvent = {.NetEvent = What},
    };

    NdisMNetPnPEvent(Adapter->MiniportHandle, &Notification);
}

static VOID SayOn(PMBX_ADAPTER Adapter) {
    Say(Adapter, NetEventNDKEnable);
}

static VOID SayOff(PMBX_ADAPTER Adapter) {
    Say(Adapter, NetEventNDKDisable);
}

static VOID ResetFails(PMBX_ADAPTER Adapter) {
    NdisMResetComplete(Adapter->MiniportHandle, NDIS_STATUS_HARD_ERRORS, FALSE);
}

/* No NDK adapter is open: there is nothing but the device itself. */
static VOID StartAnew(PMBX_ADAPTER Adapter) {
    MBX_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Held;
    BOOLEAN Runs;
    ULONG Before;

    DeviceStop(Adapter);
    Runs = NT_SUCCESS(DeviceStart(Adapter));
    KeAcquireInStackQueuedSpinLock(&State->Lock, &Held);
    Before = State->Facts;
    State->Facts &= ~MBX_FACT_RESET;
    State->RestartsLeft = Runs ? MBX_RESTARTS_MAX : State->RestartsLeft - 1;
    InterlockedExchange(&Adapter->Lost, !Runs);
    KeReleaseInStackQueuedSpinLock(&Held);
    if ((Before & MBX_FACT_RESET) == 0) {
        return;
    }
    if (Runs) {
        NdisMResetComplete(Adapter->MiniportHandle, NDIS_STATUS_SUCCESS, FALSE);
    } else {
        ResetFails(Adapter);
    }
}

/* ---- The device is lost ---- */

/* In the DPC. Commands first: what they answer is what connectors and QPs look at. */
VOID AdapterLost(PMBX_ADAPTER Adapter) {
    const struct mbx_event Lost = {.type = MBX_EVENT_LOST, .status = MBX_ABORTED};
    PLIST_ENTRY Link;

    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_RESET);
    InterlockedExchange(&Adapter->Lost, 1);
    MailboxLost(Adapter);
    for (Link = Adapter->Qps.Flink; Link != &Adapter->Qps; Link = Link->Flink) {
        QpCancelAll(CONTAINING_RECORD(Link, MBX_QP, Object.Link));
    }
    for (Link = Adapter->Connectors.Flink; Link != &Adapter->Connectors; Link = Link->Flink) {
        ConnectorEvent(CONTAINING_RECORD(Link, MBX_CONNECTOR, Object.Link), &Lost);
    }
    for (Link = Adapter->Cqs.Flink; Link != &Adapter->Cqs; Link = Link->Flink) {
        CqEvent(CONTAINING_RECORD(Link, MBX_CQ, Object.Link));
    }
    StateChange(Adapter, 0, 0);
}

VOID MbxPnpEvent(NDIS_HANDLE Context, PNET_DEVICE_PNP_EVENT Event) {
    PMBX_ADAPTER Adapter = Context;

    if (Event->DevicePnPEvent != NdisDevicePnPEventSurpriseRemoved) {
        return;
    }
    StateChange(Adapter, MBX_FACT_REMOVED, 0);
    InterlockedExchange(&Adapter->FatalSeen, 1);
    KeInsertQueueDpc(&Adapter->Mailbox.Dpc, NULL, NULL);
}

/* Consumers are told by the announcement that NDK is off; then the device starts anew. */
NDIS_STATUS MbxReset(NDIS_HANDLE Context, PBOOLEAN Addressing) {
    BOOLEAN Gone = StateHas(Context, MBX_FACT_REMOVED);

    *Addressing = FALSE;
    if (!Gone) {
        StateChange(Context, MBX_FACT_RESET, 0);
    }
    return Gone ? NDIS_STATUS_HARD_ERRORS : NDIS_STATUS_PENDING;
}

/* ---- Power: NDIS has had every NDK adapter closed ---- */

NDIS_STATUS PowerDown(PMBX_ADAPTER Adapter) {
    StateChange(Adapter, MBX_FACT_SUSPENDED, 0);
    StateSettle(Adapter);
    DeviceStop(Adapter);
    return NDIS_STATUS_SUCCESS;
}

NDIS_STATUS PowerUp(PMBX_ADAPTER Adapter) {
    NTSTATUS Status = DeviceStart(Adapter);
    BOOLEAN Runs = NT_SUCCESS(Status);

    InterlockedExchange(&Adapter->Lost, !Runs || StateHas(Adapter, MBX_FACT_REMOVED));
    StateChange(Adapter, 0, MBX_FACT_SUSPENDED);
    if (!Runs) {
        return NDIS_STATUS_DEVICE_FAILED;
    }
    AdapterLinkChanged(Adapter);
    return NDIS_STATUS_SUCCESS;
}

VOID AdapterLinkChanged(PMBX_ADAPTER Adapter) {
    NDIS_LINK_STATE Now = {
        .Header = MBX_HEADER(DEFAULT, LINK_STATE),
        .MediaConnectState = LinkState(Adapter),
        .MediaDuplexState = MediaDuplexStateFull,
        .RcvLinkSpeed = Adapter->LinkBps,
        .XmitLinkSpeed = Adapter->LinkBps,
        .PauseFunctions = NdisPauseFunctionsUnsupported,
    };
    NDIS_STATUS_INDICATION News = {
        .Header = MBX_HEADER(STATUS_INDICATION, STATUS_INDICATION),
        .SourceHandle = Adapter->MiniportHandle,
        .StatusCode = NDIS_STATUS_LINK_STATE,
        .StatusBufferSize = sizeof(Now),
        .StatusBuffer = &Now,
    };

    NdisMIndicateStatusEx(Adapter->MiniportHandle, &News);
}
