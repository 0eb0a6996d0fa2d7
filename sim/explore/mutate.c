/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutation: a run that reached something new, made again with a few of its deviations left out, a
 * few others added, or mixed with those of another such run. Deviations are known by their keys, so
 * that what is left of a run stays what it was. Without such runs yet: a few random deviations.
 */
#include "draw.h"
#include "knowledge.h"
#include "strategy.h"

#define STEPS_UNKNOWN 1000u
#define ADDED_LOG2_MAX 6u
#define OTHER_PPM_LIMIT 100000u

struct mutate {
    struct sim_strategy strategy;
    struct sim_hashmap options; /* of this run: by key, the option's hash */
    uint32_t step_ppm;
};

static struct mutate *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct mutate, strategy);
}

/* Each deviation with probability `keep_ppm`. */
static void take(struct mutate *mutate, const struct sim_corpus_run *run, uint32_t keep_ppm,
                 uint64_t hash) {
    for (uint32_t i = 0; i < run->deviation_count; i++) {
        const struct sim_note_deviation *deviation = &run->deviations[i];

        if (sim_draw_ppm(sim_hash_mix(hash, deviation->key_hash), keep_ppm)) {
            *sim_hashmap_at(&mutate->options, deviation->key_hash) = deviation->option_hash;
        }
    }
}

/* The later ones are the more likely. */
static const struct sim_corpus_run *draw_run(const struct sim_knowledge *knowledge, uint64_t hash) {
    uint32_t count = (uint32_t)knowledge->corpus_count;
    uint32_t one = sim_draw_below(hash, count);
    uint32_t other = sim_draw_below(sim_hash_mix(hash, 1), count);

    return &knowledge->corpus[one > other ? one : other];
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    static const uint32_t keep_ppm[] = {1000000, 1000000, 950000, 800000, 500000, 250000};
    const struct sim_knowledge *knowledge = plan->knowledge;
    struct mutate *mutate = of(strategy);
    uint64_t steps = knowledge->choice_count_max != 0 ? knowledge->choice_count_max : STEPS_UNKNOWN;
    uint64_t draw = sim_hash_mix(plan->hash, 0x6D7574617465);
    uint64_t added = UINT64_C(1) << sim_draw_below(sim_hash_mix(draw, 3), ADDED_LOG2_MAX + 1);

    sim_hashmap_empty(&mutate->options);
    mutate->step_ppm = (uint32_t)(1 + added * 1000000 / (steps + added));
    if (strategy->other_ppm > OTHER_PPM_LIMIT) {
        strategy->other_ppm = OTHER_PPM_LIMIT;
    }
    if (knowledge->corpus_count == 0) {
        return;
    }
    take(mutate, draw_run(knowledge, sim_hash_mix(draw, 4)),
         keep_ppm[sim_draw_below(sim_hash_mix(draw, 5), SIM_ARRAY_COUNT(keep_ppm))],
         sim_hash_mix(draw, 6));
    if (sim_draw_below(sim_hash_mix(draw, 7), 4) == 0) {
        take(mutate, draw_run(knowledge, sim_hash_mix(draw, 8)), 500000, sim_hash_mix(draw, 9));
    }
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct mutate *mutate = SIM_CONTAINER_OF(chooser, struct mutate, strategy.chooser);
    uint64_t key_hash = sim_choice_key_hash(key);
    const uint64_t *wanted = sim_hashmap_find(&mutate->options, key_hash);

    for (uint32_t i = 0; wanted != NULL && i < choice->option_count; i++) {
        if (sim_option_hash(world, choice, i) == *wanted) {
            return i;
        }
    }
    return sim_draw_option(sim_hash_mix(mutate->strategy.hash, key_hash), choice,
                           choice->kind == SIM_CHOICE_STEP ? mutate->step_ppm
                                                           : mutate->strategy.other_ppm);
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct mutate *mutate = SIM_CONTAINER_OF(chooser, struct mutate, strategy.chooser);
    uint64_t key_hash = sim_choice_key_hash(key);

    (void)world;
    (void)own;
    return sim_hashmap_find(&mutate->options, key_hash) == NULL &&
           !sim_draw_ppm(sim_hash_mix(mutate->strategy.hash, key_hash), mutate->step_ppm);
}

static void release(struct sim_strategy *strategy) {
    sim_hashmap_free(&of(strategy)->options);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct mutate *mutate = sim_strategy_alloc(sizeof(*mutate));

    (void)options;
    mutate->strategy.plan = plan;
    mutate->strategy.release = release;
    mutate->strategy.chooser.choose = choose;
    mutate->strategy.chooser.goes_on = goes_on;
    mutate->strategy.wants_features = true;
    return &mutate->strategy;
}

const struct sim_strategy_kind sim_strategy_mutate = {
    .about = {.name = "mutate",
              .about = "A run that reached something new, with a few of its deviations left out "
                       "and a few added."},
    .create = create,
};
