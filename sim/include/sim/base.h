/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every file of ours may lean on: assertions that are always on, time units, and the small
 * helpers C lacks. An assertion is an error of ours, never of a driver or a scenario: it prints the
 * seed, the virtual time, the last records and the replay command, and ends the process with 134.
 */
#ifndef SIM_BASE_H
#define SIM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_world;

#define SIM_NS_PER_US UINT64_C(1000)
#define SIM_NS_PER_MS UINT64_C(1000000)
#define SIM_NS_PER_S UINT64_C(1000000000)
#define SIM_TIME_NEVER UINT64_MAX

/* NDK's page, whatever the host's page is. */
#define SIM_PAGE_BYTES UINT64_C(4096)

#define SIM_ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SIM_CONTAINER_OF(pointer, type, member)                                                    \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#if defined(__GNUC__)
#define SIM_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
/*
 * Cold: what hardly ever runs, findings above all. Code that leads to it is kept out of the way of
 * the rest: a run goes through more code than the first cache holds.
 */
#define SIM_COLD __attribute__((cold))
#define SIM_NORETURN __attribute__((noreturn, cold))
#define SIM_NOINLINE __attribute__((noinline))
#define SIM_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SIM_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#endif

SIM_NORETURN void sim_assert_fail(const char *file, int line, const char *expression);
/* The command that replays the current run, shown by a failed assertion; NULL: none. Not copied. */
void sim_assert_hint_set(const char *replay);
/* Called by a failed assertion before it ends the process; NULL: nothing. */
void sim_assert_hook_set(void (*hook)(void));
/*
 * What a process does before it ends without exit handlers, as forked ones do: hooks, inherited by
 * forked processes and called by a failed assertion too. sim_leave calls them, the last one first.
 * They may run in a signal handler.
 */
#define SIM_LEAVE_HOOK_COUNT_MAX 8u
void sim_leave_hook_add(void (*hook)(void));
void sim_leave(void);
/*
 * The same for what takes longer and needs a whole process: called before sim_leave by forked
 * processes that have done their work, never in a signal handler or after a failed assertion.
 */
void sim_finish_hook_set(void (*hook)(void));
void sim_finish(void);

#define SIM_ASSERT(expression)                                                                     \
    (SIM_LIKELY(expression) ? (void)0 : sim_assert_fail(__FILE__, __LINE__, #expression))

/* Mixes `value` into `hash`; the one hash of choices, names and the digest. Equal on every host. */
static inline uint64_t sim_hash_mix(uint64_t hash, uint64_t value) {
    uint64_t x = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 29);
}

/*
 * Hash of a byte string, for names. It goes byte by byte, so that hashing a text in two pieces
 * gives the hash of the whole; sim_hash_text starts at SIM_HASH_TEXT_START.
 */
#define SIM_HASH_TEXT_START UINT64_C(0xCBF29CE484222325)
uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t sim_hash_text(const char *text);

#endif
