/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse: few deviations at random places, how many being drawn anew for each run: some bugs want a
 * few, some want many.
 */
#include "draw.h"
#include "strategy.h"

#define SPREAD_LOG2 4u
#define PPM_MAX 500000u
#define STEP_PPM 20000u

struct sparse {
    struct sim_strategy strategy;
    uint32_t step_ppm_mean;
    uint32_t step_ppm; /* of this run */
};

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct sparse *sparse = SIM_CONTAINER_OF(strategy, struct sparse, strategy);

    sparse->step_ppm = sim_draw_spread(plan->hash, sparse->step_ppm_mean, SPREAD_LOG2, PPM_MAX);
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    const struct sparse *sparse = SIM_CONTAINER_OF(strategy, struct sparse, strategy);

    (void)world;
    return sim_draw_option(draw, choice, sparse->step_ppm);
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    const struct sparse *sparse = SIM_CONTAINER_OF(chooser, struct sparse, strategy.chooser);

    (void)world;
    (void)own;
    return !sim_draw_ppm(sim_hash_mix(sparse->strategy.hash, sim_choice_key_hash(key)),
                         sparse->step_ppm);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct sparse *sparse = sim_strategy_alloc(sizeof(*sparse));

    sparse->step_ppm_mean = options->step_ppm != 0 ? options->step_ppm : STEP_PPM;
    sparse->strategy.plan = plan;
    sparse->strategy.step = step;
    sparse->strategy.chooser.goes_on = goes_on;
    return &sparse->strategy;
}

const struct sim_strategy_kind sim_strategy_sparse = {
    .about = {.name = "sparse",
              .about = "Now and then another of those who are ready goes on; how often is drawn "
                       "for each run."},
    .create = create,
};
