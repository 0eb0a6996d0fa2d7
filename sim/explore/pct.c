/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCT of depth d: each actor has a random priority and the highest that is ready goes on; at d - 1
 * random steps whoever was about to go on falls below all that have not fallen. In a run with a
 * focus those steps are drawn from the steps about its object: there are much fewer.
 */
#include "focus.h"
#include "pick.h"
#include "strategy.h"

#define DEPTH_MAX 16u
#define STEPS_UNKNOWN 1000u
#define FOCUS_STEPS_UNKNOWN 32u

struct pct {
    struct sim_strategy strategy;
    uint32_t depth;
    struct sim_actors actors;
    struct sim_focus focus;
    /* Of this run: */
    uint64_t horizon_ns;
    uint64_t steps;
    uint64_t changes[DEPTH_MAX]; /* numbers of steps, from 1 */
    int64_t lowest;              /* of those that polled too long */
    struct sim_row row;
};

static struct pct *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct pct, strategy);
}

static uint64_t expected_steps(const struct pct *pct, const struct sim_plan *plan) {
    if (pct->focus.target != 0) {
        return sim_focus_steps(&pct->focus, FOCUS_STEPS_UNKNOWN);
    }
    return plan->knowledge->choice_count_first != 0 ? plan->knowledge->choice_count_first
                                                    : STEPS_UNKNOWN;
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct pct *pct = of(strategy);
    uint64_t steps;

    sim_actors_begin(&pct->actors);
    sim_focus_plan(&pct->focus, plan);
    pct->horizon_ns = sim_pick_horizon_ns(plan->hash);
    pct->steps = 0;
    pct->lowest = -(int64_t)DEPTH_MAX;
    pct->row = (struct sim_row){0};
    steps = expected_steps(pct, plan);
    for (uint32_t i = 0; i + 1 < pct->depth; i++) {
        pct->changes[i] = 1 + sim_hash_mix(plan->hash, 100 + i) % steps;
    }
}

static struct sim_actor *actor_of(struct pct *pct, const struct sim_world *world,
                                  const struct sim_option *option) {
    bool is_new;
    struct sim_actor *actor = sim_actors_of(&pct->actors, world, option, &is_new);

    if (is_new) {
        actor->priority = (int64_t)(sim_hash_mix(pct->strategy.hash, actor->name_hash) >> 1);
    }
    return actor;
}

static uint32_t highest(struct pct *pct, const struct sim_world *world,
                        const struct sim_choice *choice) {
    int64_t best_priority = INT64_MIN;
    uint32_t best = 0;

    for (uint32_t i = 0; i < choice->option_count; i++) {
        if (sim_pick_may(&choice->options[i], pct->horizon_ns)) {
            int64_t priority = actor_of(pct, world, &choice->options[i])->priority;

            if (priority > best_priority) {
                best_priority = priority;
                best = i;
            }
        }
    }
    return best;
}

/* The change that is due at this step, counted from 0; `depth` for none. */
static uint32_t change_due(struct pct *pct, const struct sim_world *world,
                           const struct sim_option *option) {
    if (pct->focus.target != 0) {
        if (!sim_focus_is_on(&pct->focus, world, option)) {
            return pct->depth;
        }
        pct->focus.step_count++;
    }
    pct->steps++;
    for (uint32_t i = 0; i + 1 < pct->depth; i++) {
        if (pct->changes[i] == pct->steps) {
            return i;
        }
    }
    return pct->depth;
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct pct *pct = of(strategy);
    uint32_t best = highest(pct, world, choice);
    uint32_t change = change_due(pct, world, &choice->options[best]);
    struct sim_actor *actor = actor_of(pct, world, &choice->options[best]);

    (void)draw;
    if (change < pct->depth) {
        actor->priority = -1 - (int64_t)change;
        best = highest(pct, world, choice);
        actor = actor_of(pct, world, &choice->options[best]);
    }
    if (sim_row_is_over(&pct->row, sim_actor_id(&choice->options[best]))) {
        actor->priority = --pct->lowest;
    }
    return best;
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    (void)world;
    sim_focus_fill(&of(strategy)->focus, head);
}

static void release(struct sim_strategy *strategy) {
    sim_actors_free(&of(strategy)->actors);
    sim_focus_free(&of(strategy)->focus);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct pct *pct = sim_strategy_alloc(sizeof(*pct));

    pct->depth = options->argument;
    sim_focus_init(&pct->focus, options->focus);
    pct->strategy.plan = plan;
    pct->strategy.step = step;
    pct->strategy.fill = fill;
    pct->strategy.release = release;
    pct->strategy.wants_objects = true;
    return &pct->strategy;
}

const struct sim_strategy_kind sim_strategy_pct = {
    .about = {.name = "pct",
              .about = "Random priorities; at d - 1 random steps, of the focus where there is one, "
                       "whoever is highest falls.",
              .argument = "the depth d",
              .argument_default = 3,
              .argument_max = DEPTH_MAX},
    .create = create,
};
