/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of 64-bit hashes and a map of such to numbers, in host memory: open addressing, grown by
 * doubling. Order of adding does not show. The hash 0 counts as 1.
 */
#ifndef SIM_HASHSET_H
#define SIM_HASHSET_H

#include <stdlib.h>
#include <string.h>

#include <sim/base.h>

struct sim_hashset {
    uint64_t *slots;
    size_t capacity;
    size_t count;
};

static inline uint64_t *sim_hashset_slot(const struct sim_hashset *set, uint64_t hash) {
    size_t at = (size_t)hash & (set->capacity - 1);

    while (set->slots[at] != 0 && set->slots[at] != hash) {
        at = (at + 1) & (set->capacity - 1);
    }
    return &set->slots[at];
}

static inline bool sim_hashset_has(const struct sim_hashset *set, uint64_t hash) {
    hash = hash == 0 ? 1 : hash;
    return set->count != 0 && *sim_hashset_slot(set, hash) == hash;
}

static inline void sim_hashset_grow(struct sim_hashset *set) {
    struct sim_hashset bigger = {.capacity = set->capacity == 0 ? 1024 : set->capacity * 2,
                                 .count = set->count};

    bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
    SIM_ASSERT(bigger.slots != NULL);
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i] != 0) {
            *sim_hashset_slot(&bigger, set->slots[i]) = set->slots[i];
        }
    }
    free(set->slots);
    *set = bigger;
}

/* True if it was not there. */
static inline bool sim_hashset_add(struct sim_hashset *set, uint64_t hash) {
    uint64_t *slot;

    hash = hash == 0 ? 1 : hash;
    if (set->count * 2 >= set->capacity) {
        sim_hashset_grow(set);
    }
    slot = sim_hashset_slot(set, hash);
    if (*slot == hash) {
        return false;
    }
    *slot = hash;
    set->count++;
    return true;
}

static inline void sim_hashset_empty(struct sim_hashset *set) {
    if (set->count != 0) {
        memset(set->slots, 0, set->capacity * sizeof(*set->slots));
        set->count = 0;
    }
}

static inline void sim_hashset_free(struct sim_hashset *set) {
    free(set->slots);
    *set = (struct sim_hashset){0};
}

struct sim_hashmap {
    struct sim_hashmap_entry {
        uint64_t hash; /* 0: free */
        uint64_t value;
    } * entries;
    size_t capacity;
    size_t count;
};

static inline struct sim_hashmap_entry *sim_hashmap_slot(const struct sim_hashmap *map,
                                                         uint64_t hash) {
    size_t at = (size_t)hash & (map->capacity - 1);

    while (map->entries[at].hash != 0 && map->entries[at].hash != hash) {
        at = (at + 1) & (map->capacity - 1);
    }
    return &map->entries[at];
}

/* NULL: it is not there. */
static inline uint64_t *sim_hashmap_find(const struct sim_hashmap *map, uint64_t hash) {
    struct sim_hashmap_entry *entry;

    hash = hash == 0 ? 1 : hash;
    if (map->count == 0) {
        return NULL;
    }
    entry = sim_hashmap_slot(map, hash);
    return entry->hash == hash ? &entry->value : NULL;
}

/* Its value, 0 when it was not there; valid until the next call. */
static inline uint64_t *sim_hashmap_at(struct sim_hashmap *map, uint64_t hash) {
    struct sim_hashmap_entry *entry;

    hash = hash == 0 ? 1 : hash;
    if (map->count * 2 >= map->capacity) {
        struct sim_hashmap bigger = {.capacity = map->capacity == 0 ? 256 : map->capacity * 2,
                                     .count = map->count};

        bigger.entries = calloc(bigger.capacity, sizeof(*bigger.entries));
        SIM_ASSERT(bigger.entries != NULL);
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->entries[i].hash != 0) {
                *sim_hashmap_slot(&bigger, map->entries[i].hash) = map->entries[i];
            }
        }
        free(map->entries);
        *map = bigger;
    }
    entry = sim_hashmap_slot(map, hash);
    if (entry->hash == 0) {
        entry->hash = hash;
        map->count++;
    }
    return &entry->value;
}

static inline void sim_hashmap_empty(struct sim_hashmap *map) {
    if (map->count != 0) {
        memset(map->entries, 0, map->capacity * sizeof(*map->entries));
        map->count = 0;
    }
}

static inline void sim_hashmap_free(struct sim_hashmap *map) {
    free(map->entries);
    *map = (struct sim_hashmap){0};
}

#endif
