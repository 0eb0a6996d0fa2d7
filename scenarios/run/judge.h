/* SPDX-License-Identifier: Apache-2.0 */
/* What a run must have shown: expectations, steps, plans, leftovers; and with it the verdict. */
#ifndef SCN_RUN_JUDGE_H
#define SCN_RUN_JUDGE_H

#include "run/outcome.h"

/* After each reset: counters and watches of the expectations start from zero. */
void scn_judge_begin(struct scn_machine *machine);

/* For sim_config: whether an expectation of the machine (`context`) asks for the finding. */
bool scn_judge_expects(void *context, const struct sim_finding *finding);

/* Every driver of "wait_for" (or that ever had a "done" counter) says it is done. */
bool scn_drivers_are_done(struct scn_machine *machine);
/* How many of them do not, and the name of the first; NULL for none. */
uint32_t scn_drivers_not_done(const struct scn_machine *machine, const char **first);

/* Nothing may be left: frames, device objects, pool. Adds findings. */
void scn_check_leftovers(struct scn_machine *machine);

/* Fills verdict, reason, signature. */
void scn_judge(struct scn_machine *machine, const struct scn_run_options *options,
               struct scn_outcome *outcome);

/* What a counter (pattern as in "expect") shows now; false: nobody has one of that name. */
bool scn_counter_read(const struct scn_machine *machine, const char *pattern, uint64_t *value);

/* The text sink of a run must pass lines through this for "log" expectations. */
void scn_judge_text(struct scn_machine *machine, const char *text);

/*
 * The first expectation marked "needs" that does not hold: what it needs, and in `text` what was
 * seen instead. NULL when all hold. After scn_run.
 */
const char *scn_judge_needs(const struct scn_machine *machine, char *text, size_t size);

#endif
