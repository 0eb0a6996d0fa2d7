/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See decision.h. A choice of who runs next is told by what followed: the first thing worth telling
 * that the chosen one did (of an event: what it brought about), before the first one of whom it
 * went past.
 */
#include "report/decision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

/* How far from a decision its effect is looked for, in records. */
#define REACH 600u

struct view {
    const struct sim_world *world;
    const struct scn_chronicle *chronicle;
};

const char *scn_deviation_text(const struct sim_deviation *deviation, char *text, size_t size) {
    snprintf(text, size, "%s%s%s of %s, number %u, takes \"%s\"",
             sim_choice_kind_name(deviation->kind), deviation->topic[0] != '\0' ? " " : "",
             deviation->topic, deviation->subject, deviation->ordinal, deviation->label);
    return text;
}

/* 0: no object has that name (an event's label). */
static uint32_t id_of_name(const struct sim_world *world, const char *name) {
    uint64_t hash = sim_hash_text(name);

    for (uint32_t id = 1; id <= sim_object_count(world); id++) {
        const struct sim_object *object = sim_object_by_id(world, id);

        if (object != NULL && object->name_hash == hash)
            return id;
    }
    return 0;
}

/* The first record after a decision; 0: none is kept. Choice numbers never fall. */
static uint32_t first_after(const struct view *view, uint64_t choice) {
    uint32_t low = view->chronicle->first, high = view->chronicle->last + 1;

    if (low == 0)
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (scn_chronicle_at(view->chronicle, middle)->record.choice < choice)
            low = middle + 1;
        else
            high = middle;
    }
    return low <= view->chronicle->last ? low : 0;
}

/* The first record of an actor that tells something, else its first one; NULL: it did nothing. */
static const struct sim_record *first_of(const struct view *view, uint32_t from,
                                         uint32_t actor_id) {
    const struct sim_record *first = NULL;

    for (uint32_t at = from; at < from + REACH; at++) {
        const struct scn_moment *moment = scn_chronicle_at(view->chronicle, at);

        if (moment == NULL)
            break;
        if (moment->record.actor_id != actor_id)
            continue;
        if (scn_record_tells(view->world, &moment->record))
            return &moment->record;
        first = first != NULL ? first : &moment->record;
    }
    return first;
}

/* What tells something and was led to by the record at `from`; NULL: nothing near. */
static const struct sim_record *effect_of(const struct view *view, uint32_t from) {
    bool follows[REACH] = {true};

    for (uint32_t at = from + 1; at < from + REACH; at++) {
        const struct scn_moment *moment = scn_chronicle_at(view->chronicle, at);
        uint32_t cause;

        if (moment == NULL)
            break;
        cause = moment->record.cause;
        follows[at - from] = cause >= from && cause < at && follows[cause - from];
        if (follows[at - from] && scn_record_tells(view->world, &moment->record) &&
            moment->record.type >= SIM_TRACE_NDK)
            return &moment->record;
    }
    return NULL;
}

/* What an actor did last before that; NULL: nothing that is kept near. */
static const struct sim_record *last_of(const struct view *view, uint32_t before,
                                        uint32_t actor_id) {
    for (uint32_t at = before; at + REACH > before; at--) {
        const struct scn_moment *moment = scn_chronicle_at(view->chronicle, at);

        if (moment == NULL)
            break;
        if (moment->record.actor_id == actor_id && scn_record_tells(view->world, &moment->record))
            return &moment->record;
    }
    return NULL;
}

static size_t append(char *text, size_t size, size_t at, const char *piece) {
    int count = snprintf(text + at, size - at, "%s", piece);

    return (size_t)count < size - at ? at + (size_t)count : size - 1;
}

static size_t append_record(const struct view *view, const struct sim_record *record, char *text,
                            size_t size, size_t at) {
    char words[SCN_WORDS_BYTES], actor[SIM_NAME_BYTES];

    at = append(text, size, at, scn_record_actor(view->world, record, actor, sizeof(actor)));
    at = append(text, size, at, ": ");
    return append(text, size, at, scn_record_words(view->world, record, words, sizeof(words)));
}

/* ", before X does this", or ", before X goes on from that" when it never did again. */
static void append_passed(const struct view *view, const struct scn_decision *decision,
                          uint32_t from, char *text, size_t size, size_t at) {
    const char *subject = decision->deviation->subject;
    uint32_t actor_id = id_of_name(view->world, subject);
    const struct sim_record *passed = from != 0 ? first_of(view, from, actor_id) : NULL;
    char words[SCN_WORDS_BYTES];

    at = append(text, size, at, ", before ");
    if (passed != NULL) {
        append_record(view, passed, text, size, at);
        return;
    }
    at = append(text, size, at, subject);
    at = append(text, size, at, " goes on");
    passed = from != 0 ? last_of(view, from, actor_id) : NULL;
    if (passed == NULL)
        return;
    at = append(text, size, at, " from \"");
    at = append(text, size, at, scn_record_words(view->world, passed, words, sizeof(words)));
    append(text, size, at, "\"");
}

static void tell_step(const struct view *view, struct scn_decision *decision) {
    const struct sim_deviation *deviation = decision->deviation;
    uint32_t from = first_after(view, deviation->choice);
    uint32_t actor_id = id_of_name(view->world, deviation->label);
    const struct sim_record *taken = from != 0 ? first_of(view, from, actor_id) : NULL;
    const struct sim_record *effect =
        taken != NULL && actor_id == 0 ? effect_of(view, taken->sequence) : NULL;
    char *words = decision->words;
    size_t at, size = sizeof(decision->words);

    if (taken == NULL) {
        at = append(words, size, 0, deviation->label);
        at = append(words, size, at, actor_id != 0 ? " runs on" : " happens");
    } else {
        decision->sequence = taken->sequence;
        at = append_record(view, taken, words, size, 0);
    }
    if (effect != NULL) {
        char told[SCN_WORDS_BYTES];

        at = append(words, size, at, ", which brings \"");
        at = append(words, size, at, scn_record_words(view->world, effect, told, sizeof(told)));
        at = append(words, size, at, "\"");
    }
    append_passed(view, decision, from, words, size, at);
}

static void tell_other(const struct view *view, struct scn_decision *decision) {
    const struct sim_deviation *deviation = decision->deviation;
    char *words = decision->words;
    size_t size = sizeof(decision->words);

    decision->sequence = first_after(view, deviation->choice);
    if (deviation->kind == SIM_CHOICE_FAULT)
        snprintf(words, size, "the fault %s acts on %s", deviation->topic, deviation->subject);
    else if (deviation->kind == SIM_CHOICE_DELAY)
        snprintf(words, size, "%s of %s is delayed by %s", deviation->topic, deviation->subject,
                 deviation->label);
    else if (strncmp(deviation->topic, "answer.", 7) == 0)
        snprintf(words, size, "%s of %s is answered %s", deviation->topic + 7, deviation->subject,
                 deviation->label);
    else
        snprintf(words, size, "%s of %s is \"%s\"", deviation->topic, deviation->subject,
                 deviation->label);
}

struct scn_decision *scn_decisions_tell(const struct sim_world *world,
                                        const struct scn_chronicle *chronicle,
                                        const struct sim_deviation *deviations, size_t count) {
    const struct view view = {world, chronicle};
    struct scn_decision *decisions = calloc(count + 1, sizeof(*decisions));

    SIM_ASSERT(decisions != NULL);
    for (size_t i = 0; i < count; i++) {
        decisions[i].deviation = &deviations[i];
        if (deviations[i].kind == SIM_CHOICE_STEP)
            tell_step(&view, &decisions[i]);
        else
            tell_other(&view, &decisions[i]);
    }
    return decisions;
}
