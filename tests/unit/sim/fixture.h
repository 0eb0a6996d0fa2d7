/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of sim share: a world per test, and a generator of test input.
 */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sim/run.h>

static inline int world_setup(void **state) {
    const struct sim_config config = {.seed = 1};

    *state = sim_world_create(&config);
    return *state == NULL ? -1 : 0;
}

static inline int world_teardown(void **state) {
    sim_world_destroy(*state);
    return sim_world_active() == NULL ? 0 : -1;
}

#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)

static inline void reset_with_seed(struct sim_world *world, uint64_t seed) {
    const struct sim_config config = {.seed = seed};

    sim_world_reset(world, &config);
}

struct dice {
    uint64_t state;
};

static inline uint64_t roll(struct dice *dice) {
    dice->state += 1;
    return sim_hash_mix(UINT64_C(0x7465737473), dice->state);
}

static inline uint64_t roll_below(struct dice *dice, uint64_t count) {
    return roll(dice) % count;
}

#endif
