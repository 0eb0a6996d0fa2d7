/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runs up to the last round have taught: features seen, runs worth changing a little
 * (the corpus), objects with a life, what is touched for them, sizes. Changes at the end of a round
 * only.
 */
#ifndef SIM_KNOWLEDGE_H
#define SIM_KNOWLEDGE_H

#include "hashset.h"
#include "note.h"

struct sim_corpus_run {
    struct sim_note_deviation *deviations;
    uint32_t deviation_count;
    uint32_t feature_count; /* that were new with it */
    uint64_t index;
};

#define SIM_KNOWN_SHARE_MAX 16u

/* An object that may be in focus. */
struct sim_known_object {
    uint64_t name_hash;
    uint64_t steps; /* about it, in a run; 0: not known */
    uint32_t kind;  /* its place in `kinds` */
    uint32_t share_count;
    struct sim_known_share {
        uint64_t actor_hash;
        uint32_t count;
    } shares[SIM_KNOWN_SHARE_MAX];
};

struct sim_knowledge {
    struct sim_hashset features;
    struct sim_corpus_run *corpus; /* in order of learning */
    size_t corpus_count;
    size_t corpus_capacity;
    struct sim_known_object *objects; /* in order of learning */
    size_t object_count;
    size_t object_capacity;
    struct sim_hashmap object_places; /* by name: place + 1 */
    struct sim_known_kind {
        uint64_t kind_hash;
        uint32_t object_count;
    } * kinds; /* in order of learning */
    size_t kind_count;
    struct sim_hashmap touched_for; /* by name: the object's; SIM_COMPANION_OF_MANY */
    uint64_t choice_count_max;
    uint64_t choice_count_first; /* of the first run; 0: not known */
};
#define SIM_COMPANION_OF_MANY UINT64_MAX

/* True if the note taught anything. */
bool sim_knowledge_learn(struct sim_knowledge *knowledge, const struct sim_note_head *note);
void sim_knowledge_free(struct sim_knowledge *knowledge);

/* One of the objects, each kind of them being as likely as another; 0: there is none. */
uint64_t sim_knowledge_draw_object(const struct sim_knowledge *knowledge, uint64_t hash);
/* NULL: not known. */
const struct sim_known_object *sim_knowledge_object(const struct sim_knowledge *knowledge,
                                                    uint64_t name_hash);
/* The one object on whose behalf something is touched; 0: none, or many. */
uint64_t sim_knowledge_companion_of(const struct sim_knowledge *knowledge, uint64_t name_hash);

#endif
