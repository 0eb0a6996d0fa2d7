/* SPDX-License-Identifier: Apache-2.0 */
/* The NDIS side: the miniport of an adapter, which offers NDK. */
#include "provider.h"

PDRIVER_OBJECT DriverObjectOfProvider;
static NDIS_HANDLE Driver;

static MINIPORT_SET_OPTIONS SetOptions;
static MINIPORT_INITIALIZE Initialize;
static MINIPORT_HALT Halt;
static MINIPORT_UNLOAD Unload;
static MINIPORT_PAUSE Pause;
static MINIPORT_RESTART Restart;
static MINIPORT_OID_REQUEST Oid;
static MINIPORT_DEVICE_PNP_EVENT_NOTIFY Pnp;
DRIVER_INITIALIZE DriverEntry;

static NDIS_STATUS SetOptions(NDIS_HANDLE DriverHandle, NDIS_HANDLE Context) {
    NDIS_NDK_PROVIDER_CHARACTERISTICS Ndk = {0};

    UNREFERENCED_PARAMETER(Context);
    Ndk.Header.Type = NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS;
    Ndk.Header.Revision = NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Ndk.Header.Size = NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1;
    Ndk.OpenNDKAdapterHandler = AdapterOpen;
    Ndk.CloseNDKAdapterHandler = AdapterClose;
    return NdisSetOptionalHandlers(DriverHandle, (PNDIS_DRIVER_OPTIONAL_HANDLERS)(PVOID)&Ndk);
}

static VOID SayAttributes(PPROVIDER Provider) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;
    NDIS_NDK_CAPABILITIES Capabilities = {0};

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
    NdisMSetMiniportAttributes(Provider->Handle, &Attributes);
    Capabilities.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Capabilities.Header.Revision = NDIS_NDK_CAPABILITIES_REVISION_1;
    Capabilities.Header.Size = NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1;
    Capabilities.NdkInfo = &Provider->Info;
    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES;
    Attributes.Header.Revision = NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.Header.Size = NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1;
    Attributes.NDKAttributes.Enabled = Provider->NdkEnabled;
    Attributes.NDKAttributes.NdkCapabilities = &Capabilities;
    NdisMSetMiniportAttributes(Provider->Handle, &Attributes);
}

static VOID SayContext(PPROVIDER Provider) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
    Attributes.RegistrationAttributes.MiniportAdapterContext = Provider;
    NdisMSetMiniportAttributes(Provider->Handle, &Attributes);
}

/* What consumers wait for before they open the adapter. */
static VOID SayEnabled(PPROVIDER Provider) {
    NET_PNP_EVENT_NOTIFICATION Event = {0};

    Event.Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Event.Header.Revision = NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.Header.Size = NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1;
    Event.NetPnPEvent.NetEvent = NetEventNDKEnable;
    NdisMNetPnPEvent(Provider->Handle, &Event);
}

static NDIS_STATUS Initialize(NDIS_HANDLE Handle, NDIS_HANDLE DriverContext,
                              PNDIS_MINIPORT_INIT_PARAMETERS Parameters) {
    PPROVIDER Provider = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Provider), PROVIDER_TAG);
    NDIS_STATUS Status;

    UNREFERENCED_PARAMETER(DriverContext);
    if (Provider == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Provider->Handle = Handle;
    Status = KeywordsRead(Provider);
    if (Status != NDIS_STATUS_SUCCESS) {
        ExFreePoolWithTag(Provider, PROVIDER_TAG);
        return Status;
    }
    SayContext(Provider);
    if (!NT_SUCCESS(HalOpen(&Provider->Hal, Handle,
                            &Parameters->AllocatedResources->PartialDescriptors[0]))) {
        HalClose(&Provider->Hal);
        ExFreePoolWithTag(Provider, PROVIDER_TAG);
        return NDIS_STATUS_FAILURE;
    }
    AdapterFillInfo(Provider);
    SayAttributes(Provider);
    if (Provider->NdkEnabled) {
        SayEnabled(Provider);
    }
    return NDIS_STATUS_SUCCESS;
}

static VOID Halt(NDIS_HANDLE Context, NDIS_HALT_ACTION Action) {
    PPROVIDER Provider = Context;

    UNREFERENCED_PARAMETER(Action);
    HalClose(&Provider->Hal);
    ExFreePoolWithTag(Provider, PROVIDER_TAG);
}

static NDIS_STATUS Pause(NDIS_HANDLE Context, PNDIS_MINIPORT_PAUSE_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Restart(NDIS_HANDLE Context, PNDIS_MINIPORT_RESTART_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Oid(NDIS_HANDLE Context, PNDIS_OID_REQUEST Request) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Request);
    return NDIS_STATUS_NOT_SUPPORTED;
}

static VOID Pnp(NDIS_HANDLE Context, PNET_DEVICE_PNP_EVENT Event) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Event);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NdisMDeregisterMiniportDriver(Driver);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Characteristics = {0};

    DriverObjectOfProvider = DriverObject;
    Characteristics.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS;
    Characteristics.Header.Revision = NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.Header.Size = NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION;
    Characteristics.MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION;
    Characteristics.SetOptionsHandler = SetOptions;
    Characteristics.InitializeHandlerEx = Initialize;
    Characteristics.HaltHandlerEx = Halt;
    Characteristics.UnloadHandler = Unload;
    Characteristics.PauseHandler = Pause;
    Characteristics.RestartHandler = Restart;
    Characteristics.OidRequestHandler = Oid;
    Characteristics.DevicePnPEventNotifyHandler = Pnp;
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Characteristics, &Driver);
}
