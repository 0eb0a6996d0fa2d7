/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explorer: a strategy by name, the rounds, and what is learned between them.
 *
 *   round: plan and note runs; collect notes (learn)  --round_end-->  notes in order of index are
 *   learned, those that taught something are the lesson, the next round begins
 */
#include <stdio.h>

#include <sim/run.h>

#include "knowledge.h"
#include "observer.h"
#include "profile.h"

#define SALT UINT64_C(0x6578706C6F7265)
#define STRATEGY_TEXT_BYTES 64u

static const struct sim_strategy_kind *const kinds[] = {
    &sim_strategy_portfolio, &sim_strategy_random, &sim_strategy_sparse,    &sim_strategy_jitter,
    &sim_strategy_swarm,     &sim_strategy_pct,    &sim_strategy_pos,       &sim_strategy_focus,
    &sim_strategy_delay,     &sim_strategy_mutate, &sim_strategy_delay_all, &sim_strategy_dfs,
    &sim_strategy_sweep,
};

/* Growing bytes. */
struct pile {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
};

struct sim_explorer {
    const struct sim_strategy_kind *kind;
    struct sim_strategy *strategy;
    struct sim_strategy *profile; /* plans the first runs, where objects are wanted */
    struct sim_strategy *running; /* what has planned the run */
    struct sim_observer *observer;
    struct sim_knowledge knowledge;
    char *focus;
    uint64_t seed_hash;
    uint64_t index;          /* of the run */
    uint64_t first;          /* of the round */
    uint64_t choices_before; /* the run began */
    struct pile pending;
    struct pile lesson;
    char name[STRATEGY_TEXT_BYTES];
};

const struct sim_strategy_about *sim_strategy_at(size_t index) {
    return index < SIM_ARRAY_COUNT(kinds) ? &kinds[index]->about : NULL;
}

/* ---- Creation ---- */

static const struct sim_strategy_kind *kind_named(const char *name, size_t length) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(kinds); i++) {
        if (strncmp(kinds[i]->about.name, name, length) == 0 &&
            kinds[i]->about.name[length] == '\0') {
            return kinds[i];
        }
    }
    return NULL;
}

/* "name" or "name:N". */
static const struct sim_strategy_kind *parse(const char *text, uint32_t *argument, char *error,
                                             size_t error_bytes) {
    const struct sim_strategy_kind *kind = kind_named(text, strcspn(text, ":"));
    const char *colon = strchr(text, ':');
    char *end = NULL;
    unsigned long value;

    if (kind == NULL) {
        snprintf(error, error_bytes, "there is no strategy \"%.*s\"", (int)strcspn(text, ":"),
                 text);
        return NULL;
    }
    *argument = kind->about.argument_default;
    if (colon == NULL) {
        return kind;
    }
    if (kind->about.argument == NULL) {
        snprintf(error, error_bytes, "the strategy \"%s\" takes no number", kind->about.name);
        return NULL;
    }
    value = colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
    if (end == NULL || *end != '\0' || value < 1 || value > kind->about.argument_max) {
        snprintf(error, error_bytes, "\"%s\": %s is a number from 1 to %u", text,
                 kind->about.argument, kind->about.argument_max);
        return NULL;
    }
    *argument = (uint32_t)value;
    return kind;
}

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);

    SIM_ASSERT(copy != NULL);
    return memcpy(copy, text, bytes);
}

bool sim_strategy_check(const char *text, char *error, size_t error_bytes) {
    uint32_t argument;

    return parse(text, &argument, error, error_bytes) != NULL;
}

/* As the observer wants it. */
static const char *pattern_of(const char *focus) {
    return focus != NULL && strcmp(focus, "none") != 0 ? focus : NULL;
}

struct sim_explorer *sim_explorer_create(const struct sim_explorer_options *options, char *error,
                                         size_t error_bytes) {
    struct sim_strategy_options own = {.step_ppm = options->step_ppm,
                                       .other_ppm = options->other_ppm};
    const char *text = options->strategy != NULL ? options->strategy : kinds[0]->about.name;
    const struct sim_strategy_kind *kind = parse(text, &own.argument, error, error_bytes);
    struct sim_explorer *explorer;

    if (kind == NULL) {
        return NULL;
    }
    explorer = calloc(1, sizeof(*explorer));
    SIM_ASSERT(explorer != NULL);
    explorer->kind = kind;
    explorer->focus = options->focus != NULL ? copy_text(options->focus) : NULL;
    own.focus = explorer->focus;
    explorer->strategy = sim_strategy_create(kind, &own);
    explorer->profile = sim_profile_create();
    explorer->observer = sim_observer_create(options->life_events, pattern_of(explorer->focus));
    explorer->seed_hash = sim_hash_mix(SALT, options->seed);
    if (kind->about.argument != NULL) {
        snprintf(explorer->name, sizeof(explorer->name), "%s:%u", kind->about.name, own.argument);
    } else {
        snprintf(explorer->name, sizeof(explorer->name), "%s", kind->about.name);
    }
    return explorer;
}

void sim_explorer_destroy(struct sim_explorer *explorer) {
    if (explorer != NULL) {
        sim_strategy_destroy(explorer->strategy);
        sim_strategy_destroy(explorer->profile);
        sim_observer_destroy(explorer->observer);
        sim_knowledge_free(&explorer->knowledge);
        free(explorer->pending.bytes);
        free(explorer->lesson.bytes);
        free(explorer->focus);
        free(explorer);
    }
}

const char *sim_explorer_strategy(const struct sim_explorer *explorer) {
    return explorer->name;
}

/* ---- Runs ---- */

static bool learns(const struct sim_explorer *explorer) {
    return explorer->strategy->wants_objects || explorer->strategy->wants_features;
}

/* The ends of the first rounds of a strategy that learns: there is most to learn at the start. */
static uint64_t round_size(const struct sim_explorer *explorer) {
    static const uint64_t ends[] = {SIM_PROFILE_RUNS, 64, 512, SIM_EXPLORER_ROUND_MAX};

    for (size_t i = 0; learns(explorer) && i < SIM_ARRAY_COUNT(ends); i++) {
        if (explorer->first < ends[i]) {
            return ends[i] - explorer->first;
        }
    }
    return SIM_EXPLORER_ROUND_MAX;
}

uint64_t sim_explorer_round(const struct sim_explorer *explorer, uint64_t *first) {
    uint64_t size = round_size(explorer);

    *first = explorer->first;
    if (explorer->strategy->ready != NULL) {
        uint64_t ready = explorer->strategy->ready(explorer->strategy);

        return ready < size ? ready : size;
    }
    return size;
}

struct sim_chooser *sim_explorer_begin(struct sim_explorer *explorer, uint64_t index) {
    const struct sim_plan plan = {
        .index = index,
        .first = explorer->first,
        .hash = sim_hash_mix(explorer->seed_hash, index),
        .knowledge = &explorer->knowledge,
    };

    explorer->index = index;
    explorer->running = explorer->strategy;
    if (index < SIM_PROFILE_RUNS && explorer->strategy->wants_objects) {
        explorer->running = explorer->profile;
    } else if (explorer->strategy->delegate != NULL) {
        explorer->running = explorer->strategy->delegate(explorer->strategy, &plan);
    }
    sim_observer_begin(explorer->observer, explorer->strategy->wants_features);
    sim_strategy_plan(explorer->running, &plan);
    return &explorer->running->chooser;
}

void sim_explorer_watch(struct sim_explorer *explorer, struct sim_world *world) {
    explorer->choices_before = sim_choice_count(world);
    if (learns(explorer)) {
        sim_observer_watch(explorer->observer, world);
    }
}

size_t sim_explorer_note(struct sim_explorer *explorer, struct sim_world *world, void *note) {
    struct sim_note_head *head = note;

    *head =
        (struct sim_note_head){.index = explorer->index,
                               .choice_count = sim_choice_count(world) - explorer->choices_before,
                               .has_finding = sim_finding_count(world) != 0};
    if (explorer->running->fill != NULL) {
        explorer->running->fill(explorer->running, world, head);
    }
    if (learns(explorer)) {
        head->object_count = sim_observer_objects(
            explorer->observer, world, &explorer->knowledge.object_places, sim_note_objects(head));
        head->feature_count = sim_observer_features(
            explorer->observer, &explorer->knowledge.features, sim_note_features(head));
    }
    if (head->feature_count != 0) {
        head->deviation_count = sim_deviation_hashes(world, sim_note_deviations(head));
    }
    head->bytes =
        (uint32_t)((char *)(sim_note_deviations(head) + head->deviation_count) - (char *)note);
    return head->bytes;
}

/* ---- Learning ---- */

static void add(struct pile *pile, const void *bytes, size_t count) {
    if (count == 0) {
        return;
    }
    if (pile->count + count > pile->capacity) {
        pile->capacity = (pile->count + count) * 2;
        pile->bytes = realloc(pile->bytes, pile->capacity);
        SIM_ASSERT(pile->bytes != NULL);
    }
    memcpy(pile->bytes + pile->count, bytes, count);
    pile->count += count;
}

void sim_explorer_learn(struct sim_explorer *explorer, const void *notes, size_t bytes) {
    add(&explorer->pending, notes, bytes);
}

static const struct sim_note_head *head_at(const struct pile *pile, size_t at) {
    return (const struct sim_note_head *)(const void *)(pile->bytes + at);
}

static int by_index(const void *a, const void *b) {
    uint64_t one = (*(const struct sim_note_head *const *)a)->index;
    uint64_t other = (*(const struct sim_note_head *const *)b)->index;

    return one < other ? -1 : one > other;
}

/* The pending notes in order of index; the caller frees them. */
static const struct sim_note_head **in_order(const struct pile *pile, size_t *count) {
    const struct sim_note_head **notes;
    size_t number = 0;

    for (size_t at = 0; at < pile->count; at += head_at(pile, at)->bytes) {
        number++;
    }
    notes = malloc((number + 1) * sizeof(const struct sim_note_head *));
    SIM_ASSERT(notes != NULL);
    *count = 0;
    for (size_t at = 0; at < pile->count; at += head_at(pile, at)->bytes) {
        notes[(*count)++] = head_at(pile, at);
    }
    qsort(notes, number, sizeof(const struct sim_note_head *), by_index);
    return notes;
}

static bool learn_one(struct sim_explorer *explorer, const struct sim_note_head *note) {
    bool taught = learns(explorer) && sim_knowledge_learn(&explorer->knowledge, note);

    if (explorer->strategy->learn != NULL) {
        taught = explorer->strategy->learn(explorer->strategy, note) || taught;
    }
    return taught;
}

size_t sim_explorer_round_end(struct sim_explorer *explorer, const void **lesson) {
    uint64_t first;
    uint64_t size = sim_explorer_round(explorer, &first);
    size_t count;
    const struct sim_note_head **notes = in_order(&explorer->pending, &count);

    explorer->lesson.count = 0;
    for (size_t i = 0; i < count; i++) {
        if ((i == 0 || notes[i]->index != notes[i - 1]->index) && learn_one(explorer, notes[i])) {
            add(&explorer->lesson, notes[i], notes[i]->bytes);
        }
    }
    free(notes);
    explorer->pending.count = 0;
    explorer->first += size;
    if (explorer->strategy->round_end != NULL) {
        explorer->strategy->round_end(explorer->strategy);
    }
    *lesson = explorer->lesson.bytes;
    return explorer->lesson.count;
}

/* ---- What has been done ---- */

bool sim_explorer_is_exhaustive(const struct sim_explorer *explorer) {
    return explorer->kind->about.is_exhaustive;
}

bool sim_explorer_is_done(const struct sim_explorer *explorer) {
    return explorer->strategy->ready != NULL && explorer->strategy->ready(explorer->strategy) == 0;
}

bool sim_explorer_is_complete(const struct sim_explorer *explorer) {
    return explorer->strategy->is_complete != NULL &&
           explorer->strategy->is_complete(explorer->strategy);
}

const char *sim_explorer_scope(const struct sim_explorer *explorer, char *text, size_t size) {
    if (size != 0) {
        text[0] = '\0';
        if (explorer->strategy->scope != NULL) {
            explorer->strategy->scope(explorer->strategy, text, size);
        }
    }
    return text;
}

const char *sim_explorer_claim(const struct sim_explorer *explorer, char *text, size_t size) {
    if (size != 0) {
        text[0] = '\0';
        if (explorer->strategy->claim != NULL) {
            explorer->strategy->claim(explorer->strategy, text, size);
        }
    }
    return text;
}

bool sim_explorer_has_focus(const struct sim_explorer *explorer) {
    return explorer->strategy->wants_objects;
}

struct sim_explorer_counts sim_explorer_counts(const struct sim_explorer *explorer) {
    return (struct sim_explorer_counts){
        .feature_count = explorer->knowledge.features.count,
        .corpus_count = explorer->knowledge.corpus_count,
        .object_count = explorer->knowledge.object_count,
        .choice_count = explorer->knowledge.choice_count_max,
    };
}
