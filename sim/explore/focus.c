/* SPDX-License-Identifier: Apache-2.0 */
/* See focus.h. */
#include "focus.h"

#define CAPACITY_FIRST 1024u

void sim_focus_init(struct sim_focus *focus, const char *pattern) {
    *focus = (struct sim_focus){.is_none = pattern != NULL && strcmp(pattern, "none") == 0};
}

void sim_focus_free(struct sim_focus *focus) {
    free(focus->relations);
}

void sim_focus_plan(struct sim_focus *focus, const struct sim_plan *plan) {
    focus->knowledge = plan->knowledge;
    focus->run++;
    focus->step_count = 0;
    focus->target = 0;
    if (!focus->is_none) {
        focus->target =
            sim_knowledge_draw_object(plan->knowledge, sim_hash_mix(plan->hash, 0x666F637573));
    }
}

static struct sim_focus_relation *relation_of(struct sim_focus *focus,
                                              const struct sim_world *world, uint32_t id) {
    struct sim_focus_relation *relation;
    const struct sim_object *object;

    if (id >= focus->capacity) {
        size_t capacity = focus->capacity * 2 + CAPACITY_FIRST;

        capacity = capacity <= id ? (size_t)id + 1 : capacity;
        focus->relations = realloc(focus->relations, capacity * sizeof(*focus->relations));
        SIM_ASSERT(focus->relations != NULL);
        memset(focus->relations + focus->capacity, 0,
               (capacity - focus->capacity) * sizeof(*focus->relations));
        focus->capacity = capacity;
    }
    relation = &focus->relations[id];
    if (relation->run != focus->run) {
        object = sim_object_by_id(world, id);
        *relation = (struct sim_focus_relation){.run = focus->run};
        relation->is_companion =
            sim_knowledge_companion_of(focus->knowledge, object->name_hash) == focus->target;
        for (; object != NULL && !relation->is_its; object = object->owner) {
            relation->is_its = object->name_hash == focus->target;
        }
    }
    return relation;
}

bool sim_focus_is_on_slow(struct sim_focus *focus, const struct sim_world *world,
                          const struct sim_option *option) {
    if (option->object_id != 0) {
        const struct sim_focus_relation *own = relation_of(focus, world, option->object_id);

        if (own->is_its || own->is_companion) {
            return true;
        }
    }
    return option->subject_id != 0 && relation_of(focus, world, option->subject_id)->is_its;
}

uint64_t sim_focus_steps(const struct sim_focus *focus, uint64_t otherwise) {
    const struct sim_known_object *object = sim_knowledge_object(focus->knowledge, focus->target);

    return object != NULL && object->steps != 0 ? object->steps : otherwise;
}

void sim_focus_fill(const struct sim_focus *focus, struct sim_note_head *head) {
    head->focus = focus->target;
    head->focus_steps = focus->step_count;
}
