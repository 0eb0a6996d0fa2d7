/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remove locks and cancel-safe queues of IRPs.
 *
 * A remove lock counts who is at work on a device; its removal waits for them. A cancel-safe queue
 * is the driver's own list behind six routines of its; the kernel settles who has an IRP that is
 * cancelled while somebody takes it out.
 */
#ifndef NDKSIM_WDK_WDM_IO_QUEUE_H
#define NDKSIM_WDK_WDM_IO_QUEUE_H

#include "../ntdef.h"
#include "io_types.h"

/* Remove locks. The checked part is there with DBG, as in a real kit; tags are checked always. */

typedef struct _IO_REMOVE_LOCK_TRACKING_BLOCK *PIO_REMOVE_LOCK_TRACKING_BLOCK;

typedef struct _IO_REMOVE_LOCK_COMMON_BLOCK {
    BOOLEAN Removed;
    BOOLEAN Reserved[3];
    volatile LONG IoCount;
    KEVENT RemoveEvent;
} IO_REMOVE_LOCK_COMMON_BLOCK;

typedef struct _IO_REMOVE_LOCK_DBG_BLOCK {
    LONG Signature;
    ULONG HighWatermark;
    LONGLONG MaxLockedTicks;
    LONG AllocateTag;
    LIST_ENTRY LockList;
    KSPIN_LOCK Spin;
    volatile LONG LowMemoryCount;
    ULONG Reserved1[4];
    PVOID Reserved2;
    PIO_REMOVE_LOCK_TRACKING_BLOCK Blocks;
} IO_REMOVE_LOCK_DBG_BLOCK;

typedef struct _IO_REMOVE_LOCK {
    IO_REMOVE_LOCK_COMMON_BLOCK Common;
#if DBG
    IO_REMOVE_LOCK_DBG_BLOCK Dbg;
#endif
} IO_REMOVE_LOCK, *PIO_REMOVE_LOCK;

VOID NTAPI IoInitializeRemoveLockEx(_In_ PIO_REMOVE_LOCK Lock, _In_ ULONG AllocateTag,
                                    _In_ ULONG MaxLockedMinutes, _In_ ULONG HighWatermark,
                                    _In_ ULONG RemlockSize);
/* STATUS_DELETE_PENDING once the removal has begun. */
NTSTATUS NTAPI IoAcquireRemoveLockEx(_Inout_ PIO_REMOVE_LOCK RemoveLock, _In_opt_ PVOID Tag,
                                     _In_ PCSTR File, _In_ ULONG Line, _In_ ULONG RemlockSize);
VOID NTAPI IoReleaseRemoveLockEx(_Inout_ PIO_REMOVE_LOCK RemoveLock, _In_opt_ PVOID Tag,
                                 _In_ ULONG RemlockSize);
/* Gives back the caller's own and waits for all others. PASSIVE_LEVEL. */
VOID NTAPI IoReleaseRemoveLockAndWaitEx(_Inout_ PIO_REMOVE_LOCK RemoveLock, _In_opt_ PVOID Tag,
                                        _In_ ULONG RemlockSize);
#define IoInitializeRemoveLock(Lock, Tag, Maxmin, HighWater)                                       \
    IoInitializeRemoveLockEx(Lock, Tag, Maxmin, HighWater, sizeof(IO_REMOVE_LOCK))
#define IoAcquireRemoveLock(RemoveLock, Tag)                                                       \
    IoAcquireRemoveLockEx(RemoveLock, Tag, __FILE__, __LINE__, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLock(RemoveLock, Tag)                                                       \
    IoReleaseRemoveLockEx(RemoveLock, Tag, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLockAndWait(RemoveLock, Tag)                                                \
    IoReleaseRemoveLockAndWaitEx(RemoveLock, Tag, sizeof(IO_REMOVE_LOCK))

/* Cancel-safe queues. */

typedef struct _IO_CSQ IO_CSQ, *PIO_CSQ;

/* The kernel's, in the driver's memory, while an IRP is queued with it. */
typedef struct _IO_CSQ_IRP_CONTEXT {
    ULONG Type;
    struct _IRP *Irp;
    PIO_CSQ Csq;
} IO_CSQ_IRP_CONTEXT, *PIO_CSQ_IRP_CONTEXT;

typedef VOID IO_CSQ_INSERT_IRP(_In_ PIO_CSQ Csq, _In_ struct _IRP *Irp);
typedef IO_CSQ_INSERT_IRP *PIO_CSQ_INSERT_IRP;
typedef NTSTATUS IO_CSQ_INSERT_IRP_EX(_In_ PIO_CSQ Csq, _In_ struct _IRP *Irp,
                                      _In_ PVOID InsertContext);
typedef IO_CSQ_INSERT_IRP_EX *PIO_CSQ_INSERT_IRP_EX;
typedef VOID IO_CSQ_REMOVE_IRP(_In_ PIO_CSQ Csq, _In_ struct _IRP *Irp);
typedef IO_CSQ_REMOVE_IRP *PIO_CSQ_REMOVE_IRP;
typedef struct _IRP *IO_CSQ_PEEK_NEXT_IRP(_In_ PIO_CSQ Csq, _In_opt_ struct _IRP *Irp,
                                          _In_opt_ PVOID PeekContext);
typedef IO_CSQ_PEEK_NEXT_IRP *PIO_CSQ_PEEK_NEXT_IRP;
typedef VOID IO_CSQ_ACQUIRE_LOCK(_In_ PIO_CSQ Csq, _Out_ PKIRQL Irql);
typedef IO_CSQ_ACQUIRE_LOCK *PIO_CSQ_ACQUIRE_LOCK;
typedef VOID IO_CSQ_RELEASE_LOCK(_In_ PIO_CSQ Csq, _In_ KIRQL Irql);
typedef IO_CSQ_RELEASE_LOCK *PIO_CSQ_RELEASE_LOCK;
typedef VOID IO_CSQ_COMPLETE_CANCELED_IRP(_In_ PIO_CSQ Csq, _In_ struct _IRP *Irp);
typedef IO_CSQ_COMPLETE_CANCELED_IRP *PIO_CSQ_COMPLETE_CANCELED_IRP;

struct _IO_CSQ {
    ULONG Type;
    PIO_CSQ_INSERT_IRP CsqInsertIrp;
    PIO_CSQ_REMOVE_IRP CsqRemoveIrp;
    PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp;
    PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock;
    PIO_CSQ_RELEASE_LOCK CsqReleaseLock;
    PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp;
    PVOID ReservePointer;
};

#define IO_TYPE_CSQ_IRP_CONTEXT 1
#define IO_TYPE_CSQ 2
#define IO_TYPE_CSQ_EX 3

NTSTATUS NTAPI IoCsqInitialize(_Out_ PIO_CSQ Csq, _In_ PIO_CSQ_INSERT_IRP CsqInsertIrp,
                               _In_ PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                               _In_ PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                               _In_ PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                               _In_ PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                               _In_ PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp);
NTSTATUS NTAPI IoCsqInitializeEx(_Out_ PIO_CSQ Csq, _In_ PIO_CSQ_INSERT_IRP_EX CsqInsertIrp,
                                 _In_ PIO_CSQ_REMOVE_IRP CsqRemoveIrp,
                                 _In_ PIO_CSQ_PEEK_NEXT_IRP CsqPeekNextIrp,
                                 _In_ PIO_CSQ_ACQUIRE_LOCK CsqAcquireLock,
                                 _In_ PIO_CSQ_RELEASE_LOCK CsqReleaseLock,
                                 _In_ PIO_CSQ_COMPLETE_CANCELED_IRP CsqCompleteCanceledIrp);
/* Marks the IRP pending. Its Tail.Overlay.DriverContext[3] is the queue's while it is in. */
VOID NTAPI IoCsqInsertIrp(_Inout_ PIO_CSQ Csq, _Inout_ struct _IRP *Irp,
                          _Out_opt_ PIO_CSQ_IRP_CONTEXT Context);
NTSTATUS NTAPI IoCsqInsertIrpEx(_Inout_ PIO_CSQ Csq, _Inout_ struct _IRP *Irp,
                                _Out_opt_ PIO_CSQ_IRP_CONTEXT Context,
                                _In_opt_ PVOID InsertContext);
/* NULL: none that is not being cancelled. */
struct _IRP *NTAPI IoCsqRemoveNextIrp(_Inout_ PIO_CSQ Csq, _In_opt_ PVOID PeekContext);
struct _IRP *NTAPI IoCsqRemoveIrp(_Inout_ PIO_CSQ Csq, _Inout_ PIO_CSQ_IRP_CONTEXT Context);

#endif
