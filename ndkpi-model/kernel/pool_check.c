/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be seen in the bytes of pool: guards that were overwritten, freed memory that was
 * written to.
 */
#include <inttypes.h>
#include <string.h>

#include <krn/bugcheck.h>

#include "bugcheck_guilty.h"
#include "pool_state.h"

static uint64_t tail_bytes(const struct krn_chunk *chunk) {
    uint64_t end = (uint64_t)(chunk->start - chunk->base) + chunk->bytes;
    uint64_t extent =
        krn_chunk_extent_bytes(chunk) - (chunk->is_special ? sim_host_page_bytes() : 0);
    uint64_t tail = extent - end;

    /* Enough to see an overrun, little enough to stay cheap for blocks in larger extents. */
    return tail < 64 ? tail : 64;
}

static uint64_t head_bytes(const struct krn_chunk *chunk) {
    uint64_t head = (uint64_t)(chunk->start - chunk->base);

    head -= chunk->is_special ? sim_host_page_bytes() : 0;
    return head < KRN_POOL_GUARD_BYTES ? head : KRN_POOL_GUARD_BYTES;
}

void krn_chunk_guard(struct krn_chunk *chunk) {
    memset(chunk->start - head_bytes(chunk), KRN_POOL_FILL_GUARD, head_bytes(chunk));
    memset(chunk->start + chunk->bytes, KRN_POOL_FILL_GUARD, tail_bytes(chunk));
}

int64_t krn_chunk_guard_broken(const struct krn_chunk *chunk) {
    uint64_t head = head_bytes(chunk);
    uint64_t tail = tail_bytes(chunk);

    for (uint64_t i = 1; i <= head; i++) {
        if (chunk->start[-(int64_t)i] != KRN_POOL_FILL_GUARD) {
            return -(int64_t)i;
        }
    }
    for (uint64_t i = 0; i < tail; i++) {
        if (chunk->start[chunk->bytes + i] != KRN_POOL_FILL_GUARD) {
            return (int64_t)(chunk->bytes + i);
        }
    }
    return INT64_MAX;
}

static void say_block(const struct krn_chunk *chunk, struct sim_finding *finding) {
    krn_pointer_sites(krn_chunk_node(chunk)->world, chunk->start, finding);
    sim_finding_object(finding, krn_chunk_owner(chunk));
}

/* In the scheduler krn_bugcheck_raise cannot leave; the checks are made in tasks or at the end. */
static void raise(const struct krn_chunk *chunk, struct sim_finding *finding) {
    sim_find(krn_chunk_node(chunk)->world, finding);
}

void krn_chunk_check_live(const struct krn_chunk *chunk) {
    int64_t broken = krn_chunk_guard_broken(chunk);
    struct sim_finding finding;
    char tag[5];

    if (SIM_LIKELY(broken == INT64_MAX)) {
        return;
    }
    krn_tag_text(chunk->tag, tag);
    krn_bugcheck_begin(&finding, chunk->is_special ? 0xC1 : 0x19, 0x20, 0, 0, 0);
    if (broken < 0) {
        sim_finding_say(&finding,
                        "byte %" PRId64 " of pool#%u, tag %s, %" PRIu64
                        " bytes, which lies before it, was overwritten",
                        broken, chunk->serial, tag, chunk->bytes);
    } else {
        sim_finding_say(&finding,
                        "byte %" PRId64 " of pool#%u, tag %s, %" PRIu64
                        " bytes, which lies behind its end, was overwritten",
                        broken, chunk->serial, tag, chunk->bytes);
    }
    say_block(chunk, &finding);
    raise(chunk, &finding);
}

/* Offset of the first byte that is not the fill of freed memory, or the count. */
static uint64_t first_unfilled(const unsigned char *bytes, uint64_t count) {
    uint64_t i = 0;

    if (count == 0 ||
        (bytes[0] == KRN_POOL_FILL_FREED && memcmp(bytes, bytes + 1, count - 1) == 0)) {
        return count;
    }
    while (bytes[i] == KRN_POOL_FILL_FREED) {
        i++;
    }
    return i;
}

/* The same of a block, but for the word that was inscribed. */
static uint64_t first_written(const struct krn_chunk *chunk) {
    uint64_t from = 0, written = 0;

    if (chunk->inscribed != 0) {
        uint64_t word = (chunk->inscribed - 1u) * sizeof(void *);

        written = first_unfilled(chunk->start, word);
        if (written < word) {
            return written;
        }
        from = word + sizeof(void *);
    }
    return from + first_unfilled(chunk->start + from, chunk->bytes - from);
}

bool krn_pool_inscribe(struct sim_world *world, void *address, const void *word) {
    struct krn_chunk *chunk = krn_chunk_of(krn_world_of(world), address);
    uint64_t offset;

    if (chunk == NULL || chunk->serial == 0 || chunk->is_live || chunk->is_special ||
        chunk->inscribed != 0) {
        return false;
    }
    offset = (uint64_t)((unsigned char *)address - chunk->start);
    if (offset % sizeof(word) != 0 || offset + sizeof(word) > chunk->bytes ||
        offset / sizeof(word) >= UINT16_MAX) {
        return false;
    }
    memcpy(address, &word, sizeof(word));
    chunk->inscribed = (uint16_t)(offset / sizeof(word) + 1);
    return true;
}

void krn_chunk_check_freed(const struct krn_chunk *chunk) {
    struct sim_finding finding;
    uint64_t written;
    char tag[5];

    if (chunk->is_special) {
        return;
    }
    written = first_written(chunk);
    if (SIM_LIKELY(written == chunk->bytes)) {
        return;
    }
    krn_tag_text(chunk->tag, tag);
    krn_bugcheck_begin(&finding, 0xC6, 0, 0, 0, 0);
    sim_finding_say(
        &finding, "pool#%u+0x%" PRIx64 ", tag %s, %" PRIu64 " bytes, was written to after its free",
        chunk->serial, written, tag, chunk->bytes);
    say_block(chunk, &finding);
    if (finding.guilty[0] == '\0' && chunk->is_of_driver) {
        krn_bugcheck_blame(&finding, chunk->owner.driver);
    }
    krn_ndk_judge(krn_chunk_node(chunk)->world, chunk->start + written, NULL, &finding);
    raise(chunk, &finding);
}

void krn_pool_check_at(struct sim_world *world, const void *address) {
    const struct krn_chunk *chunk = krn_chunk_of(krn_world_of(world), address);

    if (chunk == NULL || chunk->serial == 0) {
        return;
    }
    if (chunk->is_live) {
        krn_chunk_check_live(chunk);
    } else {
        krn_chunk_check_freed(chunk);
    }
}

void krn_pool_check(struct krn_node *node) {
    const struct krn_chunk *chunk;

    for (size_t i = 0; (chunk = krn_chunk_at(node->krn, i)) != NULL; i++) {
        if (chunk->serial == 0 || krn_chunk_node(chunk) != node) {
            continue;
        }
        if (chunk->is_live) {
            krn_chunk_check_live(chunk);
        } else {
            krn_chunk_check_freed(chunk);
        }
    }
}
