/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's note: a head and arrays behind it, flat, for another process of the same program.
 */
#ifndef SIM_NOTE_H
#define SIM_NOTE_H

#include <sim/explore.h>

/* A deviation by hashes: enough to make it again, not to name it. */
struct sim_note_deviation {
    uint64_t key_hash;
    uint64_t option_hash; /* sim_option_hash of the option taken */
};

enum sim_life {
    SIM_LIFE_CREATED = 1u << 0,
    SIM_LIFE_CLOSED = 1u << 1,
    SIM_LIFE_OTHER = 1u << 2, /* connected, disconnected: the explorer's life events */
};

/* An object with life events. */
struct sim_note_object {
    uint64_t name_hash;
    uint64_t kind_hash; /* of its name without numbers */
    uint32_t life;      /* enum sim_life bits */
    uint32_t record_count;
};

struct sim_note_head {
    uint32_t bytes; /* of the whole note, a multiple of 8 */
    uint32_t object_count;
    uint32_t feature_count; /* ascending */
    uint32_t deviation_count;
    uint64_t index;
    uint64_t choice_count;
    uint64_t extension_count; /* of exhaustive strategies: ways to go on from here */
    uint64_t has_finding;
};

static inline struct sim_note_object *sim_note_objects(const struct sim_note_head *head) {
    return (struct sim_note_object *)(void *)(head + 1);
}
static inline uint64_t *sim_note_features(const struct sim_note_head *head) {
    return (uint64_t *)(void *)(sim_note_objects(head) + head->object_count);
}
static inline struct sim_note_deviation *sim_note_deviations(const struct sim_note_head *head) {
    return (struct sim_note_deviation *)(void *)(sim_note_features(head) + head->feature_count);
}

/* The arrays' bounds: what is beyond them is not told. */
#define SIM_NOTE_OBJECT_MAX 256u
#define SIM_NOTE_FEATURE_MAX 2048u
#define SIM_NOTE_DEVIATION_MAX 1024u

/* What is the same of an option in every build and run: its label, or its actor's name. */
uint64_t sim_option_hash(const struct sim_world *world, const struct sim_choice *choice,
                         uint32_t number);

/* The run's deviations so far, at most SIM_NOTE_DEVIATION_MAX + 1; returns how many. */
uint32_t sim_deviation_hashes(const struct sim_world *world,
                              struct sim_note_deviation deviations[SIM_NOTE_DEVIATION_MAX + 1]);

#endif
