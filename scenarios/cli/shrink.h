/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a recorded failure small. All trials of one world run in processes of their own, one after
 * the other: a trial that ends by a driver's accident spends its process, the next one goes on from
 * what it left in shared memory. This process keeps its world untouched for the last run.
 */
#ifndef SCN_CLI_SHRINK_H
#define SCN_CLI_SHRINK_H

#include "cli/rerun.h"

/* So few decisions a person can read; more are worth a search for another run. */
#define SCN_SHRINK_ENOUGH 15u

/* What the trials must come to, and what they may cost. */
struct scn_shrink_aim {
    uint32_t exit_code;
    uint64_t signature;
    uint64_t trials_max;
    uint64_t stop_wall_ns; /* 0: none */
    uint64_t trials;       /* made so far */
};

/* Decisions and their texts, in memory of their own. */
struct scn_decision_list {
    struct sim_deviation *deviations;
    size_t count;
    char *texts;
};

/* A world's decisions, and those of them that are still in. */
struct scn_shrink {
    struct scn_shrink_aim *aim;
    struct scn_session *session;
    struct scn_run_options run;
    struct scn_decision_list list;
    uint64_t *anchors;        /* by decision */
    unsigned char *is_in;     /* by decision */
    struct sim_chooser *last; /* of the last run */
    uint64_t searched;        /* random runs made so far; a run's seed is its number */
};

/* False when the run with all of these decisions does not come to the aim. They are copied. */
bool scn_shrink_begin(struct scn_shrink *shrink, struct scn_shrink_aim *aim,
                      struct scn_session *session, const struct scn_run_options *run,
                      const struct sim_deviation *deviations, size_t count);
void scn_shrink_end(struct scn_shrink *shrink);

/*
 * Leaves out whatever can be left out: at its end, unless it was stopped, none of the decisions
 * that are in can be left out alone.
 */
void scn_shrink_decisions(struct scn_shrink *shrink);
size_t scn_shrink_size(const struct scn_shrink *shrink);

/* True when no more trials shall be made: interrupted, or the aim's bounds are reached. */
bool scn_shrink_is_over(const struct scn_shrink_aim *aim);

/* How a run without decision `index` ends. `text`: "clean", "R-OWN-07", "stuck". */
void scn_shrink_without(struct scn_shrink *shrink, size_t index, char *text, size_t size);

/* The run with what is in, in this process. */
void scn_shrink_last_run(struct scn_shrink *shrink, struct scn_outcome *outcome);

#endif
