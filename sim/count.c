/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters under 64-bit keys; see count.h. Linear probing; nothing is ever taken out.
 */
#include "world.h"

#define CAPACITY_FIRST 64u

static struct sim_counter *find(struct sim_counter *entries, uint32_t capacity, uint64_t key) {
    uint32_t at = (uint32_t)(key ^ (key >> 32)) & (capacity - 1);

    while (entries[at].key != 0 && entries[at].key != key) {
        at = (at + 1) & (capacity - 1);
    }
    return &entries[at];
}

static void grow(struct sim_world *world, struct sim_counters *counters) {
    uint32_t capacity = counters->capacity == 0 ? CAPACITY_FIRST : counters->capacity * 2;
    struct sim_counter *entries = sim_alloc(world, capacity * sizeof(*entries));

    for (uint32_t i = 0; i < counters->capacity; i++) {
        if (counters->entries[i].key != 0) {
            *find(entries, capacity, counters->entries[i].key) = counters->entries[i];
        }
    }
    sim_free(world, counters->entries, counters->capacity * sizeof(*entries));
    counters->entries = entries;
    counters->capacity = capacity;
}

uint64_t *sim_counter_of(struct sim_world *world, struct sim_counters *counters, uint64_t key) {
    struct sim_counter *entry;

    key = key == 0 ? 1 : key;
    if ((uint64_t)counters->used * 4 >= (uint64_t)counters->capacity * 3) {
        grow(world, counters);
    }
    entry = find(counters->entries, counters->capacity, key);
    if (entry->key == 0) {
        entry->key = key;
        counters->used++;
    }
    return &entry->count;
}
