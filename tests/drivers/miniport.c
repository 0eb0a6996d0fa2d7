/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A miniport without a wire: it maps its registers, takes shared memory and message interrupts, is
 * an NDK provider whose adapter can be opened and closed, and counts what it sees with
 * NdksimCounter. Register 0 of the device is a doorbell that raises message 0.
 */
#include <ndis.h>
#include <ndisndk.h>
#include <ndksim.h>

#define MINI_TAG 'iniM'
#define OID_MINI_PENDS 0xFF000001u
#define OID_MINI_EVENT 0xFF000002u

typedef struct _MINI_ADAPTER {
    NDIS_HANDLE Handle;
    NDIS_HANDLE Interrupt;
    PVOID Registers;
    UINT RegisterBytes;
    PVOID Shared;
    NDIS_PHYSICAL_ADDRESS SharedAddress;
    PIO_WORKITEM WorkItem;
    PNDIS_OID_REQUEST Pending;
    LONG Interrupts;
    LONG Dpcs;
    BOOLEAN Enabled;
    NDK_ADAPTER Ndk;
    BOOLEAN IsOpen;
    BOOLEAN ResetRuns;
} MINI_ADAPTER, *PMINI_ADAPTER;

static NDIS_HANDLE MiniDriver;
static PDRIVER_OBJECT MiniDriverObject;

static MINIPORT_INITIALIZE MiniInitialize;
static MINIPORT_HALT MiniHalt;
static MINIPORT_UNLOAD MiniUnload;
static MINIPORT_PAUSE MiniPause;
static MINIPORT_RESTART MiniRestart;
static MINIPORT_OID_REQUEST MiniOid;
static MINIPORT_DEVICE_PNP_EVENT_NOTIFY MiniPnp;
static MINIPORT_RESET MiniReset;
static MINIPORT_SET_OPTIONS MiniSetOptions;
static MINIPORT_MESSAGE_INTERRUPT MiniInterrupt;
static MINIPORT_MESSAGE_INTERRUPT_DPC MiniDpc;
static IO_WORKITEM_ROUTINE_EX MiniWork;

/* ---- Interrupts ---- */

static BOOLEAN MiniInterrupt(NDIS_HANDLE Context, ULONG MessageId, PBOOLEAN QueueDpc,
                             PULONG TargetProcessors) {
    PMINI_ADAPTER Adapter = Context;

    UNREFERENCED_PARAMETER(MessageId);
    InterlockedIncrement(&Adapter->Interrupts);
    *QueueDpc = TRUE;
    *TargetProcessors = 0;
    return TRUE;
}

static VOID MiniDpc(NDIS_HANDLE Context, ULONG MessageId, PVOID DpcContext, PVOID Throttle,
                    PVOID Reserved) {
    PMINI_ADAPTER Adapter = Context;

    UNREFERENCED_PARAMETER(MessageId);
    UNREFERENCED_PARAMETER(DpcContext);
    UNREFERENCED_PARAMETER(Throttle);
    UNREFERENCED_PARAMETER(Reserved);
    Adapter->Dpcs++;
    NdksimCounter("dpcs", (ULONG64)Adapter->Dpcs);
}

static NDIS_STATUS MiniConnect(PMINI_ADAPTER Adapter) {
    NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS Interrupt = {0};

    Interrupt.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_INTERRUPT;
    Interrupt.Header.Revision = NDIS_MINIPORT_INTERRUPT_REVISION_1;
    Interrupt.Header.Size = NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1;
    Interrupt.MsiSupported = TRUE;
    Interrupt.MessageInterruptHandler = MiniInterrupt;
    Interrupt.MessageInterruptDpcHandler = MiniDpc;
    return NdisMRegisterInterruptEx(Adapter->Handle, Adapter, &Interrupt, &Adapter->Interrupt);
}

/* ---- NDK ---- */

static NDIS_STATUS MiniOpen(NDIS_HANDLE Context, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                            NDK_ADAPTER **ppNdkAdapter) {
    PMINI_ADAPTER Adapter = Context;

    PAGED_CODE();
    if (Parameters->Version.Major != 1) {
        return NDIS_STATUS_BAD_VERSION;
    }
    if (!Adapter->Enabled || Adapter->IsOpen) {
        return NDIS_STATUS_ADAPTER_NOT_READY;
    }
    Adapter->IsOpen = TRUE;
    Adapter->Ndk.Header.ObjectType = NdkObjectTypeAdapter;
    Adapter->Ndk.Header.Version.Major = 1;
    Adapter->Ndk.Header.Version.Minor = 2;
    *ppNdkAdapter = &Adapter->Ndk;
    return NDIS_STATUS_SUCCESS;
}

static VOID MiniClose(NDIS_HANDLE Context, NDK_ADAPTER *pNdkAdapter) {
    PMINI_ADAPTER Adapter = Context;

    NT_ASSERT(pNdkAdapter == &Adapter->Ndk);
    NdisMSleep(100);
    Adapter->IsOpen = FALSE;
}

static NDIS_STATUS MiniSetOptions(NDIS_HANDLE DriverHandle, NDIS_HANDLE Context) {
    NDIS_NDK_PROVIDER_CHARACTERISTICS Ndk = {0};

    UNREFERENCED_PARAMETER(Context);
    Ndk.Header.Type = NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS;
    Ndk.Header.Revision = NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Ndk.Header.Size = NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Ndk.OpenNDKAdapterHandler = MiniOpen;
    Ndk.CloseNDKAdapterHandler = MiniClose;
    return NdisSetOptionalHandlers(DriverHandle, (PNDIS_DRIVER_OPTIONAL_HANDLERS)(PVOID)&Ndk);
}

/* ---- Life ---- */

static VOID MiniReadKeyword(PMINI_ADAPTER Adapter) {
    NDIS_STRING Keyword = NDIS_STRING_CONST("*NetworkDirect");
    NDIS_CONFIGURATION_OBJECT Object = {0};
    PNDIS_CONFIGURATION_PARAMETER Parameter;
    NDIS_HANDLE Configuration;
    NDIS_STATUS Status;

    Object.Header.Type = NDIS_OBJECT_TYPE_CONFIGURATION_OBJECT;
    Object.Header.Revision = NDIS_CONFIGURATION_OBJECT_REVISION_1;
    Object.Header.Size = NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1;
    Object.NdisHandle = Adapter->Handle;
    if (NdisOpenConfigurationEx(&Object, &Configuration) != NDIS_STATUS_SUCCESS) {
        return;
    }
    NdisReadConfiguration(&Status, &Parameter, Configuration, &Keyword, NdisParameterInteger);
    Adapter->Enabled = Status == NDIS_STATUS_SUCCESS && Parameter->ParameterData.IntegerData == 1;
    NdisCloseConfiguration(Configuration);
}

static VOID MiniAttributes(PMINI_ADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;
    NDIS_NDK_CAPABILITIES Capabilities = {0};
    NDK_ADAPTER_INFO Info = {0};

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
    Attributes.RegistrationAttributes.MiniportAdapterContext = Adapter;
    NdisMSetMiniportAttributes(Adapter->Handle, &Attributes);
    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
    NdisMSetMiniportAttributes(Adapter->Handle, &Attributes);
    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Info.MaxTransferLength = 1 << 20;
    Info.RdmaTechnology = NdkRoCEv2;
    Capabilities.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Capabilities.Header.Revision = NDIS_NDK_CAPABILITIES_REVISION_1;
    Capabilities.Header.Size = NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1;
    Capabilities.NdkInfo = &Info;
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES;
    Attributes.Header.Revision = NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Enabled = Adapter->Enabled;
    Attributes.NDKAttributes.NdkCapabilities = &Capabilities;
    NdisMSetMiniportAttributes(Adapter->Handle, &Attributes);
}

static NDIS_STATUS MiniInitialize(NDIS_HANDLE Handle, NDIS_HANDLE DriverContext,
                                  PNDIS_MINIPORT_INIT_PARAMETERS Parameters) {
    PCM_PARTIAL_RESOURCE_DESCRIPTOR Bar = &Parameters->AllocatedResources->PartialDescriptors[0];
    PMINI_ADAPTER Adapter;

    UNREFERENCED_PARAMETER(DriverContext);
    NT_ASSERT(Bar->Type == CmResourceTypeMemory);
    Adapter = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Adapter), MINI_TAG);
    if (Adapter == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Adapter->Handle = Handle;
    MiniReadKeyword(Adapter);
    MiniAttributes(Adapter);
    Adapter->WorkItem = IoAllocateWorkItem((PDEVICE_OBJECT)(PVOID)MiniDriverObject);
    Adapter->RegisterBytes = Bar->u.Memory.Length;
    NdisMMapIoSpace(&Adapter->Registers, Handle, Bar->u.Memory.Start, Adapter->RegisterBytes);
    NdisMAllocateSharedMemory(Handle, 8192, TRUE, &Adapter->Shared, &Adapter->SharedAddress);
    if (MiniConnect(Adapter) != NDIS_STATUS_SUCCESS) {
        return NDIS_STATUS_FAILURE;
    }
    WRITE_REGISTER_ULONG64((PULONG64)Adapter->Registers, (ULONG64)Adapter->SharedAddress.QuadPart);
    return NDIS_STATUS_SUCCESS;
}

static VOID MiniHalt(NDIS_HANDLE Context, NDIS_HALT_ACTION Action) {
    PMINI_ADAPTER Adapter = Context;

    NdksimCounter("halt", (ULONG64)Action);
    NdisMDeregisterInterruptEx(Adapter->Interrupt);
    NdisMFreeSharedMemory(Adapter->Handle, 8192, TRUE, Adapter->Shared, Adapter->SharedAddress);
    NdisMUnmapIoSpace(Adapter->Handle, Adapter->Registers, Adapter->RegisterBytes);
    IoFreeWorkItem(Adapter->WorkItem);
    ExFreePoolWithTag(Adapter, MINI_TAG);
}

static NDIS_STATUS MiniPause(NDIS_HANDLE Context, PNDIS_MINIPORT_PAUSE_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS MiniRestart(NDIS_HANDLE Context, PNDIS_MINIPORT_RESTART_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static VOID MiniPnp(NDIS_HANDLE Context, PNET_DEVICE_PNP_EVENT Event) {
    UNREFERENCED_PARAMETER(Context);
    NdksimCounter("pnp", (ULONG64)Event->DevicePnPEvent);
}

/* Answers later, as a device does that has to come up again. */
static NDIS_STATUS MiniReset(NDIS_HANDLE Context, PBOOLEAN AddressingReset) {
    PMINI_ADAPTER Adapter = Context;

    *AddressingReset = FALSE;
    Adapter->ResetRuns = TRUE;
    IoQueueWorkItemEx(Adapter->WorkItem, MiniWork, DelayedWorkQueue, Adapter);
    return NDIS_STATUS_PENDING;
}

/* ---- OIDs ---- */

static VOID MiniRaise(PMINI_ADAPTER Adapter, BOOLEAN Enable) {
    NET_PNP_EVENT_NOTIFICATION Event = {0};

    Event.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Event.Header.Revision = NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.Header.Size = NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.NetPnPEvent.NetEvent = Enable ? NetEventNDKEnable : NetEventNDKDisable;
    NdisMNetPnPEvent(Adapter->Handle, &Event);
}

static VOID MiniWork(PVOID IoObject, PVOID Context, PIO_WORKITEM WorkItem) {
    PMINI_ADAPTER Adapter = Context;
    PNDIS_OID_REQUEST Request = Adapter->Pending;

    UNREFERENCED_PARAMETER(IoObject);
    UNREFERENCED_PARAMETER(WorkItem);
    if (Adapter->ResetRuns) {
        Adapter->ResetRuns = FALSE;
        NdksimCounter("resets", 1);
        NdisMResetComplete(Adapter->Handle, NDIS_STATUS_SUCCESS, FALSE);
    } else if (Request != NULL) {
        Adapter->Pending = NULL;
        Request->DATA.QUERY_INFORMATION.BytesWritten = 4;
        *(PULONG)Request->DATA.QUERY_INFORMATION.InformationBuffer = 77;
        NdisMOidRequestComplete(Adapter->Handle, Request, NDIS_STATUS_SUCCESS);
    } else {
        MiniRaise(Adapter, Adapter->Enabled);
        NdksimCounter("raised", Adapter->Enabled);
    }
}

static NDIS_STATUS MiniOid(NDIS_HANDLE Context, PNDIS_OID_REQUEST Request) {
    PMINI_ADAPTER Adapter = Context;

    switch (Request->DATA.QUERY_INFORMATION.Oid) {
    case OID_NDK_SET_STATE:
        Adapter->Enabled = *(PBOOLEAN)Request->DATA.SET_INFORMATION.InformationBuffer;
        IoQueueWorkItemEx(Adapter->WorkItem, MiniWork, DelayedWorkQueue, Adapter);
        return NDIS_STATUS_SUCCESS;
    case OID_PNP_SET_POWER:
        NdksimCounter("power",
                      *(NET_DEVICE_POWER_STATE *)Request->DATA.SET_INFORMATION.InformationBuffer);
        return NDIS_STATUS_SUCCESS;
    case OID_MINI_PENDS:
        Adapter->Pending = Request;
        IoQueueWorkItemEx(Adapter->WorkItem, MiniWork, DelayedWorkQueue, Adapter);
        return NDIS_STATUS_PENDING;
    case OID_MINI_EVENT:
        MiniRaise(Adapter, TRUE);
        return NDIS_STATUS_SUCCESS;
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}

static VOID MiniUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NdisMDeregisterMiniportDriver(MiniDriver);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Mini = {0};

    MiniDriverObject = DriverObject;
    Mini.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS;
    Mini.Header.Revision = NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Mini.Header.Size = NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Mini.MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION;
    Mini.MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION;
    Mini.SetOptionsHandler = MiniSetOptions;
    Mini.InitializeHandlerEx = MiniInitialize;
    Mini.HaltHandlerEx = MiniHalt;
    Mini.UnloadHandler = MiniUnload;
    Mini.PauseHandler = MiniPause;
    Mini.RestartHandler = MiniRestart;
    Mini.ResetHandlerEx = MiniReset;
    Mini.OidRequestHandler = MiniOid;
    Mini.DevicePnPEventNotifyHandler = MiniPnp;
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Mini, &MiniDriver);
}
