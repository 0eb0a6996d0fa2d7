/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The miniport driver and its adapter: registration, attributes, life cycle.
 */
#ifndef NDKSIM_WDK_NDIS_MINIPORT_H
#define NDKSIM_WDK_NDIS_MINIPORT_H

#include "../netpnp.h"
#include "oid.h"
#include "types.h"

/* Life-cycle parameters. */

typedef enum _NDIS_HALT_ACTION {
    NdisHaltDeviceDisabled,
    NdisHaltDeviceInstanceDeInitialized,
    NdisHaltDevicePoweredDown,
    NdisHaltDeviceSurpriseRemoved,
    NdisHaltDeviceFailed,
    NdisHaltDeviceInitializationFailed,
    NdisHaltDeviceStopped
} NDIS_HALT_ACTION,
    *PNDIS_HALT_ACTION;

typedef enum _NDIS_SHUTDOWN_ACTION {
    NdisShutdownPowerOff,
    NdisShutdownBugCheck
} NDIS_SHUTDOWN_ACTION,
    *PNDIS_SHUTDOWN_ACTION;

typedef enum _NDIS_DEVICE_PNP_EVENT {
    NdisDevicePnPEventQueryRemoved,
    NdisDevicePnPEventRemoved,
    NdisDevicePnPEventSurpriseRemoved,
    NdisDevicePnPEventQueryStopped,
    NdisDevicePnPEventStopped,
    NdisDevicePnPEventPowerProfileChanged,
    NdisDevicePnPEventFilterListChanged,
    NdisDevicePnPEventMaximum
} NDIS_DEVICE_PNP_EVENT,
    *PNDIS_DEVICE_PNP_EVENT;

typedef enum _NDIS_INTERFACE_TYPE {
    NdisInterfaceInternal = Internal,
    NdisInterfaceIsa = Isa,
    NdisInterfaceEisa = Eisa,
    NdisInterfaceMca = MicroChannel,
    NdisInterfaceTurboChannel = TurboChannel,
    NdisInterfacePci = PCIBus,
    NdisInterfacePcMcia = PCMCIABus,
    NdisInterfaceCBus = CBus,
    NdisInterfaceMPIBus = MPIBus,
    NdisInterfaceMPSABus = MPSABus,
    NdisInterfaceProcessorInternal = ProcessorInternal,
    NdisInterfaceInternalPowerBus = InternalPowerBus,
    NdisInterfacePNPISABus = PNPISABus,
    NdisInterfacePNPBus = PNPBus,
    NdisMaximumInterfaceType
} NDIS_INTERFACE_TYPE,
    *PNDIS_INTERFACE_TYPE;

struct _NDIS_PORT_AUTHENTICATION_PARAMETERS;
struct _NDIS_PCI_DEVICE_CUSTOM_PROPERTIES;
struct _NDIS_RESTART_ATTRIBUTES;

/* AllocatedResources: BARs as CmResourceTypeMemory, messages as CmResourceTypeInterrupt. */
typedef struct _NDIS_MINIPORT_INIT_PARAMETERS {
    NDIS_OBJECT_HEADER Header;
    ULONG Flags;
    PNDIS_RESOURCE_LIST AllocatedResources;
    NDIS_HANDLE IMDeviceInstanceContext;
    NDIS_HANDLE MiniportAddDeviceContext;
    NET_IFINDEX IfIndex;
    NET_LUID NetLuid;
    struct _NDIS_PORT_AUTHENTICATION_PARAMETERS *DefaultPortAuthStates;
    struct _NDIS_PCI_DEVICE_CUSTOM_PROPERTIES *PciDeviceCustomProperties;
} NDIS_MINIPORT_INIT_PARAMETERS, *PNDIS_MINIPORT_INIT_PARAMETERS;
#define NDIS_MINIPORT_INIT_PARAMETERS_REVISION_1 1
#define NDIS_SIZEOF_MINIPORT_INIT_PARAMETERS_REVISION_1                                            \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_INIT_PARAMETERS, PciDeviceCustomProperties)

typedef struct _NDIS_MINIPORT_RESTART_PARAMETERS {
    NDIS_OBJECT_HEADER Header;
    struct _NDIS_RESTART_ATTRIBUTES *RestartAttributes;
    ULONG Flags;
} NDIS_MINIPORT_RESTART_PARAMETERS, *PNDIS_MINIPORT_RESTART_PARAMETERS;
#define NDIS_MINIPORT_RESTART_PARAMETERS_REVISION_1 1

typedef struct _NDIS_MINIPORT_PAUSE_PARAMETERS {
    NDIS_OBJECT_HEADER Header;
    ULONG Flags;
    ULONG PauseReason;
} NDIS_MINIPORT_PAUSE_PARAMETERS, *PNDIS_MINIPORT_PAUSE_PARAMETERS;
#define NDIS_MINIPORT_PAUSE_PARAMETERS_REVISION_1 1
#define NDIS_PAUSE_NDIS_INTERNAL 0x00000001
#define NDIS_PAUSE_LOW_POWER 0x00000002

typedef struct _NET_DEVICE_PNP_EVENT {
    NDIS_OBJECT_HEADER Header;
    NDIS_PORT_NUMBER PortNumber;
    NDIS_DEVICE_PNP_EVENT DevicePnPEvent;
    PVOID InformationBuffer;
    ULONG InformationBufferLength;
    UCHAR NdisReserved[2 * sizeof(PVOID)];
} NET_DEVICE_PNP_EVENT, *PNET_DEVICE_PNP_EVENT;
#define NET_DEVICE_PNP_EVENT_REVISION_1 1

/* Handlers. */

typedef NDIS_STATUS(SET_OPTIONS)(_In_ NDIS_HANDLE NdisDriverHandle, _In_ NDIS_HANDLE DriverContext);
typedef SET_OPTIONS *SET_OPTIONS_HANDLER;
typedef SET_OPTIONS MINIPORT_SET_OPTIONS;
typedef NDIS_STATUS(MINIPORT_INITIALIZE)(_In_ NDIS_HANDLE NdisMiniportHandle,
                                         _In_ NDIS_HANDLE MiniportDriverContext,
                                         _In_ PNDIS_MINIPORT_INIT_PARAMETERS InitParameters);
typedef MINIPORT_INITIALIZE *MINIPORT_INITIALIZE_HANDLER;
typedef VOID(MINIPORT_HALT)(_In_ NDIS_HANDLE MiniportAdapterContext,
                            _In_ NDIS_HALT_ACTION HaltAction);
typedef MINIPORT_HALT *MINIPORT_HALT_HANDLER;
typedef VOID(MINIPORT_UNLOAD)(_In_ PDRIVER_OBJECT DriverObject);
typedef MINIPORT_UNLOAD MINIPORT_DRIVER_UNLOAD, *MINIPORT_DRIVER_UNLOAD_HANDLER;
typedef NDIS_STATUS(MINIPORT_PAUSE)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                    _In_ PNDIS_MINIPORT_PAUSE_PARAMETERS PauseParameters);
typedef MINIPORT_PAUSE *MINIPORT_PAUSE_HANDLER;
typedef NDIS_STATUS(MINIPORT_RESTART)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                      _In_ PNDIS_MINIPORT_RESTART_PARAMETERS RestartParameters);
typedef MINIPORT_RESTART *MINIPORT_RESTART_HANDLER;
typedef VOID(MINIPORT_SEND_NET_BUFFER_LISTS)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                             _In_ PNET_BUFFER_LIST NetBufferList,
                                             _In_ NDIS_PORT_NUMBER PortNumber,
                                             _In_ ULONG SendFlags);
typedef MINIPORT_SEND_NET_BUFFER_LISTS *MINIPORT_SEND_NET_BUFFER_LISTS_HANDLER;
typedef VOID(MINIPORT_RETURN_NET_BUFFER_LISTS)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                               _In_ PNET_BUFFER_LIST NetBufferLists,
                                               _In_ ULONG ReturnFlags);
typedef MINIPORT_RETURN_NET_BUFFER_LISTS *MINIPORT_RETURN_NET_BUFFER_LISTS_HANDLER;
typedef VOID(MINIPORT_CANCEL_SEND)(_In_ NDIS_HANDLE MiniportAdapterContext, _In_ PVOID CancelId);
typedef MINIPORT_CANCEL_SEND *MINIPORT_CANCEL_SEND_HANDLER;
typedef BOOLEAN(MINIPORT_CHECK_FOR_HANG)(_In_ NDIS_HANDLE MiniportAdapterContext);
typedef MINIPORT_CHECK_FOR_HANG *MINIPORT_CHECK_FOR_HANG_HANDLER;
typedef NDIS_STATUS(MINIPORT_RESET)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                    _Out_ PBOOLEAN AddressingReset);
typedef MINIPORT_RESET *MINIPORT_RESET_HANDLER;
typedef VOID(MINIPORT_DEVICE_PNP_EVENT_NOTIFY)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                               _In_ PNET_DEVICE_PNP_EVENT NetDevicePnPEvent);
typedef MINIPORT_DEVICE_PNP_EVENT_NOTIFY *MINIPORT_DEVICE_PNP_EVENT_NOTIFY_HANDLER;
typedef VOID(MINIPORT_SHUTDOWN)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                _In_ NDIS_SHUTDOWN_ACTION ShutdownAction);
typedef MINIPORT_SHUTDOWN *MINIPORT_SHUTDOWN_HANDLER;

typedef struct _NDIS_MINIPORT_DRIVER_CHARACTERISTICS {
    NDIS_OBJECT_HEADER Header;
    UCHAR MajorNdisVersion;
    UCHAR MinorNdisVersion;
    UCHAR MajorDriverVersion;
    UCHAR MinorDriverVersion;
    ULONG Flags;
    SET_OPTIONS_HANDLER SetOptionsHandler;
    MINIPORT_INITIALIZE_HANDLER InitializeHandlerEx;
    MINIPORT_HALT_HANDLER HaltHandlerEx;
    MINIPORT_DRIVER_UNLOAD_HANDLER UnloadHandler;
    MINIPORT_PAUSE_HANDLER PauseHandler;
    MINIPORT_RESTART_HANDLER RestartHandler;
    MINIPORT_OID_REQUEST_HANDLER OidRequestHandler;
    MINIPORT_SEND_NET_BUFFER_LISTS_HANDLER SendNetBufferListsHandler;
    MINIPORT_RETURN_NET_BUFFER_LISTS_HANDLER ReturnNetBufferListsHandler;
    MINIPORT_CANCEL_SEND_HANDLER CancelSendHandler;
    MINIPORT_CHECK_FOR_HANG_HANDLER CheckForHangHandlerEx;
    MINIPORT_RESET_HANDLER ResetHandlerEx;
    MINIPORT_DEVICE_PNP_EVENT_NOTIFY_HANDLER DevicePnPEventNotifyHandler;
    MINIPORT_SHUTDOWN_HANDLER ShutdownHandlerEx;
    MINIPORT_CANCEL_OID_REQUEST_HANDLER CancelOidRequestHandler;
    MINIPORT_DIRECT_OID_REQUEST_HANDLER DirectOidRequestHandler;
    MINIPORT_CANCEL_DIRECT_OID_REQUEST_HANDLER CancelDirectOidRequestHandler;
    MINIPORT_SYNCHRONOUS_OID_REQUEST_HANDLER SynchronousOidRequestHandler;
} NDIS_MINIPORT_DRIVER_CHARACTERISTICS, *PNDIS_MINIPORT_DRIVER_CHARACTERISTICS;
#define NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_1 1
#define NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2 2
#define NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_3 3
#define NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_1                                     \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, CancelOidRequestHandler)
#define NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2                                     \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, CancelDirectOidRequestHandler)
#define NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_3                                     \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_DRIVER_CHARACTERISTICS, SynchronousOidRequestHandler)
#define NDIS_INTERMEDIATE_DRIVER 0x00000001
#define NDIS_WDM_DRIVER 0x00000002

typedef NDIS_OBJECT_HEADER NDIS_DRIVER_OPTIONAL_HANDLERS, *PNDIS_DRIVER_OPTIONAL_HANDLERS;

NDIS_STATUS NdisMRegisterMiniportDriver(
    _In_ PDRIVER_OBJECT DriverObject, _In_ PUNICODE_STRING RegistryPath,
    _In_opt_ NDIS_HANDLE MiniportDriverContext,
    _In_ PNDIS_MINIPORT_DRIVER_CHARACTERISTICS MiniportDriverCharacteristics,
    _Out_ PNDIS_HANDLE NdisMiniportDriverHandle);
VOID NdisMDeregisterMiniportDriver(_In_ NDIS_HANDLE NdisMiniportDriverHandle);
/* From MiniportSetOptions only. */
NDIS_STATUS NdisSetOptionalHandlers(_In_ NDIS_HANDLE NdisHandle,
                                    _In_ PNDIS_DRIVER_OPTIONAL_HANDLERS OptionalHandlers);
VOID NdisMPauseComplete(_In_ NDIS_HANDLE MiniportAdapterHandle);
VOID NdisMRestartComplete(_In_ NDIS_HANDLE MiniportAdapterHandle, _In_ NDIS_STATUS Status);
VOID NdisMResetComplete(_In_ NDIS_HANDLE MiniportAdapterHandle, _In_ NDIS_STATUS Status,
                        _In_ BOOLEAN AddressingReset);

/* Attributes, set from MiniportInitializeEx: registration first, then the others. */

typedef struct _NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES {
    NDIS_OBJECT_HEADER Header;
    NDIS_HANDLE MiniportAdapterContext;
    ULONG AttributeFlags;
    UINT CheckForHangTimeInSeconds;
    NDIS_INTERFACE_TYPE InterfaceType;
} NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES, *PNDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
#define NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1 1
#define NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_2 2
#define NDIS_SIZEOF_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1                            \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES, InterfaceType)
#define NDIS_SIZEOF_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_2                            \
    NDIS_SIZEOF_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES_REVISION_1
#define NDIS_MINIPORT_ATTRIBUTES_HARDWARE_DEVICE 0x00000001
#define NDIS_MINIPORT_ATTRIBUTES_NDIS_WDM 0x00000002
#define NDIS_MINIPORT_ATTRIBUTES_SURPRISE_REMOVE_OK 0x00000004
#define NDIS_MINIPORT_ATTRIBUTES_NOT_CO_NDIS 0x00000008
#define NDIS_MINIPORT_ATTRIBUTES_DO_NOT_BIND_TO_ALL_CO 0x00000010
#define NDIS_MINIPORT_ATTRIBUTES_NO_HALT_ON_SUSPEND 0x00000020
#define NDIS_MINIPORT_ATTRIBUTES_BUS_MASTER 0x00000040
#define NDIS_MINIPORT_ATTRIBUTES_CONTROLS_DEFAULT_PORT 0x00000080
#define NDIS_MINIPORT_ATTRIBUTES_NO_PAUSE_ON_SUSPEND 0x00000100
#define NDIS_MINIPORT_ATTRIBUTES_REGISTER_BUGCHECK_CALLBACK 0x00000400

#define NDIS_MAX_PHYS_ADDRESS_LENGTH IF_MAX_PHYS_ADDRESS_LENGTH
struct _NDIS_PNP_CAPABILITIES;
struct _NDIS_RECEIVE_SCALE_CAPABILITIES;
struct _NDIS_PM_CAPABILITIES;

typedef struct _NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES {
    NDIS_OBJECT_HEADER Header;
    ULONG Flags;
    NDIS_MEDIUM MediaType;
    NDIS_PHYSICAL_MEDIUM PhysicalMediumType;
    ULONG MtuSize;
    ULONG64 MaxXmitLinkSpeed;
    ULONG64 XmitLinkSpeed;
    ULONG64 MaxRcvLinkSpeed;
    ULONG64 RcvLinkSpeed;
    NDIS_MEDIA_CONNECT_STATE MediaConnectState;
    NDIS_MEDIA_DUPLEX_STATE MediaDuplexState;
    ULONG LookaheadSize;
    struct _NDIS_PNP_CAPABILITIES *PowerManagementCapabilities;
    ULONG MacOptions;
    ULONG SupportedPacketFilters;
    ULONG MaxMulticastListSize;
    USHORT MacAddressLength;
    UCHAR PermanentMacAddress[NDIS_MAX_PHYS_ADDRESS_LENGTH];
    UCHAR CurrentMacAddress[NDIS_MAX_PHYS_ADDRESS_LENGTH];
    struct _NDIS_RECEIVE_SCALE_CAPABILITIES *RecvScaleCapabilities;
    NET_IF_ACCESS_TYPE AccessType;
    NET_IF_DIRECTION_TYPE DirectionType;
    NET_IF_CONNECTION_TYPE ConnectionType;
    NET_IFTYPE IfType;
    BOOLEAN IfConnectorPresent;
    ULONG SupportedStatistics;
    ULONG SupportedPauseFunctions;
    ULONG DataBackFillSize;
    ULONG ContextBackFillSize;
    PNDIS_OID SupportedOidList;
    ULONG SupportedOidListLength;
    ULONG AutoNegotiationFlags;
    struct _NDIS_PM_CAPABILITIES *PowerManagementCapabilitiesEx;
} NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES, *PNDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
#define NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1 1
#define NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_2 2
#define NDIS_SIZEOF_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_1                                 \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES, AutoNegotiationFlags)
#define NDIS_SIZEOF_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES_REVISION_2                                 \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES,                             \
                             PowerManagementCapabilitiesEx)

typedef struct _NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES {
    NDIS_OBJECT_HEADER Header;
    BOOLEAN Enabled;
    NDIS_NDK_CAPABILITIES *NdkCapabilities;
} NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, *PNDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES;
#define NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1 1
#define NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1                                     \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES, NdkCapabilities)

typedef union _NDIS_MINIPORT_ADAPTER_ATTRIBUTES {
    NDIS_OBJECT_HEADER Header;
    NDIS_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES RegistrationAttributes;
    NDIS_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES GeneralAttributes;
    NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES NDKAttributes;
} NDIS_MINIPORT_ADAPTER_ATTRIBUTES, *PNDIS_MINIPORT_ADAPTER_ATTRIBUTES;

NDIS_STATUS NdisMSetMiniportAttributes(_In_ NDIS_HANDLE NdisMiniportHandle,
                                       _In_ PNDIS_MINIPORT_ADAPTER_ATTRIBUTES MiniportAttributes);

/* Events upwards. NetEventNDKDisable blocks until every NDK adapter is closed. */

typedef struct _NET_PNP_EVENT_NOTIFICATION {
    NDIS_OBJECT_HEADER Header;
    NDIS_PORT_NUMBER PortNumber;
    NET_PNP_EVENT NetPnPEvent;
    ULONG Flags;
    NDIS_NIC_SWITCH_ID SwitchId;
    NDIS_NIC_SWITCH_VPORT_ID VPortId;
} NET_PNP_EVENT_NOTIFICATION, *PNET_PNP_EVENT_NOTIFICATION;
#define NET_PNP_EVENT_NOTIFICATION_REVISION_1 1
#define NET_PNP_EVENT_NOTIFICATION_REVISION_2 2
#define NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_1                                          \
    RTL_SIZEOF_THROUGH_FIELD(NET_PNP_EVENT_NOTIFICATION, Flags)
#define NDIS_SIZEOF_NET_PNP_EVENT_NOTIFICATION_REVISION_2                                          \
    RTL_SIZEOF_THROUGH_FIELD(NET_PNP_EVENT_NOTIFICATION, VPortId)

_IRQL_requires_(PASSIVE_LEVEL) NDIS_STATUS
    NdisMNetPnPEvent(_In_ NDIS_HANDLE MiniportAdapterHandle,
                     _In_ PNET_PNP_EVENT_NOTIFICATION NetPnPEventNotification);

typedef struct _NDIS_STATUS_INDICATION {
    NDIS_OBJECT_HEADER Header;
    NDIS_HANDLE SourceHandle;
    NDIS_PORT_NUMBER PortNumber;
    NDIS_STATUS StatusCode;
    ULONG Flags;
    NDIS_HANDLE DestinationHandle;
    PVOID RequestId;
    PVOID StatusBuffer;
    ULONG StatusBufferSize;
    GUID Guid;
    PVOID NdisReserved[4];
} NDIS_STATUS_INDICATION, *PNDIS_STATUS_INDICATION;
#define NDIS_STATUS_INDICATION_REVISION_1 1
#define NDIS_SIZEOF_STATUS_INDICATION_REVISION_1                                                   \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_STATUS_INDICATION, NdisReserved)

VOID NdisMIndicateStatusEx(_In_ NDIS_HANDLE MiniportAdapterHandle,
                           _In_ PNDIS_STATUS_INDICATION StatusIndication);

#endif
