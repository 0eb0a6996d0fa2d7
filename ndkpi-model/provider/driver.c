/* SPDX-License-Identifier: Apache-2.0 */
/* DriverEntry of the reference NDK miniport, and its registration with NDIS. */
#include "adapter.h"

static NDIS_HANDLE MiniportDriverHandle;

static NDIS_STATUS MiniportSetOptions(NDIS_HANDLE NdisDriverHandle, NDIS_HANDLE DriverContext) {
    NDIS_NDK_PROVIDER_CHARACTERISTICS Characteristics;

    UNREFERENCED_PARAMETER(DriverContext);
    RtlZeroMemory(&Characteristics, sizeof(Characteristics));
    Characteristics.Header.Type = NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS;
    Characteristics.Header.Revision = NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Characteristics.Header.Size = NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Characteristics.OpenNDKAdapterHandler = OpenNdkAdapter;
    Characteristics.CloseNDKAdapterHandler = CloseNdkAdapter;
    return NdisSetOptionalHandlers(NdisDriverHandle,
                                   (PNDIS_DRIVER_OPTIONAL_HANDLERS)&Characteristics);
}

static VOID MiniportUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NdisMDeregisterMiniportDriver(MiniportDriverHandle);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Characteristics;

    RtlZeroMemory(&Characteristics, sizeof(Characteristics));
    Characteristics.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS;
    Characteristics.Header.Revision = NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.Header.Size = NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION;
    Characteristics.MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION;
    Characteristics.MajorDriverVersion = 1;
    Characteristics.SetOptionsHandler = MiniportSetOptions;
    Characteristics.InitializeHandlerEx = MiniportInitializeEx;
    Characteristics.HaltHandlerEx = MiniportHaltEx;
    Characteristics.UnloadHandler = MiniportUnload;
    Characteristics.PauseHandler = MiniportPause;
    Characteristics.RestartHandler = MiniportRestart;
    Characteristics.ResetHandlerEx = MiniportReset;
    Characteristics.OidRequestHandler = MiniportOidRequest;
    Characteristics.CancelOidRequestHandler = MiniportCancelOidRequest;
    Characteristics.DirectOidRequestHandler = MiniportDirectOidRequest;
    Characteristics.CancelDirectOidRequestHandler = MiniportCancelDirectOidRequest;
    Characteristics.SendNetBufferListsHandler = MiniportSendNetBufferLists;
    Characteristics.ReturnNetBufferListsHandler = MiniportReturnNetBufferLists;
    Characteristics.CancelSendHandler = MiniportCancelSend;
    Characteristics.DevicePnPEventNotifyHandler = MiniportDevicePnPEventNotify;
    Characteristics.ShutdownHandlerEx = MiniportShutdownEx;
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Characteristics,
                                       &MiniportDriverHandle);
}
