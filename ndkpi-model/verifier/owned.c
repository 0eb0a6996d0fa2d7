/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of what posted requests own; see owned.h. */
#include "owned.h"

#include <sim/bus.h>
#include <sim/memory.h>

#include "find.h"

#define BUCKET_COUNT 512u
#define CHUNK_COUNT 32u
#define WORD_BYTES 8u
#define CHOSEN_COUNT (VRF_OWNED_WHOLE_BYTES / SIM_PAGE_BYTES)

struct vrf_owned {
    struct sim_dma_watch watch;
    struct vrf_piece *free;
    uint32_t taken_count;
    struct vrf_piece *buckets[BUCKET_COUNT]; /* by page */
};

/* ---- Sums ---- */

/*
 * The words of a piece add up, each times an odd number that its place gives: another value in one
 * word gives another sum for certain, and a part can be taken out and put in again.
 */
#define WORD_FACTOR UINT64_C(0x9E3779B97F4A7C15)
static inline uint64_t word_sum(uint64_t word, uintptr_t at) {
    return word * (at * WORD_FACTOR + 1);
}

/* Of the word at `at`, its bytes in [low, high) only. */
__attribute__((no_sanitize("address"))) static uint64_t edge_sum(uintptr_t at, uintptr_t low,
                                                                 uintptr_t high) {
    uint64_t word = *(const uint64_t *)at;
    uint8_t bytes[WORD_BYTES];
    uint64_t mask;

    for (uintptr_t i = 0; i < WORD_BYTES; i++) {
        bytes[i] = at + i >= low && at + i < high ? 0xFF : 0;
    }
    __builtin_memcpy(&mask, bytes, sizeof(mask));
    return word_sum(word & mask, at);
}

/* Of the whole words of [at, end); four at a time, which do not wait for each other. */
__attribute__((no_sanitize("address"))) static uint64_t words_sum(uintptr_t at, uintptr_t end) {
    uint64_t factor = at * WORD_FACTOR + 1;
    uint64_t sum = 0;

    for (; end - at >= 4 * WORD_BYTES; at += 4 * WORD_BYTES, factor += 32 * WORD_FACTOR) {
        const uint64_t *words = (const uint64_t *)at;

        sum += words[0] * factor + words[1] * (factor + 8 * WORD_FACTOR) +
               (words[2] * (factor + 16 * WORD_FACTOR) + words[3] * (factor + 24 * WORD_FACTOR));
    }
    for (; at < end; at += WORD_BYTES, factor += WORD_BYTES * WORD_FACTOR) {
        sum += *(const uint64_t *)at * factor;
    }
    return sum;
}

/* Of the words of [low, high) that lie in [from, to) in part or whole. Reads whole words. */
__attribute__((no_sanitize("address"))) static uint64_t sum_of(uintptr_t low, uintptr_t high,
                                                               uintptr_t from, uintptr_t to) {
    uintptr_t at = from & ~(uintptr_t)(WORD_BYTES - 1);
    uintptr_t end = (to + WORD_BYTES - 1) & ~(uintptr_t)(WORD_BYTES - 1);
    uint64_t sum = 0;

    if (at < low && at < end) {
        sum += edge_sum(at, low, high);
        at += WORD_BYTES;
    }
    if (end > high && at < end) {
        end -= WORD_BYTES;
        sum += edge_sum(end, low, high);
    }
    return at < end ? sum + words_sum(at, end) : sum;
}

static uint64_t piece_sum(const struct vrf_piece *piece) {
    uintptr_t low = (uintptr_t)piece->at;

    return sum_of(low, low + piece->bytes, low, low + piece->bytes);
}

/* ---- What devices write ---- */

static struct vrf_piece **bucket_of(struct vrf_owned *owned, const void *at) {
    uint64_t page = (uint64_t)(uintptr_t)at / SIM_PAGE_BYTES;

    return &owned->buckets[sim_hash_mix(1, page) % BUCKET_COUNT];
}

static void on_write(struct sim_world *world, struct sim_dma_watch *watch, const void *to,
                     uint64_t bytes, bool is_done) {
    struct vrf_owned *owned = SIM_CONTAINER_OF(watch, struct vrf_owned, watch);
    uintptr_t from = (uintptr_t)to;

    (void)world;
    if (owned->taken_count == 0) {
        return;
    }
    for (struct vrf_piece *piece = *bucket_of(owned, to); piece != NULL;
         piece = piece->next_of_bucket) {
        uintptr_t low = (uintptr_t)piece->at;
        uintptr_t high = low + piece->bytes;
        uint64_t part;

        if (from >= high || from + bytes <= low) {
            continue;
        }
        part =
            sum_of(low, high, from > low ? from : low, from + bytes < high ? from + bytes : high);
        piece->sum += is_done ? part : 0 - part;
        piece->is_written = true;
    }
}

/* ---- Pieces ---- */

static struct vrf_piece *piece_make(struct vrf_world *verifier) {
    struct vrf_owned *owned = verifier->owned;
    struct vrf_piece *piece;

    if (owned->free == NULL) {
        struct vrf_piece *chunk = sim_alloc(verifier->world, CHUNK_COUNT * sizeof(*chunk));

        for (uint32_t i = 0; i < CHUNK_COUNT; i++) {
            chunk[i].next_of_work = owned->free;
            owned->free = &chunk[i];
        }
    }
    piece = owned->free;
    owned->free = piece->next_of_work;
    owned->taken_count++;
    return piece;
}

static void piece_take(struct vrf_world *verifier, struct vrf_work *work, const uint8_t *at,
                       uint32_t bytes) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, at);
    struct vrf_piece *piece;
    struct vrf_piece **bucket;

    if (kind != KRN_PLACE_POOL && kind != KRN_PLACE_STACK) {
        return;
    }
    piece = piece_make(verifier);
    bucket = bucket_of(verifier->owned, at);
    *piece = (struct vrf_piece){
        .at = at, .bytes = bytes, .next_of_work = work->pieces, .next_of_bucket = *bucket};
    piece->sum = piece_sum(piece);
    *bucket = piece;
    work->pieces = piece;
}

/* Where a piece lies: a logical address stands for a frame. NULL: nowhere that is the driver's. */
static const uint8_t *place_of(const struct vrf_world *verifier, const NDK_SGE *sge,
                               bool is_logical, uint64_t offset) {
    if (is_logical) {
        uint64_t address = (uint64_t)sge->LogicalAddress.QuadPart + offset;
        const uint8_t *page = sim_frame_page(verifier->world, address / SIM_PAGE_BYTES);

        return page != NULL ? page + address % SIM_PAGE_BYTES : NULL;
    }
    return (const uint8_t *)((uintptr_t)sge->VirtualAddress + offset);
}

/* How a request is cut: which of its pieces are taken. */
struct cut {
    uint64_t name; /* 0: all of them */
    uint64_t piece_count;
    uint64_t index;
};

static bool is_chosen(const struct cut *cut) {
    return cut->name == 0 || cut->index == 0 || cut->index + 1 == cut->piece_count ||
           sim_hash_mix(cut->name, cut->index) % cut->piece_count < CHOSEN_COUNT;
}

static void sge_take(struct vrf_call *call, const NDK_SGE *sge, struct cut *cut) {
    struct vrf_world *verifier = call->verifier;
    uint32_t privileged = call->work->queue->owner->parent->part.pd.privileged_token;
    bool is_logical = privileged != 0 && sge->MemoryRegionToken == privileged;
    uint64_t start = (uint64_t)sge->LogicalAddress.QuadPart;
    uint32_t bytes;

    for (uint64_t offset = 0; offset < sge->Length; offset += bytes, cut->index++) {
        uint64_t room = SIM_PAGE_BYTES - (start + offset) % SIM_PAGE_BYTES;
        const uint8_t *at;

        bytes = (uint32_t)(sge->Length - offset < room ? sge->Length - offset : room);
        at = is_chosen(cut) ? place_of(verifier, sge, is_logical, offset) : NULL;
        if (at != NULL) {
            piece_take(verifier, call->work, at, bytes);
        }
    }
}

static uint64_t pieces_of(const NDK_SGE *sge) {
    uint64_t start = (uint64_t)sge->LogicalAddress.QuadPart;

    return sge->Length == 0
               ? 0
               : (start + sge->Length - 1) / SIM_PAGE_BYTES - start / SIM_PAGE_BYTES + 1;
}

/* "send 17 of init.qp[0]" as a number. */
static uint64_t name_of(const struct vrf_work *work) {
    char name[SIM_NAME_BYTES];
    uint64_t hash = sim_hash_text(vrf_name(work->queue->owner, name, sizeof(name)));

    hash = sim_hash_mix(sim_hash_mix(hash, work->function), work->queue->posted_count);
    return hash != 0 ? hash : 1;
}

void vrf_owned_take(struct vrf_call *call, const NDK_SGE *sgl, ULONG count) {
    struct vrf_work *work = call->work;
    struct cut cut = {0};
    uint64_t bytes = 0;

    if (vrf_work_is_silent(work)) {
        return;
    }
    for (ULONG i = 0; i < count; i++) {
        bytes += sgl[i].Length;
        cut.piece_count += pieces_of(&sgl[i]);
    }
    if (bytes > VRF_OWNED_WHOLE_BYTES) {
        cut.name = name_of(work);
    }
    for (ULONG i = 0; i < count; i++) {
        sge_take(call, &sgl[i], &cut);
    }
}

/* What was freed since is the business of another rule, and may fault. */
static bool is_there(struct vrf_world *verifier, const struct vrf_piece *piece) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, piece->at);

    return kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK;
}

const struct vrf_piece *vrf_owned_changed(struct vrf_world *verifier, const struct vrf_work *work) {
    const struct vrf_piece *found = NULL;

    for (const struct vrf_piece *piece = work->pieces; piece != NULL; piece = piece->next_of_work) {
        if (is_there(verifier, piece) && piece_sum(piece) != piece->sum) {
            found = piece;
        }
    }
    return found; /* pieces are kept last first */
}

bool vrf_owned_is_written(const struct vrf_work *work) {
    for (const struct vrf_piece *piece = work->pieces; piece != NULL; piece = piece->next_of_work) {
        if (piece->is_written) {
            return true;
        }
    }
    return false;
}

void vrf_owned_drop(struct vrf_world *verifier, struct vrf_work *work) {
    struct vrf_owned *owned = verifier->owned;

    while (work->pieces != NULL) {
        struct vrf_piece *piece = work->pieces;
        struct vrf_piece **at = bucket_of(owned, piece->at);

        while (*at != piece) {
            at = &(*at)->next_of_bucket;
        }
        *at = piece->next_of_bucket;
        work->pieces = piece->next_of_work;
        piece->next_of_work = owned->free;
        owned->free = piece;
        owned->taken_count--;
    }
}

void vrf_owned_start(struct vrf_world *verifier) {
    verifier->owned = sim_alloc(verifier->world, sizeof(*verifier->owned));
    verifier->owned->watch.wrote = on_write;
    sim_dma_watch_set(verifier->world, &verifier->owned->watch);
}
