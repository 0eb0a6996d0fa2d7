/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adapter after its start: NDK coming and going, pause and restart, loss of the device, halt.
 *
 * NDK changes are announced by a work item, because the announcement may not be made from an OID
 * handler and blocks until every NDK adapter is closed. `Wanted` is what was asked for last; the
 * work item runs until `Announced` has caught up with it.
 */
#include "adapter.h"

static VOID Announce(PRNIC_ADAPTER Adapter, BOOLEAN Enable) {
    NET_PNP_EVENT_NOTIFICATION Event;

    RtlZeroMemory(&Event, sizeof(Event));
    Event.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Event.Header.Revision = NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.Header.Size = NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.NetPnPEvent.NetEvent = Enable ? NetEventNDKEnable : NetEventNDKDisable;
    NdisMNetPnPEvent(Adapter->MiniportHandle, &Event);
}

/* FALSE: nothing to announce; the work item has ended. */
static BOOLEAN StateNext(PRNIC_ADAPTER Adapter, PBOOLEAN Enable) {
    RNIC_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN More;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    More = State->Announced != State->Wanted;
    State->Announced = State->Wanted;
    *Enable = State->Wanted;
    State->Running = More;
    if (More) {
        /* No new opens from the moment that disabling starts (H-07). */
        Adapter->Enabled = *Enable && Adapter->Lost == 0;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return More;
}

static VOID StateWork(PVOID Parameter) {
    PRNIC_ADAPTER Adapter = Parameter;
    BOOLEAN Enable;

    while (StateNext(Adapter, &Enable)) {
        Announce(Adapter, Enable);
    }
    KeSetEvent(&Adapter->State.Idle, IO_NO_INCREMENT, FALSE);
}

VOID StateInit(PRNIC_ADAPTER Adapter) {
    RNIC_STATE *State = &Adapter->State;

    KeInitializeSpinLock(&State->Lock);
    KeInitializeEvent(&State->Idle, NotificationEvent, TRUE);
    ExInitializeWorkItem(&State->Work, StateWork, Adapter);
}

VOID AdapterChangeState(PRNIC_ADAPTER Adapter, BOOLEAN Enable) {
    RNIC_STATE *State = &Adapter->State;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Start;

    KeAcquireInStackQueuedSpinLock(&State->Lock, &Lock);
    State->Wanted = Enable;
    Start = !State->Running && State->Announced != Enable;
    if (Start) {
        State->Running = TRUE;
        KeClearEvent(&State->Idle);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Start) {
        ExQueueWorkItem(&State->Work, DelayedWorkQueue);
    }
}

static VOID StateSettle(PRNIC_ADAPTER Adapter) {
    KeWaitForSingleObject(&Adapter->State.Idle, Executive, KernelMode, FALSE, NULL);
}

VOID AdapterLinkChanged(PRNIC_ADAPTER Adapter, BOOLEAN Up) {
    NDIS_STATUS_INDICATION Indication;
    NDIS_LINK_STATE Link;

    RtlZeroMemory(&Link, sizeof(Link));
    Link.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Link.Header.Revision = NDIS_LINK_STATE_REVISION_1;
    Link.Header.Size = NDIS_SIZEOF_LINK_STATE_REVISION_1;
    Link.MediaConnectState = Up ? MediaConnectStateConnected : MediaConnectStateDisconnected;
    Link.MediaDuplexState = MediaDuplexStateFull;
    Link.XmitLinkSpeed = Link.RcvLinkSpeed = Adapter->LinkSpeedBps;
    Link.PauseFunctions = NdisPauseFunctionsSendAndReceive;
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

VOID AdapterDeviceLost(PRNIC_ADAPTER Adapter) {
    if (InterlockedExchange(&Adapter->Lost, 1) != 0) {
        return;
    }
    NdksimTrace("adapter.lost", NULL, 0, 0);
    CommandDeviceLost(Adapter);
    QpsDeviceLost(Adapter);
    AdapterChangeState(Adapter, FALSE);
}

VOID MiniportDevicePnPEventNotify(NDIS_HANDLE MiniportAdapterContext,
                                  PNET_DEVICE_PNP_EVENT NetDevicePnPEvent) {
    if (NetDevicePnPEvent->DevicePnPEvent == NdisDevicePnPEventSurpriseRemoved) {
        AdapterDeviceLost(MiniportAdapterContext);
    }
}

/* Only NDK traffic passes here, and pause is about ordinary frames. */
NDIS_STATUS MiniportPause(NDIS_HANDLE MiniportAdapterContext,
                          PNDIS_MINIPORT_PAUSE_PARAMETERS PauseParameters) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(PauseParameters);
    return NDIS_STATUS_SUCCESS;
}

NDIS_STATUS MiniportRestart(NDIS_HANDLE MiniportAdapterContext,
                            PNDIS_MINIPORT_RESTART_PARAMETERS RestartParameters) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RestartParameters);
    return NDIS_STATUS_SUCCESS;
}

/* The machine goes down, perhaps at HIGH_LEVEL: the device must do no DMA any more. */
VOID MiniportShutdownEx(NDIS_HANDLE MiniportAdapterContext, NDIS_SHUTDOWN_ACTION ShutdownAction) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;

    UNREFERENCED_PARAMETER(ShutdownAction);
    RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
}

static VOID StopDevice(PRNIC_ADAPTER Adapter) {
    RNIC_COMMAND Command;

    if (Adapter->DeviceReady) {
        CommandInit(&Command, RNIC_CMD_TEARDOWN, 0);
        CommandPolled(Adapter, &Command, NULL, 0);
        Adapter->DeviceReady = FALSE;
    }
    if (Adapter->Bar[RNIC_BAR_REGISTERS] != NULL) {
        RegisterWrite32(Adapter, RNIC_REG_CONTROL, RNIC_CONTROL_RESET);
    }
}

static VOID UnmapRegisters(PRNIC_ADAPTER Adapter) {
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Adapter->Bar); i++) {
        if (Adapter->Bar[i] != NULL) {
            NdisMUnmapIoSpace(Adapter->MiniportHandle, Adapter->Bar[i], Adapter->BarBytes[i]);
        }
    }
}

/* No service routine and no DPC of an event queue runs from here on. */
static VOID StopEvents(PRNIC_ADAPTER Adapter) {
    ULONG i;

    Adapter->Stopping = TRUE;
    if (Adapter->InterruptHandle != NULL) {
        NdisMDeregisterInterruptEx(Adapter->InterruptHandle);
    }
    for (i = 0; i < RNIC_EQ_COUNT_MAX; i++) {
        if (Adapter->Eqs[i].Created) {
            KeRemoveQueueDpc(&Adapter->Eqs[i].Dpc);
        }
    }
    KeFlushQueuedDpcs();
}

VOID AdapterStop(PRNIC_ADAPTER Adapter) {
    CmStop(Adapter);
    WindowsStop(Adapter);
    StopEvents(Adapter);
    GsiStop(Adapter);
    EqStop(Adapter);
    StopDevice(Adapter);
    CommandStop(Adapter);
    KeFlushQueuedDpcs();
    DmaDeinit(Adapter);
    UnmapRegisters(Adapter);
    PoolPut(Adapter);
}

VOID MiniportHaltEx(NDIS_HANDLE MiniportAdapterContext, NDIS_HALT_ACTION HaltAction) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;

    UNREFERENCED_PARAMETER(HaltAction);
    AdapterChangeState(Adapter, FALSE);
    StateSettle(Adapter);
    NT_ASSERT(Adapter->OpenCount == 0);
    AdapterStop(Adapter);
}

/* This adapter carries RDMA only: ordinary frames go nowhere. */
VOID MiniportSendNetBufferLists(NDIS_HANDLE MiniportAdapterContext, PNET_BUFFER_LIST NetBufferList,
                                NDIS_PORT_NUMBER PortNumber, ULONG SendFlags) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(NetBufferList);
    UNREFERENCED_PARAMETER(PortNumber);
    UNREFERENCED_PARAMETER(SendFlags);
}

VOID MiniportReturnNetBufferLists(NDIS_HANDLE MiniportAdapterContext,
                                  PNET_BUFFER_LIST NetBufferLists, ULONG ReturnFlags) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(NetBufferLists);
    UNREFERENCED_PARAMETER(ReturnFlags);
}

VOID MiniportCancelSend(NDIS_HANDLE MiniportAdapterContext, PVOID CancelId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(CancelId);
}
