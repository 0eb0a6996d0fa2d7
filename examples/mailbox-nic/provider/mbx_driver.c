/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver as NDIS sees it: one constant table of handlers. What they do is elsewhere: an
 * adapter's life in mbx_start.c, OIDs in mbx_oid.c, lost devices and power in mbx_state.c. Those
 * here have nothing to do, since ordinary frames do not pass this adapter.
 */
#include "mbx.h"

static NDIS_HANDLE Registered;

/* No frame is ever under way, so that there is nothing to wait for. */
static NDIS_STATUS QuietPause(NDIS_HANDLE Adapter, PNDIS_MINIPORT_PAUSE_PARAMETERS Why) {
    MBX_UNUSED2(Adapter, Why);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS QuietRestart(NDIS_HANDLE Adapter, PNDIS_MINIPORT_RESTART_PARAMETERS How) {
    MBX_UNUSED2(Adapter, How);
    return NDIS_STATUS_SUCCESS;
}

static VOID QuietSend(NDIS_HANDLE Adapter, PNET_BUFFER_LIST Frames, NDIS_PORT_NUMBER Port,
                      ULONG Flags) {
    MBX_UNUSED2(Adapter, Frames);
    MBX_UNUSED2(Port, Flags);
}

static VOID QuietReturn(NDIS_HANDLE Adapter, PNET_BUFFER_LIST Frames, ULONG Flags) {
    MBX_UNUSED3(Adapter, Frames, Flags);
}

static VOID QuietCancel(NDIS_HANDLE Adapter, PVOID Id) {
    MBX_UNUSED2(Adapter, Id);
}

/* NDIS asks here, before any adapter starts, what else the driver is: an NDK provider. */
static NDIS_STATUS ProviderAnnounce(NDIS_HANDLE Driver, NDIS_HANDLE Context) {
    NDIS_NDK_PROVIDER_CHARACTERISTICS Ndk = {
        .Header = MBX_HEADER(NDK_PROVIDER_CHARACTERISTICS, NDK_PROVIDER_CHARACTERISTICS),
        .OpenNDKAdapterHandler = OpenNdkAdapter,
        .CloseNDKAdapterHandler = CloseNdkAdapter,
    };

    MBX_UNUSED1(Context);
    return NdisSetOptionalHandlers(Driver, (PNDIS_DRIVER_OPTIONAL_HANDLERS)&Ndk);
}

static VOID DriverGoes(PDRIVER_OBJECT Driver) {
    MBX_UNUSED1(Driver);
    NdisMDeregisterMiniportDriver(Registered);
}

static const NDIS_MINIPORT_DRIVER_CHARACTERISTICS Handlers = {
    .Header = {NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS,
               NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2,
               NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2},
    .MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION,
    .MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION,
    .MajorDriverVersion = 1,
    /* The driver. */
    .SetOptionsHandler = ProviderAnnounce,
    .UnloadHandler = DriverGoes,
    /* An adapter's life. */
    .InitializeHandlerEx = MbxInitialize,
    .HaltHandlerEx = MbxHalt,
    .ShutdownHandlerEx = MbxShutdown,
    .ResetHandlerEx = MbxReset,
    .DevicePnPEventNotifyHandler = MbxPnpEvent,
    /* Questions; none is ever pending, so that none can be cancelled. */
    .OidRequestHandler = MbxOid,
    .CancelOidRequestHandler = QuietCancel,
    .DirectOidRequestHandler = MbxDirectOid,
    .CancelDirectOidRequestHandler = QuietCancel,
    /* Frames. */
    .PauseHandler = QuietPause,
    .RestartHandler = QuietRestart,
    .SendNetBufferListsHandler = QuietSend,
    .ReturnNetBufferListsHandler = QuietReturn,
    .CancelSendHandler = QuietCancel,
};

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Copy = Handlers;

    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Copy, &Registered);
}
