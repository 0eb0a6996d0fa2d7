/* SPDX-License-Identifier: Apache-2.0 */
/* See note.h. */
#include "note.h"

#include "../outer.h"
#include "../topic.h"

static uint64_t label_hash(const char *label, uint32_t twin) {
    return sim_hash_mix(sim_hash_text(label), twin);
}

uint64_t sim_option_hash(const struct sim_world *world, const struct sim_choice *choice,
                         uint32_t number) {
    const struct sim_option *option = &choice->options[number];
    const struct sim_object *actor;

    if (option->label != NULL) {
        return label_hash(option->label, sim_option_twin(choice, number));
    }
    actor = sim_object_by_id(world, option->actor_id);
    return actor != NULL ? actor->name_hash : 0;
}

static struct sim_note_deviation hashes_of(const struct sim_world *world,
                                           const struct sim_raw_deviation *raw) {
    const struct sim_object *actor = sim_object_by_id(world, raw->actor_id);
    const struct sim_choice_key key = {
        .kind = (enum sim_choice_kind)raw->kind,
        .topic_hash = sim_topic_hash(raw->topic),
        .subject_hash = sim_object_by_id(world, raw->subject_id)->name_hash,
        .ordinal = raw->ordinal,
    };
    struct sim_note_deviation deviation = {.key_hash = sim_choice_key_hash(&key)};

    if (raw->label != NULL) {
        deviation.option_hash = label_hash(raw->label, raw->twin);
    } else if (actor != NULL) {
        deviation.option_hash = actor->name_hash;
    }
    return deviation;
}

uint32_t sim_deviation_hashes(const struct sim_world *world,
                              struct sim_note_deviation deviations[SIM_NOTE_DEVIATION_MAX + 1]) {
    const struct sim_recorder *recorder = &world->outer->recorder;
    const struct sim_raw_deviation *raw = recorder->raw.base;
    uint32_t count = recorder->count <= SIM_NOTE_DEVIATION_MAX ? (uint32_t)recorder->count
                                                               : SIM_NOTE_DEVIATION_MAX + 1;

    for (uint32_t i = 0; i < count; i++) {
        deviations[i] = hashes_of(world, &raw[i]);
    }
    return count;
}
