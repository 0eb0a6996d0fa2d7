/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: what can fail fails once, also what only comes up behind another failure. */
#include "small.h"

#include <sim/fault.h>

static struct sim_fault_point first = {.name = "test.first", .layer = "resource"};
static struct sim_fault_point second = {.name = "test.second", .layer = "resource"};
static struct sim_fault_point rescue = {.name = "test.rescue", .layer = "driver"};
static struct sim_fault_point wire = {.name = "test.wire", .layer = "packet"};
static struct sim_fault_point *const points[] = {&first, &second, &rescue, &wire};

static char failed[64]; /* of the run: a letter for each failure */
static uint32_t passed; /* in all runs */

static bool fails(struct small *small, struct sim_fault_point *point) {
    bool hit = sim_fault_hit(small->world, point, &small->objects[0], NULL);

    passed++;
    if (hit) {
        size_t length = strlen(failed);

        failed[length] = point->name[5];
        failed[length + 1] = '\0';
    }
    return hit;
}

static void act(struct small *small, uint32_t actor) {
    (void)actor;
    for (uint32_t i = 0; i < 3; i++) {
        if (fails(small, &first)) {
            (void)fails(small, &rescue);
        }
        (void)fails(small, &second);
        (void)fails(small, &wire);
    }
}

static void sweep(const char *strategy, const char *const *expected, const char *claim) {
    static unsigned char note[SIM_EXPLORER_NOTE_BYTES_MAX];
    struct sim_explorer *explorer = small_explorer(strategy, 1);
    struct small small;
    char text[128];
    uint64_t from, count, index = 0;

    small_set_up(&small, 1, act);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(points); i++) {
        points[i]->index = 0;
    }
    sim_fault_register(small.world, points, SIM_ARRAY_COUNT(points));
    sim_world_snapshot(small.world);
    while ((count = sim_explorer_round(explorer, &from)) != 0) {
        const void *lesson;

        for (; index < from + count; index++) {
            failed[0] = '\0';
            small_run(&small, explorer, index);
            assert_non_null(expected[index]);
            assert_string_equal(failed, expected[index]);
            sim_explorer_learn(explorer, note, sim_explorer_note(explorer, small.world, note));
        }
        (void)sim_explorer_round_end(explorer, &lesson);
    }
    assert_null(expected[index]);
    assert_string_equal(sim_explorer_claim(explorer, text, sizeof(text)), claim);
    small_explorer_destroy(&small, explorer);
    small_destroy(&small);
}

static void each_path_fails_once(void **state) {
    static const char *const expected[] = {"", "f", "s", "fr", NULL};

    (void)state;
    sweep("sweep", expected,
          "each of 3 paths to what can fail has failed: 4 runs, up to 1 failure in one");
    assert_true(passed > 0);
}

/* Behind the first failure: the rescue, the second, and the first once more. */
static void two_in_one_run_are_all_pairs_in_order(void **state) {
    static const char *const expected[] = {"", "f", "s", "fr", "fs", "ff", "sf", "ss", NULL};

    (void)state;
    sweep("sweep:2", expected,
          "each of 3 paths to what can fail has failed: 8 runs, up to 2 failures in one");
}

static void a_failure_is_recorded_and_comes_again(void **state) {
    struct sim_explorer *explorer = small_explorer("sweep", 1);
    struct sim_deviation *kept;
    struct sim_config config = {.seed = 1};
    struct small small;
    size_t count;

    (void)state;
    small_set_up(&small, 1, act);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(points); i++) {
        points[i]->index = 0;
    }
    sim_fault_register(small.world, points, SIM_ARRAY_COUNT(points));
    sim_world_snapshot(small.world);
    kept = calloc(1, sizeof(*kept));
    assert_non_null(kept);
    *kept = (struct sim_deviation){.kind = SIM_CHOICE_FAILURE,
                                   .topic = "test.second",
                                   .subject = "node.thing[0]",
                                   .ordinal = 2,
                                   .label = "fire"};
    config.chooser = sim_chooser_recorded_create(kept, 1);
    failed[0] = '\0';
    sim_world_reset(small.world, &config);
    assert_int_equal(sim_run(small.world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
    assert_string_equal(failed, "s");
    assert_true(kept->used);
    assert_string_equal(sim_deviations(small.world, &count)[0].topic, "test.second");
    assert_int_equal(count, 1);
    small_explorer_destroy(&small, explorer);
    small_destroy(&small);
    sim_chooser_destroy(config.chooser);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_fails_once),
        cmocka_unit_test(two_in_one_run_are_all_pairs_in_order),
        cmocka_unit_test(a_failure_is_recorded_and_comes_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
