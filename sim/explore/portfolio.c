/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portfolio: other strategies in turn, by index. No single one finds every shape of race; what
 * one cannot find costs at most the length of the turn.
 */
#include "knowledge.h"
#include "strategy.h"

struct entry {
    const struct sim_strategy_kind *kind;
    uint32_t argument;
};

static const struct entry entries[] = {
    {&sim_strategy_focus, 0},  {&sim_strategy_sparse, 0}, {&sim_strategy_pct, 2},
    {&sim_strategy_pos, 0},    {&sim_strategy_focus, 0},  {&sim_strategy_delay, 4},
    {&sim_strategy_pct, 3},    {&sim_strategy_mutate, 0}, {&sim_strategy_focus, 0},
    {&sim_strategy_random, 0}, {&sim_strategy_pct, 1},    {&sim_strategy_swarm, 0},
};

struct portfolio {
    struct sim_strategy strategy;
    struct sim_strategy *each[SIM_ARRAY_COUNT(entries)];
};

static struct portfolio *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct portfolio, strategy);
}

static struct sim_strategy *delegate(struct sim_strategy *strategy, const struct sim_plan *plan) {
    return of(strategy)->each[plan->index % SIM_ARRAY_COUNT(entries)];
}

static void release(struct sim_strategy *strategy) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(entries); i++) {
        sim_strategy_destroy(of(strategy)->each[i]);
    }
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct portfolio *portfolio = sim_strategy_alloc(sizeof(*portfolio));

    for (size_t i = 0; i < SIM_ARRAY_COUNT(entries); i++) {
        struct sim_strategy_options own = *options;

        own.argument = entries[i].argument;
        portfolio->each[i] = sim_strategy_create(entries[i].kind, &own);
    }
    portfolio->strategy.delegate = delegate;
    portfolio->strategy.release = release;
    portfolio->strategy.wants_objects = true;
    portfolio->strategy.wants_features = true;
    return &portfolio->strategy;
}

const struct sim_strategy_kind sim_strategy_portfolio = {
    .about = {.name = "portfolio",
              .about =
                  "In turn focus, sparse, pct, pos, delay, mutate, random and swarm: no single one "
                  "finds every kind of race."},
    .create = create,
};
