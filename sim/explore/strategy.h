/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strategies and the explorer know of each other. A strategy is a chooser that is planned anew
 * for each run; all that it draws is a hash of the run's hash and a key.
 *
 * All strategies answer what is no step (faults that may fire, delays, shapes of answers, drivers'
 * and scenarios' own choices) alike, each on its own and rarely, unless they say otherwise.
 */
#ifndef SIM_STRATEGY_H
#define SIM_STRATEGY_H

#include <sim/explore.h>

struct sim_knowledge;
struct sim_note_head;

/* What a run is planned from. */
struct sim_plan {
    uint64_t index;
    uint64_t first; /* of the round */
    uint64_t hash;  /* of (seed, index) */
    const struct sim_knowledge *knowledge;
};

struct sim_strategy {
    struct sim_chooser chooser;
    uint64_t hash;           /* of this run */
    uint32_t other_ppm;      /* of this run */
    uint32_t other_ppm_mean; /* of all runs */
    /* Who goes on. `draw` is this choice's own hash. */
    uint32_t (*step)(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw);
    /* Each of these may be NULL. What is no step: */
    uint32_t (*other)(struct sim_strategy *strategy, struct sim_world *world,
                      const struct sim_choice *choice, uint64_t draw);
    void (*plan)(struct sim_strategy *strategy, const struct sim_plan *plan);
    void (*fill)(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head);
    bool (*learn)(struct sim_strategy *strategy, const struct sim_note_head *note);
    void (*round_end)(struct sim_strategy *strategy);
    /* Exhaustive ones: how many runs may be planned now; 0: it is done. */
    uint64_t (*ready)(const struct sim_strategy *strategy);
    void (*claim)(const struct sim_strategy *strategy, char *text, size_t size);
    /* Exhaustive ones: what it is to try all of, "for at most 2 delays"; and whether it has. */
    void (*scope)(const struct sim_strategy *strategy, char *text, size_t size);
    bool (*is_complete)(const struct sim_strategy *strategy);
    /* The strategy that plans this run, where it is another one. */
    struct sim_strategy *(*delegate)(struct sim_strategy *strategy, const struct sim_plan *plan);
    void (*release)(struct sim_strategy *strategy); /* before its memory is freed */
    bool wants_objects;  /* those with a life, and how many choices a run has */
    bool wants_features; /* coverage decides what it does */
};

/* What strategies are made from. */
struct sim_strategy_options {
    uint32_t argument;
    uint32_t step_ppm;
    uint32_t other_ppm;
    const char *focus; /* NULL: automatic */
};

struct sim_strategy_kind {
    struct sim_strategy_about about;
    /* Its sim_strategy is the first member of what comes back, all zero but for its own members. */
    struct sim_strategy *(*create)(const struct sim_strategy_options *options);
};

/* With all that strategies have in common. */
struct sim_strategy *sim_strategy_create(const struct sim_strategy_kind *kind,
                                         const struct sim_strategy_options *options);
void sim_strategy_destroy(struct sim_strategy *strategy);
void sim_strategy_plan(struct sim_strategy *strategy, const struct sim_plan *plan);

/* For one that has no kind: its name and its share of choices that are no steps. */
void sim_strategy_adopt(struct sim_strategy *strategy, const char *name, uint32_t other_ppm);

/* For `create`: a zeroed strategy of `bytes`, or never back. */
void *sim_strategy_alloc(size_t bytes);

/* The index of a weight drawn with its share of the sum, which is not 0. */
uint32_t sim_draw_weighted(uint64_t draw, const uint32_t *weights, uint32_t count, uint64_t sum);

extern const struct sim_strategy_kind sim_strategy_portfolio;
extern const struct sim_strategy_kind sim_strategy_random;
extern const struct sim_strategy_kind sim_strategy_sparse;
extern const struct sim_strategy_kind sim_strategy_jitter;
extern const struct sim_strategy_kind sim_strategy_swarm;
extern const struct sim_strategy_kind sim_strategy_pct;
extern const struct sim_strategy_kind sim_strategy_pos;
extern const struct sim_strategy_kind sim_strategy_focus;
extern const struct sim_strategy_kind sim_strategy_delay;
extern const struct sim_strategy_kind sim_strategy_mutate;
extern const struct sim_strategy_kind sim_strategy_delay_all;
extern const struct sim_strategy_kind sim_strategy_dfs;
extern const struct sim_strategy_kind sim_strategy_sweep;

#endif
