/* SPDX-License-Identifier: Apache-2.0 */
/* See knowledge.h. */
#include "knowledge.h"

/* A longer corpus only dilutes: what is new comes from what was new lately. */
#define CORPUS_MAX 4096u

static bool learn_objects(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    const struct sim_note_object *objects = sim_note_objects(note);
    bool taught = false;

    for (uint32_t i = 0; i < note->object_count; i++) {
        if (!sim_hashset_add(&knowledge->object_names, objects[i].name_hash)) {
            continue;
        }
        if (knowledge->object_count == knowledge->object_capacity) {
            knowledge->object_capacity = knowledge->object_capacity * 2 + 64;
            knowledge->objects = realloc(knowledge->objects,
                                         knowledge->object_capacity * sizeof(*knowledge->objects));
            SIM_ASSERT(knowledge->objects != NULL);
        }
        knowledge->objects[knowledge->object_count++] = objects[i];
        taught = true;
    }
    return taught;
}

static void keep_run(struct sim_knowledge *knowledge, const struct sim_note_head *note,
                     uint32_t feature_count) {
    struct sim_corpus_run *run;
    size_t bytes = note->deviation_count * sizeof(*run->deviations);

    if (note->deviation_count == 0 || note->deviation_count > SIM_NOTE_DEVIATION_MAX ||
        knowledge->corpus_count == CORPUS_MAX) {
        return;
    }
    if (knowledge->corpus_count == knowledge->corpus_capacity) {
        knowledge->corpus_capacity = knowledge->corpus_capacity * 2 + 64;
        knowledge->corpus =
            realloc(knowledge->corpus, knowledge->corpus_capacity * sizeof(*knowledge->corpus));
        SIM_ASSERT(knowledge->corpus != NULL);
    }
    run = &knowledge->corpus[knowledge->corpus_count++];
    *run = (struct sim_corpus_run){.deviation_count = note->deviation_count,
                                   .feature_count = feature_count,
                                   .index = note->index,
                                   .deviations = malloc(bytes)};
    SIM_ASSERT(run->deviations != NULL);
    memcpy(run->deviations, sim_note_deviations(note), bytes);
}

static bool learn_features(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    const uint64_t *features = sim_note_features(note);
    uint32_t count = 0;

    for (uint32_t i = 0; i < note->feature_count; i++) {
        count += sim_hashset_add(&knowledge->features, features[i]);
    }
    if (count != 0) {
        keep_run(knowledge, note, count);
    }
    return count != 0;
}

bool sim_knowledge_learn(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    bool taught = learn_objects(knowledge, note);

    taught = learn_features(knowledge, note) || taught;
    if (knowledge->choice_count_first == 0 && note->choice_count != 0) {
        knowledge->choice_count_first = note->choice_count;
        taught = true;
    }
    if (note->choice_count > knowledge->choice_count_max) {
        knowledge->choice_count_max = note->choice_count;
        taught = true;
    }
    return taught;
}

void sim_knowledge_free(struct sim_knowledge *knowledge) {
    for (size_t i = 0; i < knowledge->corpus_count; i++) {
        free(knowledge->corpus[i].deviations);
    }
    free(knowledge->corpus);
    free(knowledge->objects);
    sim_hashset_free(&knowledge->features);
    sim_hashset_free(&knowledge->object_names);
}
