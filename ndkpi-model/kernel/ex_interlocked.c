/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interlocked operations: each is a schedule point, then one indivisible step. What they touch is
 * named by the memory it lies in, so that explorers know which ones can race.
 */
#include <ntddk.h>

#include "call_error.h"
#include "pool.h"
#include "race.h"

static void touch(const struct krn_call *call, const volatile void *address, size_t bytes) {
    const void *plain = (const void *)(uintptr_t)address;
    const struct krn_chunk *chunk = krn_chunk_of(call->krn, plain);

    if (SIM_UNLIKELY(chunk == NULL || !krn_chunk_is_whole(chunk, plain, bytes))) {
        krn_check_memory(call, plain, bytes, "variable");
    }
    if (krn_call_point(call, chunk != NULL ? krn_chunk_owner(chunk) : krn_call_owner(call),
                       SIM_ACCESS_WRITE)) {
        /* Others ran: the memory may be gone. */
        krn_check_memory(call, plain, bytes, "variable");
    }
    krn_race_interlocked(call, address, bytes);
}

#define OPERATION(type, unsigned_type, name, expression, result)                                   \
    type name(type volatile *Target, type Value) {                                                 \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        unsigned_type old;                                                                         \
        unsigned_type value = (unsigned_type)Value;                                                \
                                                                                                   \
        touch(&call, Target, sizeof(*Target));                                                     \
        old = (unsigned_type)*Target;                                                              \
        *Target = (type)(expression);                                                              \
        return (type)(result);                                                                     \
    }

#define STEP(type, unsigned_type, name, sign)                                                      \
    type name(type volatile *Addend) {                                                             \
        KRN_CALL(HIGH_LEVEL);                                                                      \
                                                                                                   \
        touch(&call, Addend, sizeof(*Addend));                                                     \
        *Addend = (type)((unsigned_type)*Addend sign 1u);                                          \
        return *Addend;                                                                            \
    }

#define COMPARE_EXCHANGE(type, name)                                                               \
    type name(type volatile *Destination, type ExChange, type Comperand) {                         \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        type old;                                                                                  \
                                                                                                   \
        touch(&call, Destination, sizeof(*Destination));                                           \
        old = *Destination;                                                                        \
        if (old == Comperand) {                                                                    \
            *Destination = ExChange;                                                               \
        }                                                                                          \
        return old;                                                                                \
    }

#define BIT_TEST(type, unsigned_type, name, bits, expression)                                      \
    UCHAR name(type volatile *Base, type Bit) {                                                    \
        KRN_CALL(HIGH_LEVEL);                                                                      \
        type volatile *word = Base + Bit / bits;                                                   \
        unsigned_type mask = (unsigned_type)1 << (Bit % bits);                                     \
        unsigned_type old;                                                                         \
                                                                                                   \
        touch(&call, word, sizeof(*word));                                                         \
        old = (unsigned_type)*word;                                                                \
        *word = (type)(expression);                                                                \
        return (old & mask) != 0;                                                                  \
    }

STEP(LONG, ULONG, InterlockedIncrement, +)
STEP(LONG, ULONG, InterlockedDecrement, -)
OPERATION(LONG, ULONG, InterlockedExchange, value, old)
OPERATION(LONG, ULONG, InterlockedExchangeAdd, old + value, old)
OPERATION(LONG, ULONG, InterlockedAdd, old + value, old + value)
COMPARE_EXCHANGE(LONG, InterlockedCompareExchange)
OPERATION(LONG, ULONG, InterlockedAnd, old &value, old)
OPERATION(LONG, ULONG, InterlockedOr, old | value, old)
OPERATION(LONG, ULONG, InterlockedXor, old ^ value, old)

STEP(LONG64, ULONG64, InterlockedIncrement64, +)
STEP(LONG64, ULONG64, InterlockedDecrement64, -)
OPERATION(LONG64, ULONG64, InterlockedExchange64, value, old)
OPERATION(LONG64, ULONG64, InterlockedExchangeAdd64, old + value, old)
OPERATION(LONG64, ULONG64, InterlockedAdd64, old + value, old + value)
COMPARE_EXCHANGE(LONG64, InterlockedCompareExchange64)
OPERATION(LONG64, ULONG64, InterlockedAnd64, old &value, old)
OPERATION(LONG64, ULONG64, InterlockedOr64, old | value, old)
OPERATION(LONG64, ULONG64, InterlockedXor64, old ^ value, old)

STEP(SHORT, USHORT, InterlockedIncrement16, +)
STEP(SHORT, USHORT, InterlockedDecrement16, -)
OPERATION(SHORT, USHORT, InterlockedExchange16, value, old)
COMPARE_EXCHANGE(SHORT, InterlockedCompareExchange16)
OPERATION(SHORT, USHORT, InterlockedAnd16, old &value, old)
OPERATION(SHORT, USHORT, InterlockedOr16, old | value, old)

OPERATION(CHAR, UCHAR, InterlockedExchange8, value, old)
OPERATION(CHAR, UCHAR, InterlockedAnd8, old &value, old)
OPERATION(CHAR, UCHAR, InterlockedOr8, old | value, old)

BIT_TEST(LONG, ULONG, InterlockedBitTestAndSet, 32, old | mask)
BIT_TEST(LONG, ULONG, InterlockedBitTestAndReset, 32, old & ~mask)
BIT_TEST(LONG64, ULONG64, InterlockedBitTestAndSet64, 64, old | mask)
BIT_TEST(LONG64, ULONG64, InterlockedBitTestAndReset64, 64, old & ~mask)

PVOID InterlockedExchangePointer(PVOID volatile *Target, PVOID Value) {
    KRN_CALL(HIGH_LEVEL);
    PVOID old;

    touch(&call, Target, sizeof(*Target));
    old = *Target;
    *Target = Value;
    return old;
}

COMPARE_EXCHANGE(PVOID, InterlockedCompareExchangePointer)

VOID KeMemoryBarrier(VOID) {
    KRN_CALL(HIGH_LEVEL);
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_NONE);
}
