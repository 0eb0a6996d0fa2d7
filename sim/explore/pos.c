/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POS: the next step of each actor has a random priority; the highest goes on. After a step its
 * actor's priority is drawn anew, and so are those of steps that race with it: on the same object,
 * one of the two not only reading.
 */
#include "pick.h"
#include "strategy.h"

struct pos {
    struct sim_strategy strategy;
    struct sim_actors actors;
    uint64_t horizon_ns; /* of this run */
};

static struct pos *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct pos, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct pos *pos = of(strategy);

    sim_actors_begin(&pos->actors);
    pos->horizon_ns = sim_pick_horizon_ns(plan->hash);
}

static void draw_anew(const struct pos *pos, struct sim_actor *actor) {
    uint64_t hash = sim_hash_mix(pos->strategy.hash, actor->name_hash);

    actor->priority = (int64_t)(sim_hash_mix(hash, ++actor->draws) >> 1);
}

static struct sim_actor *actor_of(struct pos *pos, const struct sim_world *world,
                                  const struct sim_option *option) {
    bool is_new;
    struct sim_actor *actor = sim_actors_of(&pos->actors, world, option, &is_new);

    if (is_new) {
        draw_anew(pos, actor);
    }
    return actor;
}

static bool races(const struct sim_option *one, const struct sim_option *other) {
    return one->object_id == other->object_id && one->object_id != 0 &&
           (one->access != SIM_ACCESS_READ || other->access != SIM_ACCESS_READ);
}

static uint32_t highest(struct pos *pos, const struct sim_world *world,
                        const struct sim_choice *choice) {
    int64_t best_priority = -1;
    uint32_t best = 0;

    for (uint32_t i = 0; i < choice->option_count; i++) {
        if (sim_pick_may(&choice->options[i], pos->horizon_ns)) {
            int64_t priority = actor_of(pos, world, &choice->options[i])->priority;

            if (priority > best_priority) {
                best_priority = priority;
                best = i;
            }
        }
    }
    return best;
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct pos *pos = of(strategy);
    uint32_t best = highest(pos, world, choice);

    (void)draw;
    for (uint32_t i = 0; i < choice->option_count; i++) {
        if (i == best || races(&choice->options[i], &choice->options[best])) {
            draw_anew(pos, actor_of(pos, world, &choice->options[i]));
        }
    }
    return best;
}

static void release(struct sim_strategy *strategy) {
    sim_actors_free(&of(strategy)->actors);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct pos *pos = sim_strategy_alloc(sizeof(*pos));

    (void)options;
    pos->strategy.plan = plan;
    pos->strategy.step = step;
    pos->strategy.release = release;
    return &pos->strategy;
}

const struct sim_strategy_kind sim_strategy_pos = {
    .about = {.name = "pos",
              .about = "Each next step has a random priority; steps that race with the one just "
                       "taken draw theirs anew."},
    .create = create,
};
