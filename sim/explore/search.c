/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exhaustive search, as two strategies over one tree. A run is its parent's with one deviation
 * more, behind all of the parent's; the alternatives behind a run's last deviation are counted as
 * it goes, so that a run is told by a list of numbers: how many alternatives to let pass before
 * each deviation. The quiet run is the root.
 *
 *   delay-all:d  at a step, the next in line goes on: one delay; the next but one: two delays. Any
 *                other choice: each other option is one. Up to d of them, all runs with fewer
 * first. dfs:n        at each of the first n choices, every option; the deepest first.
 *
 * A run's children are known when its note is learned; the next round is planned then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note.h"
#include "strategy.h"

/* Children of a run that are not planned yet. */
struct family {
    uint64_t parent;
    uint64_t next; /* number of its next child */
    uint64_t count;
    uint32_t depth; /* of the children */
};

/* Runs [first, first + count) are children [child, child + count) of a run. */
struct segment {
    uint64_t first;
    uint64_t parent;
    uint64_t child;
    uint64_t count;
    uint32_t depth;
};

struct search {
    struct sim_strategy strategy;
    bool is_depth_first;
    uint32_t depth_max;
    uint64_t choice_max;
    struct family *families; /* pending: [families_from, family_count) */
    size_t families_from;
    size_t family_count;
    size_t family_capacity;
    struct segment *segments;
    size_t segment_count;
    size_t segment_capacity;
    uint64_t planned;       /* runs in segments, and the root */
    uint64_t done;          /* runs of rounds that have ended */
    uint64_t learned;       /* whose notes came in this round */
    uint32_t broken_depth;  /* fewest delays of a run whose note never came; UINT32_MAX: none */
    uint32_t depth_planned; /* of the last segment */
    /* Of this run: */
    uint64_t *path; /* alternatives to let pass before each deviation */
    uint32_t path_count;
    uint32_t path_capacity;
    uint32_t taken;   /* deviations so far */
    uint64_t passed;  /* alternatives since the last one */
    uint64_t choices; /* so far */
};

static struct search *of(struct sim_strategy *strategy) {
    return SIM_CONTAINER_OF(strategy, struct search, strategy);
}

/* ---- Runs ---- */

static const struct segment *segment_of(const struct search *search, uint64_t run) {
    size_t low = 0;
    size_t high = search->segment_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (search->segments[middle].first <= run) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &search->segments[low];
}

static uint32_t depth_of(const struct search *search, uint64_t run) {
    return run == 0 ? 0 : segment_of(search, run)->depth;
}

static void plan(struct sim_strategy *strategy, const struct sim_plan *plan) {
    struct search *search = of(strategy);
    uint64_t run = plan->index;

    search->path_count = depth_of(search, run);
    if (search->path_count > search->path_capacity) {
        search->path_capacity = search->path_count * 2;
        search->path = realloc(search->path, search->path_capacity * sizeof(*search->path));
        SIM_ASSERT(search->path != NULL);
    }
    for (uint32_t i = search->path_count; i-- > 0;) {
        const struct segment *segment = segment_of(search, run);

        search->path[i] = segment->child + (run - segment->first);
        run = segment->parent;
    }
    search->taken = 0;
    search->passed = 0;
    search->choices = 0;
}

/* The next alternative of this run: true if it is the one to take, else it is let pass. */
static bool takes_next(struct search *search) {
    if (search->taken < search->path_count && search->passed == search->path[search->taken]) {
        search->taken++;
        search->passed = 0;
        return true;
    }
    search->passed++;
    return false;
}

static uint32_t choose_any(struct search *search, const struct sim_choice *choice) {
    for (uint32_t i = 1; i < choice->option_count; i++) {
        if (takes_next(search)) {
            return i;
        }
    }
    return 0;
}

static uint32_t choose(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct search *search = SIM_CONTAINER_OF(chooser, struct search, strategy.chooser);
    uint32_t delays = 0;

    (void)world;
    (void)key;
    if (search->choices == search->choice_max) {
        return 0;
    }
    search->choices++;
    if (search->is_depth_first || choice->kind != SIM_CHOICE_STEP) {
        return choose_any(search, choice);
    }
    while (delays + 1 < choice->option_count && takes_next(search)) {
        delays++;
    }
    return delays;
}

/* With delays, a step that is not the one to take lets exactly one alternative pass. */
static bool goes_on(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own) {
    struct search *search = SIM_CONTAINER_OF(chooser, struct search, strategy.chooser);

    (void)world;
    (void)key;
    (void)own;
    if (search->choices == search->choice_max) {
        return true;
    }
    if (search->is_depth_first ||
        (search->taken < search->path_count && search->passed == search->path[search->taken])) {
        return false;
    }
    search->choices++;
    search->passed++;
    return true;
}

static void fill(struct sim_strategy *strategy, struct sim_world *world,
                 struct sim_note_head *head) {
    const struct search *search = of(strategy);

    (void)world;
    head->extension_count = search->taken == search->path_count && search->taken < search->depth_max
                                ? search->passed
                                : 0;
}

/* ---- The tree ---- */

static void add_family(struct search *search, const struct family *family) {
    if (search->families_from > search->family_count / 2) {
        memmove(search->families, search->families + search->families_from,
                (search->family_count - search->families_from) * sizeof(*search->families));
        search->family_count -= search->families_from;
        search->families_from = 0;
    }
    if (search->family_count == search->family_capacity) {
        search->family_capacity = search->family_capacity * 2 + 64;
        search->families =
            realloc(search->families, search->family_capacity * sizeof(*search->families));
        SIM_ASSERT(search->families != NULL);
    }
    search->families[search->family_count++] = *family;
}

static bool learn(struct sim_strategy *strategy, const struct sim_note_head *note) {
    struct search *search = of(strategy);

    search->learned++;
    if (note->extension_count != 0) {
        const struct family family = {.parent = note->index,
                                      .count = note->extension_count,
                                      .depth = depth_of(search, note->index) + 1};

        add_family(search, &family);
    }
    return true; /* each note counts */
}

static void add_segment(struct search *search, struct family *family, uint64_t count) {
    if (search->segment_count == search->segment_capacity) {
        search->segment_capacity = search->segment_capacity * 2 + 64;
        search->segments =
            realloc(search->segments, search->segment_capacity * sizeof(*search->segments));
        SIM_ASSERT(search->segments != NULL);
    }
    search->segments[search->segment_count++] = (struct segment){.first = search->planned,
                                                                 .parent = family->parent,
                                                                 .child = family->next,
                                                                 .count = count,
                                                                 .depth = family->depth};
    search->planned += count;
    search->depth_planned = family->depth;
    family->next += count;
}

/* Plans the next round: the oldest families, or the youngest ones where the deepest go first. */
static void round_end(struct sim_strategy *strategy) {
    struct search *search = of(strategy);
    uint64_t room = SIM_EXPLORER_ROUND_MAX;
    uint32_t depth = depth_of(search, search->done);

    if (search->learned < search->planned - search->done && depth < search->broken_depth) {
        search->broken_depth = depth;
    }
    search->learned = 0;
    search->done = search->planned;
    while (room != 0 && search->families_from < search->family_count) {
        size_t at = search->is_depth_first ? search->family_count - 1 : search->families_from;
        struct family *family = &search->families[at];
        uint64_t left = family->count - family->next;
        uint64_t count = left < room ? left : room;

        add_segment(search, family, count);
        room -= count;
        if (count == left && search->is_depth_first) {
            search->family_count--;
        } else if (count == left) {
            search->families_from++;
        }
    }
}

static uint64_t ready(const struct sim_strategy *strategy) {
    const struct search *search = SIM_CONTAINER_OF(strategy, const struct search, strategy);

    return search->planned - search->done;
}

/* ---- What is proved ---- */

static bool is_complete(const struct sim_strategy *strategy) {
    const struct search *search = SIM_CONTAINER_OF(strategy, const struct search, strategy);

    return search->done != 0 && search->planned == search->done &&
           search->broken_depth == UINT32_MAX;
}

static void scope(const struct sim_strategy *strategy, char *text, size_t size) {
    const struct search *search = SIM_CONTAINER_OF(strategy, const struct search, strategy);

    if (search->is_depth_first) {
        snprintf(text, size, "for the first %llu choices of a run",
                 (unsigned long long)search->choice_max);
    } else {
        snprintf(text, size, "for at most %u delay%s", search->depth_max,
                 search->depth_max == 1 ? "" : "s");
    }
}

static void claim(const struct sim_strategy *strategy, char *text, size_t size) {
    const struct search *search = SIM_CONTAINER_OF(strategy, const struct search, strategy);
    bool is_whole = is_complete(strategy);
    char all[96];
    uint32_t begun =
        search->broken_depth < search->depth_planned ? search->broken_depth : search->depth_planned;
    uint32_t complete = begun > 0 ? begun - 1 : 0;

    if (search->done == 0 || (search->is_depth_first && !is_whole)) {
        return;
    }
    if (is_whole) {
        scope(strategy, all, sizeof(all));
        snprintf(text, size, "complete %s: %llu runs", all, (unsigned long long)search->done);
    } else if (complete > 0) {
        snprintf(text, size, "complete for at most %u delay%s", complete, complete == 1 ? "" : "s");
    }
}

static void release(struct sim_strategy *strategy) {
    struct search *search = of(strategy);

    free(search->families);
    free(search->segments);
    free(search->path);
}

static struct sim_strategy *create(uint32_t depth_max, uint64_t choice_max, bool is_depth_first) {
    struct search *search = sim_strategy_alloc(sizeof(*search));

    search->is_depth_first = is_depth_first;
    search->depth_max = depth_max;
    search->choice_max = choice_max;
    search->planned = 1;
    search->broken_depth = UINT32_MAX;
    search->strategy.plan = plan;
    search->strategy.fill = fill;
    search->strategy.learn = learn;
    search->strategy.round_end = round_end;
    search->strategy.ready = ready;
    search->strategy.claim = claim;
    search->strategy.scope = scope;
    search->strategy.is_complete = is_complete;
    search->strategy.release = release;
    search->strategy.chooser.choose = choose;
    search->strategy.chooser.goes_on = goes_on;
    return &search->strategy;
}

static struct sim_strategy *create_delays(const struct sim_strategy_options *options) {
    return create(options->argument, UINT64_MAX, false);
}

static struct sim_strategy *create_dfs(const struct sim_strategy_options *options) {
    return create(options->argument, options->argument, true);
}

const struct sim_strategy_kind sim_strategy_delay_all = {
    .about = {.name = "delay-all",
              .about = "All runs that differ from a quiet one by at most d delays, fewer first; "
                       "ends by itself.",
              .argument = "the number d of delays",
              .argument_default = 2,
              .argument_max = 8,
              .is_exhaustive = true},
    .create = create_delays,
};

const struct sim_strategy_kind sim_strategy_dfs = {
    .about = {.name = "dfs",
              .about = "All answers to the first n choices, the deepest first; ends by itself.",
              .argument = "the number n of choices",
              .argument_default = 12,
              .argument_max = 100000,
              .is_exhaustive = true},
    .create = create_dfs,
};
