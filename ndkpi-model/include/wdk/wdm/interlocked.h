/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interlocked operations and memory barriers.
 *
 * They are functions of the kernel, not compiler builtins: each one is a point where another
 * simulated CPU may go on, so that races between them can be found.
 */
#ifndef NDKSIM_WDK_WDM_INTERLOCKED_H
#define NDKSIM_WDK_WDM_INTERLOCKED_H

#include "../ntdef.h"

LONG InterlockedIncrement(_Inout_ LONG volatile *Addend);
LONG InterlockedDecrement(_Inout_ LONG volatile *Addend);
LONG InterlockedExchange(_Inout_ LONG volatile *Target, _In_ LONG Value);
LONG InterlockedExchangeAdd(_Inout_ LONG volatile *Addend, _In_ LONG Value);
LONG InterlockedAdd(_Inout_ LONG volatile *Addend, _In_ LONG Value);
LONG InterlockedCompareExchange(_Inout_ LONG volatile *Destination, _In_ LONG ExChange,
                                _In_ LONG Comperand);
LONG InterlockedAnd(_Inout_ LONG volatile *Destination, _In_ LONG Value);
LONG InterlockedOr(_Inout_ LONG volatile *Destination, _In_ LONG Value);
LONG InterlockedXor(_Inout_ LONG volatile *Destination, _In_ LONG Value);

LONG64 InterlockedIncrement64(_Inout_ LONG64 volatile *Addend);
LONG64 InterlockedDecrement64(_Inout_ LONG64 volatile *Addend);
LONG64 InterlockedExchange64(_Inout_ LONG64 volatile *Target, _In_ LONG64 Value);
LONG64 InterlockedExchangeAdd64(_Inout_ LONG64 volatile *Addend, _In_ LONG64 Value);
LONG64 InterlockedAdd64(_Inout_ LONG64 volatile *Addend, _In_ LONG64 Value);
LONG64 InterlockedCompareExchange64(_Inout_ LONG64 volatile *Destination, _In_ LONG64 ExChange,
                                    _In_ LONG64 Comperand);
LONG64 InterlockedAnd64(_Inout_ LONG64 volatile *Destination, _In_ LONG64 Value);
LONG64 InterlockedOr64(_Inout_ LONG64 volatile *Destination, _In_ LONG64 Value);
LONG64 InterlockedXor64(_Inout_ LONG64 volatile *Destination, _In_ LONG64 Value);

SHORT InterlockedIncrement16(_Inout_ SHORT volatile *Addend);
SHORT InterlockedDecrement16(_Inout_ SHORT volatile *Addend);
SHORT InterlockedExchange16(_Inout_ SHORT volatile *Destination, _In_ SHORT ExChange);
SHORT InterlockedCompareExchange16(_Inout_ SHORT volatile *Destination, _In_ SHORT ExChange,
                                   _In_ SHORT Comperand);
SHORT InterlockedAnd16(_Inout_ SHORT volatile *Destination, _In_ SHORT Value);
SHORT InterlockedOr16(_Inout_ SHORT volatile *Destination, _In_ SHORT Value);
CHAR InterlockedExchange8(_Inout_ CHAR volatile *Target, _In_ CHAR Value);
CHAR InterlockedAnd8(_Inout_ CHAR volatile *Destination, _In_ CHAR Value);
CHAR InterlockedOr8(_Inout_ CHAR volatile *Destination, _In_ CHAR Value);

PVOID InterlockedExchangePointer(_Inout_ PVOID volatile *Target, _In_opt_ PVOID Value);
PVOID InterlockedCompareExchangePointer(_Inout_ PVOID volatile *Destination,
                                        _In_opt_ PVOID ExChange, _In_opt_ PVOID Comperand);

#ifdef _NDKSIM_DRIVER_DIALECT
/* Drivers pass the address of a typed pointer. */
#define InterlockedExchangePointer(Target, Value)                                                  \
    InterlockedExchangePointer((PVOID volatile *)(Target), Value)
#define InterlockedCompareExchangePointer(Destination, ExChange, Comperand)                        \
    InterlockedCompareExchangePointer((PVOID volatile *)(Destination), ExChange, Comperand)
#endif

/* The old value of the bit. */
UCHAR InterlockedBitTestAndSet(_Inout_ LONG volatile *Base, _In_ LONG Bit);
UCHAR InterlockedBitTestAndReset(_Inout_ LONG volatile *Base, _In_ LONG Bit);
UCHAR InterlockedBitTestAndSet64(_Inout_ LONG64 volatile *Base, _In_ LONG64 Bit);
UCHAR InterlockedBitTestAndReset64(_Inout_ LONG64 volatile *Base, _In_ LONG64 Bit);

VOID KeMemoryBarrier(VOID);

#define InterlockedExchangeSubtract(Addend, Value) InterlockedExchangeAdd(Addend, -(LONG)(Value))
#define InterlockedIncrementSizeT(a) ((SIZE_T)InterlockedIncrement64((LONG64 volatile *)(a)))
#define InterlockedDecrementSizeT(a) ((SIZE_T)InterlockedDecrement64((LONG64 volatile *)(a)))
#define InterlockedExchangeAddSizeT(a, b)                                                          \
    ((SIZE_T)InterlockedExchangeAdd64((LONG64 volatile *)(a), (LONG64)(b)))
#define InterlockedIncrementAcquire InterlockedIncrement
#define InterlockedIncrementRelease InterlockedIncrement
#define InterlockedIncrementNoFence InterlockedIncrement
#define InterlockedDecrementAcquire InterlockedDecrement
#define InterlockedDecrementRelease InterlockedDecrement
#define InterlockedDecrementNoFence InterlockedDecrement
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedExchangeNoFence InterlockedExchange
#define InterlockedExchangeAddNoFence InterlockedExchangeAdd
#define InterlockedOrNoFence InterlockedOr
#define InterlockedAndNoFence InterlockedAnd
#define InterlockedExchangePointerNoFence InterlockedExchangePointer
#define InterlockedCompareExchangePointerRelease InterlockedCompareExchangePointer
#define InterlockedCompareExchangePointerAcquire InterlockedCompareExchangePointer

#define _InterlockedIncrement InterlockedIncrement
#define _InterlockedDecrement InterlockedDecrement
#define _InterlockedExchange InterlockedExchange
#define _InterlockedExchangeAdd InterlockedExchangeAdd
#define _InterlockedCompareExchange InterlockedCompareExchange
#define _InterlockedAnd InterlockedAnd
#define _InterlockedOr InterlockedOr
#define _InterlockedXor InterlockedXor
#define _InterlockedIncrement64 InterlockedIncrement64
#define _InterlockedDecrement64 InterlockedDecrement64
#define _InterlockedExchange64 InterlockedExchange64
#define _InterlockedExchangeAdd64 InterlockedExchangeAdd64
#define _InterlockedCompareExchange64 InterlockedCompareExchange64
#define _InterlockedAnd64 InterlockedAnd64
#define _InterlockedOr64 InterlockedOr64
#define _InterlockedXor64 InterlockedXor64
#define _InterlockedIncrement16 InterlockedIncrement16
#define _InterlockedDecrement16 InterlockedDecrement16
#define _InterlockedCompareExchange16 InterlockedCompareExchange16
#define _InterlockedExchange16 InterlockedExchange16
#define _InterlockedExchangePointer InterlockedExchangePointer
#define _InterlockedCompareExchangePointer InterlockedCompareExchangePointer
#define _InlineInterlockedAdd InterlockedAdd
#define _InlineInterlockedAdd64 InterlockedAdd64
#define _interlockedbittestandset InterlockedBitTestAndSet
#define _interlockedbittestandreset InterlockedBitTestAndReset
#define _interlockedbittestandset64 InterlockedBitTestAndSet64
#define _interlockedbittestandreset64 InterlockedBitTestAndReset64

/* Plain accesses that the compiler may neither split nor repeat. */
#define ReadNoFence(Source) (*(LONG const volatile *)(Source))
#define ReadNoFence64(Source) (*(LONG64 const volatile *)(Source))
#define ReadULongNoFence(Source) (*(ULONG const volatile *)(Source))
#define ReadULong64NoFence(Source) (*(ULONG64 const volatile *)(Source))
#define ReadPointerNoFence(Source) (*(PVOID const volatile *)(Source))
#define ReadAcquire(Source)                                                                        \
    ((LONG)__atomic_load_n((LONG const volatile *)(Source), __ATOMIC_ACQUIRE))
#define ReadULongAcquire(Source) __atomic_load_n((ULONG const volatile *)(Source), __ATOMIC_ACQUIRE)
#define ReadPointerAcquire(Source)                                                                 \
    __atomic_load_n((PVOID const volatile *)(Source), __ATOMIC_ACQUIRE)
#define WriteNoFence(Destination, Value) (*(LONG volatile *)(Destination) = (Value))
#define WriteULongNoFence(Destination, Value) (*(ULONG volatile *)(Destination) = (Value))
#define WritePointerNoFence(Destination, Value) (*(PVOID volatile *)(Destination) = (Value))
#define WriteRelease(Destination, Value)                                                           \
    __atomic_store_n((LONG volatile *)(Destination), (Value), __ATOMIC_RELEASE)
#define WriteULongRelease(Destination, Value)                                                      \
    __atomic_store_n((ULONG volatile *)(Destination), (Value), __ATOMIC_RELEASE)
#define WritePointerRelease(Destination, Value)                                                    \
    __atomic_store_n((PVOID volatile *)(Destination), (Value), __ATOMIC_RELEASE)

#define MemoryBarrier() KeMemoryBarrier()
#define KeMemoryBarrierWithoutFence() __asm__ __volatile__("" ::: "memory")
#define _ReadWriteBarrier() __asm__ __volatile__("" ::: "memory")
#define _ReadBarrier() __asm__ __volatile__("" ::: "memory")
#define _WriteBarrier() __asm__ __volatile__("" ::: "memory")
#define _mm_mfence() KeMemoryBarrier()
#define _mm_sfence() KeMemoryBarrier()
#define _mm_lfence() KeMemoryBarrier()

/* Bit scans. */

FORCEINLINE UCHAR NdksimBitScanForward64(_Out_ ULONG *Index, _In_ ULONG64 Mask) {
    if (Mask == 0) {
        return 0;
    }
    *Index = (ULONG)__builtin_ctzll(Mask);
    return 1;
}

FORCEINLINE UCHAR NdksimBitScanReverse64(_Out_ ULONG *Index, _In_ ULONG64 Mask) {
    if (Mask == 0) {
        return 0;
    }
    *Index = 63 - (ULONG)__builtin_clzll(Mask);
    return 1;
}

#define BitScanForward(Index, Mask) NdksimBitScanForward64(Index, (ULONG)(Mask))
#define BitScanReverse(Index, Mask) NdksimBitScanReverse64(Index, (ULONG)(Mask))
#define BitScanForward64(Index, Mask) NdksimBitScanForward64(Index, Mask)
#define BitScanReverse64(Index, Mask) NdksimBitScanReverse64(Index, Mask)
#define _BitScanForward BitScanForward
#define _BitScanReverse BitScanReverse
#define _BitScanForward64 BitScanForward64
#define _BitScanReverse64 BitScanReverse64
#define __popcnt16(x) ((USHORT)__builtin_popcount((USHORT)(x)))
#define __popcnt(x) ((ULONG)__builtin_popcount(x))
#define __popcnt64(x) ((ULONG64)__builtin_popcountll(x))

#endif
