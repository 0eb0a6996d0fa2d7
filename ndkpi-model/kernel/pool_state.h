/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of pool share with each other only. */
#ifndef KRN_POOL_STATE_H
#define KRN_POOL_STATE_H

#include "pool.h"

#define KRN_POOL_PAGED_WATCHED 32u
#define KRN_POOL_CLASS_COUNT 216u
#define KRN_POOL_HIT_COUNT 256u /* power of two */

struct krn_chunk_list {
    struct krn_chunk **chunks; /* by address */
    uint32_t count;
    uint32_t capacity;
};

/* A live block of paged pool whose pages are out of reach at DISPATCH_LEVEL. */
struct krn_paged {
    struct krn_chunk *chunk;
    bool is_out;
};

struct krn_pool {
    struct krn_chunk_list driver;
    struct krn_chunk_list bulk;
    /* The youngest freed chunk of a class; behind it comes the oldest: a ring. */
    struct krn_chunk *freed[KRN_POOL_CLASS_COUNT];
    uint64_t quarantine_bytes;
    uint64_t special_bytes;
    struct krn_paged paged[KRN_POOL_PAGED_WATCHED];
    uint32_t paged_count;
    bool is_level_high;                         /* as last told; kept while any block is watched */
    struct krn_chunk *hits[KRN_POOL_HIT_COUNT]; /* of look-ups, by a hash of the address */
};

/* The block is freed: fill, protect or quarantine. Nothing is checked. */
void krn_chunk_end(struct krn_chunk *chunk);

/* True: one more block of paged pool can be watched (pool_paged.c). */
bool krn_pool_pages(const struct krn_pool *pool);
/* A block begins or ends; no-ops for any that is not to be watched. */
void krn_paged_begin(struct krn_world *krn, struct krn_chunk *chunk);
void krn_paged_end(struct krn_world *krn, const struct krn_chunk *chunk);

/* Writes the guards of a block that begins. */
void krn_chunk_guard(struct krn_chunk *chunk);
/* Offset from the block's start of the first overwritten guard byte; INT64_MAX: none. */
int64_t krn_chunk_guard_broken(const struct krn_chunk *chunk);
/* A live block's guards and a freed block's fill; a broken one is a bugcheck. */
void krn_chunk_check_live(const struct krn_chunk *chunk);
void krn_chunk_check_freed(const struct krn_chunk *chunk);

#endif
