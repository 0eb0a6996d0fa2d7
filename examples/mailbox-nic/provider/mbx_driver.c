/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DriverEntry, and an adapter from MiniportInitializeEx to MiniportHaltEx. What is acquired on the
 * way in is given back by AdapterStop, from whatever stage was reached.
 */
#include "mbx.h"
#include <ndksim.h>

static NDIS_HANDLE MiniportDriverHandle;

/* ---- Keywords ---- */

typedef struct _MBX_KEYWORD {
    PCWSTR Name;
    ULONG Offset;
    ULONG Default;
    ULONG Max;
} MBX_KEYWORD;

#define KEYWORD(name, member, value, max)                                                          \
    { name, FIELD_OFFSET(MBX_SETTINGS, member), value, max }

static const MBX_KEYWORD Keywords[] = {
    KEYWORD(L"*NetworkDirect", NetworkDirect, 1, 1),
    KEYWORD(L"*NetworkDirectTechnology", Technology, NdkRoCE, NdkRoCEv2),
    KEYWORD(L"CmBacklog", Backlog, 64, 4096),
    KEYWORD(L"RnrRetryCount", BusyRetries, 7, 7),
    KEYWORD(L"Loopback", Loopback, 1, 1),
};

/* The same for a scenario's author; a real kit has no such table. */
const NDKSIM_SETTING NdksimSettings[] = {
    {"CmBacklog", "Requests of a listener that may wait for their answer.", 64, 0, 4096},
    {"RnrRetryCount", "How often a peer without a receive is asked again; 7: for ever.", 7, 0, 7},
    {"Loopback", "1: connections to this adapter itself work.", 1, 0, 1},
    {NULL, NULL, 0, 0, 0},
};

static ULONG KeywordRead(NDIS_HANDLE Configuration, const MBX_KEYWORD *Keyword) {
    PNDIS_CONFIGURATION_PARAMETER Parameter;
    NDIS_STRING Name;
    NDIS_STATUS Status;

    NdisInitUnicodeString(&Name, Keyword->Name);
    NdisReadConfiguration(&Status, &Parameter, Configuration, &Name, NdisParameterInteger);
    if (Status != NDIS_STATUS_SUCCESS) {
        return Keyword->Default;
    }
    return Parameter->ParameterData.IntegerData;
}

/* Its frames are Ethernet's, with a type of their own: that is RoCE and nothing else. */
static NTSTATUS SettingsRead(PMBX_ADAPTER Adapter) {
    NDIS_CONFIGURATION_OBJECT Object;
    NDIS_HANDLE Configuration;
    ULONG i;

    RtlZeroMemory(&Object, sizeof(Object));
    Object.Header.Type = NDIS_OBJECT_TYPE_CONFIGURATION_OBJECT;
    Object.Header.Revision = NDIS_CONFIGURATION_OBJECT_REVISION_1;
    Object.Header.Size = NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1;
    Object.NdisHandle = Adapter->MiniportHandle;
    if (NdisOpenConfigurationEx(&Object, &Configuration) != NDIS_STATUS_SUCCESS) {
        return STATUS_UNSUCCESSFUL;
    }
    for (i = 0; i < RTL_NUMBER_OF(Keywords); i++) {
        ULONG Value = KeywordRead(Configuration, &Keywords[i]);

        *(PULONG)((PUCHAR)&Adapter->Settings + Keywords[i].Offset) =
            Value <= Keywords[i].Max ? Value : Keywords[i].Default;
        if (Value > Keywords[i].Max && Keywords[i].Name[0] == L'*') {
            Adapter->Settings.Technology = NdkUndefined;
        }
    }
    NdisCloseConfiguration(Configuration);
    if (Adapter->Settings.Technology != NdkRoCE) {
        NdisWriteErrorLogEntry(Adapter->MiniportHandle, NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION,
                               1, Adapter->Settings.Technology);
        return STATUS_NOT_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

/* ---- Resources ---- */

static NTSTATUS SetRegistrationAttributes(PMBX_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;
    NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES *Registration =
        &Attributes.RegistrationAttributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Registration->Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
    Registration->Header.Revision = NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1;
    Registration->Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1;
    Registration->MiniportAdapterContext = Adapter;
    Registration->AttributeFlags = NDIS_MINIPORT_ATTRIBUTES_HARDWARE_DEVICE |
                                   NDIS_MINIPORT_ATTRIBUTES_BUS_MASTER |
                                   NDIS_MINIPORT_ATTRIBUTES_SURPRISE_REMOVE_OK;
    Registration->InterfaceType = NdisInterfacePci;
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

static NTSTATUS MapBars(PMBX_ADAPTER Adapter, PNDIS_RESOURCE_LIST List) {
    ULONG Bars = 0;
    ULONG i;

    for (i = 0; List != NULL && i < List->Count && Bars < RTL_NUMBER_OF(Adapter->Bar); i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *Resource = &List->PartialDescriptors[i];

        if (Resource->Type != CmResourceTypeMemory) {
            continue;
        }
        Adapter->BarBytes[Bars] = Resource->u.Memory.Length;
        if (NdisMMapIoSpace(&Adapter->Bar[Bars], Adapter->MiniportHandle, Resource->u.Memory.Start,
                            Resource->u.Memory.Length) != NDIS_STATUS_SUCCESS) {
            Adapter->Bar[Bars] = NULL;
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        Bars++;
    }
    return Bars == RTL_NUMBER_OF(Adapter->Bar) && RegisterRead(Adapter, MBX_REG_MAGIC) == MBX_MAGIC
               ? STATUS_SUCCESS
               : STATUS_NOT_SUPPORTED;
}

static BOOLEAN MessageInterrupt(NDIS_HANDLE MiniportInterruptContext, ULONG MessageId,
                                PBOOLEAN QueueDefaultInterruptDpc, PULONG TargetProcessors) {
    UNREFERENCED_PARAMETER(MessageId);
    *QueueDefaultInterruptDpc = FALSE;
    *TargetProcessors = 0;
    return MailboxInterrupt(MiniportInterruptContext);
}

/* These three are never called: messages alone are asked for, and the DPC is one of ours. */
static VOID MessageInterruptDpc(NDIS_HANDLE MiniportInterruptContext, ULONG MessageId,
                                PVOID MiniportDpcContext, PVOID ReceiveThrottleParameters,
                                PVOID NdisReserved2) {
    UNREFERENCED_PARAMETER(MiniportInterruptContext);
    UNREFERENCED_PARAMETER(MessageId);
    UNREFERENCED_PARAMETER(MiniportDpcContext);
    UNREFERENCED_PARAMETER(ReceiveThrottleParameters);
    UNREFERENCED_PARAMETER(NdisReserved2);
}

static BOOLEAN LineInterrupt(NDIS_HANDLE MiniportInterruptContext,
                             PBOOLEAN QueueDefaultInterruptDpc, PULONG TargetProcessors) {
    UNREFERENCED_PARAMETER(MiniportInterruptContext);
    *QueueDefaultInterruptDpc = FALSE;
    *TargetProcessors = 0;
    return FALSE;
}

static VOID LineInterruptDpc(NDIS_HANDLE MiniportInterruptContext, PVOID MiniportDpcContext,
                             PVOID ReceiveThrottleParameters, PVOID NdisReserved2) {
    UNREFERENCED_PARAMETER(MiniportInterruptContext);
    UNREFERENCED_PARAMETER(MiniportDpcContext);
    UNREFERENCED_PARAMETER(ReceiveThrottleParameters);
    UNREFERENCED_PARAMETER(NdisReserved2);
}

static NTSTATUS ConnectInterrupt(PMBX_ADAPTER Adapter) {
    NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS Characteristics;

    RtlZeroMemory(&Characteristics, sizeof(Characteristics));
    Characteristics.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_INTERRUPT;
    Characteristics.Header.Revision = NDIS_MINIPORT_INTERRUPT_REVISION_1;
    Characteristics.Header.Size = NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1;
    Characteristics.InterruptHandler = LineInterrupt;
    Characteristics.InterruptDpcHandler = LineInterruptDpc;
    Characteristics.MsiSupported = TRUE;
    Characteristics.MessageInterruptHandler = MessageInterrupt;
    Characteristics.MessageInterruptDpcHandler = MessageInterruptDpc;
    if (NdisMRegisterInterruptEx(Adapter->MiniportHandle, Adapter, &Characteristics,
                                 &Adapter->InterruptHandle) != NDIS_STATUS_SUCCESS) {
        Adapter->InterruptHandle = NULL;
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return Characteristics.InterruptType == NDIS_CONNECT_MESSAGE_BASED ? STATUS_SUCCESS
                                                                       : STATUS_NOT_SUPPORTED;
}

/* ---- The device ---- */

NTSTATUS DeviceStart(PMBX_ADAPTER Adapter) {
    ULONG64 Mac;

    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_RESET);
    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_ENABLE);
    if ((RegisterRead(Adapter, MBX_REG_STATUS) & (MBX_STATUS_READY | MBX_STATUS_FATAL)) !=
        MBX_STATUS_READY) {
        return STATUS_DEVICE_NOT_READY;
    }
    Mac = RegisterRead64(Adapter, MBX_REG_MAC);
    RtlCopyMemory(Adapter->Mac, &Mac, sizeof(Adapter->Mac));
    Adapter->LinkBps = RegisterRead(Adapter, MBX_REG_LINK_MBPS) * 1000000ull;
    Adapter->MtuBytes = RegisterRead(Adapter, MBX_REG_MTU_BYTES);
    InterlockedExchange(&Adapter->FatalSeen, 0);
    return MailboxStart(Adapter);
}

VOID DeviceStop(PMBX_ADAPTER Adapter) {
    if (Adapter->Bar[MBX_BAR_REGISTERS] != NULL) {
        RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_RESET);
    }
    MailboxStop(Adapter);
}

/* ---- What NDIS is told ---- */

static NTSTATUS SetGeneralAttributes(PMBX_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;
    NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES *General = &Attributes.GeneralAttributes;
    BOOLEAN Up = (RegisterRead(Adapter, MBX_REG_STATUS) & MBX_STATUS_LINK) != 0;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    General->Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
    General->Header.Revision = NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1;
    General->Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1;
    General->MediaType = NdisMedium802_3;
    General->PhysicalMediumType = NdisPhysicalMedium802_3;
    General->MtuSize = General->LookaheadSize = Adapter->MtuBytes;
    General->MaxXmitLinkSpeed = General->XmitLinkSpeed = Adapter->LinkBps;
    General->MaxRcvLinkSpeed = General->RcvLinkSpeed = Adapter->LinkBps;
    General->MediaConnectState = Up ? MediaConnectStateConnected : MediaConnectStateDisconnected;
    General->MediaDuplexState = MediaDuplexStateFull;
    General->MacOptions = NDIS_MAC_OPTION_COPY_LOOKAHEAD_DATA | NDIS_MAC_OPTION_NO_LOOPBACK;
    General->SupportedPacketFilters = NDIS_PACKET_TYPE_DIRECTED | NDIS_PACKET_TYPE_BROADCAST;
    General->MacAddressLength = sizeof(Adapter->Mac);
    RtlCopyMemory(General->PermanentMacAddress, Adapter->Mac, sizeof(Adapter->Mac));
    RtlCopyMemory(General->CurrentMacAddress, Adapter->Mac, sizeof(Adapter->Mac));
    General->AccessType = NET_IF_ACCESS_BROADCAST;
    General->DirectionType = NET_IF_DIRECTION_SENDRECEIVE;
    General->ConnectionType = NET_IF_CONNECTION_DEDICATED;
    General->IfType = IF_TYPE_ETHERNET_CSMACD;
    General->IfConnectorPresent = TRUE;
    General->SupportedStatistics = MBX_SUPPORTED_STATISTICS;
    General->SupportedOidList = (PNDIS_OID)(ULONG_PTR)MbxSupportedOids;
    General->SupportedOidListLength = MbxSupportedOidsBytes;
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

static NTSTATUS SetNdkAttributes(PMBX_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.NDKAttributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES;
    Attributes.NDKAttributes.Header.Revision = NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Enabled = Adapter->Enabled != 0;
    Attributes.NDKAttributes.NdkCapabilities = &Adapter->Capabilities;
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

/* ---- Initialise and halt ---- */

static PMBX_ADAPTER AdapterNew(NDIS_HANDLE MiniportHandle) {
    PMBX_ADAPTER Adapter = MbxAllocate(sizeof(*Adapter));

    if (Adapter == NULL) {
        return NULL;
    }
    Adapter->MiniportHandle = MiniportHandle;
    KeInitializeSpinLock(&Adapter->Lock);
    InitializeListHead(&Adapter->Cqs);
    InitializeListHead(&Adapter->Qps);
    InitializeListHead(&Adapter->Listeners);
    InitializeListHead(&Adapter->Connectors);
    InitializeListHead(&Adapter->Others);
    StateInit(Adapter);
    MailboxInit(Adapter);
    return Adapter;
}

static VOID AdapterStop(PMBX_ADAPTER Adapter) {
    ULONG i;

    DeviceStop(Adapter);
    if (Adapter->InterruptHandle != NULL) {
        NdisMDeregisterInterruptEx(Adapter->InterruptHandle);
        KeFlushQueuedDpcs();
    }
    for (i = 0; i < RTL_NUMBER_OF(Adapter->Bar); i++) {
        if (Adapter->Bar[i] != NULL) {
            NdisMUnmapIoSpace(Adapter->MiniportHandle, Adapter->Bar[i], Adapter->BarBytes[i]);
        }
    }
    MbxFree(Adapter);
}

static NTSTATUS AdapterStart(PMBX_ADAPTER Adapter, PNDIS_RESOURCE_LIST Resources) {
    NTSTATUS Status = SettingsRead(Adapter);

    if (NT_SUCCESS(Status)) {
        Status = SetRegistrationAttributes(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = MapBars(Adapter, Resources);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectInterrupt(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = DeviceStart(Adapter);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    AdapterFillInfo(Adapter);
    Adapter->Enabled = Adapter->Settings.NetworkDirect != 0;
    Adapter->State.Wanted = Adapter->State.Announced = Adapter->Enabled != 0;
    Status = SetGeneralAttributes(Adapter);
    return NT_SUCCESS(Status) ? SetNdkAttributes(Adapter) : Status;
}

static NDIS_STATUS MbxInitializeEx(NDIS_HANDLE NdisMiniportHandle,
                                   NDIS_HANDLE MiniportDriverContext,
                                   PNDIS_MINIPORT_INIT_PARAMETERS InitParameters) {
    PMBX_ADAPTER Adapter = AdapterNew(NdisMiniportHandle);

    UNREFERENCED_PARAMETER(MiniportDriverContext);
    if (Adapter == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    if (!NT_SUCCESS(AdapterStart(Adapter, InitParameters->AllocatedResources))) {
        AdapterStop(Adapter);
        return NDIS_STATUS_FAILURE;
    }
    return NDIS_STATUS_SUCCESS;
}

static VOID MbxHaltEx(NDIS_HANDLE MiniportAdapterContext, NDIS_HALT_ACTION HaltAction) {
    PMBX_ADAPTER Adapter = MiniportAdapterContext;

    UNREFERENCED_PARAMETER(HaltAction);
    Adapter->State.Halting = TRUE;
    StateSet(Adapter, &Adapter->State.Wanted, FALSE);
    StateSettle(Adapter);
    AdapterStop(Adapter);
}

/* The machine goes down: no DMA any more. */
static VOID MbxShutdownEx(NDIS_HANDLE MiniportAdapterContext, NDIS_SHUTDOWN_ACTION ShutdownAction) {
    UNREFERENCED_PARAMETER(ShutdownAction);
    RegisterWrite(MiniportAdapterContext, MBX_REG_CONTROL, MBX_CONTROL_RESET);
}

/* Ordinary frames do not pass here, so there is nothing to pause or to send. */
static NDIS_STATUS MbxPause(NDIS_HANDLE MiniportAdapterContext,
                            PNDIS_MINIPORT_PAUSE_PARAMETERS PauseParameters) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(PauseParameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS MbxRestart(NDIS_HANDLE MiniportAdapterContext,
                              PNDIS_MINIPORT_RESTART_PARAMETERS RestartParameters) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(RestartParameters);
    return NDIS_STATUS_SUCCESS;
}

static VOID MbxSend(NDIS_HANDLE MiniportAdapterContext, PNET_BUFFER_LIST NetBufferList,
                    NDIS_PORT_NUMBER PortNumber, ULONG SendFlags) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(NetBufferList);
    UNREFERENCED_PARAMETER(PortNumber);
    UNREFERENCED_PARAMETER(SendFlags);
}

static VOID MbxReturn(NDIS_HANDLE MiniportAdapterContext, PNET_BUFFER_LIST NetBufferLists,
                      ULONG ReturnFlags) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(NetBufferLists);
    UNREFERENCED_PARAMETER(ReturnFlags);
}

static VOID MbxCancelSend(NDIS_HANDLE MiniportAdapterContext, PVOID CancelId) {
    UNREFERENCED_PARAMETER(MiniportAdapterContext);
    UNREFERENCED_PARAMETER(CancelId);
}

/* ---- The driver ---- */

static NDIS_STATUS MbxSetOptions(NDIS_HANDLE NdisDriverHandle, NDIS_HANDLE DriverContext) {
    NDIS_NDK_PROVIDER_CHARACTERISTICS Provider;

    UNREFERENCED_PARAMETER(DriverContext);
    RtlZeroMemory(&Provider, sizeof(Provider));
    Provider.Header.Type = NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS;
    Provider.Header.Revision = NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Provider.Header.Size = NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Provider.OpenNDKAdapterHandler = OpenNdkAdapter;
    Provider.CloseNDKAdapterHandler = CloseNdkAdapter;
    return NdisSetOptionalHandlers(NdisDriverHandle, (PNDIS_DRIVER_OPTIONAL_HANDLERS)&Provider);
}

static VOID MbxUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NdisMDeregisterMiniportDriver(MiniportDriverHandle);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Driver;

    RtlZeroMemory(&Driver, sizeof(Driver));
    Driver.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS;
    Driver.Header.Revision = NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Driver.Header.Size = NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Driver.MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION;
    Driver.MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION;
    Driver.MajorDriverVersion = 1;
    Driver.SetOptionsHandler = MbxSetOptions;
    Driver.InitializeHandlerEx = MbxInitializeEx;
    Driver.HaltHandlerEx = MbxHaltEx;
    Driver.UnloadHandler = MbxUnload;
    Driver.PauseHandler = MbxPause;
    Driver.RestartHandler = MbxRestart;
    Driver.ResetHandlerEx = MbxReset;
    Driver.OidRequestHandler = MbxOidRequest;
    Driver.CancelOidRequestHandler = MbxCancelOidRequest;
    Driver.DirectOidRequestHandler = MbxDirectOidRequest;
    Driver.CancelDirectOidRequestHandler = MbxCancelDirectOidRequest;
    Driver.SendNetBufferListsHandler = MbxSend;
    Driver.ReturnNetBufferListsHandler = MbxReturn;
    Driver.CancelSendHandler = MbxCancelSend;
    Driver.DevicePnPEventNotifyHandler = MbxDevicePnPEventNotify;
    Driver.ShutdownHandlerEx = MbxShutdownEx;
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Driver,
                                       &MiniportDriverHandle);
}
