/* SPDX-License-Identifier: Apache-2.0 */
/* See knowledge.h. */
#include "knowledge.h"

#include "draw.h"

/* A longer corpus only dilutes: what is new comes from what was new lately. */
#define CORPUS_MAX 4096u
#define OBJECT_MAX 4096u
#define KIND_MAX 256u

static void *grow(void *array, size_t count, size_t *capacity, size_t bytes) {
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity * 2 + 64;
    array = realloc(array, *capacity * bytes);
    SIM_ASSERT(array != NULL);
    return array;
}

/* ---- Objects ---- */

static struct sim_known_object *object_of(const struct sim_knowledge *knowledge,
                                          uint64_t name_hash) {
    const uint64_t *place = sim_hashmap_find(&knowledge->object_places, name_hash);

    return place != NULL ? &knowledge->objects[*place - 1] : NULL;
}

const struct sim_known_object *sim_knowledge_object(const struct sim_knowledge *knowledge,
                                                    uint64_t name_hash) {
    return object_of(knowledge, name_hash);
}

/* The place of a kind, made when it is new; KIND_MAX when there are too many. */
static uint32_t kind_place(struct sim_knowledge *knowledge, uint64_t kind_hash) {
    for (uint32_t i = 0; i < knowledge->kind_count; i++) {
        if (knowledge->kinds[i].kind_hash == kind_hash) {
            return i;
        }
    }
    if (knowledge->kinds == NULL) {
        knowledge->kinds = calloc(KIND_MAX, sizeof(*knowledge->kinds));
        SIM_ASSERT(knowledge->kinds != NULL);
    }
    if (knowledge->kind_count == KIND_MAX) {
        return KIND_MAX;
    }
    knowledge->kinds[knowledge->kind_count].kind_hash = kind_hash;
    return (uint32_t)knowledge->kind_count++;
}

static bool learn_object(struct sim_knowledge *knowledge, const struct sim_note_object *object) {
    uint32_t kind;

    if (knowledge->object_count == OBJECT_MAX || object_of(knowledge, object->name_hash) != NULL) {
        return false;
    }
    kind = kind_place(knowledge, object->kind_hash);
    if (kind == KIND_MAX) {
        return false;
    }
    knowledge->objects = grow(knowledge->objects, knowledge->object_count,
                              &knowledge->object_capacity, sizeof(*knowledge->objects));
    knowledge->objects[knowledge->object_count++] =
        (struct sim_known_object){.name_hash = object->name_hash, .kind = kind};
    knowledge->kinds[kind].object_count++;
    *sim_hashmap_at(&knowledge->object_places, object->name_hash) = knowledge->object_count;
    return true;
}

uint64_t sim_knowledge_draw_object(const struct sim_knowledge *knowledge, uint64_t hash) {
    uint32_t kind;
    uint32_t number;

    if (knowledge->kind_count == 0) {
        return 0;
    }
    kind = sim_draw_below(hash, (uint32_t)knowledge->kind_count);
    number = sim_draw_below(sim_hash_mix(hash, 1), knowledge->kinds[kind].object_count);
    for (size_t i = 0; i < knowledge->object_count; i++) {
        if (knowledge->objects[i].kind == kind && number-- == 0) {
            return knowledge->objects[i].name_hash;
        }
    }
    return 0;
}

/* ---- Steps about objects ---- */

/* What was known of the actor is out of date; true if it was another number. */
static bool set_share(struct sim_known_object *object, const struct sim_note_share *share) {
    for (uint32_t i = 0; i < object->share_count; i++) {
        struct sim_known_share *known = &object->shares[i];

        if (known->actor_hash == share->actor_hash) {
            bool is_new = known->count != (uint32_t)share->count;

            known->count = (uint32_t)share->count;
            return is_new;
        }
    }
    if (object->share_count == SIM_KNOWN_SHARE_MAX) {
        return false;
    }
    object->shares[object->share_count++] =
        (struct sim_known_share){.actor_hash = share->actor_hash, .count = (uint32_t)share->count};
    return true;
}

static bool has_changed(uint64_t before, uint64_t now) {
    uint64_t change = now > before ? now - before : before - now;

    return change * 8 > before;
}

/* Of a run with a focus: its object's steps, if they are much other than they were. */
static bool learn_focus(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    const struct sim_note_share *shares = sim_note_shares(note);
    struct sim_known_object *object = object_of(knowledge, note->focus);

    if (object == NULL || note->focus_steps == 0 ||
        !has_changed(object->steps, note->focus_steps)) {
        return false;
    }
    /* An actor that made none may make some again. */
    object->steps = note->focus_steps;
    for (uint32_t i = 0; i < note->share_count; i++) {
        set_share(object, &shares[i]);
    }
    return true;
}

static uint64_t sum_of_shares(const struct sim_known_object *object) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i < object->share_count; i++) {
        sum += object->shares[i].count;
    }
    return sum;
}

/* Of a run that looked at all objects. What was seen of an actor when it ran alone is too little.
 */
static bool learn_shares(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    const struct sim_note_share *shares = sim_note_shares(note);
    bool taught = false;

    for (uint32_t i = 0; i < note->share_count; i++) {
        struct sim_known_object *object = object_of(knowledge, shares[i].object_hash);

        if (object != NULL) {
            taught = set_share(object, &shares[i]) || taught;
            object->steps = sum_of_shares(object);
        }
    }
    return taught;
}

static bool learn_pairs(struct sim_knowledge *knowledge, const struct sim_note_head *note) {
    const struct sim_note_pair *pairs = sim_note_pairs(note);
    bool taught = false;

    for (uint32_t i = 0; i < note->pair_count; i++) {
        uint64_t *known = sim_hashmap_at(&knowledge->touched_for, pairs[i].touched_hash);

        if (*known == 0) {
            *known = pairs[i].object_hash;
            taught = true;
        } else if (*known != pairs[i].object_hash && *known != SIM_COMPANION_OF_MANY) {
            *known = SIM_COMPANION_OF_MANY;
            taught = true;
        }
    }
    return taught;
}

uint64_t sim_knowledge_companion_of(const struct sim_knowledge *knowledge, uint64_t name_hash) {
    const uint64_t *object = sim_hashmap_find(&knowledge->touched_for, name_hash);

    return object != NULL && *object != SIM_COMPANION_OF_MANY ? *object : 0;
}

/* ---- Features ---- */

static void keep_run(struct sim_knowledge *knowledge, const struct sim_note_head *note,
                     uint32_t feature_count) {
    struct sim_corpus_run *run;
    size_t bytes = note->deviation_count * sizeof(*run->deviations);

    if (note->deviation_count == 0 || note->deviation_count > SIM_NOTE_DEVIATION_MAX ||
        knowledge->corpus_count == CORPUS_MAX) {
        return;
    }
    knowledge->corpus = grow(knowledge->corpus, knowledge->corpus_count,
                             &knowledge->corpus_capacity, sizeof(*knowledge->corpus));
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
    const struct sim_note_object *objects = sim_note_objects(note);
    bool taught = false;

    for (uint32_t i = 0; i < note->object_count; i++) {
        taught = learn_object(knowledge, &objects[i]) || taught;
    }
    taught = learn_pairs(knowledge, note) || taught;
    taught =
        (note->focus != 0 ? learn_focus(knowledge, note) : learn_shares(knowledge, note)) || taught;
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
    free(knowledge->kinds);
    sim_hashset_free(&knowledge->features);
    sim_hashmap_free(&knowledge->object_places);
    sim_hashmap_free(&knowledge->touched_for);
}
