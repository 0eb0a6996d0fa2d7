/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: its phases, and what came of it.
 *
 *   work -> (heal) -> unload -> end        any finding, limit or interrupt leads to end at once
 *
 * work    until every step is done and every driver that has work says so
 * heal    in exploring runs: all planned trouble ends, then everything must finish
 * unload  consumers in reverse order, then miniports; then nothing may be left
 */
#ifndef SCN_RUN_OUTCOME_H
#define SCN_RUN_OUTCOME_H

#include "run/machine.h"

enum scn_phase {
    SCN_PHASE_WORK,
    SCN_PHASE_HEAL,
    SCN_PHASE_UNLOAD,
    SCN_PHASE_END,
};

struct scn_run_options {
    uint64_t seed;
    struct sim_chooser *chooser; /* NULL: quiet */
    uint64_t until_ns;           /* --until; SIM_TIME_NEVER: none */
    uint64_t until_step;         /* stop after so many steps of the world; 0: none */
    uint64_t check_steps;        /* --checks; 0: registered checks are looked at when it ends */
    bool is_exploring;           /* heals after the disturbance; unfired plans are not judged */
    bool keep_going;
    bool special_pool;
    void (*on_begin)(void *context); /* after the reset, before anything happens; may be NULL */
    void *context;
};

#define SCN_REASON_BYTES 512u
#define SCN_UNMET_BYTES 4096u

struct scn_outcome {
    enum sim_verdict verdict;
    enum scn_phase phase;          /* in which it ended */
    char reason[SCN_REASON_BYTES]; /* verdict 1: which expectation; else one sentence or "" */
    uint32_t unmet_count;          /* verdicts 1 and 4: whatever failed ... */
    char unmet[SCN_UNMET_BYTES];   /* ... a line each, as many as fit; `reason` is the first */
    size_t finding_count;
    uint64_t findings_left_out; /* there was no place for them; see sim/finding.h */
    size_t first_finding;       /* the one that made the verdict; SIZE_MAX: none */
    uint64_t signature;         /* of the failure (signature.h); 0 when held */
    uint64_t kind;              /* the signature without call sites */
    uint64_t digest;
    uint64_t event_count; /* trace records */
    uint64_t time_ns;
    uint64_t step_count;
    uint64_t choice_count;
    uint64_t order_hash;
    size_t deviation_count;
    uint64_t expected_seen;  /* bit i % 64: expected finding of expectation i came */
    uint64_t phase_start_ns; /* when the phase in which it ended began */
    bool until_reached;      /* until_ns or until_step */
};

/* Runs the machine once from its snapshot. */
void scn_run(struct scn_machine *machine, const struct scn_run_options *options,
             struct scn_outcome *outcome);

/*
 * Goes on from a world that has stopped at until_ns or until_step and of which a new snapshot was
 * taken (sim_world_snapshot); `stopped` is how it had stopped. As often as wanted.
 */
void scn_run_on(struct scn_machine *machine, const struct scn_run_options *options,
                const struct scn_outcome *stopped, struct scn_outcome *outcome);

/*
 * Whether the run has special pool: where it is asked for, and in an eighth of exploring runs, as
 * the seed says. It changes no digest.
 */
bool scn_run_has_special_pool(const struct scn_run_options *options);

/* Which plans and step triggers have never fired; for campaigns, added up by the caller. */
uint32_t scn_unfired_plan(const struct scn_machine *machine, uint32_t from);

#endif
