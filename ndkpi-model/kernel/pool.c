/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of pool: extents, blocks, quarantine. Rules of callers are in ex_pool.c, guards in
 * pool_check.c.
 */
#include "pool.h"

#include <string.h>

#include <krn/bugcheck.h>
#include <sim/cpu.h>

#include "bugcheck_guilty.h"
#include "pool_state.h"
#include "record.h"

static struct krn_pool *pool_of(struct krn_world *krn) {
    if (krn->pool == NULL) {
        krn->pool = sim_alloc(krn->world, sizeof(*krn->pool));
    }
    return krn->pool;
}

/* Eight classes per power of two, so that an extent is used again for blocks of about its size. */
#define CLASS_BITS_MIN 7u
#define CLASS_STEP_BITS 3u

static uint32_t class_high(uint64_t bytes) {
    return 63 - (uint32_t)__builtin_clzll(bytes | 1u << CLASS_BITS_MIN);
}

static uint32_t class_of(uint64_t bytes) {
    uint32_t high = class_high(bytes);
    uint32_t step = (uint32_t)(bytes >> (high - CLASS_STEP_BITS)) & ((1u << CLASS_STEP_BITS) - 1);
    uint32_t number = (high - CLASS_BITS_MIN) << CLASS_STEP_BITS | step;

    return number < KRN_POOL_CLASS_COUNT ? number : KRN_POOL_CLASS_COUNT - 1;
}

/* Upper bound of a class: every extent of it has at least this capacity. */
static uint64_t class_bytes(uint64_t bytes) {
    uint64_t step = UINT64_C(1) << (class_high(bytes) - CLASS_STEP_BITS);

    return (bytes + step - 1) & ~(step - 1);
}

static void list_push(struct krn_world *krn, struct krn_chunk_list *list, struct krn_chunk *chunk) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity != 0 ? 2 * list->capacity : 64;
        struct krn_chunk **chunks = sim_alloc(krn->world, capacity * sizeof(chunks[0]));

        if (list->count != 0) {
            memcpy(chunks, list->chunks, list->count * sizeof(chunks[0]));
            sim_free(krn->world, list->chunks, list->capacity * sizeof(chunks[0]));
        }
        list->chunks = chunks;
        list->capacity = capacity;
    }
    list->chunks[list->count++] = chunk;
}

static uint64_t default_align(const struct krn_pool_request *request) {
    if (request->align != 0) {
        return request->align < 16 ? 16 : request->align;
    }
    return request->bytes >= SIM_PAGE_BYTES ? SIM_PAGE_BYTES : 16;
}

/* Where the next extent of a region begins. */
static uint64_t region_used(const struct krn_world *krn, enum sim_region_id region) {
    return (sim_region_used_bytes(krn->world, region) + 15) & ~UINT64_C(15);
}

/* The shortest lead that holds the guard and puts the block on its alignment. */
static uint64_t lead_of(uint64_t used, uint64_t align) {
    return ((used + KRN_POOL_GUARD_BYTES + align - 1) & ~(align - 1)) - used;
}

/* A new extent at the end of its region. Special: whole host pages with a protected one behind. */
static struct krn_chunk *extent_new(struct krn_world *krn, uint64_t capacity, uint64_t align,
                                    bool is_bulk, bool is_special) {
    enum sim_region_id region = is_bulk ? SIM_REGION_BULK : SIM_REGION_DRIVER;
    uint64_t page = sim_host_page_bytes();
    struct krn_pool *pool = pool_of(krn);
    struct krn_chunk *chunk;
    unsigned char *base;
    uint64_t extent;

    if (is_special) {
        extent = ((capacity + page - 1) & ~(page - 1)) + 2 * page;
        base = sim_region_take(krn->world, region, extent, page);
    } else {
        uint64_t used = region_used(krn, region);
        uint64_t lead = lead_of(used, align);

        /* What fits in a page of the interface lies in one (ExAllocatePool2, remarks). */
        if (capacity <= SIM_PAGE_BYTES &&
            (used + lead) % SIM_PAGE_BYTES + capacity > SIM_PAGE_BYTES) {
            (void)sim_region_take(krn->world, region,
                                  SIM_PAGE_BYTES - KRN_POOL_GUARD_BYTES - used % SIM_PAGE_BYTES,
                                  16);
            used = region_used(krn, region);
            lead = lead_of(used, align);
        }
        extent = lead + capacity + KRN_POOL_GUARD_BYTES;
        base = sim_region_take(krn->world, region, extent, 16);
    }
    if (base == NULL) {
        return NULL;
    }
    chunk = sim_alloc(krn->world, sizeof(*chunk));
    chunk->base = base;
    chunk->extent_units = (uint32_t)(extent / KRN_POOL_GUARD_BYTES);
    chunk->is_bulk = is_bulk;
    chunk->is_special = is_special;
    if (is_special) {
        sim_region_protect(krn->world, base, page);
        sim_region_protect(krn->world, base + extent - page, page);
    }
    list_push(krn, is_bulk ? &pool->bulk : &pool->driver, chunk);
    return chunk;
}

static struct krn_chunk *quarantine_take(struct krn_pool *pool, uint64_t bytes, uint64_t align) {
    struct krn_chunk **youngest = &pool->freed[class_of(class_bytes(bytes))];
    struct krn_chunk *chunk;
    uint64_t offset;

    if (pool->quarantine_bytes <= KRN_POOL_QUARANTINE_BYTES || *youngest == NULL) {
        return NULL;
    }
    chunk = (*youngest)->as.dead.next;
    offset = (uint64_t)(chunk->start - chunk->base);
    if (((uintptr_t)chunk->start & (align - 1)) != 0 ||
        krn_chunk_extent_bytes(chunk) < offset + bytes + KRN_POOL_GUARD_BYTES) {
        return NULL;
    }
    if (chunk == *youngest) {
        *youngest = NULL;
    } else {
        (*youngest)->as.dead.next = chunk->as.dead.next;
    }
    pool->quarantine_bytes -= krn_chunk_extent_bytes(chunk);
    krn_chunk_check_freed(chunk);
    return chunk;
}

static void quarantine_put(struct krn_pool *pool, struct krn_chunk *chunk) {
    uint64_t extent = krn_chunk_extent_bytes(chunk);
    uint64_t capacity = extent - (uint64_t)(chunk->start - chunk->base) - KRN_POOL_GUARD_BYTES;
    struct krn_chunk **youngest = &pool->freed[class_of(capacity)];

    if (*youngest != NULL) {
        chunk->as.dead.next = (*youngest)->as.dead.next;
        (*youngest)->as.dead.next = chunk;
    } else {
        chunk->as.dead.next = chunk;
    }
    *youngest = chunk;
    pool->quarantine_bytes += extent;
}

void krn_site_keep_here(struct sim_world *world, struct sim_kept_site *site) {
    uintptr_t frames[KRN_POOL_SITE_FRAMES];
    uint8_t count =
        sim_site_walk((uintptr_t)__builtin_frame_address(0), frames, KRN_POOL_SITE_FRAMES);

    sim_site_keep(world, site, frames, count);
}

struct krn_node *krn_chunk_node(const struct krn_chunk *chunk) {
    return chunk->is_of_driver ? krn_driver_node(chunk->owner.driver) : chunk->owner.node;
}

struct sim_object *krn_chunk_owner(const struct krn_chunk *chunk) {
    return chunk->is_of_driver ? krn_driver_object(chunk->owner.driver)
                               : &chunk->owner.node->object;
}

static struct krn_chunk *chunk_for(const struct krn_pool_request *request) {
    struct krn_world *krn = request->node->krn;
    struct krn_pool *pool = pool_of(krn);
    bool is_bulk = request->bytes >= KRN_POOL_BULK_BYTES;
    bool is_wanted = request->node->special_pool || sim_world_config(krn->world)->special_pool ||
                     (request->kind == KRN_POOL_PAGED && krn_pool_pages(pool));
    bool is_special = is_wanted && !is_bulk && pool->special_bytes < KRN_POOL_SPECIAL_BYTES;
    uint64_t align = default_align(request);
    uint64_t bytes = request->bytes != 0 ? request->bytes : 1;
    struct krn_chunk *chunk;

    if (is_special) {
        uint64_t page = sim_host_page_bytes();

        chunk = extent_new(krn, request->bytes, align, false, true);
        if (chunk != NULL) {
            pool->special_bytes += krn_chunk_extent_bytes(chunk);
            chunk->start = chunk->base + krn_chunk_extent_bytes(chunk) - page - request->bytes;
            chunk->start -= (uintptr_t)chunk->start & (align < page ? align - 1 : page - 1);
        }
        return chunk;
    }
    chunk = quarantine_take(pool, bytes, align);
    if (chunk == NULL) {
        uint64_t capacity = (class_bytes(bytes) + 15) & ~UINT64_C(15);

        chunk = extent_new(krn, capacity, align, is_bulk, false);
        if (chunk != NULL) {
            chunk->start =
                chunk->base + krn_chunk_extent_bytes(chunk) - capacity - KRN_POOL_GUARD_BYTES;
        }
    }
    return chunk;
}

static void live_append(struct krn_node *node, struct krn_chunk *chunk) {
    chunk->as.live.next = NULL;
    chunk->as.live.previous = node->live_last;
    chunk->as.live.records = NULL;
    if (node->live_last != NULL) {
        node->live_last->as.live.next = chunk;
    } else {
        node->live_first = chunk;
    }
    node->live_last = chunk;
    node->pool_live_bytes += chunk->bytes;
    node->pool_live_count++;
}

static void live_remove(struct krn_node *node, struct krn_chunk *chunk) {
    struct krn_chunk *next = chunk->as.live.next;
    struct krn_chunk *previous = chunk->as.live.previous;

    if (previous != NULL) {
        previous->as.live.next = next;
    } else {
        node->live_first = next;
    }
    if (next != NULL) {
        next->as.live.previous = previous;
    } else {
        node->live_last = previous;
    }
    node->pool_live_bytes -= chunk->bytes;
    node->pool_live_count--;
}

/*
 * A fresh extent is zero already. Of a large block only the ends get the fill of new memory:
 * whoever reads uninitialised bytes reads those, and untouched pages cost nothing.
 */
static void fill_new(struct krn_chunk *chunk, bool zero, bool is_fresh) {
    if (zero && is_fresh) {
        return;
    }
    if (zero || !chunk->is_bulk) {
        memset(chunk->start, zero ? 0 : KRN_POOL_FILL_NEW, chunk->bytes);
        return;
    }
    memset(chunk->start, KRN_POOL_FILL_NEW, SIM_PAGE_BYTES);
    memset(chunk->start + chunk->bytes - SIM_PAGE_BYTES, KRN_POOL_FILL_NEW, SIM_PAGE_BYTES);
}

void *krn_pool_take(const struct krn_pool_request *request) {
    struct krn_node *node = request->node;
    struct krn_chunk *chunk;
    bool is_fresh;

    if (request->bytes > node->pool_max_bytes ||
        node->pool_live_bytes > node->pool_max_bytes - request->bytes) {
        return NULL;
    }
    chunk = chunk_for(request);
    if (chunk == NULL) {
        return NULL;
    }
    is_fresh = chunk->serial == 0;
    chunk->bytes = request->bytes;
    chunk->serial = ++node->pool_serial;
    chunk->tag = request->tag;
    chunk->kind = (uint8_t)request->kind;
    chunk->is_live = true;
    chunk->is_of_driver = request->driver != NULL;
    if (chunk->is_of_driver) {
        chunk->owner.driver = request->driver;
    } else {
        chunk->owner.node = node;
    }
    chunk->locked_pages = 0;
    chunk->window = 0;
    chunk->inscribed = 0;
    krn_site_keep_here(node->world, &chunk->made);
    krn_chunk_guard(chunk);
    fill_new(chunk, request->zero, is_fresh);
    live_append(node, chunk);
    krn_paged_begin(node->krn, chunk);
    return chunk->start;
}

void krn_chunk_end(struct krn_chunk *chunk) {
    struct krn_node *node = krn_chunk_node(chunk);
    struct krn_pool *pool = pool_of(node->krn);

    for (struct krn_record *record = chunk->as.live.records; record != NULL;
         record = record->chunk_next) {
        if (record->chunk_serial == chunk->serial) {
            krn_record_end(record);
        }
    }
    live_remove(node, chunk);
    krn_paged_end(node->krn, chunk);
    chunk->is_live = false;
    krn_site_keep_here(node->world, &chunk->as.dead.freed);
    memset(chunk->start, KRN_POOL_FILL_FREED, chunk->bytes);
    if (chunk->is_special) {
        uint64_t page = sim_host_page_bytes();

        sim_region_protect(node->world, chunk->base + page,
                           krn_chunk_extent_bytes(chunk) - 2 * page);
    } else {
        quarantine_put(pool, chunk);
        krn_ndk_freed(node->world, chunk->start);
    }
}

/* Index of the first chunk that starts behind `at`. */
static uint32_t list_behind(const struct krn_chunk_list *list, const unsigned char *at) {
    uint32_t low = 0;
    uint32_t high = list->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list->chunks[middle]->base <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct krn_chunk *list_find(const struct krn_chunk_list *list, const unsigned char *at) {
    struct krn_chunk *chunk = list->count != 0 ? list->chunks[list->count - 1] : NULL;
    uint32_t behind;

    /* Stacks lie behind all pool. */
    if (chunk == NULL || at >= chunk->base + krn_chunk_extent_bytes(chunk)) {
        return NULL;
    }
    behind = list_behind(list, at);
    chunk = behind != 0 ? list->chunks[behind - 1] : NULL;
    return chunk != NULL && at < chunk->base + krn_chunk_extent_bytes(chunk) ? chunk : NULL;
}

static struct krn_chunk *chunk_find(const struct krn_world *krn, const void *address) {
    switch (sim_region_of(krn->world, address)) {
    case SIM_REGION_DRIVER:
        return list_find(&krn->pool->driver, address);
    case SIM_REGION_BULK:
        return list_find(&krn->pool->bulk, address);
    default:
        return NULL;
    }
}

/* Extents never move and never end, so a hit stays one. */
struct krn_chunk *krn_chunk_of(const struct krn_world *krn, const void *address) {
    const unsigned char *at = address;
    struct krn_chunk **hit;
    struct krn_chunk *chunk;

    if (krn->pool == NULL) {
        return NULL;
    }
    hit = &krn->pool->hits[((uintptr_t)at >> 4 ^ (uintptr_t)at >> 12) % KRN_POOL_HIT_COUNT];
    if (*hit != NULL && (uintptr_t)at - (uintptr_t)(*hit)->base < krn_chunk_extent_bytes(*hit)) {
        return *hit;
    }
    chunk = chunk_find(krn, address);
    if (chunk != NULL) {
        *hit = chunk;
    }
    return chunk;
}

struct krn_chunk *krn_chunk_live_at(const struct krn_world *krn, const void *start) {
    struct krn_chunk *chunk = krn_chunk_of(krn, start);

    return chunk != NULL && chunk->is_live && chunk->start == start ? chunk : NULL;
}

bool krn_pool_page_is_resident(const struct krn_world *krn, const void *page) {
    const struct krn_chunk_list *list;
    const unsigned char *low = page;
    const unsigned char *high = low + SIM_PAGE_BYTES;
    uint32_t index;

    if (krn->pool == NULL) {
        return false;
    }
    list =
        sim_region_of(krn->world, page) == SIM_REGION_BULK ? &krn->pool->bulk : &krn->pool->driver;
    index = list_behind(list, low);
    for (index = index != 0 ? index - 1 : 0; index < list->count; index++) {
        const struct krn_chunk *chunk = list->chunks[index];

        if (chunk->base >= high) {
            break;
        }
        if (chunk->is_live && chunk->kind != KRN_POOL_PAGED && chunk->start < high &&
            chunk->start + chunk->bytes > low) {
            return true;
        }
    }
    return false;
}

bool krn_chunk_holds(const struct krn_chunk *chunk, const void *address) {
    const unsigned char *at = address;

    return at >= chunk->start && at < chunk->start + chunk->bytes;
}

struct krn_chunk *krn_chunk_at(const struct krn_world *krn, size_t index) {
    if (krn->pool == NULL) {
        return NULL;
    }
    if (index < krn->pool->driver.count) {
        return krn->pool->driver.chunks[index];
    }
    index -= krn->pool->driver.count;
    return index < krn->pool->bulk.count ? krn->pool->bulk.chunks[index] : NULL;
}
