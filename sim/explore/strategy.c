/* SPDX-License-Identifier: Apache-2.0 */
/* What all strategies have in common; see strategy.h. */
#include "strategy.h"

#include <stdlib.h>

#include "draw.h"

#define OTHER_SPREAD_LOG2 4u
#define OTHER_PPM_MAX 500000u

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct sim_strategy *strategy = SIM_CONTAINER_OF(chooser, struct sim_strategy, chooser);
    uint64_t draw = sim_hash_mix(strategy->hash, sim_choice_key_hash(key));

    if (choice->kind == SIM_CHOICE_STEP) {
        return strategy->step(strategy, world, choice, draw);
    }
    if (strategy->other != NULL) {
        return strategy->other(strategy, world, choice, draw);
    }
    return sim_draw_option(draw, choice, strategy->other_ppm);
}

void sim_strategy_adopt(struct sim_strategy *strategy, const char *name, uint32_t other_ppm) {
    strategy->chooser.name = name;
    if (strategy->chooser.choose == NULL) {
        strategy->chooser.choose = choose;
    }
    strategy->other_ppm_mean = other_ppm;
}

struct sim_strategy *sim_strategy_create(const struct sim_strategy_kind *kind,
                                         const struct sim_strategy_options *options) {
    struct sim_strategy *strategy = kind->create(options);

    sim_strategy_adopt(strategy, kind->about.name, options->other_ppm);
    return strategy;
}

void sim_strategy_destroy(struct sim_strategy *strategy) {
    if (strategy != NULL) {
        if (strategy->release != NULL) {
            strategy->release(strategy);
        }
        free(strategy);
    }
}

void sim_strategy_plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    strategy->hash = plan->hash;
    strategy->other_ppm =
        sim_draw_spread(plan->hash, strategy->other_ppm_mean, OTHER_SPREAD_LOG2, OTHER_PPM_MAX);
    if (strategy->plan != NULL) {
        strategy->plan(strategy, plan);
    }
}

void *sim_strategy_alloc(size_t bytes) {
    void *strategy = calloc(1, bytes);

    SIM_ASSERT(strategy != NULL);
    return strategy;
}

uint32_t sim_draw_weighted(uint64_t draw, const uint32_t *weights, uint32_t count, uint64_t sum) {
    uint64_t at = draw % sum;
    uint32_t number = 0;

    while (number + 1 < count && at >= weights[number]) {
        at -= weights[number++];
    }
    return number;
}
