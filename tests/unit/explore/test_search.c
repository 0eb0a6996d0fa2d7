/* SPDX-License-Identifier: Apache-2.0 */
/* The exhaustive strategies: nothing twice, nothing left out, and what they say of it. */
#include "small.h"

#define RUN_MAX 20000u

static uint32_t point_count;

static void act(struct small *small, uint32_t actor) {
    (void)actor;
    small_points(small, point_count);
}

struct searched {
    uint64_t runs;
    uint64_t distinct;
    bool is_done;
    char claim[128];
};

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static struct searched search(uint32_t actors, uint32_t points, const char *strategy) {
    static unsigned char note[SIM_EXPLORER_NOTE_BYTES_MAX];
    static uint64_t orders[RUN_MAX];
    struct sim_explorer *explorer = small_explorer(strategy, 1);
    struct searched searched = {0};
    struct small small;
    uint64_t first, count;

    point_count = points;
    small_create(&small, actors, act);
    while (searched.runs < RUN_MAX && (count = sim_explorer_round(explorer, &first)) != 0) {
        const void *lesson;

        for (uint64_t i = 0; i < count && searched.runs < RUN_MAX; i++) {
            small_run(&small, explorer, searched.runs);
            orders[searched.runs++] = sim_order_hash(small.world);
            sim_explorer_learn(explorer, note, sim_explorer_note(explorer, small.world, note));
        }
        (void)sim_explorer_round_end(explorer, &lesson);
    }
    searched.is_done = sim_explorer_is_done(explorer);
    sim_explorer_claim(explorer, searched.claim, sizeof(searched.claim));
    small_explorer_destroy(&small, explorer);
    small_destroy(&small);
    qsort(orders, searched.runs, sizeof(*orders), by_value);
    for (uint64_t i = 0; i < searched.runs; i++) {
        searched.distinct += i == 0 || orders[i] != orders[i - 1];
    }
    return searched;
}

/* Two actors of p points make p + 1 steps each: C(2p + 2, p + 1) orders. */
static void depth_first_makes_every_order_once(void **state) {
    static const uint64_t orders[] = {2, 6, 20, 70, 252, 924, 3432};

    (void)state;
    for (uint32_t points = 0; points < SIM_ARRAY_COUNT(orders); points++) {
        struct searched searched = search(2, points, "dfs:1000");

        assert_true(searched.is_done);
        assert_int_equal(searched.runs, orders[points]);
        assert_int_equal(searched.distinct, searched.runs);
    }
}

/* Three actors: the multinomial. */
static void depth_first_knows_more_than_two_actors(void **state) {
    struct searched searched = search(3, 2, "dfs:1000");

    (void)state;
    assert_true(searched.is_done);
    assert_int_equal(searched.runs, 1680); /* 9! / 3!^3 */
    assert_int_equal(searched.distinct, 1680);
    assert_string_equal(searched.claim, "complete for the first 1000 choices of a run: 1680 runs");
}

static void a_bound_on_choices_bounds_the_search(void **state) {
    struct searched searched = search(2, 20, "dfs:10");

    (void)state;
    assert_true(searched.is_done);
    assert_int_equal(searched.runs, 1024);
    assert_int_equal(searched.distinct, 1024);
}

/*
 * A quiet run of two actors of p points has a choice at each of the first's p + 1 steps, and none
 * once it has ended. A delay is one place in it.
 */
static void one_delay_is_tried_at_each_step(void **state) {
    struct searched none = search(2, 9, "dfs:1");
    struct searched one = search(2, 9, "delay-all:1");

    (void)state;
    assert_int_equal(none.runs, 2);
    assert_true(one.is_done);
    assert_int_equal(one.runs, 1 + 10);
    assert_int_equal(one.distinct, one.runs);
    assert_string_equal(one.claim, "complete for at most 1 delay: 11 runs");
}

static void more_delays_hold_the_runs_with_fewer(void **state) {
    struct searched before = search(2, 9, "delay-all:1");

    (void)state;
    for (uint32_t delays = 2; delays <= 4; delays++) {
        char strategy[16];
        struct searched searched;

        snprintf(strategy, sizeof(strategy), "delay-all:%u", delays);
        searched = search(2, 9, strategy);
        assert_true(searched.is_done);
        assert_true(searched.runs > before.runs);
        assert_int_equal(searched.distinct, searched.runs);
        before = searched;
    }
    assert_true(before.runs < 184756); /* all orders */
}

/* Cut short, the claim is of the delays that are done. */
static void an_unfinished_search_claims_what_is_finished(void **state) {
    struct searched searched = search(4, 60, "delay-all:3");

    (void)state;
    assert_false(searched.is_done);
    assert_string_equal(searched.claim, "complete for at most 1 delay");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_first_makes_every_order_once),
        cmocka_unit_test(depth_first_knows_more_than_two_actors),
        cmocka_unit_test(a_bound_on_choices_bounds_the_search),
        cmocka_unit_test(one_delay_is_tried_at_each_step),
        cmocka_unit_test(more_delays_hold_the_runs_with_fewer),
        cmocka_unit_test(an_unfinished_search_claims_what_is_finished),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
