/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded decision names: its choice's key, and the option of that label. */
#include <stdlib.h>
#include <string.h>

#include <sim/choice.h>

#include "../topic.h"

/* `label` may be that of a twin: "x#1". */
static bool is_label(const struct sim_choice *choice, uint32_t number, const char *label) {
    const char *own = choice->options[number].label;
    size_t length = strlen(own);
    uint32_t twin;

    if (strncmp(own, label, length) != 0 || (label[length] != '\0' && label[length] != '#')) {
        return false;
    }
    twin = sim_option_twin(choice, number);
    return label[length] == '\0' ? twin == 0
                                 : twin != 0 && strtoul(label + length + 1, NULL, 10) == twin;
}

static bool has_label(const struct sim_world *world, const struct sim_choice *choice,
                      uint32_t number, const char *label) {
    const struct sim_option *option = &choice->options[number];
    const struct sim_object *actor;

    if (option->label != NULL) {
        return is_label(choice, number, label);
    }
    actor = sim_object_by_id(world, option->actor_id);
    return actor != NULL && actor->name_hash == sim_hash_text(label);
}

bool sim_choice_find(const struct sim_world *world, const struct sim_choice *choice,
                     const char *label, uint32_t *index) {
    for (uint32_t i = 0; i < choice->option_count; i++) {
        if (has_label(world, choice, i, label)) {
            *index = i;
            return true;
        }
    }
    return false;
}

struct sim_choice_key sim_deviation_key(const struct sim_deviation *deviation) {
    return (struct sim_choice_key){
        .kind = deviation->kind,
        .topic_hash = sim_topic_hash(deviation->topic),
        .subject_hash = sim_hash_text(deviation->subject),
        .ordinal = deviation->ordinal,
    };
}
