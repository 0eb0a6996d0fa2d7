/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDK comes and goes, the device is lost and comes back. One work item does it all, because the
 * announcement may not be made from an OID handler and blocks until every NDK adapter is closed:
 *
 *   NDK is to be on   = Wanted (what OID_NDK_SET_STATE said last), and the device is neither Lost
 *                       nor Removed nor to be reset
 *   Announced         what NDIS was told; the work item runs until it has caught up
 *   the device is restarted when it is Lost or to be reset, once NDK is announced as off
 *
 *     on --lost, reset wanted--> off is announced, consumers close --> DeviceStop, DeviceStart -->
 *     on is announced            failed too often, or gone for good: it stays off, and a reset that
 *                                was wanted has failed
 */
#include "adapter.h"

#define RNIC_RESTARTS_MAX 3u /* in a row, without success */

static VOID Announce(PRNIC_ADAPTER Adapter, BOOLEAN Enable) {
    NET_PNP_EVENT_NOTIFICATION Event;

    RtlZeroMemory(&Event, sizeof(Event));
    Event.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Event.Header.Revision = NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.Header.Size = NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.NetPnPEvent.NetEvent = Enable ? NetEventNDKEnable : NetEventNDKDisable;
    NdisMNetPnPEvent(Adapter->MiniportHandle, &Event);
}

/* Under the lock. */
static BOOLEAN StateShouldBeOn(PRNIC_ADAPTER Adapter) {
    return Adapter->State.Wanted && !Adapter->State.Removed && Adapter->Lost == 0 &&
           !Adapter->State.ResetWanted;
}

/* Under the lock: something is to be done to the device, and can be. */
static BOOLEAN StateMayRestart(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;

    return !State->Removed && !State->Halting && !State->Suspended &&
           ((Adapter->Lost != 0 && State->RestartsLeft != 0) || State->ResetWanted);
}

/* Under the lock: nobody can reset what is gone. */
static BOOLEAN StateResetIsVain(PRNIC_ADAPTER Adapter) {
    return Adapter->State.Removed && Adapter->State.ResetWanted;
}

typedef enum _STATE_TASK {
    TaskNone,
    TaskAnnounceOn,
    TaskAnnounceOff,
    TaskRestart,
    TaskResetFailed,
} STATE_TASK;

/* TaskNone: nothing to do; the work item has ended, and does not touch the adapter any more. */
static STATE_TASK StateNext(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;
    STATE_TASK Task = TaskNone;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    if (State->Announced != StateShouldBeOn(Adapter)) {
        State->Announced = !State->Announced;
        /* No new opens from the moment that disabling starts (H-07). */
        Adapter->Enabled = State->Announced;
        Task = State->Announced ? TaskAnnounceOn : TaskAnnounceOff;
    } else if (StateMayRestart(Adapter)) {
        Task = TaskRestart;
    } else if (StateResetIsVain(Adapter)) {
        State->ResetWanted = FALSE;
        Task = TaskResetFailed;
    }
    State->Running = Task != TaskNone;
    if (!State->Running) {
        KeSetEvent(&State->Idle, IO_NO_INCREMENT, FALSE);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Task;
}

/* NDK is off: no NDK adapter is open. */
static VOID StateRestart(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN WasReset;
    NTSTATUS Status;

    DeviceStop(Adapter);
    Status = DeviceStart(Adapter);
    NdksimTrace("nic.restarted", NULL, (ULONG)Status, 0);
    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    WasReset = State->ResetWanted;
    State->ResetWanted = FALSE;
    if (NT_SUCCESS(Status)) {
        Adapter->Lost = State->Removed ? 1 : 0;
        State->RestartsLeft = RNIC_RESTARTS_MAX;
    } else {
        Adapter->Lost = 1;
        State->RestartsLeft -= State->RestartsLeft != 0 ? 1 : 0;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (!NT_SUCCESS(Status)) {
        NdisWriteErrorLogEntry(Adapter->MiniportHandle, NDIS_ERROR_CODE_HARDWARE_FAILURE, 1,
                               (ULONG)Status);
    }
    if (WasReset) {
        NdisMResetComplete(Adapter->MiniportHandle,
                           NT_SUCCESS(Status) ? NDIS_STATUS_SUCCESS : NDIS_STATUS_HARD_ERRORS,
                           FALSE);
    }
}

static VOID StateWork(PVOID Parameter) {
    PRNIC_ADAPTER Adapter = Parameter;
    STATE_TASK Task;

    for (Task = StateNext(Adapter); Task != TaskNone; Task = StateNext(Adapter)) {
        if (Task == TaskRestart) {
            StateRestart(Adapter);
        } else if (Task == TaskResetFailed) {
            NdisMResetComplete(Adapter->MiniportHandle, NDIS_STATUS_HARD_ERRORS, FALSE);
        } else {
            Announce(Adapter, Task == TaskAnnounceOn);
        }
    }
}

VOID StateInit(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;

    KeInitializeSpinLock(&State->Lock);
    KeInitializeEvent(&State->Idle, NotificationEvent, TRUE);
    ExInitializeWorkItem(&State->Work, StateWork, Adapter);
    State->RestartsLeft = RNIC_RESTARTS_MAX;
    State->Suspended = TRUE;
}

/* Under the lock. TRUE: the work item is to be queued. */
static BOOLEAN StateKickLocked(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;

    if (State->Running || (State->Announced == StateShouldBeOn(Adapter) &&
                           !StateMayRestart(Adapter) && !StateResetIsVain(Adapter))) {
        return FALSE;
    }
    State->Running = TRUE;
    KeClearEvent(&State->Idle);
    return TRUE;
}

/* Releases the lock, and lets the work item follow what was changed under it. */
static VOID StateRelease(PRNIC_ADAPTER Adapter, PKLOCK_QUEUE_HANDLE Lock) {
    BOOLEAN Start = StateKickLocked(Adapter);

    KeReleaseInStackQueuedSpinLock(Lock);
    if (Start) {
        ExQueueWorkItem(&Adapter->State.Work, DelayedWorkQueue);
    }
}

/* Sets a flag of the state, or takes it back. */
static VOID StateSet(PRNIC_ADAPTER Adapter, PBOOLEAN Flag, BOOLEAN Value) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->State.Lock, &Lock);
    *Flag = Value;
    StateRelease(Adapter, &Lock);
}

BOOLEAN AdapterIsGone(PRNIC_ADAPTER Adapter) {
    return Adapter->State.Removed || (Adapter->Lost != 0 && Adapter->State.RestartsLeft == 0);
}

VOID AdapterChangeState(PRNIC_ADAPTER Adapter, BOOLEAN Enable) {
    StateSet(Adapter, &Adapter->State.Wanted, Enable);
}

VOID StateBegin(PRNIC_ADAPTER Adapter) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->State.Lock, &Lock);
    Adapter->State.Wanted = Adapter->State.Announced = Adapter->Enabled != 0;
    Adapter->State.Suspended = FALSE;
    StateRelease(Adapter, &Lock);
}

/* The work item sets the event under the lock: who gets it after that is alone. */
static VOID StateSettle(PRNIC_ADAPTER Adapter) {
    KLOCK_QUEUE_HANDLE Lock;

    KeWaitForSingleObject(&Adapter->State.Idle, Executive, KernelMode, FALSE, NULL);
    KeAcquireInStackQueuedSpinLock(&Adapter->State.Lock, &Lock);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* ---- Loss of the device ---- */

VOID AdapterDeviceLost(PRNIC_ADAPTER Adapter) {
    if (InterlockedExchange(&Adapter->Lost, 1) != 0) {
        return;
    }
    NdksimTrace("nic.lost", NULL, 0, 0);
    /* Whatever it was about to do, it must not do it to buffers that are given back below. */
    RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    CommandDeviceLost(Adapter);
    QpsDeviceLost(Adapter);
    StateSet(Adapter, &Adapter->State.Kicked, TRUE);
}

VOID MiniportDevicePnPEventNotify(NDIS_HANDLE MiniportAdapterContext,
                                  PNET_DEVICE_PNP_EVENT NetDevicePnPEvent) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;

    if (NetDevicePnPEvent->DevicePnPEvent == NdisDevicePnPEventSurpriseRemoved) {
        StateSet(Adapter, &Adapter->State.Removed, TRUE);
        AdapterDeviceLost(Adapter);
    }
}

NDIS_STATUS MiniportReset(NDIS_HANDLE MiniportAdapterContext, PBOOLEAN AddressingReset) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;

    *AddressingReset = FALSE;
    if (Adapter->State.Removed) {
        return NDIS_STATUS_HARD_ERRORS;
    }
    StateSet(Adapter, &Adapter->State.ResetWanted, TRUE);
    return NDIS_STATUS_PENDING;
}

/* ---- Power: NDIS has had every NDK adapter closed before ---- */

NDIS_STATUS AdapterPowerDown(PRNIC_ADAPTER Adapter) {
    StateSet(Adapter, &Adapter->State.Suspended, TRUE);
    StateSettle(Adapter);
    DeviceStop(Adapter);
    return NDIS_STATUS_SUCCESS;
}

NDIS_STATUS AdapterPowerUp(PRNIC_ADAPTER Adapter) {
    NTSTATUS Status = DeviceStart(Adapter);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->State.Lock, &Lock);
    Adapter->Lost = NT_SUCCESS(Status) && !Adapter->State.Removed ? 0 : 1;
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (NT_SUCCESS(Status)) {
        AdapterLinkChanged(Adapter, RegisterRead32(Adapter, RNIC_REG_LINK_STATE) != 0);
    }
    StateSet(Adapter, &Adapter->State.Suspended, FALSE);
    return NT_SUCCESS(Status) ? NDIS_STATUS_SUCCESS : NDIS_STATUS_DEVICE_FAILED;
}

/* ---- The end ---- */

static VOID UnmapRegisters(PRNIC_ADAPTER Adapter) {
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Adapter->Bar); i++) {
        if (Adapter->Bar[i] != NULL) {
            NdisMUnmapIoSpace(Adapter->MiniportHandle, Adapter->Bar[i], Adapter->BarBytes[i]);
        }
    }
}

VOID AdapterStop(PRNIC_ADAPTER Adapter) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->State.Lock, &Lock);
    Adapter->State.Halting = TRUE;
    Adapter->State.Wanted = FALSE;
    StateRelease(Adapter, &Lock);
    StateSettle(Adapter);
    NT_ASSERT(Adapter->OpenCount == 0);
    DeviceStop(Adapter);
    if (Adapter->InterruptHandle != NULL) {
        NdisMDeregisterInterruptEx(Adapter->InterruptHandle);
    }
    KeFlushQueuedDpcs();
    DmaDeinit(Adapter);
    UnmapRegisters(Adapter);
    PoolPut(Adapter);
}

VOID MiniportHaltEx(NDIS_HANDLE MiniportAdapterContext, NDIS_HALT_ACTION HaltAction) {
    UNREFERENCED_PARAMETER(HaltAction);
    AdapterStop(MiniportAdapterContext);
}
