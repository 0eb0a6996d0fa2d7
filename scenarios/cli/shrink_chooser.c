/* SPDX-License-Identifier: Apache-2.0 */
/* See shrink_chooser.h. Both tables are open addressing over powers of two. */
#include "cli/shrink_chooser.h"

#include <sim/cpu.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER_ROOM_FIRST 4096u

struct entry {
    uint64_t hash; /* 0: free */
    size_t deviation;
};

/* How often a context has come by an object in this run. */
struct counter {
    uint64_t hash; /* 0: free */
    uint32_t count;
    uint32_t run;
};

struct scn_trial_chooser {
    struct sim_chooser chooser;
    struct sim_deviation *deviations;
    size_t count;
    const unsigned char *is_in; /* NULL: all */
    const uint64_t *anchors;
    uint64_t *learnt; /* not NULL: this run learns */
    struct entry *entries;
    size_t entry_room;
    struct counter *counters;
    size_t counter_room;
    size_t counter_count;
    uint32_t run;
};

static struct scn_trial_chooser *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct scn_trial_chooser, chooser);
}

static void *zeroed(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);

    SIM_ASSERT(memory != NULL);
    return memory;
}

static struct entry *entry_of(const struct scn_trial_chooser *trial, uint64_t hash) {
    size_t at = (size_t)hash & (trial->entry_room - 1);

    while (trial->entries[at].hash != 0 && trial->entries[at].hash != hash)
        at = (at + 1) & (trial->entry_room - 1);
    return &trial->entries[at];
}

/* By recorded keys while learning, else by anchors. */
static void fill_entries(struct scn_trial_chooser *trial) {
    memset(trial->entries, 0, trial->entry_room * sizeof(*trial->entries));
    for (size_t i = 0; i < trial->count; i++) {
        struct sim_choice_key key = sim_deviation_key(&trial->deviations[i]);
        uint64_t hash = trial->learnt != NULL ? sim_choice_key_hash(&key) : trial->anchors[i];
        struct entry *entry = entry_of(trial, hash);

        trial->deviations[i].used = false;
        /* Without an anchor it did not come up when they were learnt. */
        if (hash == 0 || entry->hash != 0 || (trial->is_in != NULL && trial->is_in[i] == 0))
            continue;
        *entry = (struct entry){hash, i};
    }
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    struct scn_trial_chooser *trial = of(chooser);

    (void)seed;
    trial->run++;
    trial->counter_count = 0;
    fill_entries(trial);
    if (trial->learnt != NULL)
        memset(trial->learnt, 0, trial->count * sizeof(*trial->learnt));
}

static struct counter *counter_at(struct counter *counters, size_t room, uint64_t hash,
                                  uint32_t run) {
    size_t at = (size_t)hash & (room - 1);

    while (counters[at].run == run && counters[at].hash != hash)
        at = (at + 1) & (room - 1);
    return &counters[at];
}

static void grow(struct scn_trial_chooser *trial) {
    size_t room = trial->counter_room * 2;
    struct counter *counters = zeroed(room, sizeof(*counters));

    for (size_t i = 0; i < trial->counter_room; i++)
        if (trial->counters[i].run == trial->run)
            *counter_at(counters, room, trial->counters[i].hash, trial->run) = trial->counters[i];
    free(trial->counters);
    trial->counters = counters;
    trial->counter_room = room;
}

static struct counter *counter_of(struct scn_trial_chooser *trial, uint64_t hash) {
    struct counter *counter = counter_at(trial->counters, trial->counter_room, hash, trial->run);

    if (counter->run == trial->run)
        return counter;
    if (2 * ++trial->counter_count > trial->counter_room) {
        grow(trial);
        counter = counter_at(trial->counters, trial->counter_room, hash, trial->run);
    }
    *counter = (struct counter){.hash = hash, .run = trial->run};
    return counter;
}

/* A context about to touch an object. */
static uint64_t place_of(const struct sim_choice_key *key, const struct sim_object *object,
                         enum sim_access access) {
    uint64_t hash = sim_hash_mix(key->subject_hash, object != NULL ? object->name_hash : 1);

    return sim_hash_mix(hash, (uint64_t)access);
}

/* Choices that are about an object already keep their keys. */
static uint64_t anchor_of(struct scn_trial_chooser *trial, const struct sim_world *world,
                          const struct sim_choice *choice, const struct sim_choice_key *key) {
    uint64_t place;

    if (choice->kind != SIM_CHOICE_STEP)
        return sim_choice_key_hash(key);
    place = place_of(key, sim_object_by_id(world, choice->options[0].object_id),
                     choice->options[0].access);
    return sim_hash_mix(place, ++counter_of(trial, place)->count);
}

static const struct entry *entry_for(const struct scn_trial_chooser *trial, uint64_t anchor,
                                     const struct sim_choice_key *key) {
    return entry_of(trial, trial->learnt != NULL ? sim_choice_key_hash(key) : anchor);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct scn_trial_chooser *trial = of(chooser);
    uint64_t anchor = anchor_of(trial, world, choice, key);
    const struct entry *entry = entry_for(trial, anchor, key);
    uint32_t taken;

    if (entry->hash == 0 ||
        !sim_choice_find(world, choice, trial->deviations[entry->deviation].label, &taken))
        return 0;
    trial->deviations[entry->deviation].used = true;
    if (trial->learnt != NULL)
        trial->learnt[entry->deviation] = anchor;
    return taken;
}

/* The running task is the choice's subject. It is counted here only when nobody is asked. */
static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct scn_trial_chooser *trial = of(chooser);
    uint64_t place = place_of(key, sim_object_by_id(world, own->object_id), own->access);
    struct counter *counter = counter_of(trial, place);

    if (entry_for(trial, sim_hash_mix(place, counter->count + 1), key)->hash != 0)
        return false;
    counter->count++;
    return true;
}

static void end(struct sim_chooser *chooser) {
    (void)chooser;
}

static void destroy(struct sim_chooser *chooser) {
    struct scn_trial_chooser *trial = of(chooser);

    free(trial->entries);
    free(trial->counters);
    free(trial);
}

struct scn_trial_chooser *scn_trial_chooser_create(struct sim_deviation *deviations, size_t count) {
    struct scn_trial_chooser *trial = zeroed(1, sizeof(*trial));

    trial->deviations = deviations;
    trial->count = count;
    trial->entry_room = 16;
    while (trial->entry_room < count * 2)
        trial->entry_room *= 2;
    trial->entries = zeroed(trial->entry_room, sizeof(*trial->entries));
    trial->counter_room = COUNTER_ROOM_FIRST;
    trial->counters = zeroed(trial->counter_room, sizeof(*trial->counters));
    trial->chooser = (struct sim_chooser){.name = "trial",
                                          .begin = begin,
                                          .choose = choose,
                                          .end = end,
                                          .destroy = destroy,
                                          .goes_on = goes_on,
                                          .answers_planned = true};
    for (size_t i = 0; i < count; i++)
        trial->chooser.asks_failures |= deviations[i].kind == SIM_CHOICE_FAILURE;
    return trial;
}

struct sim_chooser *scn_trial_chooser_base(struct scn_trial_chooser *trial) {
    return &trial->chooser;
}

void scn_trial_learn(struct scn_trial_chooser *trial, uint64_t *anchors) {
    trial->learnt = anchors;
    trial->is_in = NULL;
}

void scn_trial_take(struct scn_trial_chooser *trial, const uint64_t *anchors,
                    const unsigned char *is_in) {
    trial->learnt = NULL;
    trial->anchors = anchors;
    trial->is_in = is_in;
}
