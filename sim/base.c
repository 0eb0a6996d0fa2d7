/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of names, and what a failed assertion of ours prints before it ends the process.
 * FNV-1a: byte by byte, so that a child's name hash goes on from its owner's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "world.h"

#define LAST_RECORD_COUNT 16u
#define EXIT_INTERNAL 134

static const char *replay_hint;

uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

uint64_t sim_hash_text(const char *text) {
    uint64_t hash = SIM_HASH_TEXT_START;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static void (*last_hook)(void);

void sim_assert_hook_set(void (*hook)(void)) {
    last_hook = hook;
}

static void (*leave_hooks[SIM_LEAVE_HOOK_COUNT_MAX])(void);

void sim_leave_hook_add(void (*hook)(void)) {
    size_t i = 0;

    while (i < SIM_LEAVE_HOOK_COUNT_MAX && leave_hooks[i] != NULL && leave_hooks[i] != hook) {
        i++;
    }
    SIM_ASSERT(i < SIM_LEAVE_HOOK_COUNT_MAX);
    leave_hooks[i] = hook;
}

void sim_leave(void) {
    for (size_t i = SIM_LEAVE_HOOK_COUNT_MAX; i > 0; i--) {
        if (leave_hooks[i - 1] != NULL) {
            leave_hooks[i - 1]();
        }
    }
}

static void (*finish_hook)(void);

void sim_finish_hook_set(void (*hook)(void)) {
    finish_hook = hook;
}

void sim_finish(void) {
    if (finish_hook != NULL) {
        finish_hook();
    }
}

void sim_assert_hint_set(const char *replay) {
    replay_hint = replay;
}

static void print_world(const struct sim_world *world) {
    char line[512];

    fprintf(stderr,
            "seed %" PRIu64 ", virtual time %" PRIu64 ".%06" PRIu64 " ms, step %" PRIu64 "\n",
            world->config.seed, world->now_ns / SIM_NS_PER_MS, world->now_ns % SIM_NS_PER_MS,
            world->step_count);
    for (uint32_t back = LAST_RECORD_COUNT; back-- > 0;) {
        const struct sim_record *record = sim_trace_last(world, back);

        if (record != NULL) {
            fprintf(stderr, "  %s\n", sim_record_format(world, record, line, sizeof(line)));
        }
    }
}

void sim_assert_fail(const char *file, int line, const char *expression) {
    static bool is_failing;
    const struct sim_world *world = sim_world_active();

    /* An assertion inside the report ends it at once. */
    if (!is_failing) {
        is_failing = true;
        fprintf(stderr, "internal error: %s does not hold at %s:%d\n", expression, file, line);
        if (world != NULL) {
            print_world(world);
        }
        if (replay_hint != NULL) {
            fprintf(stderr, "replay   %s\n", replay_hint);
        }
        fflush(stderr);
        if (last_hook != NULL) {
            last_hook();
        }
        sim_leave();
    }
    _exit(EXIT_INTERNAL);
}
