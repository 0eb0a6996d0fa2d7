/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shim stands on (`ndksim build-driver --shim my.c`): waiting, waking, time, choices,
 * memory. A shim is part of the driver, so that it may call whatever the kit declares; these five
 * are enough for most, and each keeps runs repeatable: there is no other clock, chance or memory.
 *
 *   wait    NdksimShimWait     PASSIVE_LEVEL, or any with a limit of 0
 *   wake    NdksimShimWake     up to DISPATCH_LEVEL
 *   time    NdksimShimTimeNs   virtual; any IRQL
 *   choose  NdksimChoose       <ndksim.h>: option 0 is what an undisturbed run takes
 *   pool    NdksimShimAlloc, NdksimShimFree   non-paged, zeroed, the driver's; up to DISPATCH_LEVEL
 */
#ifndef NDKSIM_WDK_NDKSIM_SHIM_H
#define NDKSIM_WDK_NDKSIM_SHIM_H

#include "ndksim.h"
#include "wdm.h"

#define NDKSIM_SHIM_FOR_EVER MAXULONGLONG
#define NDKSIM_SHIM_TAG 0x6D696853 /* Shim */

/* A place to wait at. A wake that nobody waits for is kept for the next wait, one of them. */
typedef struct _NDKSIM_SHIM_WAITER {
    KEVENT Event;
} NDKSIM_SHIM_WAITER;

FORCEINLINE VOID NdksimShimInit(_Out_ NDKSIM_SHIM_WAITER *Waiter) {
    KeInitializeEvent(&Waiter->Event, SynchronizationEvent, FALSE);
}

/* TRUE when woken, FALSE after LimitNs of virtual time (in steps of 100 ns, rounded up). */
FORCEINLINE BOOLEAN NdksimShimWait(_Inout_ NDKSIM_SHIM_WAITER *Waiter, _In_ ULONG64 LimitNs) {
    LARGE_INTEGER Limit;

    Limit.QuadPart = -(LONGLONG)(LimitNs / 100 + (LimitNs % 100 != 0));
    return KeWaitForSingleObject(&Waiter->Event, Executive, KernelMode, FALSE,
                                 LimitNs == NDKSIM_SHIM_FOR_EVER ? NULL : &Limit) == STATUS_SUCCESS;
}

FORCEINLINE VOID NdksimShimWake(_Inout_ NDKSIM_SHIM_WAITER *Waiter) {
    KeSetEvent(&Waiter->Event, IO_NO_INCREMENT, FALSE);
}

FORCEINLINE ULONG64 NdksimShimTimeNs(VOID) {
    ULONG64 Counter;

    return KeQueryInterruptTimePrecise(&Counter) * 100;
}

/* NULL when there is none: a run may let it fail. */
FORCEINLINE PVOID NdksimShimAlloc(_In_ SIZE_T Bytes) {
    return ExAllocatePool2(POOL_FLAG_NON_PAGED, Bytes, NDKSIM_SHIM_TAG);
}

FORCEINLINE VOID NdksimShimFree(_In_ PVOID Memory) {
    ExFreePoolWithTag(Memory, NDKSIM_SHIM_TAG);
}

#endif
