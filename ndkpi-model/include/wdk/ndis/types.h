/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NDIS basics: handles, status codes, strings, memory, locks, events.
 */
#ifndef NDKSIM_WDK_NDIS_TYPES_H
#define NDKSIM_WDK_NDIS_TYPES_H

#include "../ntddndis.h"
#include "../wdm.h"

typedef PVOID NDIS_HANDLE, *PNDIS_HANDLE;
typedef int NDIS_STATUS, *PNDIS_STATUS;
typedef ULONG NDIS_ERROR_CODE, *PNDIS_ERROR_CODE;
typedef UNICODE_STRING NDIS_STRING, *PNDIS_STRING;
typedef PHYSICAL_ADDRESS NDIS_PHYSICAL_ADDRESS, *PNDIS_PHYSICAL_ADDRESS;
typedef CM_PARTIAL_RESOURCE_LIST NDIS_RESOURCE_LIST, *PNDIS_RESOURCE_LIST;
typedef struct _NET_BUFFER_LIST NET_BUFFER_LIST, *PNET_BUFFER_LIST;

#define NDIS_STRING_CONST(x)                                                                       \
    { sizeof(L##x) - 2, sizeof(L##x), (PWCH)(ULONG_PTR)L##x }
#define NdisInitUnicodeString(DestinationString, SourceString)                                     \
    RtlInitUnicodeString(DestinationString, SourceString)

#define NDIS_STATUS_SUCCESS ((NDIS_STATUS)STATUS_SUCCESS)
#define NDIS_STATUS_PENDING ((NDIS_STATUS)STATUS_PENDING)
#define NDIS_STATUS_NOT_RECOGNIZED ((NDIS_STATUS)0x00010001)
#define NDIS_STATUS_NOT_COPIED ((NDIS_STATUS)0x00010002)
#define NDIS_STATUS_NOT_ACCEPTED ((NDIS_STATUS)0x00010003)
#define NDIS_STATUS_INDICATION_REQUIRED ((NDIS_STATUS)0x40230001)
#define NDIS_STATUS_RESET_START ((NDIS_STATUS)0x40010004)
#define NDIS_STATUS_RESET_END ((NDIS_STATUS)0x40010005)
#define NDIS_STATUS_MEDIA_CONNECT ((NDIS_STATUS)0x4001000B)
#define NDIS_STATUS_MEDIA_DISCONNECT ((NDIS_STATUS)0x4001000C)
#define NDIS_STATUS_LINK_STATE ((NDIS_STATUS)0x40010017)
#define NDIS_STATUS_NETWORK_CHANGE ((NDIS_STATUS)0x40010018)
#define NDIS_STATUS_NOT_RESETTABLE ((NDIS_STATUS)0x80010001)
#define NDIS_STATUS_SOFT_ERRORS ((NDIS_STATUS)0x80010003)
#define NDIS_STATUS_HARD_ERRORS ((NDIS_STATUS)0x80010004)
#define NDIS_STATUS_BUFFER_OVERFLOW ((NDIS_STATUS)STATUS_BUFFER_OVERFLOW)
#define NDIS_STATUS_FAILURE ((NDIS_STATUS)STATUS_UNSUCCESSFUL)
#define NDIS_STATUS_INVALID_PARAMETER ((NDIS_STATUS)STATUS_INVALID_PARAMETER)
#define NDIS_STATUS_RESOURCES ((NDIS_STATUS)STATUS_INSUFFICIENT_RESOURCES)
#define NDIS_STATUS_NOT_SUPPORTED ((NDIS_STATUS)STATUS_NOT_SUPPORTED)
#define NDIS_STATUS_CLOSING ((NDIS_STATUS)0xC0010002)
#define NDIS_STATUS_BAD_VERSION ((NDIS_STATUS)0xC0010004)
#define NDIS_STATUS_BAD_CHARACTERISTICS ((NDIS_STATUS)0xC0010005)
#define NDIS_STATUS_ADAPTER_NOT_FOUND ((NDIS_STATUS)0xC0010006)
#define NDIS_STATUS_OPEN_FAILED ((NDIS_STATUS)0xC0010007)
#define NDIS_STATUS_DEVICE_FAILED ((NDIS_STATUS)0xC0010008)
#define NDIS_STATUS_REQUEST_ABORTED ((NDIS_STATUS)0xC001000C)
#define NDIS_STATUS_RESET_IN_PROGRESS ((NDIS_STATUS)0xC001000D)
#define NDIS_STATUS_CLOSING_INDICATING ((NDIS_STATUS)0xC001000E)
#define NDIS_STATUS_ADAPTER_NOT_READY ((NDIS_STATUS)0xC0010011)
#define NDIS_STATUS_ADAPTER_NOT_OPEN ((NDIS_STATUS)0xC0010012)
#define NDIS_STATUS_INVALID_LENGTH ((NDIS_STATUS)0xC0010014)
#define NDIS_STATUS_INVALID_DATA ((NDIS_STATUS)0xC0010015)
#define NDIS_STATUS_BUFFER_TOO_SHORT ((NDIS_STATUS)0xC0010016)
#define NDIS_STATUS_INVALID_OID ((NDIS_STATUS)0xC0010017)
#define NDIS_STATUS_ADAPTER_REMOVED ((NDIS_STATUS)0xC0010018)
#define NDIS_STATUS_RESOURCE_CONFLICT ((NDIS_STATUS)0xC001001E)
#define NDIS_STATUS_MEDIA_DISCONNECTED ((NDIS_STATUS)0xC023001F)
#define NDIS_STATUS_PAUSED ((NDIS_STATUS)0xC023002A)
#define NDIS_STATUS_LOW_POWER_STATE ((NDIS_STATUS)0xC023002F)

#define NDIS_ERROR_CODE_RESOURCE_CONFLICT ((NDIS_ERROR_CODE)0xC0001388)
#define NDIS_ERROR_CODE_OUT_OF_RESOURCES ((NDIS_ERROR_CODE)0xC0001389)
#define NDIS_ERROR_CODE_HARDWARE_FAILURE ((NDIS_ERROR_CODE)0xC000138A)
#define NDIS_ERROR_CODE_ADAPTER_NOT_FOUND ((NDIS_ERROR_CODE)0xC000138B)
#define NDIS_ERROR_CODE_DRIVER_FAILURE ((NDIS_ERROR_CODE)0xC000138D)
#define NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION ((NDIS_ERROR_CODE)0xC0001391)
#define NDIS_ERROR_CODE_MISSING_CONFIGURATION_PARAMETER ((NDIS_ERROR_CODE)0xC0001393)

/* Memory. */

#define NdisZeroMemory(Destination, Length) RtlZeroMemory(Destination, Length)
#define NdisMoveMemory(Destination, Source, Length) RtlCopyMemory(Destination, Source, Length)
#define NdisFillMemory(Destination, Length, Fill) RtlFillMemory(Destination, Length, Fill)
#define NdisEqualMemory(Source1, Source2, Length) RtlEqualMemory(Source1, Source2, Length)

PVOID NdisAllocateMemoryWithTagPriority(_In_ NDIS_HANDLE NdisHandle, _In_ UINT Length,
                                        _In_ ULONG Tag, _In_ EX_POOL_PRIORITY Priority);
VOID NdisFreeMemory(_In_ PVOID VirtualAddress, _In_ UINT Length, _In_ UINT MemoryFlags);
VOID NdisFreeMemoryWithTagPriority(_In_ NDIS_HANDLE NdisHandle, _In_ PVOID VirtualAddress,
                                   _In_ ULONG Tag);

/* Locks, events, sleep: thin covers of the kernel's own. */

typedef struct _NDIS_SPIN_LOCK {
    KSPIN_LOCK SpinLock;
    KIRQL OldIrql;
} NDIS_SPIN_LOCK, *PNDIS_SPIN_LOCK;

#define NdisAllocateSpinLock(Lock) KeInitializeSpinLock(&(Lock)->SpinLock)
#define NdisFreeSpinLock(Lock) ((void)(Lock))
#define NdisAcquireSpinLock(Lock) KeAcquireSpinLock(&(Lock)->SpinLock, &(Lock)->OldIrql)
#define NdisReleaseSpinLock(Lock) KeReleaseSpinLock(&(Lock)->SpinLock, (Lock)->OldIrql)
#define NdisDprAcquireSpinLock(Lock) KeAcquireSpinLockAtDpcLevel(&(Lock)->SpinLock)
#define NdisDprReleaseSpinLock(Lock) KeReleaseSpinLockFromDpcLevel(&(Lock)->SpinLock)
#define NdisInterlockedIncrement(Addend) InterlockedIncrement(Addend)
#define NdisInterlockedDecrement(Addend) InterlockedDecrement(Addend)

typedef struct _NDIS_EVENT {
    KEVENT Event;
} NDIS_EVENT, *PNDIS_EVENT;

VOID NdisInitializeEvent(_Out_ PNDIS_EVENT Event);
VOID NdisSetEvent(_In_ PNDIS_EVENT Event);
VOID NdisResetEvent(_In_ PNDIS_EVENT Event);
/* Waits MsToWait ms, 0 for ever. TRUE when the event was signalled. */
BOOLEAN NdisWaitEvent(_In_ PNDIS_EVENT Event, _In_ UINT MsToWait);
VOID NdisMSleep(_In_ ULONG MicrosecondsToSleep);
#define NdisStallExecution(MicrosecondsToStall) KeStallExecutionProcessor(MicrosecondsToStall)
#define NdisGetCurrentSystemTime(pSystemTime) KeQuerySystemTime(pSystemTime)

VOID NdisWriteErrorLogEntry(_In_ NDIS_HANDLE NdisAdapterHandle, _In_ NDIS_ERROR_CODE ErrorCode,
                            _In_ ULONG NumberOfErrorValues, ...);

#endif
