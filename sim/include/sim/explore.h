/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explorers: which choices the runs of a campaign make. An explorer plans each run as a pure
 * function of (seed, index, what was learned up to the last round), so that a campaign finds the
 * same with any number of processes.
 *
 *   create -> [round: (begin -> world reset -> watch -> run -> note)* -> learn* -> round_end]* ->
 *             destroy
 *
 * Runs may be made in other processes, each with an explorer of its own that was created with the
 * same options (or forked). One of them, the parent's, learns the notes of all runs of a round;
 * what its round_end gives as the round's lesson, the others learn before their round_end. A
 * process forked within a round may have learned a part of it already: notes that are learned twice
 * count once.
 *
 * A campaign that is spread over machines gives each part a seed of its own, and indexes from 0.
 */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include <sim/base.h>
#include <sim/choice.h>

struct sim_explorer;

/* All texts are copied, `life_events` is not: static. */
struct sim_explorer_options {
    const char *strategy; /* "portfolio", "pct:3"; NULL: the default */
    /*
     * Which objects' events the focused strategies reorder: a pattern on birth names, "none", or
     * NULL: drawn from objects that are created, connected, disconnected or closed in the runs.
     */
    const char *focus;
    uint64_t seed;
    uint32_t step_ppm;  /* of the sparse strategy, as in sim_chooser_random_options; ... */
    uint32_t other_ppm; /* ... this one also of what other strategies do besides steps */
    /*
     * Patterns on names of trace events that belong to an object's life, ended by NULL. NULL: all
     * records of access CREATE and CLOSE.
     */
    const char *const *life_events;
};

/* NULL after an error, with what is wrong in `error`. */
struct sim_explorer *sim_explorer_create(const struct sim_explorer_options *options, char *error,
                                         size_t error_bytes);
/* Not while a world has its chooser: until the next reset, or the world's end. */
void sim_explorer_destroy(struct sim_explorer *explorer);
/* With its argument, as it is recorded: "pct:3". */
const char *sim_explorer_strategy(const struct sim_explorer *explorer);

/* ---- Runs ---- */

/*
 * The round that comes next: how many runs from `*first` on. At most SIM_EXPLORER_ROUND_MAX; the
 * first ones are shorter. 0: the strategy has nothing left to try.
 */
#define SIM_EXPLORER_ROUND_MAX 4096u
uint64_t sim_explorer_round(const struct sim_explorer *explorer, uint64_t *first);

/*
 * Plans run `index` of that round. The chooser is the explorer's and good for one run; it belongs
 * into the configuration of the reset that follows.
 */
struct sim_chooser *sim_explorer_begin(struct sim_explorer *explorer, uint64_t index);

/* After that reset, before the first step: watches what the strategy wants to know of the run. */
void sim_explorer_watch(struct sim_explorer *explorer, struct sim_world *world);

/*
 * After the run: what it taught, as flat bytes without pointers, for this or another process of the
 * same program. Returns how many, at most SIM_EXPLORER_NOTE_BYTES_MAX (which `note` has room for).
 */
#define SIM_EXPLORER_NOTE_BYTES_MAX 81920u
size_t sim_explorer_note(struct sim_explorer *explorer, struct sim_world *world, void *note);

/* ---- Learning ---- */

/* One or more notes, one after the other. Nothing changes before the round's end. */
void sim_explorer_learn(struct sim_explorer *explorer, const void *notes, size_t bytes);

/*
 * Learns, in order of index whatever order they came in, and goes on to the next round. Returns the
 * bytes of the round's lesson: the notes that taught anything; they live until the next round_end.
 */
size_t sim_explorer_round_end(struct sim_explorer *explorer, const void **lesson);

/* ---- What has been done ---- */

/*
 * An exhaustive strategy: its rounds come to an end, and its runs are not independent of each
 * other, so that it cannot be spread over campaigns.
 */
bool sim_explorer_is_exhaustive(const struct sim_explorer *explorer);
bool sim_explorer_is_done(const struct sim_explorer *explorer);
/*
 * Whether the runs up to the last round are all that an exhaustive strategy is to try: it is done,
 * and no run was without a note. What that is, as in "for at most 2 delays"; "" of other ones.
 */
bool sim_explorer_is_complete(const struct sim_explorer *explorer);
const char *sim_explorer_scope(const struct sim_explorer *explorer, char *text, size_t size);
/* What the runs up to the last round prove, as a sentence; "" when nothing. Returns `text`. */
const char *sim_explorer_claim(const struct sim_explorer *explorer, char *text, size_t size);

/* Whether the strategy looks at what the focus is: others go by all steps alike. */
bool sim_explorer_has_focus(const struct sim_explorer *explorer);

struct sim_explorer_counts {
    uint64_t feature_count; /* distinct events between two actors on an object, states, statuses */
    uint64_t corpus_count;  /* runs kept because they reached something new */
    uint64_t object_count;  /* that the focus is drawn from */
    uint64_t choice_count;  /* most choices in a run */
};
struct sim_explorer_counts sim_explorer_counts(const struct sim_explorer *explorer);

/* ---- The strategies ---- */

struct sim_strategy_about {
    const char *name;
    const char *about;    /* one sentence */
    const char *argument; /* what "name:N" means, NULL: takes none */
    uint32_t argument_default;
    uint32_t argument_max;
    bool is_exhaustive;
};
/* In a fixed order, the default first; NULL past the end. */
const struct sim_strategy_about *sim_strategy_at(size_t index);
/* False for a text that sim_explorer_create would not take, with what is wrong in `error`. */
bool sim_strategy_check(const char *text, char *error, size_t error_bytes);

#endif
