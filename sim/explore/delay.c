/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delay: a quiet run but for at most d steps, drawn from those about the focus where there is one,
 * at which whoever would go on is passed over for the next in line.
 */
#include "focus.h"
#include "pick.h"
#include "strategy.h"

#define DELAY_MAX 16u
#define STEPS_UNKNOWN 1000u
#define FOCUS_STEPS_UNKNOWN 32u

struct delay {
    struct sim_strategy strategy;
    uint32_t delay_max;
    struct sim_focus focus;
    /* Of this run: */
    uint64_t steps;
    uint64_t delays[DELAY_MAX]; /* numbers of steps, from 1 */
    uint32_t delay_count;
};

static struct delay *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct delay, strategy);
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct delay *delay = of(strategy);
    uint64_t steps = plan->knowledge->choice_count_first;

    sim_focus_plan(&delay->focus, plan);
    if (delay->focus.target != 0) {
        steps = sim_focus_steps(&delay->focus, FOCUS_STEPS_UNKNOWN);
    } else if (steps == 0) {
        steps = STEPS_UNKNOWN;
    }
    delay->steps = 0;
    delay->delay_count = 1 + sim_draw_below(sim_hash_mix(plan->hash, 3), delay->delay_max);
    for (uint32_t i = 0; i < delay->delay_count; i++) {
        delay->delays[i] = 1 + sim_hash_mix(plan->hash, 100 + i) % steps;
    }
}

/* How often the step after `steps` others is delayed. */
static uint32_t delays_at(const struct delay *delay, uint64_t number) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < delay->delay_count; i++) {
        count += delay->delays[i] == number;
    }
    return count;
}

static bool counts(struct delay *delay, const struct sim_world *world,
                   const struct sim_option *own) {
    return delay->focus.target == 0 || sim_focus_is_on(&delay->focus, world, own);
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    struct delay *delay = of(strategy);
    uint32_t count;

    (void)draw;
    if (!counts(delay, world, &choice->options[0])) {
        return 0;
    }
    count = delays_at(delay, ++delay->steps);
    return count < choice->option_count ? count : choice->option_count - 1;
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct delay *delay = SIM_CONTAINER_OF(chooser, struct delay, strategy.chooser);

    (void)key;
    if (!counts(delay, world, own)) {
        return true;
    }
    if (delays_at(delay, delay->steps + 1) != 0) {
        return false;
    }
    delay->steps++;
    return true;
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    struct delay *delay = of(strategy);

    (void)world;
    delay->focus.step_count = delay->steps;
    sim_focus_fill(&delay->focus, head);
}

static void release(struct sim_strategy *strategy) {
    sim_focus_free(&of(strategy)->focus);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    struct delay *delay = sim_strategy_alloc(sizeof(*delay));

    delay->delay_max = options->argument;
    sim_focus_init(&delay->focus, options->focus);
    delay->strategy.plan = plan;
    delay->strategy.step = step;
    delay->strategy.fill = fill;
    delay->strategy.release = release;
    delay->strategy.chooser.goes_on = goes_on;
    delay->strategy.wants_objects = true;
    return &delay->strategy;
}

const struct sim_strategy_kind sim_strategy_delay = {
    .about = {.name = "delay",
              .about = "Quiet, but for at most d random steps, of the focus where there is one, at "
                       "which the next in line goes on.",
              .argument = "the number d of delays",
              .argument_default = 3,
              .argument_max = DELAY_MAX},
    .create = create,
};
