/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An adapter's life: it starts stage by stage, as the table Stages has them, and ends with their
 * undoing, last first, from whatever stage it had come to. Each undoing takes half a stage, too.
 */
#include "mbx.h"
#include <ndksim.h>

typedef struct _MBX_STAGE {
    NTSTATUS (*Do)(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given);
    VOID (*Undo)(PMBX_ADAPTER Adapter); /* may be NULL */
} MBX_STAGE;

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

/* FALSE: a standardised keyword says what it cannot mean. */
static BOOLEAN KeywordTake(PMBX_ADAPTER Adapter, NDIS_HANDLE Section, const MBX_KEYWORD *Keyword) {
    PULONG Setting = (PULONG)((PUCHAR)&Adapter->Settings + Keyword->Offset);
    PNDIS_CONFIGURATION_PARAMETER Found;
    NDIS_STRING Name;
    NDIS_STATUS Status;

    *Setting = Keyword->Default;
    NdisInitUnicodeString(&Name, Keyword->Name);
    NdisReadConfiguration(&Status, &Found, Section, &Name, NdisParameterInteger);
    if (Status != NDIS_STATUS_SUCCESS) {
        return TRUE;
    }
    if (Found->ParameterData.IntegerData > Keyword->Max) {
        return Keyword->Name[0] != L'*';
    }
    *Setting = Found->ParameterData.IntegerData;
    return TRUE;
}

/* Its frames are Ethernet's, with a type of their own: that is RoCE and nothing else. */
static NTSTATUS KeywordsRead(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    NDIS_CONFIGURATION_OBJECT Which = {
        .Header = MBX_HEADER(CONFIGURATION_OBJECT, CONFIGURATION_OBJECT),
        .NdisHandle = Adapter->MiniportHandle,
    };
    NDIS_HANDLE Section = NULL;
    BOOLEAN Good = TRUE;
    ULONG i;

    MBX_UNUSED1(Given);
    if (NdisOpenConfigurationEx(&Which, &Section) != NDIS_STATUS_SUCCESS) {
        return STATUS_UNSUCCESSFUL;
    }
    for (i = 0; i < RTL_NUMBER_OF(Keywords); i++) {
        Good = KeywordTake(Adapter, Section, &Keywords[i]) && Good;
    }
    NdisCloseConfiguration(Section);
    if (Good && Adapter->Settings.Technology == NdkRoCE) {
        return STATUS_SUCCESS;
    }
    NdisWriteErrorLogEntry(Adapter->MiniportHandle, NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION, 1,
                           Adapter->Settings.Technology);
    return STATUS_NOT_SUPPORTED;
}

/* ---- What NDIS is told of the adapter ---- */

static NTSTATUS Tell(PMBX_ADAPTER Adapter, const VOID *Attributes) {
    return NdisMSetMiniportAttributes(Adapter->MiniportHandle,
                                      (PNDIS_MINIPORT_ADAPTER_ATTRIBUTES)(ULONG_PTR)Attributes);
}

static NTSTATUS TellKind(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    const NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES Kind = {
        .Header = MBX_HEADER(MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES,
                             MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES),
        .InterfaceType = NdisInterfacePci,
        .AttributeFlags = NDIS_MINIPORT_ATTRIBUTES_SURPRISE_REMOVE_OK |
                          NDIS_MINIPORT_ATTRIBUTES_BUS_MASTER |
                          NDIS_MINIPORT_ATTRIBUTES_HARDWARE_DEVICE,
        .MiniportAdapterContext = Adapter,
    };

    MBX_UNUSED1(Given);
    return Tell(Adapter, &Kind);
}

/* An Ethernet adapter of one speed in both directions, which hears what is for it. */
static NTSTATUS TellNetwork(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES Network = {
        .Header =
            MBX_HEADER(MINIPORT_ADAPTER_GENERAL_ATTRIBUTES, MINIPORT_ADAPTER_GENERAL_ATTRIBUTES),
        .IfType = IF_TYPE_ETHERNET_CSMACD,
        .IfConnectorPresent = TRUE,
        .AccessType = NET_IF_ACCESS_BROADCAST,
        .ConnectionType = NET_IF_CONNECTION_DEDICATED,
        .DirectionType = NET_IF_DIRECTION_SENDRECEIVE,
        .MediaType = NdisMedium802_3,
        .PhysicalMediumType = NdisPhysicalMedium802_3,
        .MediaConnectState = LinkState(Adapter),
        .MediaDuplexState = MediaDuplexStateFull,
        .MtuSize = Adapter->MtuBytes,
        .LookaheadSize = Adapter->MtuBytes,
        .XmitLinkSpeed = Adapter->LinkBps,
        .RcvLinkSpeed = Adapter->LinkBps,
        .MaxXmitLinkSpeed = Adapter->LinkBps,
        .MaxRcvLinkSpeed = Adapter->LinkBps,
        .MacAddressLength = sizeof(Adapter->Mac),
        .MacOptions = NDIS_MAC_OPTION_NO_LOOPBACK | NDIS_MAC_OPTION_COPY_LOOKAHEAD_DATA,
        .SupportedPacketFilters = NDIS_PACKET_TYPE_BROADCAST | NDIS_PACKET_TYPE_DIRECTED,
        .SupportedStatistics = MBX_COUNTED,
    };
    ULONG i;

    MBX_UNUSED1(Given);
    for (i = 0; i < sizeof(Adapter->Mac); i++) {
        Network.CurrentMacAddress[i] = Network.PermanentMacAddress[i] = Adapter->Mac[i];
    }
    Network.SupportedOidList = OidList(Adapter, &Network.SupportedOidListLength);
    return Tell(Adapter, &Network);
}

static NTSTATUS TellNdk(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    BOOLEAN On = Adapter->Settings.NetworkDirect != 0;
    const NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES Ndk = {
        .Header = MBX_HEADER(MINIPORT_ADAPTER_NDK_ATTRIBUTES, MINIPORT_ADAPTER_NDK_ATTRIBUTES),
        .Enabled = On,
        .NdkCapabilities = &Adapter->Capabilities,
    };

    MBX_UNUSED1(Given);
    return Tell(Adapter, &Ndk);
}

/* ---- BARs ---- */

/* The two memory ranges, in the order of the list. */
static NTSTATUS BarsMap(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    PNDIS_RESOURCE_LIST Ranges = Given->AllocatedResources;
    ULONG Left = Ranges != NULL ? Ranges->Count : 0;
    PCM_PARTIAL_RESOURCE_DESCRIPTOR Range = Left != 0 ? Ranges->PartialDescriptors : NULL;
    ULONG Bar = 0;

    for (; Left-- != 0 && Bar < RTL_NUMBER_OF(Adapter->Bar); Range++) {
        PVOID Mapped;

        if (Range->Type != CmResourceTypeMemory) {
            continue;
        }
        if (NdisMMapIoSpace(&Mapped, Adapter->MiniportHandle, Range->u.Memory.Start,
                            Range->u.Memory.Length) != NDIS_STATUS_SUCCESS) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        Adapter->BarBytes[Bar] = Range->u.Memory.Length;
        Adapter->Bar[Bar++] = Mapped;
    }
    if (Bar < RTL_NUMBER_OF(Adapter->Bar) || RegisterRead(Adapter, MBX_REG_MAGIC) != MBX_MAGIC) {
        return STATUS_NOT_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

static VOID BarsUnmap(PMBX_ADAPTER Adapter) {
    ULONG Bar = RTL_NUMBER_OF(Adapter->Bar);

    while (Bar-- != 0) {
        if (Adapter->Bar[Bar] != NULL) {
            NdisMUnmapIoSpace(Adapter->MiniportHandle, Adapter->Bar[Bar], Adapter->BarBytes[Bar]);
        }
    }
}

/* ---- The interrupt: one message, whose work the mailbox's own DPC does ---- */

static BOOLEAN OnMessage(NDIS_HANDLE Adapter, ULONG Message, PBOOLEAN NdisDpc, PULONG Processors) {
    MBX_UNUSED1(Message);
    *Processors = 0;
    *NdisDpc = FALSE;
    return MailboxInterrupt(Adapter);
}

/* Registration wants these three; the device has no line, and no DPC of NDIS is ever asked for. */
static BOOLEAN OnLine(NDIS_HANDLE Adapter, PBOOLEAN NdisDpc, PULONG Processors) {
    MBX_UNUSED1(Adapter);
    *Processors = 0;
    *NdisDpc = FALSE;
    return FALSE;
}

static VOID OnLineDpc(NDIS_HANDLE Adapter, PVOID Dpc, PVOID Throttle, PVOID Reserved) {
    MBX_UNUSED2(Adapter, Dpc);
    MBX_UNUSED2(Throttle, Reserved);
}

static VOID OnMessageDpc(NDIS_HANDLE Adapter, ULONG Message, PVOID Dpc, PVOID Throttle,
                         PVOID Reserved) {
    MBX_UNUSED2(Adapter, Message);
    MBX_UNUSED3(Dpc, Throttle, Reserved);
}

static NTSTATUS InterruptOn(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS Wanted = {
        .Header = {NDIS_OBJECT_TYPE_MINIPORT_INTERRUPT, NDIS_MINIPORT_INTERRUPT_REVISION_1,
                   NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1},
        .MsiSupported = TRUE,
        .MessageInterruptHandler = OnMessage,
        .MessageInterruptDpcHandler = OnMessageDpc,
        .InterruptHandler = OnLine,
        .InterruptDpcHandler = OnLineDpc,
    };
    NDIS_HANDLE Interrupt;

    MBX_UNUSED1(Given);
    if (NdisMRegisterInterruptEx(Adapter->MiniportHandle, Adapter, &Wanted, &Interrupt) !=
        NDIS_STATUS_SUCCESS) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Adapter->InterruptHandle = Interrupt;
    return Wanted.InterruptType != NDIS_CONNECT_MESSAGE_BASED ? STATUS_NOT_SUPPORTED
                                                              : STATUS_SUCCESS;
}

static VOID InterruptOff(PMBX_ADAPTER Adapter) {
    if (Adapter->InterruptHandle != NULL) {
        NdisMDeregisterInterruptEx(Adapter->InterruptHandle);
        KeFlushQueuedDpcs();
    }
}

/* ---- The device ---- */

NTSTATUS DeviceStart(PMBX_ADAPTER Adapter) {
    const ULONG Settled = MBX_STATUS_READY | MBX_STATUS_FATAL;
    ULONG64 Mac;

    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_RESET);
    RegisterWrite(Adapter, MBX_REG_CONTROL, MBX_CONTROL_ENABLE);
    if ((RegisterRead(Adapter, MBX_REG_STATUS) & Settled) != MBX_STATUS_READY) {
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

NET_IF_MEDIA_CONNECT_STATE LinkState(PMBX_ADAPTER Adapter) {
    ULONG Up = RegisterRead(Adapter, MBX_REG_STATUS) & MBX_STATUS_LINK;

    return Up != 0 ? MediaConnectStateConnected : MediaConnectStateDisconnected;
}

/* ---- Start and end ---- */

static NTSTATUS DeviceFirstStart(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    MBX_UNUSED1(Given);
    return DeviceStart(Adapter);
}

/* NDK is there from the start where the keyword says so; nobody needs to be told of that. */
static NTSTATUS NdkReady(PMBX_ADAPTER Adapter, PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    MBX_UNUSED1(Given);
    AdapterFillInfo(Adapter);
    StateBegin(Adapter, Adapter->Settings.NetworkDirect != 0);
    return STATUS_SUCCESS;
}

static const MBX_STAGE Stages[] = {
    {KeywordsRead, NULL},
    {TellKind, NULL},
    {BarsMap, BarsUnmap},
    {InterruptOn, InterruptOff},
    {DeviceFirstStart, DeviceStop},
    {NdkReady, NULL},
    {TellNetwork, NULL},
    {TellNdk, NULL},
};

static VOID StagesUndo(PMBX_ADAPTER Adapter) {
    while (Adapter->Stage-- != 0) {
        if (Stages[Adapter->Stage].Undo != NULL) {
            Stages[Adapter->Stage].Undo(Adapter);
        }
    }
    MbxFree(Adapter);
}

NDIS_STATUS MbxInitialize(NDIS_HANDLE Handle, NDIS_HANDLE Driver,
                          PNDIS_MINIPORT_INIT_PARAMETERS Given) {
    PMBX_ADAPTER Adapter = MbxAllocate(sizeof(MBX_ADAPTER));

    MBX_UNUSED1(Driver);
    if (Adapter == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Adapter->MiniportHandle = Handle;
    KeInitializeSpinLock(&Adapter->Lock);
    InitializeListHead(&Adapter->Cqs);
    InitializeListHead(&Adapter->Qps);
    InitializeListHead(&Adapter->Listeners);
    InitializeListHead(&Adapter->Connectors);
    InitializeListHead(&Adapter->Others);
    StateInit(Adapter);
    MailboxInit(Adapter);
    while (Adapter->Stage < RTL_NUMBER_OF(Stages)) {
        if (!NT_SUCCESS(Stages[Adapter->Stage++].Do(Adapter, Given))) {
            StagesUndo(Adapter);
            return NDIS_STATUS_FAILURE;
        }
    }
    return NDIS_STATUS_SUCCESS;
}

VOID MbxHalt(NDIS_HANDLE Context, NDIS_HALT_ACTION Why) {
    PMBX_ADAPTER Adapter = Context;

    MBX_UNUSED1(Why);
    StateChange(Adapter, MBX_FACT_HALTING, MBX_FACT_WANTED);
    StateSettle(Adapter);
    StagesUndo(Adapter);
}

/* The machine goes down: no DMA any more. */
VOID MbxShutdown(NDIS_HANDLE Context, NDIS_SHUTDOWN_ACTION Why) {
    MBX_UNUSED1(Why);
    RegisterWrite(Context, MBX_REG_CONTROL, MBX_CONTROL_RESET);
}
