/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of counters under 64-bit keys (hashes of names, never addresses): ordinals of choices,
 * numbers of births. Open addressing, doubled when three quarters full; in the PRIVATE region.
 */
#ifndef SIM_COUNT_H
#define SIM_COUNT_H

#include <sim/base.h>

struct sim_counter {
    uint64_t key; /* 0: free */
    uint64_t count;
};

struct sim_counters {
    struct sim_counter *entries;
    uint32_t capacity; /* a power of two, or 0 before the first use */
    uint32_t used;
};

/* The counter of `key`, made with 0 when it is new; valid until the next call. */
uint64_t *sim_counter_of(struct sim_world *world, struct sim_counters *counters, uint64_t key);

#endif
