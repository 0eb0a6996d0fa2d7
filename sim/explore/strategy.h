/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strategies and the explorer know of each other. A strategy is a chooser that is planned anew
 * for each run; all that it draws is a hash of the run's hash and a key.
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
    void (*plan)(struct sim_strategy *strategy, const struct sim_plan *plan);
    /* Each may be NULL. */
    void (*fill)(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head);
    bool (*learn)(struct sim_strategy *strategy, const struct sim_note_head *note);
    /* Exhaustive ones: how many runs may be planned now; 0: it is done. */
    uint64_t (*ready)(const struct sim_strategy *strategy);
    void (*claim)(const struct sim_strategy *strategy, char *text, size_t size);
    /* The strategy that plans this run, where it is another one. */
    struct sim_strategy *(*delegate)(struct sim_strategy *strategy, const struct sim_plan *plan);
    void (*round_end)(struct sim_strategy *strategy);
    void (*destroy)(struct sim_strategy *strategy);
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
    struct sim_strategy *(*create)(const struct sim_strategy_options *options);
};

extern const struct sim_strategy_kind sim_strategy_sparse;

#endif
