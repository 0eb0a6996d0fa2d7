/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweep: nothing is disturbed but what can fail. Each path by which drivers come to an allocation
 * or to a call that may fail is made to fail once, also those that only come up behind another
 * failure, until there is no new one. With a bound of n, up to n failures in one run: all that come
 * up behind one are tried behind it.
 *
 * A run is its parent's failures and one more, at the first passing of a path. Its note tells the
 * paths behind its last failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hashset.h"
#include "note.h"
#include "strategy.h"

#define FAILURE_MAX 64u
#define PATH_COUNT_MAX SIM_NOTE_PAIR_MAX

struct sweep_run {
    uint64_t parent; /* its number; of the first run: itself */
    uint64_t path;   /* that fails, behind the parent's */
    uint32_t failures;
};

struct sweep {
    struct sim_strategy strategy;
    uint32_t failures_max;
    struct sweep_run *runs; /* by number; the first fails nothing */
    size_t run_count;
    size_t run_capacity;
    struct sim_hashset paths; /* that have a run of their own */
    bool has_left_out;        /* a run had more paths than a note, or a run, has room for */
    uint64_t planned;         /* runs of this and former rounds */
    uint64_t done;            /* of former rounds */
    uint64_t learned;
    /* Of this run: */
    uint64_t failing[FAILURE_MAX];
    uint32_t failing_count;
    uint32_t failed_count;
    struct sim_hashset seen;             /* paths behind the last failure ... */
    uint64_t seen_paths[PATH_COUNT_MAX]; /* ... in order */
    uint32_t seen_count;
    bool has_unseen;
};

static struct sweep *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct sweep, strategy);
}

/* ---- Runs ---- */

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct sweep *sweep = of(strategy);
    uint64_t number = plan->index;

    sweep->failing_count = sweep->runs[number].failures;
    for (uint32_t i = sweep->failing_count; i-- > 0; number = sweep->runs[number].parent) {
        sweep->failing[i] = sweep->runs[number].path;
    }
    sweep->failed_count = 0;
    sweep->seen_count = 0;
    sweep->has_unseen = false;
    sim_hashset_empty(&sweep->seen);
}

static uint32_t step(struct sim_strategy *strategy, struct sim_world *world,
                     const struct sim_choice *choice, uint64_t draw) {
    (void)strategy;
    (void)world;
    (void)choice;
    (void)draw;
    return 0;
}

static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    (void)chooser;
    (void)world;
    (void)key;
    (void)own;
    return true;
}

static uint32_t other(struct sim_strategy *strategy, struct sim_world *world,
                      const struct sim_choice *choice, uint64_t draw) {
    struct sweep *sweep = of(strategy);

    (void)world;
    (void)draw;
    if (choice->kind != SIM_CHOICE_FAILURE) {
        return 0;
    }
    if (sweep->failed_count < sweep->failing_count) {
        if (choice->path != sweep->failing[sweep->failed_count]) {
            return 0;
        }
        sweep->failed_count++;
        return 1;
    }
    if (sweep->seen_count == PATH_COUNT_MAX) {
        sweep->has_unseen = sweep->has_unseen || sim_hashset_add(&sweep->seen, choice->path);
    } else if (sim_hashset_add(&sweep->seen, choice->path)) {
        sweep->seen_paths[sweep->seen_count++] = choice->path;
    }
    return 0;
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    const struct sweep *sweep = of(strategy);
    struct sim_note_pair *pairs = sim_note_pairs(head);

    (void)world;
    for (uint32_t i = 0; i < sweep->seen_count; i++) {
        pairs[i] = (struct sim_note_pair){.touched_hash = sweep->seen_paths[i]};
    }
    head->pair_count = sweep->seen_count;
    head->extension_count = sweep->has_unseen;
}

/* ---- What is left to try ---- */

static void add_run(struct sweep *sweep, const struct sweep_run *run) {
    if (sweep->run_count == sweep->run_capacity) {
        sweep->run_capacity = sweep->run_capacity * 2 + 256;
        sweep->runs = realloc(sweep->runs, sweep->run_capacity * sizeof(*sweep->runs));
        SIM_ASSERT(sweep->runs != NULL);
    }
    sweep->runs[sweep->run_count++] = *run;
}

static bool learn(struct sim_strategy *strategy, const struct sim_note_head *note) {
    struct sweep *sweep = of(strategy);
    const struct sim_note_pair *pairs = sim_note_pairs(note);
    struct sweep_run run = {.parent = note->index,
                            .failures = sweep->runs[note->index].failures + 1};

    sweep->learned++;
    sweep->has_left_out = sweep->has_left_out || note->extension_count != 0 ||
                          (run.failures > FAILURE_MAX && note->pair_count != 0);
    for (uint32_t i = 0; i < note->pair_count && run.failures <= FAILURE_MAX; i++) {
        run.path = pairs[i].touched_hash;
        if (sim_hashset_add(&sweep->paths, run.path) || run.failures <= sweep->failures_max) {
            add_run(sweep, &run);
        }
    }
    return true; /* each note counts */
}

static void round_end(struct sim_strategy *strategy) {
    struct sweep *sweep = of(strategy);
    uint64_t left = sweep->run_count - sweep->planned;

    sweep->done = sweep->planned;
    sweep->planned += left < SIM_EXPLORER_ROUND_MAX ? left : SIM_EXPLORER_ROUND_MAX;
}

static uint64_t ready(const struct sim_strategy *strategy) {
    const struct sweep *sweep = SIM_CONTAINER_OF(strategy, const struct sweep, strategy);

    return sweep->planned - sweep->done;
}

static bool is_complete(const struct sim_strategy *strategy) {
    const struct sweep *sweep = SIM_CONTAINER_OF(strategy, const struct sweep, strategy);

    return sweep->done != 0 && sweep->planned == sweep->done && sweep->run_count == sweep->done &&
           sweep->learned == sweep->done && !sweep->has_left_out;
}

static void scope(const struct sim_strategy *strategy, char *text, size_t size) {
    const struct sweep *sweep = SIM_CONTAINER_OF(strategy, const struct sweep, strategy);

    snprintf(text, size, "for at most %u failure%s in a run", sweep->failures_max,
             sweep->failures_max == 1 ? "" : "s");
}

static void claim(const struct sim_strategy *strategy, char *text, size_t size) {
    const struct sweep *sweep = SIM_CONTAINER_OF(strategy, const struct sweep, strategy);

    if (is_complete(strategy)) {
        snprintf(
            text, size,
            "each of %zu paths to what can fail has failed: %llu runs, up to %u failure%s in one",
            sweep->paths.count, (unsigned long long)sweep->done, sweep->failures_max,
            sweep->failures_max == 1 ? "" : "s");
    }
}

static void release(struct sim_strategy *strategy) {
    struct sweep *sweep = of(strategy);

    free(sweep->runs);
    sim_hashset_free(&sweep->paths);
    sim_hashset_free(&sweep->seen);
}

static struct sim_strategy *create(const struct sim_strategy_options *options) {
    static const struct sweep_run first;
    struct sweep *sweep = sim_strategy_alloc(sizeof(*sweep));

    sweep->failures_max = options->argument;
    sweep->planned = 1;
    add_run(sweep, &first);
    sweep->strategy.plan = plan;
    sweep->strategy.step = step;
    sweep->strategy.other = other;
    sweep->strategy.fill = fill;
    sweep->strategy.learn = learn;
    sweep->strategy.round_end = round_end;
    sweep->strategy.ready = ready;
    sweep->strategy.claim = claim;
    sweep->strategy.scope = scope;
    sweep->strategy.is_complete = is_complete;
    sweep->strategy.release = release;
    sweep->strategy.chooser.goes_on = goes_on;
    sweep->strategy.chooser.asks_failures = true;
    return &sweep->strategy;
}

const struct sim_strategy_kind sim_strategy_sweep = {
    .about = {.name = "sweep",
              .about =
                  "Each path to an allocation or a call that may fail fails once, with nothing "
                  "else disturbed; a driver that reports it and goes is right. Ends by itself.",
              .argument = "failures in one run",
              .argument_default = 1,
              .argument_max = 3,
              .is_exhaustive = true},
    .create = create,
};
