/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What modules call that were compiled with callbacks for their loads and stores: the entry points
 * which gcc and clang emit for -fsanitize=thread, with our meaning instead of that run-time's.
 *
 * A module says __tsan_init when it is opened. An access outside of tasks, or to the stack of the
 * task that makes it, is nobody else's.
 */
#include <string.h>

#include "instrument.h"
#include "race.h"

static bool was_seen;

bool krn_instrument_take(void) {
    bool is_seen = was_seen;

    was_seen = false;
    return is_seen;
}

static inline void touch(const volatile void *address, uint64_t bytes, uint32_t kind,
                         const void *code, const void *frame) {
    struct sim_task *task = sim_task_current();
    uintptr_t at = (uintptr_t)address, low = (uintptr_t)frame;

    if (SIM_LIKELY(task != NULL && at - low >= sim_task_stack_high(task) - low)) {
        krn_race_access(task, at, bytes, kind, (uintptr_t)code - 1, low);
    }
}

#define HERE __builtin_return_address(0), __builtin_frame_address(0)

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);

void __tsan_init(void) {
    was_seen = true;
}

void __tsan_func_entry(void *caller) {
    (void)caller;
}

void __tsan_func_exit(void) {
}

/* ---- Loads and stores ---- */

#define ACCESS(name, bytes, kind)                                                                  \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address) {                                                            \
        touch(address, bytes, kind, HERE);                                                         \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(read##bytes, bytes, KRN_ACCESS_READ)                                                    \
    ACCESS(write##bytes, bytes, KRN_ACCESS_WRITE)                                                  \
    ACCESS(volatile_read##bytes, bytes, KRN_ACCESS_READ | KRN_ACCESS_ATOMIC)                       \
    ACCESS(volatile_write##bytes, bytes, KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC)
#define UNALIGNED(bytes)                                                                           \
    ACCESS(unaligned_read##bytes, bytes, KRN_ACCESS_READ)                                          \
    ACCESS(unaligned_write##bytes, bytes, KRN_ACCESS_WRITE)                                        \
    ACCESS(unaligned_volatile_read##bytes, bytes, KRN_ACCESS_READ | KRN_ACCESS_ATOMIC)             \
    ACCESS(unaligned_volatile_write##bytes, bytes, KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

#define RANGE(name, kind)                                                                          \
    void __tsan_##name(void *address, unsigned long bytes);                                        \
    void __tsan_##name(void *address, unsigned long bytes) {                                       \
        touch(address, bytes, kind, HERE);                                                         \
    }

RANGE(read_range, KRN_ACCESS_READ)
RANGE(write_range, KRN_ACCESS_WRITE)

#define COPY(name, routine)                                                                        \
    void *name(void *to, const void *from, size_t bytes);                                          \
    void *name(void *to, const void *from, size_t bytes) {                                         \
        touch(from, bytes, KRN_ACCESS_READ, HERE);                                                 \
        touch(to, bytes, KRN_ACCESS_WRITE, HERE);                                                  \
        return routine(to, from, bytes);                                                           \
    }
#define FILL(name)                                                                                 \
    void *name(void *to, int value, size_t bytes);                                                 \
    void *name(void *to, int value, size_t bytes) {                                                \
        touch(to, bytes, KRN_ACCESS_WRITE, HERE);                                                  \
        return memset(to, value, bytes);                                                           \
    }

/* Newer compilers call the first ones; NdksimDriver.cmake makes the others of what a driver names.
 */
COPY(__tsan_memcpy, memcpy)
COPY(__tsan_memmove, memmove)
FILL(__tsan_memset)
COPY(NdksimTouchCopy, memcpy)
COPY(NdksimTouchMove, memmove)
FILL(NdksimTouchFill)

/* ---- Atomic builtins of the compiler ---- */

#define ATOMIC_STEP(bits, name, operator)                                                          \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *at,                 \
                                                      uint##bits##_t value, int order);            \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *at,                 \
                                                      uint##bits##_t value, int order) {           \
        uint##bits##_t old;                                                                        \
                                                                                                   \
        (void)order;                                                                               \
        touch(at, sizeof(*at), KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, HERE);                        \
        old = *at;                                                                                 \
        *at = (uint##bits##_t)(operator);                                                          \
        return old;                                                                                \
    }
#define ATOMIC_COMPARE(bits, name)                                                                 \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t *expected,        \
                                     uint##bits##_t value, int order, int failure);                \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t *expected,        \
                                     uint##bits##_t value, int order, int failure) {               \
        (void)order;                                                                               \
        (void)failure;                                                                             \
        touch(at, sizeof(*at), KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, HERE);                        \
        if (*at == *expected) {                                                                    \
            *at = value;                                                                           \
            return 1;                                                                              \
        }                                                                                          \
        *expected = *at;                                                                           \
        return 0;                                                                                  \
    }
#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order);       \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {      \
        (void)order;                                                                               \
        touch(at, sizeof(*at), KRN_ACCESS_READ | KRN_ACCESS_ATOMIC, HERE);                         \
        return *at;                                                                                \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order) {                                                  \
        (void)order;                                                                               \
        touch(at, sizeof(*at), KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, HERE);                        \
        *at = value;                                                                               \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order);                \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at,                     \
                                                  uint##bits##_t value, int order) {               \
        uint##bits##_t old;                                                                        \
                                                                                                   \
        (void)order;                                                                               \
        touch(at, sizeof(*at), KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, HERE);                        \
        old = *at;                                                                                 \
        *at = value;                                                                               \
        return old;                                                                                \
    }                                                                                              \
    ATOMIC_STEP(bits, add, old + value)                                                            \
    ATOMIC_STEP(bits, sub, old - value)                                                            \
    ATOMIC_STEP(bits, and, old &value)                                                             \
    ATOMIC_STEP(bits, or, old | value)                                                             \
    ATOMIC_STEP(bits, xor, old ^ value)                                                            \
    ATOMIC_STEP(bits, nand, ~(old & value))                                                        \
    ATOMIC_COMPARE(bits, compare_exchange_strong)                                                  \
    ATOMIC_COMPARE(bits, compare_exchange_weak)                                                    \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order,     \
        int failure);                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order,     \
        int failure) {                                                                             \
        uint##bits##_t old;                                                                        \
                                                                                                   \
        (void)order;                                                                               \
        (void)failure;                                                                             \
        touch(at, sizeof(*at), KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, HERE);                        \
        old = *at;                                                                                 \
        if (old == expected) {                                                                     \
            *at = value;                                                                           \
        }                                                                                          \
        return old;                                                                                \
    }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order) {
    (void)order;
}

void __tsan_atomic_signal_fence(int order) {
    (void)order;
}
