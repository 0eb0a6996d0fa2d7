/* SPDX-License-Identifier: Apache-2.0 */
/* See actors.h. */
#include "actors.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 1024u

void sim_actors_begin(struct sim_actors *actors) {
    actors->run++;
}

static void grow(struct sim_actors *actors, uint32_t id) {
    size_t capacity = actors->capacity == 0 ? CAPACITY_FIRST : actors->capacity * 2;

    capacity = capacity <= id ? (size_t)id + 1 : capacity;
    actors->entries = realloc(actors->entries, capacity * sizeof(*actors->entries));
    SIM_ASSERT(actors->entries != NULL);
    memset(actors->entries + actors->capacity, 0,
           (capacity - actors->capacity) * sizeof(*actors->entries));
    actors->capacity = capacity;
}

struct sim_actor *sim_actors_of(struct sim_actors *actors, const struct sim_world *world,
                                const struct sim_option *option, bool *is_new) {
    uint32_t id = sim_actor_id(option);
    struct sim_actor *actor;
    bool is_first;

    if (id >= actors->capacity) {
        grow(actors, id);
    }
    actor = &actors->entries[id];
    is_first = actor->run != actors->run;
    if (is_first) {
        const struct sim_object *object = sim_object_by_id(world, id);

        *actor = (struct sim_actor){.run = actors->run,
                                    .name_hash = object != NULL ? object->name_hash : 0};
    }
    if (is_new != NULL) {
        *is_new = is_first;
    }
    return actor;
}

void sim_actors_free(struct sim_actors *actors) {
    free(actors->entries);
    *actors = (struct sim_actors){0};
}
