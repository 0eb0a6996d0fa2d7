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
    SIM_LIFE_ASKED = 1u << 3, /* the explorer's focus names it */
};

/* An object with life events. */
struct sim_note_object {
    uint64_t name_hash;
    uint64_t kind_hash; /* of its name without numbers */
    uint64_t life;      /* enum sim_life bits */
};

/* Steps of an actor about an object. */
struct sim_note_share {
    uint64_t object_hash;
    uint64_t actor_hash;
    uint64_t count;
};

/* Something was touched on an object's behalf. */
struct sim_note_pair {
    uint64_t touched_hash;
    uint64_t object_hash;
};

struct sim_note_head {
    uint32_t bytes; /* of the whole note, a multiple of 8 */
    uint32_t share_count;
    uint32_t pair_count;
    uint32_t object_count;
    uint32_t feature_count; /* ascending */
    uint32_t deviation_count;
    uint64_t index;
    uint64_t choice_count;
    uint64_t extension_count; /* of exhaustive strategies: ways to go on from here */
    uint64_t focus;           /* its name hash, 0: none */
    uint64_t focus_steps;     /* steps about it */
    uint64_t has_finding;
};

/* The arrays' bounds: what is beyond them is not told. */
#define SIM_NOTE_SHARE_MAX 1024u
#define SIM_NOTE_PAIR_MAX 1024u
#define SIM_NOTE_OBJECT_MAX 256u
#define SIM_NOTE_FEATURE_MAX 2048u
#define SIM_NOTE_DEVIATION_MAX 1024u
_Static_assert(sizeof(struct sim_note_head) + SIM_NOTE_SHARE_MAX * sizeof(struct sim_note_share) +
                       SIM_NOTE_PAIR_MAX * sizeof(struct sim_note_pair) +
                       SIM_NOTE_OBJECT_MAX * sizeof(struct sim_note_object) +
                       SIM_NOTE_FEATURE_MAX * sizeof(uint64_t) +
                       (SIM_NOTE_DEVIATION_MAX + 1) * sizeof(struct sim_note_deviation) <=
                   SIM_EXPLORER_NOTE_BYTES_MAX,
               "a note has room");

static inline struct sim_note_share *sim_note_shares(const struct sim_note_head *head) {
    return (struct sim_note_share *)(void *)(uintptr_t)(head + 1);
}
static inline struct sim_note_pair *sim_note_pairs(const struct sim_note_head *head) {
    return (struct sim_note_pair *)(void *)(sim_note_shares(head) + head->share_count);
}
static inline struct sim_note_object *sim_note_objects(const struct sim_note_head *head) {
    return (struct sim_note_object *)(void *)(sim_note_pairs(head) + head->pair_count);
}
static inline uint64_t *sim_note_features(const struct sim_note_head *head) {
    return (uint64_t *)(void *)(sim_note_objects(head) + head->object_count);
}
static inline struct sim_note_deviation *sim_note_deviations(const struct sim_note_head *head) {
    return (struct sim_note_deviation *)(void *)(sim_note_features(head) + head->feature_count);
}

/* What is the same of an option in every build and run: its label, or its actor's name. */
uint64_t sim_option_hash(const struct sim_world *world, const struct sim_choice *choice,
                         uint32_t number);

/* The run's deviations so far, at most SIM_NOTE_DEVIATION_MAX + 1; returns how many. */
uint32_t sim_deviation_hashes(const struct sim_world *world,
                              struct sim_note_deviation deviations[SIM_NOTE_DEVIATION_MAX + 1]);

#endif
