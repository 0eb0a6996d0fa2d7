/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explorer's contract, for every strategy there is: runs are a function of (seed, index, rounds
 * before), whoever makes them and in whatever order the notes come.
 */
#include "small.h"

#define RUN_MAX 700u
#define NOTE_POOL_BYTES (8u << 20)

struct campaign {
    uint64_t orders[RUN_MAX];
    uint64_t count;
    unsigned char *lessons; /* all rounds', one after the other */
    size_t lesson_bytes[RUN_MAX];
    uint32_t round_count;
};

static void act(struct small *small, uint32_t actor) {
    for (uint32_t i = 0; i < 12; i++) {
        small_point(small, (actor + i) % 3);
        if (i == actor) {
            small_life(small, actor, SIM_ACCESS_CREATE);
        }
        small->memory[actor]++;
    }
    small_life(small, actor, SIM_ACCESS_CLOSE);
    small->has_failed = small->has_failed || small->memory[0] + 6 < small->memory[actor];
}

/* Runs and learns; the notes of each round come backwards, and some twice. */
static void explore(struct small *small, const char *strategy, uint64_t seed,
                    struct campaign *campaign, bool backwards) {
    struct sim_explorer *explorer = small_explorer(strategy, seed);
    unsigned char *notes = malloc(NOTE_POOL_BYTES);
    uint64_t first;
    uint64_t count;

    assert_non_null(notes);
    memset(campaign, 0, sizeof(*campaign));
    while (campaign->count < RUN_MAX && (count = sim_explorer_round(explorer, &first)) != 0) {
        size_t starts[RUN_MAX + 1] = {0};
        const void *lesson;
        uint64_t done = 0;

        assert_int_equal(first, campaign->count);
        for (; done < count && campaign->count < RUN_MAX; done++) {
            size_t bytes;

            assert_true(starts[done] + SIM_EXPLORER_NOTE_BYTES_MAX < NOTE_POOL_BYTES);
            small_run(small, explorer, campaign->count);
            campaign->orders[campaign->count++] = sim_order_hash(small->world);
            bytes = sim_explorer_note(explorer, small->world, notes + starts[done]);
            assert_true(bytes > 0 && bytes <= SIM_EXPLORER_NOTE_BYTES_MAX && bytes % 8 == 0);
            starts[done + 1] = starts[done] + bytes;
        }
        for (uint64_t i = 0; i < done; i++) {
            uint64_t at = backwards ? done - 1 - i : i;

            sim_explorer_learn(explorer, notes + starts[at], starts[at + 1] - starts[at]);
            if (backwards && i % 3 == 0) {
                sim_explorer_learn(explorer, notes + starts[at], starts[at + 1] - starts[at]);
            }
        }
        campaign->lesson_bytes[campaign->round_count++] = sim_explorer_round_end(explorer, &lesson);
    }
    free(notes);
    small_explorer_destroy(small, explorer);
}

static void order_of_notes_does_not_matter(void **state) {
    static struct campaign one, other;
    struct small small;

    (void)state;
    small_create(&small, 3, act);
    for (size_t i = 0; sim_strategy_at(i) != NULL; i++) {
        explore(&small, sim_strategy_at(i)->name, 7, &one, false);
        explore(&small, sim_strategy_at(i)->name, 7, &other, true);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.orders, other.orders, sizeof(one.orders));
        assert_memory_equal(one.lesson_bytes, other.lesson_bytes, sizeof(one.lesson_bytes));
    }
    small_destroy(&small);
}

/* Two processes: each makes every second run; the second one learns from lessons alone. */
static void lessons_are_enough_for_others(void **state) {
    static struct campaign whole;
    static unsigned char note[SIM_EXPLORER_NOTE_BYTES_MAX];
    struct small small;

    (void)state;
    small_create(&small, 3, act);
    for (size_t i = 0; sim_strategy_at(i) != NULL; i++) {
        struct sim_explorer *parent = small_explorer(sim_strategy_at(i)->name, 7);
        struct sim_explorer *worker = small_explorer(sim_strategy_at(i)->name, 7);
        uint64_t first, count, number = 0;

        explore(&small, sim_strategy_at(i)->name, 7, &whole, false);
        while (number < whole.count && (count = sim_explorer_round(parent, &first)) != 0) {
            const void *lesson, *same;
            size_t bytes;

            for (uint64_t done = 0; done < count && number < whole.count; done++, number++) {
                struct sim_explorer *by = number % 2 == 0 ? parent : worker;

                small_run(&small, by, number);
                assert_int_equal(sim_order_hash(small.world), whole.orders[number]);
                sim_explorer_learn(parent, note, sim_explorer_note(by, small.world, note));
            }
            bytes = sim_explorer_round_end(parent, &lesson);
            sim_explorer_learn(worker, lesson, bytes);
            assert_int_equal(sim_explorer_round_end(worker, &same), bytes);
        }
        small_explorer_destroy(&small, parent);
        small_explorer_destroy(&small, worker);
    }
    small_destroy(&small);
}

static void seeds_differ_and_runs_differ(void **state) {
    static struct campaign one, other;
    struct small small;

    (void)state;
    small_create(&small, 3, act);
    for (size_t i = 0; sim_strategy_at(i) != NULL; i++) {
        uint32_t equal = 0, repeated = 0;

        if (sim_strategy_at(i)->is_exhaustive) {
            continue;
        }
        explore(&small, sim_strategy_at(i)->name, 7, &one, false);
        explore(&small, sim_strategy_at(i)->name, 8, &other, false);
        for (uint32_t run = 1; run < one.count; run++) {
            equal += one.orders[run] == other.orders[run];
            repeated += one.orders[run] == one.orders[run - 1];
        }
        assert_in_range(equal, 0, one.count / 2);
        assert_in_range(repeated, 0, one.count / 2);
    }
    small_destroy(&small);
}

static void wrong_strategies_are_named(void **state) {
    static const struct {
        const char *strategy;
        const char *error;
    } cases[] = {
        {"sprase", "there is no strategy \"sprase\""},
        {"sprase:2", "there is no strategy \"sprase\""},
        {"", "there is no strategy \"\""},
        {"sparse:2", "the strategy \"sparse\" takes no number"},
    };

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        const struct sim_explorer_options options = {.strategy = cases[i].strategy};
        char error[128] = "";

        assert_null(sim_explorer_create(&options, error, sizeof(error)));
        assert_string_equal(error, cases[i].error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_notes_does_not_matter),
        cmocka_unit_test(lessons_are_enough_for_others),
        cmocka_unit_test(seeds_differ_and_runs_differ),
        cmocka_unit_test(wrong_strategies_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
