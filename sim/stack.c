/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots of task stacks in the upper half of the DRIVER region. A free slot is full of the pattern,
 * in every run and after every reset, so that what a task reads below its frames never depends on
 * an earlier owner.
 *
 * Refilling goes down from the live part and stops after REFILL_CLEAN_BYTES that hold nothing but
 * the pattern: clearing whole stacks would cost most of a reset. A frame larger than that, of
 * which nothing was written while something below it was, would leave its lower end as it is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "outer.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif
#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif
#ifndef VALGRIND_MAKE_MEM_DEFINED
#define VALGRIND_MAKE_MEM_DEFINED(address, bytes) ((void)0)
#define VALGRIND_STACK_REGISTER(low, high) ((void)0)
#endif

#define REFILL_CLEAN_BYTES (UINT64_C(4) * 1024)
#define BLOCK_WORDS 64u
#define BLOCK_BYTES (BLOCK_WORDS * sizeof(uint64_t))
#define STRIDE_BYTES (SIM_TASK_STACK_BYTES + SIM_STACK_GUARD_BYTES)
#define STACKS_BASE                                                                                \
    (SIM_REGION_BASE + SIM_REGION_DRIVER * SIM_REGION_SLOT_BYTES + SIM_REGION_SLOT_BYTES / 2)

_Static_assert(SIM_STACK_SLOT_COUNT *STRIDE_BYTES + SIM_STACK_GUARD_BYTES <=
                   SIM_REGION_SLOT_BYTES / 2,
               "all stack slots fit into half a region");
_Static_assert((SIM_TASK_STACK_BYTES & 0xFFFF) == 0, "stacks are whole host pages");

void sim_stack_slot_bounds(uint32_t slot, uintptr_t *low, uintptr_t *high) {
    *low = STACKS_BASE + slot * STRIDE_BYTES + SIM_STACK_GUARD_BYTES;
    *high = *low + SIM_TASK_STACK_BYTES;
}

uint32_t sim_stack_slot_of(const struct sim_world *world, uintptr_t address, bool *in_guard) {
    uint64_t offset = (uint64_t)address - STACKS_BASE;
    uint64_t slot = offset / STRIDE_BYTES;

    if (address < STACKS_BASE || address >= STACKS_BASE + SIM_REGION_SLOT_BYTES / 2) {
        return SIM_STACK_SLOT_NONE;
    }
    *in_guard = offset % STRIDE_BYTES < SIM_STACK_GUARD_BYTES;
    /* The guard above the last stack in use belongs to that one. */
    if (*in_guard && slot == world->memory.stack_used && slot > 0) {
        slot--;
    }
    return slot < world->memory.stack_used ? (uint32_t)slot : SIM_STACK_SLOT_NONE;
}

/* Before we read or write what lies below frames: the checkers think nobody may. */
static void open_stack(uintptr_t low, uintptr_t high) {
    ASAN_UNPOISON_MEMORY_REGION((void *)low, high - low);
    (void)VALGRIND_MAKE_MEM_DEFINED((void *)low, high - low);
}

/* All words from `at` on are the pattern: the first is, and each is as the next. */
static bool is_pattern(uintptr_t at, uint64_t bytes) {
    return *(const uint64_t *)at == SIM_STACK_PATTERN &&
           memcmp((const void *)at, (const void *)(at + sizeof(uint64_t)),
                  bytes - sizeof(uint64_t)) == 0;
}

/* Fills what is not the pattern, from `from` downwards. */
static void refill(uintptr_t low, uintptr_t from) {
    uint64_t pattern[BLOCK_WORDS];
    uint64_t clean_bytes = 0;
    uintptr_t at = from & ~(uintptr_t)7;

    for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
        pattern[i] = SIM_STACK_PATTERN;
    }
    while (at - low >= BLOCK_BYTES && clean_bytes < REFILL_CLEAN_BYTES) {
        at -= BLOCK_BYTES;
        if (is_pattern(at, BLOCK_BYTES)) {
            clean_bytes += BLOCK_BYTES;
            if (clean_bytes == BLOCK_BYTES && at - low >= REFILL_CLEAN_BYTES &&
                is_pattern(at - REFILL_CLEAN_BYTES, REFILL_CLEAN_BYTES)) {
                return;
            }
        } else {
            memcpy((void *)at, pattern, BLOCK_BYTES);
            clean_bytes = 0;
        }
    }
    if (at - low < BLOCK_BYTES) {
        memcpy((void *)low, pattern, at - low);
    }
}

static void fill_new(uintptr_t low, uintptr_t high) {
    for (uintptr_t at = low; at < high; at += sizeof(uint64_t)) {
        *(uint64_t *)at = SIM_STACK_PATTERN;
    }
}

static void commit_slots(struct sim_outer *outer, uint32_t count) {
    while (outer->stack_committed < count) {
        uintptr_t low, high;
        int result;

        sim_stack_slot_bounds(outer->stack_committed, &low, &high);
        result = mprotect((void *)low, high - low, PROT_READ | PROT_WRITE);
        SIM_ASSERT(result == 0);
        /* A world that was destroyed may have left frames' red zones behind. */
        open_stack(low, high);
        fill_new(low, high);
        (void)VALGRIND_STACK_REGISTER(low, high);
        outer->stack_committed++;
    }
}

static void grow_table(struct sim_world *world) {
    struct sim_memory *memory = &world->memory;
    uint32_t capacity = memory->stack_capacity == 0 ? 32 : memory->stack_capacity * 2;
    struct sim_stack_slot *stacks = sim_alloc(world, capacity * sizeof(*stacks));

    if (memory->stack_used != 0) {
        memcpy(stacks, memory->stacks, memory->stack_used * sizeof(*stacks));
    }
    sim_free(world, memory->stacks, memory->stack_capacity * sizeof(*stacks));
    memory->stacks = stacks;
    memory->stack_capacity = capacity;
}

uint32_t sim_stacks_left(const struct sim_world *world) {
    return SIM_STACK_SLOT_COUNT - world->memory.stack_live;
}

uint32_t sim_stack_slot_take(struct sim_world *world, const uintptr_t *stack_pointer,
                             uintptr_t *low, uintptr_t *high) {
    struct sim_memory *memory = &world->memory;
    uint32_t slot = memory->stack_free_first;

    SIM_ASSERT(sim_region_of(world, stack_pointer) == SIM_REGION_PRIVATE);
    while (slot < memory->stack_used && memory->stacks[slot].stack_pointer != NULL) {
        slot++;
    }
    SIM_ASSERT(slot < SIM_STACK_SLOT_COUNT);
    if (slot == memory->stack_capacity) {
        grow_table(world);
    }
    if (slot == memory->stack_used) {
        memory->stack_used++;
        commit_slots(world->outer, memory->stack_used);
    }
    memory->stacks[slot].stack_pointer = stack_pointer;
    memory->stack_free_first = slot + 1;
    memory->stack_live++;
    sim_stack_slot_bounds(slot, low, high);
    return slot;
}

void sim_stack_slot_give(struct sim_world *world, uint32_t slot) {
    struct sim_memory *memory = &world->memory;
    uintptr_t low, high;

    SIM_ASSERT(slot < memory->stack_used && memory->stacks[slot].stack_pointer != NULL);
    memory->stack_live--;
    memory->stacks[slot].stack_pointer = NULL;
    if (slot < memory->stack_free_first) {
        memory->stack_free_first = slot;
    }
    sim_stack_slot_bounds(slot, &low, &high);
    open_stack(low, high);
    refill(low, high);
}

/* Where the live part begins: the saved stack pointer, or `high` for a free slot. */
static uintptr_t live_start(const struct sim_stack_slot *stack, uintptr_t low, uintptr_t high) {
    if (stack->stack_pointer == NULL) {
        return high;
    }
    SIM_ASSERT(*stack->stack_pointer >= low && *stack->stack_pointer <= high);
    return *stack->stack_pointer & ~(uintptr_t)7;
}

void sim_stack_save(struct sim_world *world) {
    struct sim_copy *copy = &world->outer->stack_copy;
    struct sim_memory *memory = &world->memory;
    uintptr_t low, high;

    copy->count = 0;
    for (uint32_t i = 0; i < memory->stack_used; i++) {
        sim_stack_slot_bounds(i, &low, &high);
        copy->count += high - live_start(&memory->stacks[i], low, high);
    }
    if (copy->capacity < copy->count) {
        free(copy->bytes);
        copy->bytes = malloc(copy->count);
        SIM_ASSERT(copy->bytes != NULL);
        copy->capacity = copy->count;
    }
    copy->count = 0;
    for (uint32_t i = 0; i < memory->stack_used; i++) {
        uintptr_t start;

        sim_stack_slot_bounds(i, &low, &high);
        start = live_start(&memory->stacks[i], low, high);
        /* The first run after the snapshot finds what every run after a reset does. */
        open_stack(low, start);
        refill(low, start);
        if (high != start) {
            sim_raw_copy(copy->bytes + copy->count, (const void *)start, high - start);
            copy->count += high - start;
        }
    }
}

void sim_stack_restore(struct sim_world *world, uint32_t stack_used) {
    const struct sim_copy *copy = &world->outer->stack_copy;
    struct sim_memory *memory = &world->memory;
    uint64_t at = 0;

    for (uint32_t i = 0; i < stack_used; i++) {
        uintptr_t low, high, start;

        sim_stack_slot_bounds(i, &low, &high);
        start = i < memory->stack_used ? live_start(&memory->stacks[i], low, high) : high;
        open_stack(low, high);
        refill(low, start);
        if (start < high) {
            sim_raw_copy((void *)start, copy->bytes + at, high - start);
            at += high - start;
        }
    }
    SIM_ASSERT(at == copy->count);
}
