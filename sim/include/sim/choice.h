/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one source of choice. Whatever could have gone otherwise asks sim_choose; a chooser answers.
 * Option 0 is the quiet one, so a run without deviations is the run that nothing disturbed.
 *
 * A choice's key is (kind, topic, the subject's birth name, n-th of that triple). Random draws are
 * a hash of (seed, key), so that one more draw in one place moves no other. A deviation (an option
 * other than 0) is recorded by key and label and survives unrelated changes of the code.
 */
#ifndef SIM_CHOICE_H
#define SIM_CHOICE_H

#include <sim/base.h>
#include <sim/object.h>

enum sim_choice_kind {
    SIM_CHOICE_STEP,     /* who runs next: a CPU's context, or the head event */
    SIM_CHOICE_FAULT,    /* does a planned or possible fault fire here */
    SIM_CHOICE_DELAY,    /* extra virtual delay of an event */
    SIM_CHOICE_ANSWER,   /* the shape in which a provider answers */
    SIM_CHOICE_DRIVER,   /* a driver's own (NdksimChoose) */
    SIM_CHOICE_SCENARIO, /* workload alternatives */
    SIM_CHOICE_FAILURE,  /* does an allocation or a call fail that nobody planned to */
    SIM_CHOICE_KIND_COUNT,
};

enum sim_access {
    SIM_ACCESS_NONE,
    SIM_ACCESS_READ,
    SIM_ACCESS_WRITE,
    SIM_ACCESS_CREATE,
    SIM_ACCESS_CLOSE,
    SIM_ACCESS_LOCK,
};

/*
 * Option: who acts, on what, how; steers explorers only. `label` names it in recordings; it is
 * static text or lives until the reset. NULL: the birth name of the object `actor_id`.
 */
struct sim_option {
    uint32_t actor_id;
    uint32_t object_id;
    uint32_t subject_id; /* on whose behalf (sim_task_subject_set), or 0 */
    enum sim_access access;
    const char *label;
    uint64_t wait_ns; /* of an event that is not due yet: how long it is off */
};

struct sim_choice {
    enum sim_choice_kind kind;
    const char *topic;          /* static text below the kind ("cq.create", "link.drop"), or NULL */
    struct sim_object *subject; /* never NULL */
    const struct sim_option *options;
    uint32_t option_count; /* at least 1; with 1 nobody is asked */
    /*
     * Not 0: this choice is a planned draw; option 1 is taken with this probability under every
     * chooser that has no recorded answer for the key.
     */
    uint32_t planned_ppm;
    /* Not 0: an exploring chooser takes option 1 with this probability, not its own; quiet: never.
     */
    uint32_t free_ppm;
    uint64_t path; /* of a FAILURE: hash of the drivers' calls that led there, equal in a build */
};

struct sim_choice_key {
    enum sim_choice_kind kind;
    uint64_t topic_hash;
    uint64_t subject_hash;
    uint32_t ordinal; /* from 1 */
};

uint64_t sim_choice_key_hash(const struct sim_choice_key *key);

/* Returns the chosen option's index. */
uint32_t sim_choose(struct sim_world *world, const struct sim_choice *choice);

/* The two-option form: false is the quiet answer. */
bool sim_choose_fault(struct sim_world *world, const char *topic, struct sim_object *subject,
                      uint32_t planned_ppm);

/*
 * A chooser lives outside the world (host memory) and survives its resets. `begin` starts a run;
 * it, `end` and `destroy` may be NULL.
 * `choose` is asked only for choices of two options and more, and for planned draws only if
 * `answers_planned` is set (it replays records): otherwise sim_choose draws them itself.
 */
struct sim_chooser {
    const char *name;
    void (*begin)(struct sim_chooser *chooser, uint64_t seed);
    uint32_t (*choose)(struct sim_chooser *chooser, struct sim_world *world,
                       const struct sim_choice *choice, const struct sim_choice_key *key);
    void (*end)(struct sim_chooser *chooser);
    void (*destroy)(struct sim_chooser *chooser);
    /*
     * May be NULL. Asked first for a step choice: true if the answer to this key is option 0,
     * whatever the other options are, so that they need not be put together; `own` is option 0.
     * False decides nothing: `choose` is asked then. May run on a task's stack.
     */
    bool (*goes_on)(struct sim_chooser *chooser, const struct sim_world *world,
                    const struct sim_choice_key *key, const struct sim_option *own);
    bool answers_planned;
    bool asks_failures; /* wants choices of kind FAILURE; looked at when a run begins */
};

/* Always option 0, except planned draws. */
struct sim_chooser *sim_chooser_quiet_create(void);

/*
 * Seeded random: a step choice leaves the quiet option with `step_ppm`, every other unplanned
 * choice with `other_ppm`, uniformly among the other options.
 */
struct sim_chooser_random_options {
    uint32_t step_ppm;
    uint32_t other_ppm;
    /*
     * Not 0: each run multiplies both by a power of two of its own, from 2^-spread to 2^spread (at
     * most 500,000 ppm): some bugs want a few deviations, some want many.
     */
    uint32_t spread_log2;
};
struct sim_chooser *sim_chooser_random_create(const struct sim_chooser_random_options *options);

/* One named deviation of a recorded run. Texts are owned by whoever owns the array. */
struct sim_deviation {
    enum sim_choice_kind kind;
    const char *topic;   /* "" for none */
    const char *subject; /* birth name */
    uint32_t ordinal;
    const char *label; /* of the option taken; "x#1" is the second of those called "x" */
    uint64_t time_ns;
    uint64_t choice; /* how many choices had been made by then, this one included; 0: not known */
    bool used;       /* replay: it was found again */
};

/* The key of the choice that a deviation names. */
struct sim_choice_key sim_deviation_key(const struct sim_deviation *deviation);

/* The option that `label` (as in a deviation) names; false when there is none. */
bool sim_choice_find(const struct sim_world *world, const struct sim_choice *choice,
                     const char *label, uint32_t *index);

/*
 * Recorded: the named deviations, quiet elsewhere (planned draws that were not recorded do not
 * fire). An option whose label is gone is skipped and stays unused. Takes no copy: `deviations`
 * must live.
 */
struct sim_chooser *sim_chooser_recorded_create(struct sim_deviation *deviations, size_t count);

/*
 * The bytes of a fuzzer: pairs of how many choices to let pass and which option to take then; quiet
 * behind them. `bytes` are of the runs that begin from then on, and must live as long.
 */
struct sim_chooser *sim_chooser_bytes_create(void);
void sim_chooser_bytes_set(struct sim_chooser *chooser, const void *bytes, size_t count);

void sim_chooser_destroy(struct sim_chooser *chooser);

/*
 * The deviations of the run so far, in order; owned by the world's recorder, valid until the next
 * deviation, snapshot or reset. A snapshot starts the list anew: set-up is repeated, not replayed.
 * Not for use in a task.
 */
const struct sim_deviation *sim_deviations(const struct sim_world *world, size_t *count);
/* How many they are; names nothing. */
size_t sim_deviation_count(const struct sim_world *world);

/* Hash over the order of all step choices: equal orders, equal value (distinct orders are counted).
 */
uint64_t sim_order_hash(const struct sim_world *world);
const char *sim_choice_kind_name(enum sim_choice_kind kind);

#endif
