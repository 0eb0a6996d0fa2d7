/* SPDX-License-Identifier: Apache-2.0 */
/* NDIS handlers of a miniport that carries RDMA only: pause, shutdown, frames, link. */
#include "adapter.h"

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
