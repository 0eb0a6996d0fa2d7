/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three regions: reserved at fixed bases without access, committed as they grow, copied at a
 * snapshot and copied back at a reset. Beyond its high-water mark a region always reads as zero,
 * so a fresh world never sees what an earlier run wrote.
 *
 * Committed pages are never given back within a process: a reset clears them instead.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "outer.h"

#define COMMIT_STEP_BYTES (UINT64_C(1) << 20)
/* From here on fresh pages are cheaper than clearing used ones. */
#define REMAP_BYTES_MIN (UINT64_C(8) << 20)
#define DRIVER_POOL_BYTES (SIM_REGION_SLOT_BYTES / 2)

_Static_assert((SIM_REGION_SLOT_BYTES & (SIM_REGION_SLOT_BYTES - 1)) == 0,
               "the frame bijection needs a power of two");

static uint64_t round_up(uint64_t value, uint64_t to) {
    return (value + to - 1) & ~(to - 1);
}

static uint64_t base_of(enum sim_region_id region) {
    return SIM_REGION_BASE + (uint64_t)region * SIM_REGION_SLOT_BYTES;
}

/* What a region may hold: a run that asks for more is refused before the host is. */
static uint64_t budget_of(enum sim_region_id region) {
    static const uint64_t budget[SIM_REGION_COUNT] = {
        [SIM_REGION_PRIVATE] = UINT64_C(8) << 30,
        [SIM_REGION_DRIVER] = UINT64_C(2) << 30,
        [SIM_REGION_BULK] = UINT64_C(8) << 30,
    };
    uint64_t room = region == SIM_REGION_DRIVER ? DRIVER_POOL_BYTES : SIM_REGION_SLOT_BYTES;

    return budget[region] < room ? budget[region] : room;
}

uint64_t sim_host_page_bytes(void) {
    static uint64_t page_bytes;

    if (page_bytes == 0) {
        page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return page_bytes;
}

bool sim_span_open(struct sim_span *span, void *at, size_t bytes) {
    /* Not MAP_FIXED, which would take what is there; a free place that is asked for is given. */
    void *got = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(span, 0, sizeof(*span));
    if (got == MAP_FAILED) {
        return false;
    }
    if (at != NULL && got != at) {
        munmap(got, bytes);
        return false;
    }
    span->base = got;
    span->reserved_bytes = bytes;
    return true;
}

void sim_span_close(struct sim_span *span) {
    if (span->base != NULL) {
        munmap(span->base, span->reserved_bytes);
    }
    memset(span, 0, sizeof(*span));
}

bool sim_span_commit(struct sim_span *span, size_t bytes) {
    size_t more;

    if (bytes <= span->committed_bytes) {
        return true;
    }
    if (bytes > span->reserved_bytes) {
        return false;
    }
    more = (size_t)round_up(bytes, COMMIT_STEP_BYTES);
    if (more > span->reserved_bytes) {
        more = span->reserved_bytes;
    }
    if (mprotect((char *)span->base + span->committed_bytes, more - span->committed_bytes,
                 PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    span->committed_bytes = more;
    return true;
}

void *sim_memory_open(struct sim_outer *outer) {
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        uint64_t bytes = i == SIM_REGION_DRIVER ? DRIVER_POOL_BYTES : SIM_REGION_SLOT_BYTES;

        if (!sim_span_open(&outer->regions[i], (void *)(uintptr_t)base_of((enum sim_region_id)i),
                           bytes)) {
            goto fail;
        }
    }
    if (!sim_span_open(&outer->stacks,
                       (void *)(uintptr_t)(base_of(SIM_REGION_DRIVER) + DRIVER_POOL_BYTES),
                       SIM_REGION_SLOT_BYTES - DRIVER_POOL_BYTES) ||
        !sim_span_commit(&outer->regions[SIM_REGION_PRIVATE], sizeof(struct sim_world))) {
        goto fail;
    }
    return outer->regions[SIM_REGION_PRIVATE].base;

fail:
    sim_memory_close(outer);
    return NULL;
}

void sim_memory_close(struct sim_outer *outer) {
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        sim_span_close(&outer->regions[i]);
        free(outer->copies[i].bytes);
        memset(&outer->copies[i], 0, sizeof(outer->copies[i]));
    }
    sim_span_close(&outer->stacks);
    free(outer->stack_copy.bytes);
    memset(&outer->stack_copy, 0, sizeof(outer->stack_copy));
}

void sim_memory_init(struct sim_world *world) {
    world->memory.used[SIM_REGION_PRIVATE] = round_up(sizeof(*world), 64);
    world->memory.room_bytes[SIM_ROOM_SIM] = world->memory.used[SIM_REGION_PRIVATE];
}

void *sim_region_take(struct sim_world *world, enum sim_region_id region, uint64_t bytes,
                      uint64_t align) {
    uint64_t start = round_up(world->memory.used[region], align);
    uint64_t budget = budget_of(region);

    SIM_ASSERT(align >= 16 && (align & (align - 1)) == 0);
    if (bytes > budget || start > budget - bytes ||
        !sim_span_commit(&world->outer->regions[region], start + bytes)) {
        return NULL;
    }
    world->memory.used[region] = start + bytes;
    return (void *)(uintptr_t)(base_of(region) + start);
}

enum sim_region_id sim_region_of(const struct sim_world *world, const void *address) {
    uint64_t offset = (uint64_t)(uintptr_t)address - SIM_REGION_BASE;
    uint64_t region = offset / SIM_REGION_SLOT_BYTES;
    bool in_guard = false;

    if ((uint64_t)(uintptr_t)address < SIM_REGION_BASE || region >= SIM_REGION_COUNT) {
        return SIM_REGION_COUNT;
    }
    offset %= SIM_REGION_SLOT_BYTES;
    if (offset < world->memory.used[region]) {
        return (enum sim_region_id)region;
    }
    if (region == SIM_REGION_DRIVER &&
        sim_stack_slot_of(world, (uintptr_t)address, &in_guard) != SIM_STACK_SLOT_NONE &&
        !in_guard) {
        return SIM_REGION_DRIVER;
    }
    return SIM_REGION_COUNT;
}

uint64_t sim_region_used_bytes(const struct sim_world *world, enum sim_region_id region) {
    return world->memory.used[region];
}

static bool change_access(uint64_t start, uint64_t bytes, int access) {
    uint64_t page = sim_host_page_bytes();

    SIM_ASSERT(start % page == 0 && bytes % page == 0);
    return mprotect((void *)(uintptr_t)start, bytes, access) == 0;
}

bool sim_region_protect(struct sim_world *world, void *address, uint64_t bytes) {
    struct sim_protected *range;

    SIM_ASSERT(bytes != 0 && sim_region_of(world, address) != SIM_REGION_PRIVATE &&
               sim_region_of(world, (char *)address + bytes - 1) < SIM_REGION_COUNT);
    if (!change_access((uintptr_t)address, bytes, PROT_NONE)) {
        return false;
    }
    range = sim_alloc(world, sizeof(*range));
    range->start = (uintptr_t)address;
    range->bytes = bytes;
    range->next = world->memory.protected_first;
    world->memory.protected_first = range;
    return true;
}

void sim_region_unprotect(struct sim_world *world, void *address, uint64_t bytes) {
    struct sim_protected **link = &world->memory.protected_first;

    while (*link != NULL) {
        struct sim_protected *range = *link;

        if (range->start == (uintptr_t)address && range->bytes == bytes) {
            bool done = change_access(range->start, range->bytes, PROT_READ | PROT_WRITE);

            SIM_ASSERT(done);
            *link = range->next;
            sim_free(world, range, sizeof(*range));
            return;
        }
        link = &range->next;
    }
    sim_assert_fail(__FILE__, __LINE__, "the range was protected");
}

/* Opens all protected ranges to copies, or closes them again. */
static void open_protected(struct sim_world *world, bool open) {
    if (world->memory.protected_first == NULL) {
        return;
    }
    if (open) {
        for (int i = SIM_REGION_DRIVER; i <= SIM_REGION_BULK; i++) {
            struct sim_span *span = &world->outer->regions[i];
            bool done = span->committed_bytes == 0 ||
                        mprotect(span->base, span->committed_bytes, PROT_READ | PROT_WRITE) == 0;

            SIM_ASSERT(done);
        }
        return;
    }
    for (struct sim_protected *range = world->memory.protected_first; range != NULL;
         range = range->next) {
        bool done = change_access(range->start, range->bytes, PROT_NONE);

        SIM_ASSERT(done);
    }
}

/* Makes [start, end) of a region read as zero. */
static void clear_range(struct sim_span *span, uint64_t start, uint64_t end) {
    uint64_t page = sim_host_page_bytes();
    uint64_t first = round_up(start, page);
    uint64_t last = end & ~(page - 1);
    char *base = span->base;

    if (end - start < REMAP_BYTES_MIN) {
        sim_raw_zero(base + start, end - start);
        return;
    }
    sim_raw_zero(base + start, first - start);
    sim_raw_zero(base + last, end - last);
    {
        void *got = mmap(base + first, last - first, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

        SIM_ASSERT(got == base + first);
    }
}

static void copy_out(struct sim_copy *copy, const void *from, uint64_t bytes) {
    if (copy->capacity < bytes) {
        free(copy->bytes);
        copy->bytes = malloc(bytes);
        SIM_ASSERT(copy->bytes != NULL);
        copy->capacity = bytes;
    }
    sim_raw_copy(copy->bytes, from, bytes);
    copy->count = bytes;
}

void sim_memory_save(struct sim_world *world) {
    struct sim_outer *outer = world->outer;

    sim_stack_save(world);
    open_protected(world, true);
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        copy_out(&outer->copies[i], outer->regions[i].base, world->memory.used[i]);
    }
    open_protected(world, false);
}

void sim_memory_restore(struct sim_world *world) {
    struct sim_outer *outer = world->outer;
    uint32_t stack_used = world->memory.stack_used;
    uint64_t used[SIM_REGION_COUNT];

    open_protected(world, true);
    memcpy(used, world->memory.used, sizeof(used));
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        struct sim_copy *copy = &outer->copies[i];

        sim_raw_copy(outer->regions[i].base, copy->bytes, copy->count);
        if (used[i] > copy->count) {
            clear_range(&outer->regions[i], copy->count, used[i]);
        }
    }
    open_protected(world, false);
    sim_stack_restore(world, stack_used);
}
