/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random walk: at each step, any of those who are ready, all alike. An event that is not due yet
 * counts the less the farther off it is, as if each step took a random while.
 */
#include "pick.h"
#include "strategy.h"

#define WEIGHT 4096u
#define OPTION_MAX 128u

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    uint32_t weights[OPTION_MAX];
    uint64_t sum = 0;

    (void)strategy;
    (void)world;
    SIM_ASSERT(choice->option_count <= OPTION_MAX);
    for (uint32_t i = 0; i < choice->option_count; i++) {
        uint64_t wait_ns = choice->options[i].wait_ns;

        weights[i] = WEIGHT;
        if (wait_ns > SIM_NS_PER_US) {
            weights[i] = (uint32_t)(WEIGHT * SIM_NS_PER_US / wait_ns);
        }
        sum += weights[i];
    }
    return sim_draw_weighted(draw, weights, choice->option_count, sum);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct sim_strategy *strategy = sim_strategy_alloc(sizeof(*strategy));

    (void)options;
    strategy->step = step;
    return strategy;
}

const struct sim_strategy_kind sim_strategy_random = {
    .about = {.name = "random",
              .about = "At each step any of those who are ready goes on, all alike."},
    .create = create,
};
