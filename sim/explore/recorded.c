/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded chooser: answers by key and label from a list of named deviations, quiet elsewhere.
 * It holds planned draws too: those that fired are in the list, the others do not fire.
 *
 * The key of a named deviation is the hash of the same four parts, so that it survives changes of
 * the code that leave these names alone.
 */
#include <stdlib.h>

#include <sim/choice.h>

struct entry {
    uint64_t key_hash; /* 0: free */
    size_t deviation;
};

struct recorded_chooser {
    struct sim_chooser chooser;
    struct sim_deviation *deviations;
    size_t count;
    struct entry *entries;
    size_t capacity; /* a power of two, more than count */
};

static struct recorded_chooser *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct recorded_chooser, chooser);
}

static uint64_t hash_of(const struct sim_choice_key *key) {
    uint64_t hash = sim_choice_key_hash(key);

    return hash == 0 ? 1 : hash;
}

static struct entry *find(const struct recorded_chooser *recorded, uint64_t key_hash) {
    size_t at = (size_t)key_hash & (recorded->capacity - 1);

    while (recorded->entries[at].key_hash != 0 && recorded->entries[at].key_hash != key_hash) {
        at = (at + 1) & (recorded->capacity - 1);
    }
    return &recorded->entries[at];
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    struct recorded_chooser *recorded = of(chooser);

    (void)seed;
    for (size_t i = 0; i < recorded->count; i++) {
        recorded->deviations[i].used = false;
    }
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct recorded_chooser *recorded = of(chooser);
    const struct entry *entry = find(recorded, hash_of(key));
    struct sim_deviation *deviation;
    uint32_t taken;

    if (entry->key_hash == 0) {
        return 0;
    }
    deviation = &recorded->deviations[entry->deviation];
    if (!sim_choice_find(world, choice, deviation->label, &taken)) {
        return 0;
    }
    deviation->used = true;
    return taken;
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    (void)world;
    (void)own;
    return find(of(chooser), hash_of(key))->key_hash == 0;
}

static void end(struct sim_chooser *chooser) {
    (void)chooser;
}

static void destroy(struct sim_chooser *chooser) {
    struct recorded_chooser *recorded = of(chooser);

    free(recorded->entries);
    free(recorded);
}

static void add(struct recorded_chooser *recorded, size_t number) {
    const struct sim_choice_key key = sim_deviation_key(&recorded->deviations[number]);
    struct entry *entry = find(recorded, hash_of(&key));

    /* The first of two under one key counts; the other stays unused and is so reported. */
    if (entry->key_hash == 0) {
        entry->key_hash = hash_of(&key);
        entry->deviation = number;
    }
}

struct sim_chooser *sim_chooser_recorded_create(struct sim_deviation *deviations, size_t count) {
    struct recorded_chooser *recorded = calloc(1, sizeof(*recorded));
    bool asks_failures = false;

    SIM_ASSERT(recorded != NULL);
    recorded->deviations = deviations;
    recorded->count = count;
    recorded->capacity = 16;
    while (recorded->capacity < count * 2) {
        recorded->capacity *= 2;
    }
    recorded->entries = calloc(recorded->capacity, sizeof(*recorded->entries));
    SIM_ASSERT(recorded->entries != NULL);
    for (size_t i = 0; i < count; i++) {
        add(recorded, i);
        asks_failures = asks_failures || deviations[i].kind == SIM_CHOICE_FAILURE;
    }
    recorded->chooser = (struct sim_chooser){.name = "recorded",
                                             .begin = begin,
                                             .choose = choose,
                                             .end = end,
                                             .destroy = destroy,
                                             .goes_on = goes_on,
                                             .answers_planned = true,
                                             .asks_failures = asks_failures};
    return &recorded->chooser;
}
