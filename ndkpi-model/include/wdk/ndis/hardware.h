/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a miniport needs of its device: registers, DMA memory, message interrupts, configuration.
 */
#ifndef NDKSIM_WDK_NDIS_HARDWARE_H
#define NDKSIM_WDK_NDIS_HARDWARE_H

#include "types.h"

/* Registers: the mapping may be given to READ_REGISTER_ and WRITE_REGISTER_ only. */

NDIS_STATUS NdisMMapIoSpace(_Out_ PVOID *VirtualAddress, _In_ NDIS_HANDLE MiniportAdapterHandle,
                            _In_ NDIS_PHYSICAL_ADDRESS PhysicalAddress, _In_ UINT Length);
VOID NdisMUnmapIoSpace(_In_ NDIS_HANDLE MiniportAdapterHandle, _In_ PVOID VirtualAddress,
                       _In_ UINT Length);
#define NdisReadRegisterUlong(Register, Data) (*(Data) = READ_REGISTER_ULONG((PULONG)(Register)))
#define NdisWriteRegisterUlong(Register, Data) WRITE_REGISTER_ULONG((PULONG)(Register), (Data))

/* DMA memory. A bus master registers for scatter/gather first. */

typedef struct _SCATTER_GATHER_LIST SCATTER_GATHER_LIST, *PSCATTER_GATHER_LIST;
typedef VOID(MINIPORT_PROCESS_SG_LIST)(_In_ PDEVICE_OBJECT DeviceObject, _In_ PVOID Reserved,
                                       _In_ PSCATTER_GATHER_LIST ScatterGatherList,
                                       _In_ PVOID Context);
typedef MINIPORT_PROCESS_SG_LIST *MINIPORT_PROCESS_SG_LIST_HANDLER;
typedef VOID(MINIPORT_ALLOCATE_SHARED_MEM_COMPLETE)(_In_ NDIS_HANDLE MiniportAdapterContext,
                                                    _In_ PVOID VirtualAddress,
                                                    _In_ PNDIS_PHYSICAL_ADDRESS PhysicalAddress,
                                                    _In_ ULONG Length, _In_ PVOID Context);
typedef MINIPORT_ALLOCATE_SHARED_MEM_COMPLETE *MINIPORT_ALLOCATE_SHARED_MEM_COMPLETE_HANDLER;

typedef struct _NDIS_SG_DMA_DESCRIPTION {
    NDIS_OBJECT_HEADER Header;
    ULONG Flags;
    ULONG MaximumPhysicalMapping;
    MINIPORT_PROCESS_SG_LIST_HANDLER ProcessSGListHandler;
    MINIPORT_ALLOCATE_SHARED_MEM_COMPLETE_HANDLER SharedMemAllocateCompleteHandler;
    ULONG ScatterGatherListSize;
} NDIS_SG_DMA_DESCRIPTION, *PNDIS_SG_DMA_DESCRIPTION;
#define NDIS_SG_DMA_DESCRIPTION_REVISION_1 1
#define NDIS_SIZEOF_SG_DMA_DESCRIPTION_REVISION_1                                                  \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_SG_DMA_DESCRIPTION, ScatterGatherListSize)
#define NDIS_SG_DMA_64_BIT_ADDRESS 0x00000001

NDIS_STATUS NdisMRegisterScatterGatherDma(_In_ NDIS_HANDLE MiniportAdapterHandle,
                                          _Inout_ PNDIS_SG_DMA_DESCRIPTION DmaDescription,
                                          _Out_ PNDIS_HANDLE NdisMiniportDmaHandle);
VOID NdisMDeregisterScatterGatherDma(_In_ NDIS_HANDLE NdisMiniportDmaHandle);
/* *VirtualAddress is NULL when there is no memory. */
VOID NdisMAllocateSharedMemory(_In_ NDIS_HANDLE MiniportAdapterHandle, _In_ ULONG Length,
                               _In_ BOOLEAN Cached, _Out_ PVOID *VirtualAddress,
                               _Out_ PNDIS_PHYSICAL_ADDRESS PhysicalAddress);
VOID NdisMFreeSharedMemory(_In_ NDIS_HANDLE MiniportAdapterHandle, _In_ ULONG Length,
                           _In_ BOOLEAN Cached, _In_ PVOID VirtualAddress,
                           _In_ NDIS_PHYSICAL_ADDRESS PhysicalAddress);

/* Interrupts. The service routine runs at device IRQL and asks for a DPC. */

typedef enum _NDIS_INTERRUPT_TYPE {
    NDIS_CONNECT_LINE_BASED = 1,
    NDIS_CONNECT_MESSAGE_BASED
} NDIS_INTERRUPT_TYPE,
    *PNDIS_INTERRUPT_TYPE;

typedef BOOLEAN(MINIPORT_ISR)(_In_ NDIS_HANDLE MiniportInterruptContext,
                              _Out_ PBOOLEAN QueueDefaultInterruptDpc,
                              _Out_ PULONG TargetProcessors);
typedef MINIPORT_ISR *MINIPORT_ISR_HANDLER;
typedef VOID(MINIPORT_INTERRUPT_DPC)(_In_ NDIS_HANDLE MiniportInterruptContext,
                                     _In_ PVOID MiniportDpcContext,
                                     _In_ PVOID ReceiveThrottleParameters,
                                     _In_ PVOID NdisReserved2);
typedef MINIPORT_INTERRUPT_DPC *MINIPORT_INTERRUPT_DPC_HANDLER;
typedef VOID(MINIPORT_DISABLE_INTERRUPT)(_In_ NDIS_HANDLE MiniportInterruptContext);
typedef MINIPORT_DISABLE_INTERRUPT *MINIPORT_DISABLE_INTERRUPT_HANDLER;
typedef VOID(MINIPORT_ENABLE_INTERRUPT)(_In_ NDIS_HANDLE MiniportInterruptContext);
typedef MINIPORT_ENABLE_INTERRUPT *MINIPORT_ENABLE_INTERRUPT_HANDLER;
typedef BOOLEAN(MINIPORT_MESSAGE_INTERRUPT)(_In_ NDIS_HANDLE MiniportInterruptContext,
                                            _In_ ULONG MessageId,
                                            _Out_ PBOOLEAN QueueDefaultInterruptDpc,
                                            _Out_ PULONG TargetProcessors);
typedef MINIPORT_MESSAGE_INTERRUPT MINIPORT_MSI_ISR, *MINIPORT_MSI_ISR_HANDLER;
typedef VOID(MINIPORT_MESSAGE_INTERRUPT_DPC)(_In_ NDIS_HANDLE MiniportInterruptContext,
                                             _In_ ULONG MessageId, _In_ PVOID MiniportDpcContext,
                                             _In_ PVOID ReceiveThrottleParameters,
                                             _In_ PVOID NdisReserved2);
typedef MINIPORT_MESSAGE_INTERRUPT_DPC *MINIPORT_MESSAGE_INTERRUPT_DPC_HANDLER;
typedef VOID(MINIPORT_DISABLE_MESSAGE_INTERRUPT)(_In_ NDIS_HANDLE MiniportInterruptContext,
                                                 _In_ ULONG MessageId);
typedef MINIPORT_DISABLE_MESSAGE_INTERRUPT *MINIPORT_DISABLE_MSI_INTERRUPT_HANDLER;
typedef VOID(MINIPORT_ENABLE_MESSAGE_INTERRUPT)(_In_ NDIS_HANDLE MiniportInterruptContext,
                                                _In_ ULONG MessageId);
typedef MINIPORT_ENABLE_MESSAGE_INTERRUPT *MINIPORT_ENABLE_MSI_INTERRUPT_HANDLER;

/* InterruptType and MessageInfoTable are answers. */
typedef struct _NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS {
    NDIS_OBJECT_HEADER Header;
    MINIPORT_ISR_HANDLER InterruptHandler;
    MINIPORT_INTERRUPT_DPC_HANDLER InterruptDpcHandler;
    MINIPORT_DISABLE_INTERRUPT_HANDLER DisableInterruptHandler;
    MINIPORT_ENABLE_INTERRUPT_HANDLER EnableInterruptHandler;
    BOOLEAN MsiSupported;
    BOOLEAN MsiSyncWithAllMessages;
    MINIPORT_MSI_ISR_HANDLER MessageInterruptHandler;
    MINIPORT_MESSAGE_INTERRUPT_DPC_HANDLER MessageInterruptDpcHandler;
    MINIPORT_DISABLE_MSI_INTERRUPT_HANDLER DisableMessageInterruptHandler;
    MINIPORT_ENABLE_MSI_INTERRUPT_HANDLER EnableMessageInterruptHandler;
    NDIS_INTERRUPT_TYPE InterruptType;
    PIO_INTERRUPT_MESSAGE_INFO MessageInfoTable;
} NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS, *PNDIS_MINIPORT_INTERRUPT_CHARACTERISTICS;
#define NDIS_MINIPORT_INTERRUPT_REVISION_1 1
#define NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1                                  \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS, MessageInfoTable)

NDIS_STATUS NdisMRegisterInterruptEx(
    _In_ NDIS_HANDLE MiniportAdapterHandle, _In_ NDIS_HANDLE MiniportInterruptContext,
    _Inout_ PNDIS_MINIPORT_INTERRUPT_CHARACTERISTICS MiniportInterruptCharacteristics,
    _Out_ PNDIS_HANDLE NdisInterruptHandle);
/* Waits for running service routines and DPCs; none runs afterwards. */
VOID NdisMDeregisterInterruptEx(_In_ NDIS_HANDLE NdisInterruptHandle);
/* The processors on which a DPC was queued now. */
KAFFINITY NdisMQueueDpcEx(_In_ NDIS_HANDLE NdisInterruptHandle, _In_ ULONG MessageId,
                          _In_ PGROUP_AFFINITY TargetProcessors, _In_opt_ PVOID MiniportDpcContext);
ULONG NdisMQueueDpc(_In_ NDIS_HANDLE NdisInterruptHandle, _In_ ULONG MessageId,
                    _In_ ULONG TargetProcessors, _In_opt_ PVOID MiniportDpcContext);

typedef BOOLEAN(MINIPORT_SYNCHRONIZE_INTERRUPT)(_In_ NDIS_HANDLE SynchronizeContext);
typedef MINIPORT_SYNCHRONIZE_INTERRUPT *MINIPORT_SYNCHRONIZE_INTERRUPT_HANDLER;
typedef MINIPORT_SYNCHRONIZE_INTERRUPT MINIPORT_SYNCHRONIZE_MESSAGE_INTERRUPT;
BOOLEAN
NdisMSynchronizeWithInterruptEx(_In_ NDIS_HANDLE NdisInterruptHandle, _In_ ULONG MessageId,
                                _In_ MINIPORT_SYNCHRONIZE_INTERRUPT_HANDLER SynchronizeFunction,
                                _In_ PVOID SynchronizeContext);

/* Configuration: the adapter's keywords, from the scenario. */

typedef enum _NDIS_PARAMETER_TYPE {
    NdisParameterInteger,
    NdisParameterHexInteger,
    NdisParameterString,
    NdisParameterMultiString,
    NdisParameterBinary
} NDIS_PARAMETER_TYPE,
    *PNDIS_PARAMETER_TYPE;

typedef struct {
    USHORT Length;
    PVOID Buffer;
} BINARY_DATA;

typedef struct _NDIS_CONFIGURATION_PARAMETER {
    NDIS_PARAMETER_TYPE ParameterType;
    union {
        ULONG IntegerData;
        NDIS_STRING StringData;
        BINARY_DATA BinaryData;
    } ParameterData;
} NDIS_CONFIGURATION_PARAMETER, *PNDIS_CONFIGURATION_PARAMETER;

typedef struct _NDIS_CONFIGURATION_OBJECT {
    NDIS_OBJECT_HEADER Header;
    NDIS_HANDLE NdisHandle;
    ULONG Flags;
} NDIS_CONFIGURATION_OBJECT, *PNDIS_CONFIGURATION_OBJECT;
#define NDIS_CONFIGURATION_OBJECT_REVISION_1 1
#define NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1                                                \
    RTL_SIZEOF_THROUGH_FIELD(NDIS_CONFIGURATION_OBJECT, Flags)

NDIS_STATUS NdisOpenConfigurationEx(_In_ PNDIS_CONFIGURATION_OBJECT ConfigObject,
                                    _Out_ PNDIS_HANDLE ConfigurationHandle);
/* *ParameterValue belongs to NDIS and lives until the configuration is closed. */
VOID NdisReadConfiguration(_Out_ PNDIS_STATUS Status,
                           _Out_ PNDIS_CONFIGURATION_PARAMETER *ParameterValue,
                           _In_ NDIS_HANDLE ConfigurationHandle, _In_ PNDIS_STRING Keyword,
                           _In_ NDIS_PARAMETER_TYPE ParameterType);
VOID NdisCloseConfiguration(_In_ NDIS_HANDLE ConfigurationHandle);

#endif
