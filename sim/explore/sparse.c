/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse: few deviations at random places, how many being drawn anew for each run: some bugs want a
 * few, some want many. What is not a step deviates on its own, with the same spread.
 */
#include "draw.h"
#include "strategy.h"

#include <stdlib.h>

#define SPREAD_LOG2 4u
#define PPM_MAX 500000u
#define STEP_PPM 20000u

struct sparse {
    struct sim_strategy strategy;
    uint32_t step_ppm_mean;
    uint32_t other_ppm_mean;
    uint64_t hash; /* of this run, as are the following */
    uint32_t step_ppm;
    uint32_t other_ppm;
};

static struct sparse *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct sparse, strategy.chooser);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct sparse *sparse = SIM_CONTAINER_OF(strategy, struct sparse, strategy);

    sparse->hash = plan->hash;
    sparse->step_ppm = sim_draw_spread(plan->hash, sparse->step_ppm_mean, SPREAD_LOG2, PPM_MAX);
    sparse->other_ppm = sim_draw_spread(plan->hash, sparse->other_ppm_mean, SPREAD_LOG2, PPM_MAX);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    const struct sparse *sparse = of(chooser);
    uint32_t ppm = choice->kind == SIM_CHOICE_STEP ? sparse->step_ppm : sparse->other_ppm;

    (void)world;
    return sim_draw_option(sim_hash_mix(sparse->hash, sim_choice_key_hash(key)), choice, ppm);
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_choice_key *key) {
    const struct sparse *sparse = of(chooser);

    return !sim_draw_ppm(sim_hash_mix(sparse->hash, sim_choice_key_hash(key)), sparse->step_ppm);
}

static void destroy(struct sim_strategy *strategy) {
    free(SIM_CONTAINER_OF(strategy, struct sparse, strategy));
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct sparse *sparse = calloc(1, sizeof(*sparse));

    SIM_ASSERT(sparse != NULL);
    sparse->step_ppm_mean = options->step_ppm != 0 ? options->step_ppm : STEP_PPM;
    sparse->other_ppm_mean = options->other_ppm;
    sparse->strategy = (struct sim_strategy){
        .chooser = {.name = "sparse", .choose = choose, .goes_on = goes_on},
        .plan = plan,
        .destroy = destroy,
    };
    return &sparse->strategy;
}

const struct sim_strategy_kind sim_strategy_sparse = {
    .about = {.name = "sparse",
              .about = "Now and then another of those who are ready goes on; how often is drawn "
                       "for each run."},
    .create = create,
};
