/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MiniportInitializeEx: resources, registers, interrupts, the device's start, and what NDIS is
 * told. Acquired in this order; AdapterStop gives it all back, from whatever stage was reached.
 */
#include "adapter.h"

static NDIS_STATUS SetRegistrationAttributes(PRNIC_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.RegistrationAttributes.Header.Type =
        NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
    Attributes.RegistrationAttributes.Header.Revision =
        NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1;
    Attributes.RegistrationAttributes.Header.Size =
        NDIS_SIZEOF_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1;
    Attributes.RegistrationAttributes.MiniportAdapterContext = Adapter;
    Attributes.RegistrationAttributes.AttributeFlags = NDIS_MINIPORT_ATTRIBUTES_HARDWARE_DEVICE |
                                                       NDIS_MINIPORT_ATTRIBUTES_BUS_MASTER |
                                                       NDIS_MINIPORT_ATTRIBUTES_SURPRISE_REMOVE_OK;
    Attributes.RegistrationAttributes.InterfaceType = NdisInterfacePci;
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

/* BARs in the order they are listed, and the number of messages. */
static NTSTATUS TakeResources(PRNIC_ADAPTER Adapter, PNDIS_RESOURCE_LIST List) {
    ULONG Bars = 0;
    ULONG i;

    for (i = 0; List != NULL && i < List->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *Resource = &List->PartialDescriptors[i];

        if (Resource->Type == CmResourceTypeMemory && Bars < RTL_NUMBER_OF(Adapter->Bar)) {
            Adapter->BarAddress[Bars] = Resource->u.Memory.Start;
            Adapter->BarBytes[Bars] = Resource->u.Memory.Length;
            Bars++;
        }
    }
    return Bars == RTL_NUMBER_OF(Adapter->Bar) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static NTSTATUS MapRegisters(PRNIC_ADAPTER Adapter) {
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Adapter->Bar); i++) {
        if (NdisMMapIoSpace(&Adapter->Bar[i], Adapter->MiniportHandle, Adapter->BarAddress[i],
                            Adapter->BarBytes[i]) != NDIS_STATUS_SUCCESS) {
            Adapter->Bar[i] = NULL;
            return STATUS_INSUFFICIENT_RESOURCES;
        }
    }
    return RegisterRead32(Adapter, RNIC_REG_MAGIC) == RNIC_MAGIC &&
                   RegisterRead32(Adapter, RNIC_REG_INTERFACE_VERSION) >> 16 == RNIC_INTERFACE_MAJOR
               ? STATUS_SUCCESS
               : STATUS_NOT_SUPPORTED;
}

static BOOLEAN MessageInterrupt(NDIS_HANDLE MiniportInterruptContext, ULONG MessageId,
                                PBOOLEAN QueueDefaultInterruptDpc, PULONG TargetProcessors) {
    *QueueDefaultInterruptDpc = FALSE;
    *TargetProcessors = 0;
    return EqInterrupt(MiniportInterruptContext, MessageId);
}

/* Never asked for: each event queue has a DPC of its own. */
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

static NTSTATUS ConnectInterrupts(PRNIC_ADAPTER Adapter) {
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
    if (Characteristics.InterruptType != NDIS_CONNECT_MESSAGE_BASED ||
        Characteristics.MessageInfoTable == NULL) {
        return STATUS_NOT_SUPPORTED;
    }
    Adapter->VectorCount = Characteristics.MessageInfoTable->MessageCount;
    return STATUS_SUCCESS;
}

static const NDIS_OID SupportedOids[] = {
    OID_GEN_HARDWARE_STATUS,
    OID_GEN_VENDOR_DESCRIPTION,
    OID_GEN_CURRENT_PACKET_FILTER,
    OID_GEN_STATISTICS,
    OID_GEN_XMIT_OK,
    OID_GEN_RCV_OK,
    OID_802_3_PERMANENT_ADDRESS,
    OID_802_3_CURRENT_ADDRESS,
    OID_PNP_SET_POWER,
    OID_NDK_SET_STATE,
    OID_NDK_STATISTICS,
    OID_NDK_CONNECTIONS,
    OID_NDK_LOCAL_ENDPOINTS,
};

static NDIS_STATUS SetGeneralAttributes(PRNIC_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;
    NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES *General = &Attributes.GeneralAttributes;
    BOOLEAN Up = RegisterRead32(Adapter, RNIC_REG_LINK_STATE) != 0;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    General->Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
    General->Header.Revision = NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1;
    General->Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1;
    General->MediaType = NdisMedium802_3;
    General->PhysicalMediumType = NdisPhysicalMedium802_3;
    General->MtuSize = Adapter->MtuBytes;
    General->MaxXmitLinkSpeed = General->XmitLinkSpeed = Adapter->LinkSpeedBps;
    General->MaxRcvLinkSpeed = General->RcvLinkSpeed = Adapter->LinkSpeedBps;
    General->MediaConnectState = Up ? MediaConnectStateConnected : MediaConnectStateDisconnected;
    General->MediaDuplexState = MediaDuplexStateFull;
    General->LookaheadSize = Adapter->MtuBytes;
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
    General->SupportedStatistics = RNIC_SUPPORTED_STATISTICS;
    General->SupportedOidList = (PNDIS_OID)(ULONG_PTR)SupportedOids;
    General->SupportedOidListLength = sizeof(SupportedOids);
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

/* Told whether or not NDK is enabled now (R-NDIS-05). */
static NDIS_STATUS SetNdkAttributes(PRNIC_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.NDKAttributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES;
    Attributes.NDKAttributes.Header.Revision = NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Enabled = Adapter->Enabled != 0;
    Attributes.NDKAttributes.NdkCapabilities = &Adapter->Capabilities;
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle, &Attributes);
}

static VOID AdapterPrepare(PRNIC_ADAPTER Adapter, NDIS_HANDLE Handle, NET_IFINDEX IfIndex) {
    ULONG i;

    Adapter->MiniportHandle = Handle;
    Adapter->IfIndex = IfIndex;
    KeInitializeSpinLock(&Adapter->TableLock);
    for (i = 0; i < RNIC_TABLE_BUCKETS; i++) {
        InitializeListHead(&Adapter->QpTable[i]);
        InitializeListHead(&Adapter->CqTable[i]);
        InitializeListHead(&Adapter->SrqTable[i]);
    }
    DmaInit(Adapter);
    EqInit(Adapter);
    DeferInit(Adapter);
    WindowsStart(Adapter);
    StateInit(Adapter);
    CommandsInit(Adapter);
    CmInit(Adapter);
    GsiInit(Adapter);
}

NDIS_STATUS MiniportInitializeEx(NDIS_HANDLE NdisMiniportHandle, NDIS_HANDLE MiniportDriverContext,
                                 PNDIS_MINIPORT_INIT_PARAMETERS InitParameters) {
    PRNIC_ADAPTER Adapter = PoolGet(sizeof(*Adapter));
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(MiniportDriverContext);
    if (Adapter == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    AdapterPrepare(Adapter, NdisMiniportHandle, InitParameters->IfIndex);
    Status = SettingsRead(Adapter);
    if (NT_SUCCESS(Status)) {
        Status = SetRegistrationAttributes(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = TakeResources(Adapter, InitParameters->AllocatedResources);
    }
    if (NT_SUCCESS(Status)) {
        Status = MapRegisters(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectInterrupts(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = DeviceStart(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Adapter->Enabled = Adapter->Settings.NetworkDirect != 0;
        Status = SetGeneralAttributes(Adapter);
    }
    if (NT_SUCCESS(Status)) {
        Status = SetNdkAttributes(Adapter);
    }
    if (!NT_SUCCESS(Status)) {
        AdapterStop(Adapter);
        return NDIS_STATUS_FAILURE;
    }
    StateBegin(Adapter);
    return NDIS_STATUS_SUCCESS;
}
