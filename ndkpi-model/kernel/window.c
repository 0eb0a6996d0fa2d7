/* SPDX-License-Identifier: Apache-2.0 */
/* Windows are made in the order of their frames, so they are found by bisection. */
#include "window.h"

#include <string.h>

#include "pool.h"
#include "race.h"

struct window {
    uint64_t first_frame;
    uint64_t pages;
    const struct krn_chunk *chunk;
    uint32_t serial;
};

struct krn_windows {
    struct window *windows;
    uint32_t count;
    uint32_t capacity;
    uint64_t next_frame;
    uint32_t hit; /* index + 1 of the last look-up's */
};

static void grow(struct krn_world *krn, struct krn_windows *all) {
    uint32_t capacity = all->capacity != 0 ? 2 * all->capacity : 32;
    struct window *windows = sim_alloc(krn->world, capacity * sizeof(windows[0]));

    if (all->count != 0) {
        memcpy(windows, all->windows, all->count * sizeof(windows[0]));
        sim_free(krn->world, all->windows, all->capacity * sizeof(windows[0]));
    }
    all->windows = windows;
    all->capacity = capacity;
}

void krn_window_open(struct krn_world *krn, struct krn_chunk *chunk) {
    struct krn_windows *all = krn->windows;
    struct window *window;

    if (all == NULL) {
        all = sim_alloc(krn->world, sizeof(*all));
        all->next_frame = KRN_WINDOW_FRAME_FIRST;
        krn->windows = all;
    }
    if (all->count == all->capacity) {
        grow(krn, all);
    }
    SIM_ASSERT(((uintptr_t)chunk->start & (SIM_PAGE_BYTES - 1)) == 0);
    window = &all->windows[all->count++];
    window->first_frame = all->next_frame;
    window->pages = (chunk->bytes + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES;
    window->chunk = chunk;
    window->serial = chunk->serial;
    /* One frame stays free between windows, so that a run over the end is seen. */
    all->next_frame += window->pages + 1;
    chunk->window = (uint32_t)(window->first_frame - KRN_WINDOW_FRAME_FIRST) + 1;
    krn_race_shared(krn, chunk->start, chunk->bytes);
}

uint64_t krn_window_frame(const struct krn_chunk *chunk) {
    return chunk->window != 0 ? KRN_WINDOW_FRAME_FIRST + chunk->window - 1 : 0;
}

static bool window_holds(const struct window *window, uint64_t frame) {
    return frame - window->first_frame < window->pages;
}

/* The window of a frame, or NULL. */
static const struct window *find(struct krn_windows *all, uint64_t frame) {
    uint32_t low = 0;
    uint32_t high = all->count;

    if (all->hit != 0 && window_holds(&all->windows[all->hit - 1], frame)) {
        return &all->windows[all->hit - 1];
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (all->windows[middle].first_frame <= frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || !window_holds(&all->windows[low - 1], frame)) {
        return NULL;
    }
    all->hit = low;
    return &all->windows[low - 1];
}

void *krn_window_page(const struct krn_world *krn, uint64_t frame, const struct krn_chunk **chunk) {
    const struct window *window = krn->windows != NULL ? find(krn->windows, frame) : NULL;

    *chunk = window != NULL ? window->chunk : NULL;
    if (window == NULL || !window->chunk->is_live || window->chunk->serial != window->serial) {
        return NULL;
    }
    return window->chunk->start + (frame - window->first_frame) * SIM_PAGE_BYTES;
}
