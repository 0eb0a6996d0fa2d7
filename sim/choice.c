/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door to every choice: makes the key, asks the chooser, records what deviates.
 *
 * The recorder keeps 48 bytes a deviation in reserved host memory and makes texts of them only when
 * somebody asks. More than it has room for is an error of ours (assertion), never a silent loss.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/draw.h"
#include "outer.h"
#include "topic.h"

static const char *const kind_names[SIM_CHOICE_KIND_COUNT] = {
    [SIM_CHOICE_STEP] = "step",       [SIM_CHOICE_FAULT] = "fault",
    [SIM_CHOICE_DELAY] = "delay",     [SIM_CHOICE_ANSWER] = "answer",
    [SIM_CHOICE_DRIVER] = "driver",   [SIM_CHOICE_SCENARIO] = "scenario",
    [SIM_CHOICE_FAILURE] = "failure",
};

const char *sim_choice_kind_name(enum sim_choice_kind kind) {
    return (unsigned)kind < SIM_CHOICE_KIND_COUNT ? kind_names[kind] : "?";
}

static uint64_t hash_without_ordinal(const struct sim_choice_key *key) {
    return sim_hash_mix(key->topic_hash + (uint64_t)key->kind + 1, key->subject_hash);
}

uint64_t sim_choice_key_hash(const struct sim_choice_key *key) {
    return sim_hash_mix(hash_without_ordinal(key), key->ordinal);
}

static void make_key(struct sim_world *world, const struct sim_choice *choice,
                     struct sim_choice_key *key) {
    key->kind = choice->kind;
    key->topic_hash = sim_topic_hash(choice->topic);
    key->subject_hash = choice->subject->name_hash;
    if (choice->kind == SIM_CHOICE_STEP && choice->topic == NULL) {
        key->ordinal = ++choice->subject->step_choices;
    } else {
        key->ordinal =
            (uint32_t)++ * sim_counter_of(world, &world->ordinals, hash_without_ordinal(key));
    }
}

static bool draw_planned(const struct sim_world *world, const struct sim_choice *choice,
                         const struct sim_choice_key *key) {
    uint64_t seed_hash = sim_hash_mix(UINT64_C(0x706C616E6E6564), world->config.seed);

    return sim_draw_ppm(sim_hash_mix(seed_hash, sim_choice_key_hash(key)), choice->planned_ppm);
}

static SIM_COLD void record_is_full(struct sim_world *world, struct sim_object *subject) {
    struct sim_finding finding;

    sim_finding_init(&finding, SIM_VERDICT_STUCK, "decisions", "");
    sim_finding_say(&finding,
                    "%zu decisions were not the quiet run's, more than a record can hold: have it "
                    "do less work, or disturb it for a shorter time",
                    world->outer->recorder.count);
    sim_finding_object(&finding, subject);
    sim_find(world, &finding);
}

static void record(struct sim_world *world, const struct sim_choice *choice,
                   const struct sim_choice_key *key, uint32_t taken) {
    struct sim_recorder *recorder = &world->outer->recorder;
    struct sim_raw_deviation *raw = recorder->raw.base;

    if (SIM_UNLIKELY(!sim_span_commit(&recorder->raw, (recorder->count + 1) * sizeof(*raw)))) {
        record_is_full(world, choice->subject);
        return;
    }
    recorder->is_named = false;
    raw[recorder->count++] = (struct sim_raw_deviation){
        .time_ns = world->now_ns,
        .choice = world->choice_count,
        .topic = choice->topic,
        .label = choice->options[taken].label,
        .subject_id = choice->subject->id,
        .actor_id = choice->options[taken].actor_id,
        .ordinal = key->ordinal,
        .kind = (uint16_t)choice->kind,
        .twin = choice->options[taken].label != NULL ? (uint16_t)sim_option_twin(choice, taken) : 0,
    };
}

bool sim_choose_goes_on(struct sim_world *world, struct sim_object *subject,
                        const struct sim_option *own) {
    const struct sim_outer *outer = world->outer;
    struct sim_chooser *chooser = outer->chooser;

    if (chooser != outer->quiet) {
        const struct sim_choice_key key = {
            .kind = SIM_CHOICE_STEP,
            .topic_hash = sim_topic_hash(NULL),
            .subject_hash = subject->name_hash,
            .ordinal = subject->step_choices + 1,
        };

        if (chooser->goes_on == NULL || !chooser->goes_on(chooser, world, &key, own)) {
            return false;
        }
    }
    sim_choice_count_step(world, subject, own->actor_id, own->object_id);
    return true;
}

uint32_t sim_choose(struct sim_world *world, const struct sim_choice *choice) {
    struct sim_outer *outer = world->outer;
    struct sim_chooser *chooser = outer->chooser;
    struct sim_choice_key key;
    uint32_t taken = 0;

    SIM_ASSERT(choice->option_count >= 1 && choice->subject->id != 0);
    if (choice->option_count == 1) {
        return 0;
    }
    make_key(world, choice, &key);
    world->choice_count++;
    if (choice->planned_ppm != 0 && !chooser->answers_planned) {
        taken = draw_planned(world, choice, &key) ? 1 : 0;
    } else if (chooser != outer->quiet) {
        taken = chooser->choose(chooser, world, choice, &key);
        SIM_ASSERT(taken < choice->option_count);
    }
    if (choice->kind == SIM_CHOICE_STEP) {
        const struct sim_option *option = &choice->options[taken];

        sim_order_mix(world, option->actor_id, option->object_id);
    }
    if (SIM_UNLIKELY(taken != 0)) {
        record(world, choice, &key, taken);
    }
    return taken;
}

bool sim_choose_fault(struct sim_world *world, const char *topic, struct sim_object *subject,
                      uint32_t planned_ppm) {
    static const struct sim_option options[2] = {{.label = "no"}, {.label = "fire"}};
    const struct sim_choice choice = {
        .kind = SIM_CHOICE_FAULT,
        .topic = topic,
        .subject = subject,
        .options = options,
        .option_count = SIM_ARRAY_COUNT(options),
        .planned_ppm = planned_ppm,
    };

    return sim_choose(world, &choice) == 1;
}

uint64_t sim_order_hash(const struct sim_world *world) {
    return world->order_hash;
}

void sim_chooser_destroy(struct sim_chooser *chooser) {
    if (chooser != NULL && chooser->destroy != NULL) {
        chooser->destroy(chooser);
    }
}

/* Room for any name that a scenario can make: a cut one would not be found again. */
#define NAME_BYTES_MAX 512u

/* Writes the name at `to + *at` and moves on; with `to` NULL only measures. */
static const char *put_name(char *to, size_t *at, const struct sim_object *object) {
    char name[NAME_BYTES_MAX];
    size_t bytes = strlen(sim_object_name(object, name, sizeof(name))) + 1;
    char *text = NULL;

    if (to != NULL) {
        text = memcpy(to + *at, name, bytes);
    }
    *at += bytes;
    return text;
}

/* As put_name, for the second and later of several options with one label. */
static const char *put_twin(char *to, size_t *at, const char *label, uint32_t twin) {
    char number[16];
    size_t label_bytes = strlen(label);
    size_t number_bytes = (size_t)snprintf(number, sizeof(number), "#%u", twin) + 1;
    char *text = NULL;

    if (to != NULL) {
        text = to + *at;
        memcpy(text, label, label_bytes);
        memcpy(text + label_bytes, number, number_bytes);
    }
    *at += label_bytes + number_bytes;
    return text;
}

/* One pass over the recorder; the first one, with `texts` NULL, only measures. */
static size_t name_all(const struct sim_world *world, struct sim_deviation *named, char *texts) {
    const struct sim_recorder *recorder = &world->outer->recorder;
    const struct sim_raw_deviation *raw = recorder->raw.base;
    size_t bytes = 0;

    for (size_t i = 0; i < recorder->count; i++, raw++, named++) {
        named->kind = (enum sim_choice_kind)raw->kind;
        named->topic = raw->topic != NULL ? raw->topic : "";
        named->subject = put_name(texts, &bytes, sim_object_by_id(world, raw->subject_id));
        named->ordinal = raw->ordinal;
        named->label = raw->label;
        if (named->label == NULL) {
            named->label = put_name(texts, &bytes, sim_object_by_id(world, raw->actor_id));
        } else if (raw->twin != 0) {
            named->label = put_twin(texts, &bytes, raw->label, raw->twin);
        }
        named->time_ns = raw->time_ns;
        named->choice = raw->choice;
    }
    return bytes;
}

size_t sim_deviation_count(const struct sim_world *world) {
    return world->outer->recorder.count;
}

const struct sim_deviation *sim_deviations(const struct sim_world *world, size_t *count) {
    struct sim_recorder *recorder = &world->outer->recorder;

    *count = recorder->count;
    if (recorder->is_named) {
        return recorder->named;
    }
    free(recorder->named);
    free(recorder->texts);
    recorder->named = calloc(recorder->count + 1, sizeof(*recorder->named));
    SIM_ASSERT(recorder->named != NULL);
    recorder->texts = malloc(name_all(world, recorder->named, NULL) + 1);
    SIM_ASSERT(recorder->texts != NULL);
    name_all(world, recorder->named, recorder->texts);
    recorder->is_named = true;
    return recorder->named;
}
