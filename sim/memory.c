/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model memory (size-class free lists over the PRIVATE region), copies that no sanitizer watches,
 * and the bijection between pages and page frames.
 *
 * Size classes: multiples of 16 to 1,024 bytes, then four to each power of two. A block always goes
 * back to the class that its size asks for; the last one freed is the first one reused. What small
 * classes have no freed block for is cut from freed large ones, then from the region.
 */
#include <string.h>

#include "outer.h"

#define SMALL_STEP_BYTES UINT64_C(16)
#define SMALL_BYTES_MAX UINT64_C(1024)
#define SMALL_BITS 10u
#define SMALL_CLASS_COUNT (SMALL_BYTES_MAX / SMALL_STEP_BYTES)
#define BLOCK_ALIGN_MAX UINT64_C(64)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
/* The barrier keeps the loop from becoming a call of memcpy, which would be watched. */
__attribute__((no_sanitize("address", "undefined"))) void sim_raw_copy(void *to, const void *from,
                                                                       size_t bytes) {
    char *target = to;
    const char *source = from;

    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
        *(uint64_t *)(void *)target = *(const uint64_t *)(const void *)source;
        target += sizeof(uint64_t);
        source += sizeof(uint64_t);
        __asm__ volatile("" ::: "memory");
    }
    for (; bytes > 0; bytes--) {
        *target++ = *source++;
        __asm__ volatile("" ::: "memory");
    }
}

__attribute__((no_sanitize("address", "undefined"))) void sim_raw_zero(void *to, size_t bytes) {
    char *target = to;

    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
        *(uint64_t *)(void *)target = 0;
        target += sizeof(uint64_t);
        __asm__ volatile("" ::: "memory");
    }
    for (; bytes > 0; bytes--) {
        *target++ = 0;
        __asm__ volatile("" ::: "memory");
    }
}
#else
void sim_raw_copy(void *to, const void *from, size_t bytes) {
    if (bytes != 0) {
        memcpy(to, from, bytes);
    }
}

void sim_raw_zero(void *to, size_t bytes) {
    if (bytes != 0) {
        memset(to, 0, bytes);
    }
}
#endif

static uint32_t class_of(uint64_t bytes, uint64_t *class_bytes) {
    uint32_t quarter_bits;

    if (bytes <= SMALL_BYTES_MAX) {
        uint64_t steps = bytes == 0 ? 1 : (bytes + SMALL_STEP_BYTES - 1) / SMALL_STEP_BYTES;

        *class_bytes = steps * SMALL_STEP_BYTES;
        return (uint32_t)steps;
    }
    quarter_bits = 61u - (uint32_t)__builtin_clzll(bytes - 1);
    *class_bytes = ((bytes - 1) | ((UINT64_C(1) << quarter_bits) - 1)) + 1;
    return (uint32_t)SMALL_CLASS_COUNT + 1 + (quarter_bits + 2 - SMALL_BITS) * 4 +
           (uint32_t)((bytes - 1) >> quarter_bits & 3);
}

/* The inverse for classes of large blocks. */
static uint64_t class_bytes_of(uint32_t number) {
    uint32_t quarters = number - (uint32_t)SMALL_CLASS_COUNT - 1;

    return (UINT64_C(5) + quarters % 4) << (quarters / 4 + SMALL_BITS - 2);
}

/* What divides the block's size, up to a cache line: blocks of one class lie without gaps. */
static uint64_t align_of(uint64_t class_bytes) {
    uint64_t align = class_bytes & (0 - class_bytes);

    return align < BLOCK_ALIGN_MAX ? align : BLOCK_ALIGN_MAX;
}

/*
 * The rest of a freed large block, mostly a table that has been outgrown: it is cut up before the
 * region grows. The largest is taken first, so that what a table leaves serves long.
 */
static bool spare_find(struct sim_memory *memory) {
    for (uint32_t number = SIM_SIZE_CLASS_COUNT - 1; number > SMALL_CLASS_COUNT; number--) {
        struct sim_free_block *block = memory->free[number];

        if (block != NULL) {
            memory->free[number] = block->next;
            memory->large_free_count--;
            memory->spare = (unsigned char *)block;
            memory->spare_bytes = class_bytes_of(number);
            return true;
        }
    }
    return false;
}

/* For blocks of small classes only; NULL: there is nothing to cut up. */
static void *spare_take(struct sim_memory *memory, uint64_t bytes, uint64_t align) {
    for (;;) {
        uint64_t lead = (0 - (uint64_t)(uintptr_t)memory->spare) & (align - 1);

        if (lead + bytes <= memory->spare_bytes) {
            unsigned char *block = memory->spare + lead;

            memory->spare += lead + bytes;
            memory->spare_bytes -= lead + bytes;
            return block;
        }
        if (memory->large_free_count == 0 || !spare_find(memory)) {
            return NULL;
        }
    }
}

/* As sim_region_take, for the usual case: what is committed has room. */
static inline void *private_take(struct sim_world *world, uint64_t bytes, uint64_t align) {
    const struct sim_span *span = &world->outer->regions[SIM_REGION_PRIVATE];
    uint64_t start = (world->memory.used[SIM_REGION_PRIVATE] + align - 1) & ~(align - 1);

    if (SIM_UNLIKELY(bytes > span->committed_bytes || start > span->committed_bytes - bytes)) {
        return sim_region_take(world, SIM_REGION_PRIVATE, bytes, align);
    }
    world->memory.used[SIM_REGION_PRIVATE] = start + bytes;
    return (char *)span->base + start;
}

void *sim_room_alloc(struct sim_world *world, enum sim_room room, uint64_t bytes) {
    uint64_t class_bytes;
    uint32_t number = class_of(bytes, &class_bytes);
    struct sim_free_block *block;

    SIM_ASSERT(number < SIM_SIZE_CLASS_COUNT);
    world->memory.room_bytes[room] += class_bytes;
    block = world->memory.free[number];
    if (block != NULL) {
        world->memory.free[number] = block->next;
        world->memory.large_free_count -= number > SMALL_CLASS_COUNT;
    } else if (number <= SMALL_CLASS_COUNT) {
        block = spare_take(&world->memory, class_bytes, align_of(class_bytes));
    }
    if (block != NULL) {
        memset(block, 0, bytes);
        return block;
    }
    block = private_take(world, class_bytes, align_of(class_bytes));
    SIM_ASSERT(block != NULL);
    return block;
}

void sim_room_free(struct sim_world *world, enum sim_room room, void *memory, uint64_t bytes) {
    uint64_t class_bytes;
    uint32_t number = class_of(bytes, &class_bytes);
    struct sim_free_block *block = memory;

    if (block == NULL) {
        return;
    }
    SIM_ASSERT(sim_region_of(world, memory) == SIM_REGION_PRIVATE);
    world->memory.room_bytes[room] -= class_bytes;
    block->next = world->memory.free[number];
    world->memory.free[number] = block;
    world->memory.large_free_count += number > SMALL_CLASS_COUNT;
}

uint64_t sim_room_bytes(const struct sim_world *world, enum sim_room room) {
    return world->memory.room_bytes[room];
}

const char *sim_room_name(enum sim_room room) {
    static const char *const names[SIM_ROOM_COUNT] = {
        [SIM_ROOM_SIM] = "sim",           [SIM_ROOM_NET] = "net",
        [SIM_ROOM_RNIC] = "rnic",         [SIM_ROOM_KERNEL] = "kernel",
        [SIM_ROOM_VERIFIER] = "verifier", [SIM_ROOM_SCENARIOS] = "scenarios",
        [SIM_ROOM_OTHER] = "other",
    };

    return names[room];
}

/*
 * Frames: DRIVER and BULK are neighbours, so a page has a number below FRAME_COUNT, a power of
 * two; an odd factor permutes these numbers. The factor's distance keeps adjacent pages apart.
 */
#define FRAME_COUNT (2 * SIM_REGION_SLOT_BYTES / SIM_PAGE_BYTES)
#define FRAME_FIRST UINT64_C(0x1000)
#define FRAME_FACTOR UINT64_C(0x9E3779B1)
#define FRAME_ADDEND UINT64_C(0x3C6EF)
#define DRIVER_BASE (SIM_REGION_BASE + SIM_REGION_DRIVER * SIM_REGION_SLOT_BYTES)

/* The inverse of an odd number modulo 2^64; each round doubles the number of right bits. */
static uint64_t inverse_of(uint64_t odd) {
    uint64_t inverse = odd;

    for (int i = 0; i < 5; i++) {
        inverse *= 2 - odd * inverse;
    }
    return inverse;
}

uint64_t sim_frame_of(const struct sim_world *world, const void *address) {
    uint64_t page = ((uint64_t)(uintptr_t)address - DRIVER_BASE) / SIM_PAGE_BYTES;

    (void)world;
    SIM_ASSERT((uint64_t)(uintptr_t)address >= DRIVER_BASE && page < FRAME_COUNT);
    return FRAME_FIRST + ((page * FRAME_FACTOR + FRAME_ADDEND) & (FRAME_COUNT - 1));
}

void *sim_frame_page(const struct sim_world *world, uint64_t frame) {
    uint64_t number = frame - FRAME_FIRST;
    uint64_t page;
    void *address;

    if (frame < FRAME_FIRST || number >= FRAME_COUNT) {
        return NULL;
    }
    page = ((number - FRAME_ADDEND) * inverse_of(FRAME_FACTOR)) & (FRAME_COUNT - 1);
    address = (void *)(uintptr_t)(DRIVER_BASE + page * SIM_PAGE_BYTES);
    return sim_region_of(world, address) < SIM_REGION_COUNT ? address : NULL;
}
