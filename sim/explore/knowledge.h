/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runs up to the last round have taught: features seen, runs worth changing a little
 * (the corpus), objects with a life, sizes. Changes at the end of a round only.
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

struct sim_knowledge {
    struct sim_hashset features;
    struct sim_corpus_run *corpus; /* in order of learning */
    size_t corpus_count;
    size_t corpus_capacity;
    struct sim_note_object *objects; /* in order of learning, one for each name */
    size_t object_count;
    size_t object_capacity;
    struct sim_hashset object_names;
    uint64_t choice_count_max;
    uint64_t choice_count_first; /* of the first run; 0: not known */
};

/* True if the note taught anything. */
bool sim_knowledge_learn(struct sim_knowledge *knowledge, const struct sim_note_head *note);
void sim_knowledge_free(struct sim_knowledge *knowledge);

#endif
