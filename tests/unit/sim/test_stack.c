/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include "world.h"

#define SLOT_COUNT 70u

static uint64_t foreign_words(uintptr_t low, uintptr_t high) {
    uint64_t count = 0;

    for (uintptr_t at = low; at < high; at += 8) {
        count += *(const uint64_t *)at != SIM_STACK_PATTERN;
    }
    return count;
}

/* Writes as a running task would: from the top down, one word per frame at least. */
static void use(uintptr_t low, uintptr_t high, uint64_t depth, struct dice *dice) {
    uintptr_t at = high;

    while (at - low > 64 && high - at < depth) {
        at -= 8 + roll_below(dice, at - low > 8192 ? 500 : 7) * 8;
        *(uint64_t *)at = roll(dice);
    }
}

static void a_new_stack_is_full_of_the_pattern_and_has_guards(void **state) {
    struct sim_world *world = *state;
    uintptr_t *saved = sim_alloc(world, sizeof(*saved));
    uintptr_t low, high;
    bool in_guard = true;
    uint32_t slot = sim_stack_slot_take(world, saved, &low, &high);

    assert_int_equal(high - low, SIM_TASK_STACK_BYTES);
    assert_int_equal(foreign_words(low, high), 0);
    assert_int_equal(sim_stack_slot_of(world, low, &in_guard), slot);
    assert_false(in_guard);
    assert_int_equal(sim_stack_slot_of(world, low - 1, &in_guard), slot);
    assert_true(in_guard);
    assert_int_equal(sim_stack_slot_of(world, high, &in_guard), slot);
    assert_true(in_guard);
    assert_int_equal(sim_stack_slot_of(world, high + SIM_STACK_GUARD_BYTES, &in_guard),
                     SIM_STACK_SLOT_NONE);
    assert_int_equal(sim_region_of(world, (void *)low), SIM_REGION_DRIVER);
    assert_int_equal(sim_region_of(world, (void *)high), SIM_REGION_COUNT);
    assert_ptr_equal(sim_frame_page(world, sim_frame_of(world, (void *)low)), (void *)low);
}

static void the_lowest_free_slot_is_taken_and_is_clean(void **state) {
    struct sim_world *world = *state;
    uintptr_t *saved = sim_alloc(world, SLOT_COUNT * sizeof(*saved));
    struct dice dice = {3};
    uintptr_t low, high;

    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        assert_int_equal(sim_stack_slot_take(world, &saved[i], &low, &high), i);
        use(low, high, roll_below(&dice, SIM_TASK_STACK_BYTES), &dice);
    }
    sim_stack_slot_give(world, 40);
    sim_stack_slot_give(world, 7);
    sim_stack_slot_give(world, SLOT_COUNT - 1);
    assert_int_equal(sim_stack_slot_take(world, &saved[0], &low, &high), 7);
    assert_int_equal(foreign_words(low, high), 0);
    assert_int_equal(sim_stack_slot_take(world, &saved[0], &low, &high), 40);
    assert_int_equal(foreign_words(low, high), 0);
    assert_int_equal(sim_stack_slot_take(world, &saved[0], &low, &high), SLOT_COUNT - 1);
    assert_int_equal(sim_stack_slot_take(world, &saved[0], &low, &high), SLOT_COUNT);
}

static void stacks_left_are_counted_across_a_reset(void **state) {
    struct sim_world *world = *state;
    uintptr_t *saved = sim_alloc(world, 3 * sizeof(*saved));
    uint32_t before = sim_stacks_left(world), slots[3];
    uintptr_t low, high;

    for (uint32_t i = 0; i < 3; i++) {
        slots[i] = sim_stack_slot_take(world, &saved[i], &low, &high);
        saved[i] = high;
    }
    sim_stack_slot_give(world, slots[1]);
    assert_int_equal(sim_stacks_left(world), before - 2);
    sim_world_snapshot(world);
    sim_stack_slot_give(world, slots[0]);
    assert_int_equal(sim_stacks_left(world), before - 1);
    sim_world_reset(world, sim_world_config(world));
    assert_int_equal(sim_stacks_left(world), before - 2);
}

static void a_reset_keeps_live_parts_and_refills_the_rest(void **state) {
    struct sim_world *world = *state;
    uintptr_t *saved = sim_alloc(world, 4 * sizeof(*saved));
    struct dice dice = {9};
    uintptr_t low[4], high[4];

    for (uint32_t i = 0; i < 3; i++) {
        sim_stack_slot_take(world, &saved[i], &low[i], &high[i]);
        use(low[i], high[i], 20000, &dice);
        saved[i] = high[i] - 1024 * (i + 1);
        memset((void *)saved[i], (int)i + 1, high[i] - saved[i]);
    }
    sim_stack_slot_give(world, 1);
    sim_world_snapshot(world);
    for (uint32_t run = 0; run < 5; run++) {
        sim_stack_slot_take(world, &saved[1], &low[1], &high[1]);
        sim_stack_slot_take(world, &saved[3], &low[3], &high[3]);
        assert_int_equal(foreign_words(low[1], high[1]), 0);
        assert_int_equal(foreign_words(low[3], high[3]), 0);
        for (uint32_t i = 0; i < 4; i++) {
            use(low[i], high[i], roll_below(&dice, SIM_TASK_STACK_BYTES), &dice);
            saved[i] = low[i] + 64;
        }
        if (run == 2) {
            sim_stack_slot_give(world, 0);
        }
        reset_with_seed(world, run);
        for (uint32_t i = 0; i < 3; i += 2) {
            const unsigned char *live = (const unsigned char *)saved[i];

            assert_int_equal(saved[i], high[i] - 1024 * (i + 1));
            assert_int_equal(foreign_words(low[i], saved[i]), 0);
            for (uint64_t at = 0; at < high[i] - saved[i]; at++) {
                assert_int_equal(live[at], i + 1);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_new_stack_is_full_of_the_pattern_and_has_guards),
        WORLD_TEST(the_lowest_free_slot_is_taken_and_is_clean),
        WORLD_TEST(stacks_left_are_counted_across_a_reset),
        WORLD_TEST(a_reset_keeps_live_parts_and_refills_the_rest),
    };

    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
