/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a strategy keeps of each actor of a run. An actor is a context, or events about one subject:
 * those are known by their subject's object, so that an actor always has a birth name.
 */
#ifndef SIM_ACTORS_H
#define SIM_ACTORS_H

#include <sim/choice.h>

struct sim_actor {
    uint64_t name_hash;
    int64_t priority;
    uint64_t clock;
    uint32_t weight;
    uint32_t draws; /* so far */
    uint32_t run;   /* the entry is of that run; else it is not there yet */
};

struct sim_actors {
    struct sim_actor *entries; /* by object id */
    size_t capacity;
    uint32_t run;
};

static inline uint32_t sim_actor_id(const struct sim_option *option) {
    return option->actor_id != 0 ? option->actor_id : option->object_id;
}

/* A new run: all actors are new. */
void sim_actors_begin(struct sim_actors *actors);
/* The actor of an option; `*is_new` (may be NULL): it is its first time in this run. */
struct sim_actor *sim_actors_of(struct sim_actors *actors, const struct sim_world *world,
                                const struct sim_option *option, bool *is_new);
void sim_actors_free(struct sim_actors *actors);

#endif
