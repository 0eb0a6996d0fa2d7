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
};

static struct random_chooser *of(struct sim_chooser *chooser) {
    return SIM_CONTAINER_OF(chooser, struct random_chooser, chooser);
}

static void begin(struct sim_chooser *chooser, uint64_t seed) {
    of(chooser)->seed_hash = sim_hash_mix(UINT64_C(0x72616E646F6D), seed);
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    const struct random_chooser *random = of(chooser);
    uint64_t draw = sim_hash_mix(random->seed_hash, sim_choice_key_hash(key));
    uint32_t ppm =
        choice->kind == SIM_CHOICE_STEP ? random->options.step_ppm : random->options.other_ppm;

    (void)world;
    if (choice->free_ppm != 0) {
        return sim_draw_ppm(draw, choice->free_ppm) ? 1 : 0;
    }
    if (!sim_draw_ppm(draw, ppm)) {
        return 0;
    }
    return 1 + sim_draw_below(sim_hash_mix(draw, 1), choice->option_count - 1);
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
    random->options = *options;
    random->chooser = (struct sim_chooser){
        .name = "random", .begin = begin, .choose = choose, .end = end, .destroy = destroy};
    return &random->chooser;
}
