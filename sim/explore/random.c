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

/* `ppm` times 2^exponent, within bounds; 0 stays 0. */
static uint32_t scaled(uint32_t ppm, int32_t exponent) {
    uint64_t value = exponent >= 0 ? (uint64_t)ppm << exponent : (uint64_t)ppm >> -exponent;

    if (ppm != 0 && value == 0) {
        return 1;
    }
    return value > PPM_MAX && ppm <= PPM_MAX ? PPM_MAX : (uint32_t)value;
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    struct random_chooser *random = of(chooser);
    uint32_t spread = random->options.spread_log2;
    int32_t exponent;

    random->seed_hash = sim_hash_mix(UINT64_C(0x72616E646F6D), seed);
    exponent = (int32_t)sim_draw_below(sim_hash_mix(random->seed_hash, 2), 2 * spread + 1) -
               (int32_t)spread;
    random->step_ppm = scaled(random->options.step_ppm, exponent);
    random->other_ppm = scaled(random->options.other_ppm, exponent);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    const struct random_chooser *random = of(chooser);
    uint64_t draw = sim_hash_mix(random->seed_hash, sim_choice_key_hash(key));
    uint32_t ppm = choice->kind == SIM_CHOICE_STEP ? random->step_ppm : random->other_ppm;

    (void)world;
    if (choice->free_ppm != 0) {
        return sim_draw_ppm(draw, choice->free_ppm) ? 1 : 0;
    }
    if (!sim_draw_ppm(draw, ppm)) {
        return 0;
    }
    return 1 + sim_draw_below(sim_hash_mix(draw, 1), choice->option_count - 1);
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_choice_key *key) {
    const struct random_chooser *random = of(chooser);

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
