/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzzer's bytes as choices. */
#include "small.h"

static void act(struct small *small, uint32_t actor) {
    (void)actor;
    small_points(small, 200);
}

static uint64_t order_of(struct small *small, struct sim_chooser *chooser, const void *bytes,
                         size_t count, size_t *deviations) {
    const struct sim_config config = {.seed = 1, .chooser = chooser};

    sim_chooser_bytes_set(chooser, bytes, count);
    sim_world_reset(small->world, &config);
    assert_int_equal(sim_run(small->world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    (void)sim_deviations(small->world, deviations);
    return sim_order_hash(small->world);
}

static void each_pair_is_one_deviation_at_its_place(void **state) {
    struct sim_chooser *chooser = sim_chooser_bytes_create();
    struct small small;
    size_t none, odd, one, two, far;
    uint64_t quiet;

    (void)state;
    small_create(&small, 3, act);
    quiet = order_of(&small, chooser, "", 0, &none);
    assert_int_equal(none, 0);
    assert_true(order_of(&small, chooser, "\5", 1, &odd) == quiet);
    assert_int_equal(odd, 0);
    assert_true(order_of(&small, chooser, "\5\0", 2, &one) != quiet);
    assert_int_equal(one, 1);
    assert_true(order_of(&small, chooser, "\5\0\0\1", 4, &two) != quiet);
    assert_int_equal(two, 2);
    /* 128 choices on, in a run that has more than that. */
    assert_true(order_of(&small, chooser, "\200\0", 2, &far) != quiet);
    assert_int_equal(far, 1);
    assert_true(order_of(&small, chooser, "\377\0", 2, &far) == quiet);
    small_destroy(&small);
    sim_chooser_destroy(chooser);
}

static void what_comes_later_does_not_move_what_came_before(void **state) {
    struct sim_chooser *chooser = sim_chooser_bytes_create();
    const struct sim_deviation *deviations;
    struct small small;
    uint32_t ordinal;
    size_t count;

    (void)state;
    small_create(&small, 3, act);
    (void)order_of(&small, chooser, "\11\1", 2, &count);
    deviations = sim_deviations(small.world, &count);
    ordinal = deviations[0].ordinal;
    (void)order_of(&small, chooser, "\11\1abcdefgh", 10, &count);
    deviations = sim_deviations(small.world, &count);
    assert_true(count >= 1);
    assert_int_equal(deviations[0].ordinal, ordinal);
    small_destroy(&small);
    sim_chooser_destroy(chooser);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_is_one_deviation_at_its_place),
        cmocka_unit_test(what_comes_later_does_not_move_what_came_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
