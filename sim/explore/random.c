/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seeded random chooser: leaves the quiet option with a given probability, uniformly among the
 * others. Each draw is a hash of the seed and the choice's key.
 */
#include <stdlib.h>

#include <sim/choice.h>

#include "draw.h"

struct random_chooser {
    struct sim_chooser chooser;
    struct sim_chooser_random_options options;
    uint64_t seed_hash;
    uint32_t step_ppm; /* of this run */
    uint32_t other_ppm;
};

#define PPM_MAX 500000u

static struct random_chooser *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct random_chooser, chooser);
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    struct random_chooser *random = of(chooser);

    random->seed_hash = sim_hash_mix(UINT64_C(0x72616E646F6D), seed);
    random->step_ppm = sim_draw_spread(random->seed_hash, random->options.step_ppm,
                                       random->options.spread_log2, PPM_MAX);
    random->other_ppm = sim_draw_spread(random->seed_hash, random->options.other_ppm,
                                        random->options.spread_log2, PPM_MAX);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    const struct random_chooser *random = of(chooser);
    uint64_t draw = sim_hash_mix(random->seed_hash, sim_choice_key_hash(key));
    uint32_t ppm = choice->kind == SIM_CHOICE_STEP ? random->step_ppm : random->other_ppm;

    (void)world;
    return sim_draw_option(draw, choice, ppm);
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    const struct random_chooser *random = of(chooser);

    (void)world;
    (void)own;
    return !sim_draw_ppm(sim_hash_mix(random->seed_hash, sim_choice_key_hash(key)),
                         random->step_ppm);
}

static void end(struct sim_chooser *chooser) {
    (void)chooser;
}

static void destroy(struct sim_chooser *chooser) {
    free(of(chooser));
}

struct sim_chooser *sim_chooser_random_create(const struct sim_chooser_random_options *options) {
    struct random_chooser *random = calloc(1, sizeof(*random));

    SIM_ASSERT(random != NULL);
    SIM_ASSERT(options->spread_log2 <= 16);
    random->options = *options;
    random->chooser = (struct sim_chooser){
        .name = "random",
        .begin = begin,
        .choose = choose,
        .end = end,
        .destroy = destroy,
        .goes_on = goes_on,
    };
    return &random->chooser;
}
