/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paged pool and DISPATCH_LEVEL. A block of paged pool has pages of its own, as special pool has;
 * whenever a driver's code goes on at DISPATCH_LEVEL or above they are out of reach, and back when
 * it goes on below. So a plain read or write there faults in every build, at the line that did it.
 * What an MDL locks stays in reach. Only KRN_POOL_PAGED_WATCHED live blocks are watched, those that
 * came first: each costs calls of the host for every way up and down. Where accidents are
 * contained, a block comes back only when it is touched: most are not, between two ways up.
 */
#include <sim/cpu.h>
#include <sim/host.h>

#include <krn/memory.h>

#include "pool_state.h"

static bool is_on_demand;

static bool is_out(const struct krn_pool *pool, const struct krn_chunk *chunk) {
    for (uint32_t i = 0; i < pool->paged_count; i++) {
        if (pool->paged[i].chunk == chunk) {
            return pool->paged[i].is_out;
        }
    }
    return false;
}

static void move(struct sim_world *world, struct krn_paged *paged, bool out) {
    uint64_t page = sim_host_page_bytes();
    unsigned char *start = paged->chunk->base + page;
    uint64_t bytes = krn_chunk_extent_bytes(paged->chunk) - 2 * page;

    if (paged->is_out == out) {
        return;
    }
    if (out) {
        paged->is_out = sim_region_protect(world, start, bytes);
    } else {
        sim_region_unprotect(world, start, bytes);
        paged->is_out = false;
    }
}

static void on_level(struct sim_world *world, bool is_high) {
    struct krn_pool *pool = krn_world_of(world)->pool;

    pool->is_level_high = is_high;
    for (uint32_t i = 0; i < pool->paged_count && (is_high || !is_on_demand); i++) {
        move(world, &pool->paged[i], is_high && pool->paged[i].chunk->locked_pages == 0);
    }
}

static bool reopen(struct sim_world *world, uintptr_t address) {
    struct krn_pool *pool = krn_world_of(world)->pool;

    if (pool == NULL || pool->is_level_high) {
        return false;
    }
    for (uint32_t i = 0; i < pool->paged_count; i++) {
        struct krn_paged *paged = &pool->paged[i];
        uintptr_t offset = address - (uintptr_t)paged->chunk->base;

        if (paged->is_out && offset < krn_chunk_extent_bytes(paged->chunk)) {
            move(world, paged, false);
            return true;
        }
    }
    return false;
}

void krn_pool_open_on_demand(void) {
    is_on_demand = true;
    sim_host_contain_reopen(reopen);
}

bool krn_pool_pages(const struct krn_pool *pool) {
    return pool->paged_count < KRN_POOL_PAGED_WATCHED;
}

void krn_paged_begin(struct krn_world *krn, struct krn_chunk *chunk) {
    struct krn_pool *pool = krn->pool;

    if (chunk->kind != KRN_POOL_PAGED || !chunk->is_special || !krn_pool_pages(pool)) {
        return;
    }
    if (pool->paged_count == 0) {
        pool->is_level_high = false;
        sim_level_watch(krn->world, on_level);
    }
    pool->paged[pool->paged_count++] = (struct krn_paged){.chunk = chunk};
}

void krn_paged_end(struct krn_world *krn, const struct krn_chunk *chunk) {
    struct krn_pool *pool = krn->pool;

    for (uint32_t i = 0; i < pool->paged_count; i++) {
        if (pool->paged[i].chunk == chunk) {
            move(krn->world, &pool->paged[i], false);
            pool->paged[i] = pool->paged[--pool->paged_count];
            if (pool->paged_count == 0) {
                sim_level_watch(krn->world, NULL);
            }
            return;
        }
    }
}

bool krn_pool_is_paged_out(const struct sim_world *world, const void *address) {
    const struct krn_world *krn = krn_world_of(world);
    const struct krn_chunk *chunk = krn_chunk_of(krn, address);

    return chunk != NULL && is_out(krn->pool, chunk);
}
