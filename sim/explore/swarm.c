/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swarm: each run draws how fast each actor is, over three decades, and which faults there are:
 * about half of the kinds that may fire are left out, the others fire twice as often.
 */
#include "pick.h"
#include "strategy.h"

#include "../topic.h"

#define SPEED_COUNT 11u /* 1, 2, 4, ..., 1024 */
#define OPTION_MAX 128u

struct swarm {
    struct sim_strategy strategy;
    struct sim_actors actors;
    uint64_t horizon_ns; /* of this run */
};

static struct swarm *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct swarm, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct swarm *swarm = of(strategy);

    sim_actors_begin(&swarm->actors);
    swarm->horizon_ns = sim_pick_horizon_ns(plan->hash);
}

static uint32_t speed_of(struct swarm *swarm, const struct sim_world *world,
                         const struct sim_option *option) {
    bool is_new;
    struct sim_actor *actor = sim_actors_of(&swarm->actors, world, option, &is_new);

    if (is_new) {
        uint64_t draw = sim_hash_mix(swarm->strategy.hash, actor->name_hash);

        actor->weight = 1u << sim_draw_below(draw, SPEED_COUNT);
    }
    return actor->weight;
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct swarm *swarm = of(strategy);
    uint32_t weights[OPTION_MAX];
    uint64_t sum = 0;

    SIM_ASSERT(choice->option_count <= OPTION_MAX);
    for (uint32_t i = 0; i < choice->option_count; i++) {
        bool may = sim_pick_may(&choice->options[i], swarm->horizon_ns);

        weights[i] = may ? speed_of(swarm, world, &choice->options[i]) : 0;
        sum += weights[i];
    }
    return sum != 0 ? sim_draw_weighted(draw, weights, choice->option_count, sum) : 0;
}

static uint32_t other(struct sim_strategy *strategy, struct sim_world *world,
                      const struct sim_choice *choice, uint64_t draw) {
    struct sim_choice own = *choice;
    uint64_t topic_draw = sim_hash_mix(strategy->hash, sim_topic_hash(choice->topic));

    (void)world;
    if (choice->kind == SIM_CHOICE_FAULT) {
        if ((topic_draw >> 40 & 1) != 0) {
            return 0;
        }
        own.free_ppm = own.free_ppm < 500000 ? own.free_ppm * 2 : 1000000;
    }
    return sim_draw_option(draw, &own, strategy->other_ppm);
}

static void release(struct sim_strategy *strategy) {
    sim_actors_free(&of(strategy)->actors);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct swarm *swarm = sim_strategy_alloc(sizeof(*swarm));

    (void)options;
    swarm->strategy.plan = plan;
    swarm->strategy.step = step;
    swarm->strategy.other = other;
    swarm->strategy.release = release;
    return &swarm->strategy;
}

const struct sim_strategy_kind sim_strategy_swarm = {
    .about = {.name = "swarm",
              .about = "Each run draws how fast each actor is, over three decades, and a subset of "
                       "the faults that may fire."},
    .create = create,
};
