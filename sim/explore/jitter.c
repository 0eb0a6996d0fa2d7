/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jitter: each step of each actor takes a random time, and who is ready first goes on first, as in
 * simulators that only delay. All get on about equally fast, so that an order in which somebody
 * must wait long does not come up. Here as a yardstick.
 */
#include "pick.h"
#include "strategy.h"

#include <sim/run.h>

struct jitter {
    struct sim_strategy strategy;
    struct sim_actors actors;
    uint64_t step_max_ns; /* of this run */
};

static struct jitter *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct jitter, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct jitter *jitter = of(strategy);

    sim_actors_begin(&jitter->actors);
    jitter->step_max_ns = UINT64_C(32) << sim_draw_below(sim_hash_mix(plan->hash, 1), 11);
}

static uint64_t ready_ns(struct jitter *jitter, const struct sim_world *world,
                         const struct sim_option *option) {
    const struct sim_actor *actor;

    if (option->actor_id == 0) {
        return sim_now_ns(world) + option->wait_ns;
    }
    actor = sim_actors_of(&jitter->actors, world, option, NULL);
    return actor->clock;
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct jitter *jitter = of(strategy);
    uint64_t first_ns = SIM_TIME_NEVER;
    uint32_t first = 0;

    for (uint32_t i = 0; i < choice->option_count; i++) {
        uint64_t own_ns = ready_ns(jitter, world, &choice->options[i]);

        if (own_ns < first_ns) {
            first_ns = own_ns;
            first = i;
        }
    }
    if (choice->options[first].actor_id != 0) {
        struct sim_actor *actor =
            sim_actors_of(&jitter->actors, world, &choice->options[first], NULL);
        uint64_t from_ns = actor->clock > sim_now_ns(world) ? actor->clock : sim_now_ns(world);

        actor->clock = from_ns + 1 + draw % jitter->step_max_ns;
    }
    return first;
}

static void release(struct sim_strategy *strategy) {
    sim_actors_free(&of(strategy)->actors);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct jitter *jitter = sim_strategy_alloc(sizeof(*jitter));

    (void)options;
    jitter->strategy.plan = plan;
    jitter->strategy.step = step;
    jitter->strategy.release = release;
    return &jitter->strategy;
}

const struct sim_strategy_kind sim_strategy_jitter = {
    .about = {.name = "jitter",
              .about = "Each step takes a random time and who is ready first goes on, as in "
                       "simulators that only delay: a yardstick."},
    .create = create,
};
