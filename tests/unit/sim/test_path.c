/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <sim/path.h>

#include "world.h"

#define PATH_COUNT 2000u

static uint8_t make_path(uint32_t number, uintptr_t *frames) {
    struct dice dice = {number * 100};
    uint8_t count = (uint8_t)(1 + number % SIM_FINDING_FRAMES);

    for (uint8_t i = 0; i < count; i++) {
        frames[i] = 0x400000 + roll_below(&dice, 1u << 20);
    }
    frames[0] = 0x500000 + number;
    return count;
}

static void equal_paths_have_one_number_while_the_table_grows(void **state) {
    struct sim_world *world = *state;
    uint32_t numbers[PATH_COUNT];
    uintptr_t frames[SIM_FINDING_FRAMES];
    uintptr_t kept[SIM_FINDING_FRAMES];

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < PATH_COUNT; i++) {
            uint8_t count = make_path(i, frames);
            uint32_t number = sim_path_keep(world, frames, count);

            assert_true(number != 0 && (round == 0 || number == numbers[i]));
            numbers[i] = number;
        }
    }
    for (uint32_t i = 0; i < PATH_COUNT; i++) {
        uint8_t count = make_path(i, frames);

        assert_int_equal(numbers[i], i + 1);
        assert_int_equal(sim_path_frames(world, numbers[i], kept), count);
        assert_memory_equal(kept, frames, count * sizeof(frames[0]));
    }
}

static void a_path_is_not_the_beginning_of_another(void **state) {
    const uintptr_t frames[3] = {0x1000, 0x2000, 0x3000};
    uint32_t whole = sim_path_keep(*state, frames, 3);

    assert_int_not_equal(sim_path_keep(*state, frames, 2), whole);
    assert_int_not_equal(sim_path_keep(*state, frames + 1, 2), whole);
    assert_int_equal(sim_path_keep(*state, frames, 3), whole);
}

static void a_site_without_frames_keeps_its_time(void **state) {
    struct sim_kept_site kept;
    struct sim_site site;

    assert_int_equal(sim_path_keep(*state, NULL, 0), 0);
    sim_site_keep(*state, &kept, NULL, 0);
    sim_site_expand(*state, &kept, "made", &site);
    assert_string_equal(site.what, "made");
    assert_int_equal(site.time_ns, sim_now_ns(*state));
    assert_int_equal(site.level, UINT8_MAX);
    assert_int_equal(site.frame_count, 0);
    assert_null(site.actor);
}

static void a_reset_forgets_paths_of_the_run(void **state) {
    struct sim_world *world = *state;
    const uintptr_t before[1] = {0x1000};
    const uintptr_t after[2] = {0x2000, 0x3000};
    uintptr_t kept[SIM_FINDING_FRAMES];
    uint32_t first = sim_path_keep(world, before, 1);

    sim_world_snapshot(world);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(sim_path_keep(world, after, 2), first + 1);
        assert_int_equal(sim_path_keep(world, before, 1), first);
        reset_with_seed(world, i);
    }
    assert_int_equal(world->paths.count, 1);
    assert_int_equal(sim_path_frames(world, first, kept), 1);
    assert_int_equal(kept[0], before[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(equal_paths_have_one_number_while_the_table_grows),
        WORLD_TEST(a_path_is_not_the_beginning_of_another),
        WORLD_TEST(a_site_without_frames_keeps_its_time),
        WORLD_TEST(a_reset_forgets_paths_of_the_run),
    };

    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
