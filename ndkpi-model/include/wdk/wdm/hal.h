/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device registers and hardware resources.
 *
 * Register accesses are functions: the device model answers them, and each is a schedule point.
 * Reading a mapped register through a plain pointer faults.
 */
#ifndef NDKSIM_WDK_WDM_HAL_H
#define NDKSIM_WDK_WDM_HAL_H

#include "../ntdef.h"

UCHAR NTAPI READ_REGISTER_UCHAR(_In_ volatile UCHAR *Register);
USHORT NTAPI READ_REGISTER_USHORT(_In_ volatile USHORT *Register);
ULONG NTAPI READ_REGISTER_ULONG(_In_ volatile ULONG *Register);
ULONG64 NTAPI READ_REGISTER_ULONG64(_In_ volatile ULONG64 *Register);
VOID NTAPI READ_REGISTER_BUFFER_UCHAR(_In_ volatile UCHAR *Register,
                                      _Out_writes_all_(Count) PUCHAR Buffer, _In_ ULONG Count);
VOID NTAPI READ_REGISTER_BUFFER_USHORT(_In_ volatile USHORT *Register,
                                       _Out_writes_all_(Count) PUSHORT Buffer, _In_ ULONG Count);
VOID NTAPI READ_REGISTER_BUFFER_ULONG(_In_ volatile ULONG *Register,
                                      _Out_writes_all_(Count) PULONG Buffer, _In_ ULONG Count);
VOID NTAPI READ_REGISTER_BUFFER_ULONG64(_In_ volatile ULONG64 *Register,
                                        _Out_writes_all_(Count) PULONG64 Buffer, _In_ ULONG Count);
VOID NTAPI WRITE_REGISTER_UCHAR(_In_ volatile UCHAR *Register, _In_ UCHAR Value);
VOID NTAPI WRITE_REGISTER_USHORT(_In_ volatile USHORT *Register, _In_ USHORT Value);
VOID NTAPI WRITE_REGISTER_ULONG(_In_ volatile ULONG *Register, _In_ ULONG Value);
VOID NTAPI WRITE_REGISTER_ULONG64(_In_ volatile ULONG64 *Register, _In_ ULONG64 Value);
VOID NTAPI WRITE_REGISTER_BUFFER_UCHAR(_In_ volatile UCHAR *Register,
                                       _In_reads_(Count) PUCHAR Buffer, _In_ ULONG Count);
VOID NTAPI WRITE_REGISTER_BUFFER_USHORT(_In_ volatile USHORT *Register,
                                        _In_reads_(Count) PUSHORT Buffer, _In_ ULONG Count);
VOID NTAPI WRITE_REGISTER_BUFFER_ULONG(_In_ volatile ULONG *Register,
                                       _In_reads_(Count) PULONG Buffer, _In_ ULONG Count);
VOID NTAPI WRITE_REGISTER_BUFFER_ULONG64(_In_ volatile ULONG64 *Register,
                                         _In_reads_(Count) PULONG64 Buffer, _In_ ULONG Count);

typedef enum _INTERFACE_TYPE {
    InterfaceTypeUndefined = -1,
    Internal,
    Isa,
    Eisa,
    MicroChannel,
    TurboChannel,
    PCIBus,
    VMEBus,
    NuBus,
    PCMCIABus,
    CBus,
    MPIBus,
    MPSABus,
    ProcessorInternal,
    InternalPowerBus,
    PNPISABus,
    PNPBus,
    Vmcs,
    ACPIBus,
    MaximumInterfaceType
} INTERFACE_TYPE,
    *PINTERFACE_TYPE;

#define CmResourceTypeNull 0
#define CmResourceTypePort 1
#define CmResourceTypeInterrupt 2
#define CmResourceTypeMemory 3
#define CmResourceTypeDma 4
#define CmResourceTypeDeviceSpecific 5
#define CmResourceTypeBusNumber 6
#define CmResourceTypeMemoryLarge 7

#define CM_RESOURCE_MEMORY_READ_WRITE 0x0000
#define CM_RESOURCE_MEMORY_READ_ONLY 0x0001
#define CM_RESOURCE_MEMORY_PREFETCHABLE 0x0004
#define CM_RESOURCE_MEMORY_BAR 0x0080
#define CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE 0
#define CM_RESOURCE_INTERRUPT_LATCHED 1
#define CM_RESOURCE_INTERRUPT_MESSAGE 2
#define CM_RESOURCE_INTERRUPT_POLICY_INCLUDED 4
#define CM_RESOURCE_INTERRUPT_MESSAGE_TOKEN ((ULONG)-2)

typedef enum _CM_SHARE_DISPOSITION {
    CmResourceShareUndetermined = 0,
    CmResourceShareDeviceExclusive,
    CmResourceShareDriverExclusive,
    CmResourceShareShared
} CM_SHARE_DISPOSITION;

#pragma pack(push, 4)
typedef struct _CM_PARTIAL_RESOURCE_DESCRIPTOR {
    UCHAR Type;
    UCHAR ShareDisposition;
    USHORT Flags;
    union {
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Generic;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Port;
        struct {
            USHORT Level;
            USHORT Group;
            ULONG Vector;
            KAFFINITY Affinity;
        } Interrupt;
        struct {
            union {
                struct {
                    USHORT Group;
                    USHORT MessageCount;
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Raw;
                struct {
                    USHORT Level;
                    USHORT Group;
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Translated;
            };
        } MessageInterrupt;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Memory;
        struct {
            ULONG Channel;
            ULONG Port;
            ULONG Reserved1;
        } Dma;
        struct {
            ULONG Data[3];
        } DevicePrivate;
        struct {
            ULONG Start;
            ULONG Length;
            ULONG Reserved;
        } BusNumber;
        struct {
            ULONG DataSize;
            ULONG Reserved1;
            ULONG Reserved2;
        } DeviceSpecificData;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length40;
        } Memory40;
    } u;
} CM_PARTIAL_RESOURCE_DESCRIPTOR, *PCM_PARTIAL_RESOURCE_DESCRIPTOR;

typedef struct _CM_PARTIAL_RESOURCE_LIST {
    USHORT Version;
    USHORT Revision;
    ULONG Count;
    CM_PARTIAL_RESOURCE_DESCRIPTOR PartialDescriptors[1];
} CM_PARTIAL_RESOURCE_LIST, *PCM_PARTIAL_RESOURCE_LIST;
#pragma pack(pop)

typedef struct _CM_FULL_RESOURCE_DESCRIPTOR {
    INTERFACE_TYPE InterfaceType;
    ULONG BusNumber;
    CM_PARTIAL_RESOURCE_LIST PartialResourceList;
} CM_FULL_RESOURCE_DESCRIPTOR, *PCM_FULL_RESOURCE_DESCRIPTOR;

typedef struct _CM_RESOURCE_LIST {
    ULONG Count;
    CM_FULL_RESOURCE_DESCRIPTOR List[1];
} CM_RESOURCE_LIST, *PCM_RESOURCE_LIST;

typedef enum _KINTERRUPT_POLARITY {
    InterruptPolarityUnknown,
    InterruptActiveHigh,
    InterruptActiveLow
} KINTERRUPT_POLARITY;
typedef enum _KINTERRUPT_MODE { LevelSensitive, Latched } KINTERRUPT_MODE;

typedef struct _IO_INTERRUPT_MESSAGE_INFO_ENTRY {
    PHYSICAL_ADDRESS MessageAddress;
    KAFFINITY TargetProcessorSet;
    struct _KINTERRUPT *InterruptObject;
    ULONG MessageData;
    ULONG Vector;
    KIRQL Irql;
    KINTERRUPT_MODE Mode;
    KINTERRUPT_POLARITY Polarity;
} IO_INTERRUPT_MESSAGE_INFO_ENTRY, *PIO_INTERRUPT_MESSAGE_INFO_ENTRY;

typedef struct _IO_INTERRUPT_MESSAGE_INFO {
    KIRQL UnifiedIrql;
    ULONG MessageCount;
    IO_INTERRUPT_MESSAGE_INFO_ENTRY MessageInfo[1];
} IO_INTERRUPT_MESSAGE_INFO, *PIO_INTERRUPT_MESSAGE_INFO;

#endif
