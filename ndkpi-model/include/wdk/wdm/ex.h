/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executive: pool, lookaside lists, work queue, rundown protection, fast mutexes, lists with locks.
 *
 * The x64 layouts are those of Windows; members belong to the kernel.
 */
#ifndef NDKSIM_WDK_WDM_EX_H
#define NDKSIM_WDK_WDM_EX_H

#include "../ntdef.h"
#include "ke.h"

/* Pool. */

typedef enum _POOL_TYPE {
    NonPagedPool = 0,
    NonPagedPoolExecute = NonPagedPool,
    PagedPool = 1,
    NonPagedPoolMustSucceed = 2,
    DontUseThisType = 3,
    NonPagedPoolCacheAligned = 4,
    PagedPoolCacheAligned = 5,
    NonPagedPoolCacheAlignedMustS = 6,
    MaxPoolType = 7,
    NonPagedPoolNx = 512,
    NonPagedPoolNxCacheAligned = 516,
    NonPagedPoolSessionNx = 544
} POOL_TYPE;

#define POOL_NX_ALLOCATION 512
#define POOL_ZERO_ALLOCATION 1024
#define POOL_RAISE_IF_ALLOCATION_FAILURE 16
#define POOL_COLD_ALLOCATION 256

typedef ULONG64 POOL_FLAGS;
#define POOL_FLAG_USE_QUOTA 0x0000000000000001ULL
#define POOL_FLAG_UNINITIALIZED 0x0000000000000002ULL
#define POOL_FLAG_SESSION 0x0000000000000004ULL
#define POOL_FLAG_CACHE_ALIGNED 0x0000000000000008ULL
#define POOL_FLAG_RAISE_ON_FAILURE 0x0000000000000020ULL
#define POOL_FLAG_NON_PAGED 0x0000000000000040ULL
#define POOL_FLAG_NON_PAGED_EXECUTE 0x0000000000000080ULL
#define POOL_FLAG_PAGED 0x0000000000000100ULL
#define POOL_FLAG_SPECIAL_POOL 0x0000000100000000ULL

typedef enum _EX_POOL_PRIORITY {
    LowPoolPriority,
    LowPoolPrioritySpecialPoolOverrun = 8,
    LowPoolPrioritySpecialPoolUnderrun = 9,
    NormalPoolPriority = 16,
    NormalPoolPrioritySpecialPoolOverrun = 24,
    NormalPoolPrioritySpecialPoolUnderrun = 25,
    HighPoolPriority = 32,
    HighPoolPrioritySpecialPoolOverrun = 40,
    HighPoolPrioritySpecialPoolUnderrun = 41
} EX_POOL_PRIORITY;

typedef enum POOL_EXTENDED_PARAMETER_TYPE {
    PoolExtendedParameterInvalidType = 0,
    PoolExtendedParameterPriority,
    PoolExtendedParameterSecurePool,
    PoolExtendedParameterNumaNode,
    PoolExtendedParameterMax
} POOL_EXTENDED_PARAMETER_TYPE,
    *PPOOL_EXTENDED_PARAMETER_TYPE;

typedef struct _POOL_EXTENDED_PARAMETER {
    struct {
        ULONG64 Type : 8;
        ULONG64 Optional : 1;
        ULONG64 Reserved : 64 - 8 - 1;
    };
    union {
        ULONG64 Reserved2;
        PVOID Reserved3;
        EX_POOL_PRIORITY Priority;
        PVOID SecurePoolParams;
        ULONG PreferredNode;
    };
} POOL_EXTENDED_PARAMETER, *PPOOL_EXTENDED_PARAMETER;
typedef const POOL_EXTENDED_PARAMETER *PCPOOL_EXTENDED_PARAMETER;

PVOID NTAPI ExAllocatePoolWithTag(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                  _In_ ULONG Tag);
PVOID NTAPI ExAllocatePoolWithTagPriority(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                          _In_ ULONG Tag, _In_ EX_POOL_PRIORITY Priority);
PVOID NTAPI ExAllocatePoolZero(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes, _In_ ULONG Tag);
PVOID NTAPI ExAllocatePoolUninitialized(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                        _In_ ULONG Tag);
PVOID NTAPI ExAllocatePoolPriorityZero(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                       _In_ ULONG Tag, _In_ EX_POOL_PRIORITY Priority);
PVOID NTAPI ExAllocatePoolPriorityUninitialized(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                                _In_ ULONG Tag, _In_ EX_POOL_PRIORITY Priority);
/* Zeroed unless POOL_FLAG_UNINITIALIZED. */
PVOID NTAPI ExAllocatePool2(_In_ POOL_FLAGS Flags, _In_ SIZE_T NumberOfBytes, _In_ ULONG Tag);
PVOID NTAPI ExAllocatePool3(_In_ POOL_FLAGS Flags, _In_ SIZE_T NumberOfBytes, _In_ ULONG Tag,
                            _In_opt_ PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                            _In_ ULONG ExtendedParametersCount);
VOID NTAPI ExFreePool(_In_ PVOID P);
VOID NTAPI ExFreePoolWithTag(_In_ PVOID P, _In_ ULONG Tag);
VOID NTAPI ExFreePool2(_In_ PVOID P, _In_ ULONG Tag,
                       _In_opt_ PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                       _In_ ULONG ExtendedParametersCount);
#define ExAllocatePool(PoolType, NumberOfBytes)                                                    \
    ExAllocatePoolWithTag(PoolType, NumberOfBytes, 0x656E6F4EUL)
#define ExInitializeDriverRuntime(RuntimeFlags) ((void)(RuntimeFlags))
#define DrvRtPoolNxOptIn 0x00000001

/* Sequenced lists. */

typedef struct DECLSPEC_ALIGN(16) _SLIST_ENTRY {
    struct _SLIST_ENTRY *Next;
} SLIST_ENTRY, *PSLIST_ENTRY;

typedef union DECLSPEC_ALIGN(16) _SLIST_HEADER {
    struct {
        ULONGLONG Alignment;
        ULONGLONG Region;
    };
    struct {
        ULONGLONG Depth : 16;
        ULONGLONG Sequence : 48;
        ULONGLONG Reserved : 4;
        ULONGLONG NextEntry : 60;
    } HeaderX64;
} SLIST_HEADER, *PSLIST_HEADER;

VOID NTAPI InitializeSListHead(_Out_ PSLIST_HEADER SListHead);
PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(_Inout_ PSLIST_HEADER ListHead);
PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(_Inout_ PSLIST_HEADER ListHead,
                                                _Inout_ PSLIST_ENTRY ListEntry);
PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(_Inout_ PSLIST_HEADER ListHead);
USHORT NTAPI ExQueryDepthSList(_In_ PSLIST_HEADER SListHead);
#define ExInitializeSListHead(SListHead) InitializeSListHead(SListHead)
#define InterlockedPopEntrySList(Head) ExpInterlockedPopEntrySList(Head)
#define InterlockedPushEntrySList(Head, Entry) ExpInterlockedPushEntrySList(Head, Entry)
#define InterlockedFlushSList(Head) ExpInterlockedFlushSList(Head)
#define QueryDepthSList(Head) ExQueryDepthSList(Head)
#define ExInterlockedPopEntrySList(Head, Lock) ExpInterlockedPopEntrySList(Head)
#define ExInterlockedPushEntrySList(Head, Entry, Lock) ExpInterlockedPushEntrySList(Head, Entry)
#define ExInterlockedFlushSList(Head) ExpInterlockedFlushSList(Head)

/* Lists under a spin lock. */

PLIST_ENTRY NTAPI ExInterlockedInsertHeadList(_Inout_ PLIST_ENTRY ListHead,
                                              _Inout_ PLIST_ENTRY ListEntry,
                                              _Inout_ PKSPIN_LOCK Lock);
PLIST_ENTRY NTAPI ExInterlockedInsertTailList(_Inout_ PLIST_ENTRY ListHead,
                                              _Inout_ PLIST_ENTRY ListEntry,
                                              _Inout_ PKSPIN_LOCK Lock);
PLIST_ENTRY NTAPI ExInterlockedRemoveHeadList(_Inout_ PLIST_ENTRY ListHead,
                                              _Inout_ PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY NTAPI ExInterlockedPopEntryList(_Inout_ PSINGLE_LIST_ENTRY ListHead,
                                                   _Inout_ PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY NTAPI ExInterlockedPushEntryList(_Inout_ PSINGLE_LIST_ENTRY ListHead,
                                                    _Inout_ PSINGLE_LIST_ENTRY ListEntry,
                                                    _Inout_ PKSPIN_LOCK Lock);

/* Lookaside lists. */

struct _LOOKASIDE_LIST_EX;
typedef PVOID ALLOCATE_FUNCTION(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes, _In_ ULONG Tag);
typedef ALLOCATE_FUNCTION *PALLOCATE_FUNCTION;
typedef VOID FREE_FUNCTION(_In_ PVOID Buffer);
typedef FREE_FUNCTION *PFREE_FUNCTION;
typedef PVOID ALLOCATE_FUNCTION_EX(_In_ POOL_TYPE PoolType, _In_ SIZE_T NumberOfBytes,
                                   _In_ ULONG Tag, _Inout_ struct _LOOKASIDE_LIST_EX *Lookaside);
typedef ALLOCATE_FUNCTION_EX *PALLOCATE_FUNCTION_EX;
typedef VOID FREE_FUNCTION_EX(_In_ PVOID Buffer, _Inout_ struct _LOOKASIDE_LIST_EX *Lookaside);
typedef FREE_FUNCTION_EX *PFREE_FUNCTION_EX;

#define _NDKSIM_GENERAL_LOOKASIDE_MEMBERS                                                          \
    union {                                                                                        \
        SLIST_HEADER ListHead;                                                                     \
        SINGLE_LIST_ENTRY SingleListHead;                                                          \
    };                                                                                             \
    USHORT Depth;                                                                                  \
    USHORT MaximumDepth;                                                                           \
    ULONG TotalAllocates;                                                                          \
    union {                                                                                        \
        ULONG AllocateMisses;                                                                      \
        ULONG AllocateHits;                                                                        \
    };                                                                                             \
    ULONG TotalFrees;                                                                              \
    union {                                                                                        \
        ULONG FreeMisses;                                                                          \
        ULONG FreeHits;                                                                            \
    };                                                                                             \
    POOL_TYPE Type;                                                                                \
    ULONG Tag;                                                                                     \
    ULONG Size;                                                                                    \
    union {                                                                                        \
        PALLOCATE_FUNCTION_EX AllocateEx;                                                          \
        PALLOCATE_FUNCTION Allocate;                                                               \
    };                                                                                             \
    union {                                                                                        \
        PFREE_FUNCTION_EX FreeEx;                                                                  \
        PFREE_FUNCTION Free;                                                                       \
    };                                                                                             \
    LIST_ENTRY ListEntry;                                                                          \
    ULONG LastTotalAllocates;                                                                      \
    union {                                                                                        \
        ULONG LastAllocateMisses;                                                                  \
        ULONG LastAllocateHits;                                                                    \
    };                                                                                             \
    ULONG Future[2];

typedef struct DECLSPEC_CACHEALIGN _GENERAL_LOOKASIDE {
    _NDKSIM_GENERAL_LOOKASIDE_MEMBERS
} GENERAL_LOOKASIDE, *PGENERAL_LOOKASIDE;
typedef struct _GENERAL_LOOKASIDE_POOL {
    _NDKSIM_GENERAL_LOOKASIDE_MEMBERS
} GENERAL_LOOKASIDE_POOL, *PGENERAL_LOOKASIDE_POOL;

typedef struct _NPAGED_LOOKASIDE_LIST {
    GENERAL_LOOKASIDE L;
} NPAGED_LOOKASIDE_LIST, *PNPAGED_LOOKASIDE_LIST;
typedef struct _PAGED_LOOKASIDE_LIST {
    GENERAL_LOOKASIDE L;
} PAGED_LOOKASIDE_LIST, *PPAGED_LOOKASIDE_LIST;
typedef struct _LOOKASIDE_LIST_EX {
    GENERAL_LOOKASIDE_POOL L;
} LOOKASIDE_LIST_EX, *PLOOKASIDE_LIST_EX;

#define EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL 0x00000001UL
#define EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE 0x00000002UL

VOID NTAPI ExInitializeNPagedLookasideList(_Out_ PNPAGED_LOOKASIDE_LIST Lookaside,
                                           _In_opt_ PALLOCATE_FUNCTION Allocate,
                                           _In_opt_ PFREE_FUNCTION Free, _In_ ULONG Flags,
                                           _In_ SIZE_T Size, _In_ ULONG Tag, _In_ USHORT Depth);
VOID NTAPI ExDeleteNPagedLookasideList(_Inout_ PNPAGED_LOOKASIDE_LIST Lookaside);
PVOID NTAPI ExAllocateFromNPagedLookasideList(_Inout_ PNPAGED_LOOKASIDE_LIST Lookaside);
VOID NTAPI ExFreeToNPagedLookasideList(_Inout_ PNPAGED_LOOKASIDE_LIST Lookaside, _In_ PVOID Entry);
VOID NTAPI ExInitializePagedLookasideList(_Out_ PPAGED_LOOKASIDE_LIST Lookaside,
                                          _In_opt_ PALLOCATE_FUNCTION Allocate,
                                          _In_opt_ PFREE_FUNCTION Free, _In_ ULONG Flags,
                                          _In_ SIZE_T Size, _In_ ULONG Tag, _In_ USHORT Depth);
VOID NTAPI ExDeletePagedLookasideList(_Inout_ PPAGED_LOOKASIDE_LIST Lookaside);
PVOID NTAPI ExAllocateFromPagedLookasideList(_Inout_ PPAGED_LOOKASIDE_LIST Lookaside);
VOID NTAPI ExFreeToPagedLookasideList(_Inout_ PPAGED_LOOKASIDE_LIST Lookaside, _In_ PVOID Entry);
NTSTATUS NTAPI ExInitializeLookasideListEx(_Out_ PLOOKASIDE_LIST_EX Lookaside,
                                           _In_opt_ PALLOCATE_FUNCTION_EX Allocate,
                                           _In_opt_ PFREE_FUNCTION_EX Free, _In_ POOL_TYPE PoolType,
                                           _In_ ULONG Flags, _In_ SIZE_T Size, _In_ ULONG Tag,
                                           _In_ USHORT Depth);
VOID NTAPI ExDeleteLookasideListEx(_Inout_ PLOOKASIDE_LIST_EX Lookaside);
VOID NTAPI ExFlushLookasideListEx(_Inout_ PLOOKASIDE_LIST_EX Lookaside);
PVOID NTAPI ExAllocateFromLookasideListEx(_Inout_ PLOOKASIDE_LIST_EX Lookaside);
VOID NTAPI ExFreeToLookasideListEx(_Inout_ PLOOKASIDE_LIST_EX Lookaside, _In_ PVOID Entry);

/* System work queue. */

typedef enum _WORK_QUEUE_TYPE {
    CriticalWorkQueue,
    DelayedWorkQueue,
    HyperCriticalWorkQueue,
    NormalWorkQueue,
    BackgroundWorkQueue,
    RealTimeWorkQueue,
    SuperCriticalWorkQueue,
    MaximumWorkQueue,
    CustomPriorityWorkQueue = 32
} WORK_QUEUE_TYPE;

typedef VOID WORKER_THREAD_ROUTINE(_In_ PVOID Parameter);
typedef WORKER_THREAD_ROUTINE *PWORKER_THREAD_ROUTINE;

typedef struct _WORK_QUEUE_ITEM {
    LIST_ENTRY List;
    PWORKER_THREAD_ROUTINE WorkerRoutine;
    PVOID Parameter;
} WORK_QUEUE_ITEM, *PWORK_QUEUE_ITEM;

#define ExInitializeWorkItem(Item, Routine, Context)                                               \
    do {                                                                                           \
        (Item)->WorkerRoutine = (Routine);                                                         \
        (Item)->Parameter = (Context);                                                             \
        (Item)->List.Flink = NULL;                                                                 \
    } while (0)
VOID NTAPI ExQueueWorkItem(_Inout_ PWORK_QUEUE_ITEM WorkItem, _In_ WORK_QUEUE_TYPE QueueType);

/* Rundown protection. */

typedef struct _EX_RUNDOWN_REF {
    union {
        volatile ULONG_PTR Count;
        volatile PVOID Ptr;
    };
} EX_RUNDOWN_REF, *PEX_RUNDOWN_REF;

VOID NTAPI ExInitializeRundownProtection(_Out_ PEX_RUNDOWN_REF RunRef);
VOID NTAPI ExReInitializeRundownProtection(_Inout_ PEX_RUNDOWN_REF RunRef);
BOOLEAN NTAPI ExAcquireRundownProtection(_Inout_ PEX_RUNDOWN_REF RunRef);
BOOLEAN NTAPI ExAcquireRundownProtectionEx(_Inout_ PEX_RUNDOWN_REF RunRef, _In_ ULONG Count);
VOID NTAPI ExReleaseRundownProtection(_Inout_ PEX_RUNDOWN_REF RunRef);
VOID NTAPI ExReleaseRundownProtectionEx(_Inout_ PEX_RUNDOWN_REF RunRef, _In_ ULONG Count);
VOID NTAPI ExRundownCompleted(_Out_ PEX_RUNDOWN_REF RunRef);
VOID NTAPI ExWaitForRundownProtectionRelease(_Inout_ PEX_RUNDOWN_REF RunRef);

/* Fast mutexes: IRQL <= APC_LEVEL, not recursive. */

typedef struct _FAST_MUTEX {
    LONG Count;
    PVOID Owner;
    ULONG Contention;
    KEVENT Event;
    ULONG OldIrql;
} FAST_MUTEX, *PFAST_MUTEX;

VOID NTAPI ExInitializeFastMutex(_Out_ PFAST_MUTEX FastMutex);
VOID NTAPI ExAcquireFastMutex(_Inout_ PFAST_MUTEX FastMutex);
VOID NTAPI ExReleaseFastMutex(_Inout_ PFAST_MUTEX FastMutex);
BOOLEAN NTAPI ExTryToAcquireFastMutex(_Inout_ PFAST_MUTEX FastMutex);
VOID NTAPI ExAcquireFastMutexUnsafe(_Inout_ PFAST_MUTEX FastMutex);
VOID NTAPI ExReleaseFastMutexUnsafe(_Inout_ PFAST_MUTEX FastMutex);

/* Guarded mutexes: the owner runs in a guarded region; the IRQL stays. */

typedef FAST_MUTEX KGUARDED_MUTEX, *PKGUARDED_MUTEX;

VOID NTAPI KeInitializeGuardedMutex(_Out_ PKGUARDED_MUTEX Mutex);
VOID NTAPI KeAcquireGuardedMutex(_Inout_ PKGUARDED_MUTEX Mutex);
VOID NTAPI KeReleaseGuardedMutex(_Inout_ PKGUARDED_MUTEX Mutex);
BOOLEAN NTAPI KeTryToAcquireGuardedMutex(_Inout_ PKGUARDED_MUTEX Mutex);
VOID NTAPI KeAcquireGuardedMutexUnsafe(_Inout_ PKGUARDED_MUTEX Mutex);
VOID NTAPI KeReleaseGuardedMutexUnsafe(_Inout_ PKGUARDED_MUTEX Mutex);

/* Random identifiers: drawn from the world's choices, never from the host. */
NTSTATUS NTAPI ExUuidCreate(_Out_ GUID *Uuid);

#endif
