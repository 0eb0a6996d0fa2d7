/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

#define KEY_COUNT 5000u

static void counters_keep_their_counts_while_the_table_grows(void **state) {
    struct sim_world *world = *state;
    struct sim_counters counters = {0};
    struct dice dice = {2};
    uint32_t model[KEY_COUNT] = {0};

    for (uint32_t i = 0; i < 10 * KEY_COUNT; i++) {
        uint32_t number = (uint32_t)roll_below(&dice, KEY_COUNT);

        assert_int_equal(++*sim_counter_of(world, &counters, sim_hash_mix(7, number)),
                         ++model[number]);
    }
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        assert_int_equal(*sim_counter_of(world, &counters, sim_hash_mix(7, i)), model[i]);
    }
}

static void neighbouring_and_zero_keys_are_told_apart(void **state) {
    struct sim_world *world = *state;
    struct sim_counters counters = {0};

    for (uint64_t key = 2; key < 1000; key++) {
        *sim_counter_of(world, &counters, key) = key;
        *sim_counter_of(world, &counters, key << 32) = key + 5000;
    }
    assert_int_equal(*sim_counter_of(world, &counters, 0), 0);
    for (uint64_t key = 2; key < 1000; key++) {
        assert_int_equal(*sim_counter_of(world, &counters, key), key);
        assert_int_equal(*sim_counter_of(world, &counters, key << 32), key + 5000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(counters_keep_their_counts_while_the_table_grows),
        WORLD_TEST(neighbouring_and_zero_keys_are_told_apart),
    };

    return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
