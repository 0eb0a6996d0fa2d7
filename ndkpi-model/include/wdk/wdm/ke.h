/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatcher objects, waits, DPCs, timers, spin locks, IRQL, time, processors.
 *
 * Times are in units of 100 ns; a negative due time is relative. Structures have the x64 layout of
 * Windows; their members belong to the kernel except where a driver is documented to read them.
 */
#ifndef NDKSIM_WDK_WDM_KE_H
#define NDKSIM_WDK_WDM_KE_H

#include "../ntdef.h"

#define PASSIVE_LEVEL 0
#define LOW_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2
#define CMCI_LEVEL 5
#define DEVICE_LEVEL_MIN 3
#define CLOCK_LEVEL 13
#define IPI_LEVEL 14
#define DRS_LEVEL 14
#define POWER_LEVEL 14
#define PROFILE_LEVEL 15
#define HIGH_LEVEL 15

typedef LONG KPRIORITY;
typedef struct _KTHREAD *PKTHREAD, *PRKTHREAD;
typedef struct _ETHREAD *PETHREAD;
typedef struct _EPROCESS *PEPROCESS;
typedef struct _KPROCESS *PKPROCESS;

typedef enum _MODE { KernelMode, UserMode, MaximumMode } MODE;

typedef enum _KWAIT_REASON {
    Executive,
    FreePage,
    PageIn,
    PoolAllocation,
    DelayExecution,
    Suspended,
    UserRequest,
    WrExecutive,
    WrFreePage,
    WrPageIn,
    WrPoolAllocation,
    WrDelayExecution,
    WrSuspended,
    WrUserRequest,
    MaximumWaitReason = 42
} KWAIT_REASON;

#define LOW_PRIORITY 0
#define LOW_REALTIME_PRIORITY 16
#define HIGH_PRIORITY 31
#define MAXIMUM_PRIORITY 32
#define IO_NO_INCREMENT 0
#define IO_NETWORK_INCREMENT 2
#define EVENT_INCREMENT 1
#define SEMAPHORE_INCREMENT 1

#define TIMEOUT_RESOLUTION_100NS 1

typedef struct _DISPATCHER_HEADER {
    union {
        struct {
            UCHAR Type;
            UCHAR Signalling;
            UCHAR Size;
            UCHAR Reserved1;
        };
        volatile LONG Lock;
    };
    LONG SignalState;
    LIST_ENTRY WaitListHead;
} DISPATCHER_HEADER, *PDISPATCHER_HEADER;

typedef struct _KEVENT {
    DISPATCHER_HEADER Header;
} KEVENT, *PKEVENT, *PRKEVENT;

typedef struct _KSEMAPHORE {
    DISPATCHER_HEADER Header;
    LONG Limit;
} KSEMAPHORE, *PKSEMAPHORE, *PRKSEMAPHORE;

typedef struct _KMUTANT {
    DISPATCHER_HEADER Header;
    LIST_ENTRY MutantListEntry;
    PKTHREAD OwnerThread;
    BOOLEAN Abandoned;
    UCHAR ApcDisable;
} KMUTANT, *PKMUTANT, *PRKMUTANT, KMUTEX, *PKMUTEX, *PRKMUTEX;

struct _KDPC;
_IRQL_requires_(DISPATCH_LEVEL) typedef VOID
    KDEFERRED_ROUTINE(_In_ struct _KDPC *Dpc, _In_opt_ PVOID DeferredContext,
                      _In_opt_ PVOID SystemArgument1, _In_opt_ PVOID SystemArgument2);
typedef KDEFERRED_ROUTINE *PKDEFERRED_ROUTINE;

typedef enum _KDPC_IMPORTANCE {
    LowImportance,
    MediumImportance,
    HighImportance,
    MediumHighImportance
} KDPC_IMPORTANCE;

typedef struct _KDPC {
    union {
        ULONG TargetInfoAsUlong;
        struct {
            UCHAR Type;
            UCHAR Importance;
            volatile USHORT Number;
        };
    };
    SINGLE_LIST_ENTRY DpcListEntry;
    KAFFINITY ProcessorHistory;
    PKDEFERRED_ROUTINE DeferredRoutine;
    PVOID DeferredContext;
    PVOID SystemArgument1;
    PVOID SystemArgument2;
    PVOID DpcData;
} KDPC, *PKDPC, *PRKDPC;

typedef struct _KTIMER {
    DISPATCHER_HEADER Header;
    ULARGE_INTEGER DueTime;
    LIST_ENTRY TimerListEntry;
    PKDPC Dpc;
    USHORT Processor;
    USHORT TimerType;
    LONG Period;
} KTIMER, *PKTIMER, *PRKTIMER;

typedef ULONG_PTR KSPIN_LOCK, *PKSPIN_LOCK;

typedef struct _KSPIN_LOCK_QUEUE {
    struct _KSPIN_LOCK_QUEUE *volatile Next;
    PKSPIN_LOCK volatile Lock;
} KSPIN_LOCK_QUEUE, *PKSPIN_LOCK_QUEUE;

typedef struct _KLOCK_QUEUE_HANDLE {
    KSPIN_LOCK_QUEUE LockQueue;
    KIRQL OldIrql;
} KLOCK_QUEUE_HANDLE, *PKLOCK_QUEUE_HANDLE;

#define THREAD_WAIT_OBJECTS 3
#define MAXIMUM_WAIT_OBJECTS 64
/* The kernel keeps its own wait records; this one is accepted, and checked to be live memory. */
typedef struct _KWAIT_BLOCK {
    LIST_ENTRY WaitListEntry;
    UCHAR WaitType;
    UCHAR BlockState;
    USHORT WaitKey;
    ULONG SpareLong;
    PKTHREAD Thread;
    PVOID Object;
    PVOID SparePtr;
} KWAIT_BLOCK, *PKWAIT_BLOCK, *PRKWAIT_BLOCK;

/* Events. */

VOID NTAPI KeInitializeEvent(_Out_ PRKEVENT Event, _In_ EVENT_TYPE Type, _In_ BOOLEAN State);
LONG NTAPI KeSetEvent(_Inout_ PRKEVENT Event, _In_ KPRIORITY Increment, _In_ BOOLEAN Wait);
VOID NTAPI KeClearEvent(_Inout_ PRKEVENT Event);
LONG NTAPI KeResetEvent(_Inout_ PRKEVENT Event);
LONG NTAPI KeReadStateEvent(_In_ PRKEVENT Event);

/* Semaphores and mutexes. */

VOID NTAPI KeInitializeSemaphore(_Out_ PRKSEMAPHORE Semaphore, _In_ LONG Count, _In_ LONG Limit);
LONG NTAPI KeReleaseSemaphore(_Inout_ PRKSEMAPHORE Semaphore, _In_ KPRIORITY Increment,
                              _In_ LONG Adjustment, _In_ BOOLEAN Wait);
LONG NTAPI KeReadStateSemaphore(_In_ PRKSEMAPHORE Semaphore);
VOID NTAPI KeInitializeMutex(_Out_ PRKMUTEX Mutex, _In_ ULONG Level);
LONG NTAPI KeReleaseMutex(_Inout_ PRKMUTEX Mutex, _In_ BOOLEAN Wait);
LONG NTAPI KeReadStateMutex(_In_ PRKMUTEX Mutex);

/* Waits. A non-zero or absent timeout needs IRQL <= APC_LEVEL. */

NTSTATUS NTAPI KeWaitForSingleObject(_In_ PVOID Object, _In_ KWAIT_REASON WaitReason,
                                     _In_ KPROCESSOR_MODE WaitMode, _In_ BOOLEAN Alertable,
                                     _In_opt_ PLARGE_INTEGER Timeout);
NTSTATUS NTAPI KeWaitForMultipleObjects(_In_ ULONG Count, _In_reads_(Count) PVOID Object[],
                                        _In_ WAIT_TYPE WaitType, _In_ KWAIT_REASON WaitReason,
                                        _In_ KPROCESSOR_MODE WaitMode, _In_ BOOLEAN Alertable,
                                        _In_opt_ PLARGE_INTEGER Timeout,
                                        _Out_opt_ PKWAIT_BLOCK WaitBlockArray);
#define KeWaitForMutexObject KeWaitForSingleObject
NTSTATUS NTAPI KeDelayExecutionThread(_In_ KPROCESSOR_MODE WaitMode, _In_ BOOLEAN Alertable,
                                      _In_ PLARGE_INTEGER Interval);
VOID NTAPI KeStallExecutionProcessor(_In_ ULONG MicroSeconds);

/* DPCs. */

VOID NTAPI KeInitializeDpc(_Out_ PRKDPC Dpc, _In_ PKDEFERRED_ROUTINE DeferredRoutine,
                           _In_opt_ PVOID DeferredContext);
VOID NTAPI KeInitializeThreadedDpc(_Out_ PRKDPC Dpc, _In_ PKDEFERRED_ROUTINE DeferredRoutine,
                                   _In_opt_ PVOID DeferredContext);
BOOLEAN NTAPI KeInsertQueueDpc(_Inout_ PRKDPC Dpc, _In_opt_ PVOID SystemArgument1,
                               _In_opt_ PVOID SystemArgument2);
BOOLEAN NTAPI KeRemoveQueueDpc(_Inout_ PRKDPC Dpc);
VOID NTAPI KeFlushQueuedDpcs(VOID);
VOID NTAPI KeSetImportanceDpc(_Inout_ PRKDPC Dpc, _In_ KDPC_IMPORTANCE Importance);
VOID NTAPI KeSetTargetProcessorDpc(_Inout_ PRKDPC Dpc, _In_ CCHAR Number);
NTSTATUS NTAPI KeSetTargetProcessorDpcEx(_Inout_ PKDPC Dpc, _In_ PPROCESSOR_NUMBER ProcNumber);

/* Timers. */

VOID NTAPI KeInitializeTimer(_Out_ PKTIMER Timer);
VOID NTAPI KeInitializeTimerEx(_Out_ PKTIMER Timer, _In_ TIMER_TYPE Type);
BOOLEAN NTAPI KeSetTimer(_Inout_ PKTIMER Timer, _In_ LARGE_INTEGER DueTime, _In_opt_ PKDPC Dpc);
BOOLEAN NTAPI KeSetTimerEx(_Inout_ PKTIMER Timer, _In_ LARGE_INTEGER DueTime, _In_ LONG Period,
                           _In_opt_ PKDPC Dpc);
BOOLEAN NTAPI KeSetCoalescableTimer(_Inout_ PKTIMER Timer, _In_ LARGE_INTEGER DueTime,
                                    _In_ ULONG Period, _In_ ULONG TolerableDelay,
                                    _In_opt_ PKDPC Dpc);
BOOLEAN NTAPI KeCancelTimer(_Inout_ PKTIMER Timer);
BOOLEAN NTAPI KeReadStateTimer(_In_ PKTIMER Timer);

/* Spin locks. */

VOID NTAPI KeInitializeSpinLock(_Out_ PKSPIN_LOCK SpinLock);
KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(_Inout_ PKSPIN_LOCK SpinLock);
VOID NTAPI KeReleaseSpinLock(_Inout_ PKSPIN_LOCK SpinLock, _In_ KIRQL NewIrql);
VOID NTAPI KeAcquireSpinLockAtDpcLevel(_Inout_ PKSPIN_LOCK SpinLock);
VOID NTAPI KeReleaseSpinLockFromDpcLevel(_Inout_ PKSPIN_LOCK SpinLock);
BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(_Inout_ PKSPIN_LOCK SpinLock);
BOOLEAN NTAPI KeTestSpinLock(_In_ PKSPIN_LOCK SpinLock);
VOID NTAPI KeAcquireInStackQueuedSpinLock(_Inout_ PKSPIN_LOCK SpinLock,
                                          _Out_ PKLOCK_QUEUE_HANDLE LockHandle);
VOID NTAPI KeReleaseInStackQueuedSpinLock(_In_ PKLOCK_QUEUE_HANDLE LockHandle);
VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(_Inout_ PKSPIN_LOCK SpinLock,
                                                    _Out_ PKLOCK_QUEUE_HANDLE LockHandle);
VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(_In_ PKLOCK_QUEUE_HANDLE LockHandle);
KIRQL NTAPI KeAcquireSpinLockForDpc(_Inout_ PKSPIN_LOCK SpinLock);
VOID NTAPI KeReleaseSpinLockForDpc(_Inout_ PKSPIN_LOCK SpinLock, _In_ KIRQL OldIrql);
#define KeAcquireSpinLock(SpinLock, OldIrql) (*(OldIrql) = KeAcquireSpinLockRaiseToDpc(SpinLock))

/* Spin locks with readers; zero is initialised. A writer that waits keeps new readers out. */

typedef volatile LONG EX_SPIN_LOCK, *PEX_SPIN_LOCK;

KIRQL NTAPI ExAcquireSpinLockShared(_Inout_ PEX_SPIN_LOCK SpinLock);
KIRQL NTAPI ExAcquireSpinLockExclusive(_Inout_ PEX_SPIN_LOCK SpinLock);
VOID NTAPI ExReleaseSpinLockShared(_Inout_ PEX_SPIN_LOCK SpinLock, _In_ KIRQL OldIrql);
VOID NTAPI ExReleaseSpinLockExclusive(_Inout_ PEX_SPIN_LOCK SpinLock, _In_ KIRQL OldIrql);
VOID NTAPI ExAcquireSpinLockSharedAtDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
VOID NTAPI ExAcquireSpinLockExclusiveAtDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
VOID NTAPI ExReleaseSpinLockSharedFromDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
VOID NTAPI ExReleaseSpinLockExclusiveFromDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
LOGICAL NTAPI ExTryAcquireSpinLockSharedAtDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
LOGICAL NTAPI ExTryAcquireSpinLockExclusiveAtDpcLevel(_Inout_ PEX_SPIN_LOCK SpinLock);
/* FALSE: there are other readers; the caller stays one. */
LOGICAL NTAPI ExTryConvertSharedSpinLockExclusive(_Inout_ PEX_SPIN_LOCK SpinLock);

/* IRQL. */

KIRQL NTAPI KeGetCurrentIrql(VOID);
KIRQL NTAPI KfRaiseIrql(_In_ KIRQL NewIrql);
VOID NTAPI KeLowerIrql(_In_ KIRQL NewIrql);
KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID);
#define KeRaiseIrql(NewIrql, OldIrql) (*(OldIrql) = KfRaiseIrql(NewIrql))
VOID NTAPI KeEnterCriticalRegion(VOID);
VOID NTAPI KeLeaveCriticalRegion(VOID);
BOOLEAN NTAPI KeAreApcsDisabled(VOID);
VOID NTAPI KeEnterGuardedRegion(VOID);
VOID NTAPI KeLeaveGuardedRegion(VOID);
BOOLEAN NTAPI KeAreAllApcsDisabled(VOID);

/* Asserts that the code may be paged: IRQL <= APC_LEVEL. */
#define PAGED_CODE() PAGED_ASSERT(KeGetCurrentIrql() <= APC_LEVEL)
#define PAGED_ASSERT(exp) NT_ASSERT(exp)
#define PAGED_CODE_LOCKED() ((void)0)

/* Time. */

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(_Out_opt_ PLARGE_INTEGER PerformanceFrequency);
VOID NTAPI KeQuerySystemTimePrecise(_Out_ PLARGE_INTEGER CurrentTime);
VOID NTAPI KeQuerySystemTime(_Out_ PLARGE_INTEGER CurrentTime);
VOID NTAPI KeQueryTickCount(_Out_ PLARGE_INTEGER CurrentCount);
ULONGLONG NTAPI KeQueryInterruptTime(VOID);
ULONGLONG NTAPI KeQueryInterruptTimePrecise(_Out_ PULONG64 QpcTimeStamp);
ULONGLONG NTAPI KeQueryUnbiasedInterruptTime(VOID);
ULONG NTAPI KeQueryTimeIncrement(VOID);

/* Processors. One group; nodes as the scenario says. */

#define ALL_PROCESSOR_GROUPS 0xffff
ULONG NTAPI KeGetCurrentProcessorNumberEx(_Out_opt_ PPROCESSOR_NUMBER ProcNumber);
ULONG NTAPI KeGetCurrentProcessorNumber(VOID);
ULONG NTAPI KeGetCurrentProcessorIndex(VOID);
ULONG NTAPI KeQueryActiveProcessorCount(_Out_opt_ PKAFFINITY ActiveProcessors);
ULONG NTAPI KeQueryActiveProcessorCountEx(_In_ USHORT GroupNumber);
ULONG NTAPI KeQueryMaximumProcessorCount(VOID);
ULONG NTAPI KeQueryMaximumProcessorCountEx(_In_ USHORT GroupNumber);
USHORT NTAPI KeQueryActiveGroupCount(VOID);
USHORT NTAPI KeQueryMaximumGroupCount(VOID);
KAFFINITY NTAPI KeQueryActiveProcessors(VOID);
KAFFINITY NTAPI KeQueryGroupAffinity(_In_ USHORT GroupNumber);
ULONG NTAPI KeGetProcessorIndexFromNumber(_In_ PPROCESSOR_NUMBER ProcNumber);
NTSTATUS NTAPI KeGetProcessorNumberFromIndex(_In_ ULONG ProcIndex,
                                             _Out_ PPROCESSOR_NUMBER ProcNumber);
USHORT NTAPI KeQueryHighestNodeNumber(VOID);
USHORT NTAPI KeGetCurrentNodeNumber(VOID);
VOID NTAPI KeQueryNodeActiveAffinity(_In_ USHORT NodeNumber, _Out_opt_ PGROUP_AFFINITY Affinity,
                                     _Out_opt_ PUSHORT Count);
VOID NTAPI KeSetSystemGroupAffinityThread(_In_ PGROUP_AFFINITY Affinity,
                                          _Out_opt_ PGROUP_AFFINITY PreviousAffinity);
VOID NTAPI KeRevertToUserGroupAffinityThread(_In_ PGROUP_AFFINITY PreviousAffinity);
KAFFINITY NTAPI KeSetSystemAffinityThreadEx(_In_ KAFFINITY Affinity);
VOID NTAPI KeRevertToUserAffinityThreadEx(_In_ KAFFINITY Affinity);

/* Threads. */

PKTHREAD NTAPI KeGetCurrentThread(VOID);
KPRIORITY NTAPI KeSetPriorityThread(_Inout_ PKTHREAD Thread, _In_ KPRIORITY Priority);
KPRIORITY NTAPI KeQueryPriorityThread(_In_ PKTHREAD Thread);

/* The end. */

DECLSPEC_NORETURN VOID NTAPI KeBugCheckEx(_In_ ULONG BugCheckCode,
                                          _In_ ULONG_PTR BugCheckParameter1,
                                          _In_ ULONG_PTR BugCheckParameter2,
                                          _In_ ULONG_PTR BugCheckParameter3,
                                          _In_ ULONG_PTR BugCheckParameter4);
DECLSPEC_NORETURN VOID NTAPI KeBugCheck(_In_ ULONG BugCheckCode);

#endif
