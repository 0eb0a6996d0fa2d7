/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of a shrinker: what they share with the process that orders them. See shrink.h. */
#ifndef SCN_CLI_SHRINK_TRIAL_H
#define SCN_CLI_SHRINK_TRIAL_H

#include "cli/shrink.h"
#include "cli/shrink_chooser.h"

/* At the start of what is shared. */
struct scn_trials {
    uint64_t count; /* of trials in this process */
    bool is_running;
    bool is_done; /* nothing left to try */
};

/*
 * Calls `act` in a process of its own, again after each that was spent, until it sets `is_done` or
 * trials are over. `skip` moves on over a trial that has killed its process. `shared` begins with
 * struct scn_trials.
 */
struct scn_trial_act {
    void (*act)(void *context, void *shared);
    void (*skip)(struct scn_shrink *shrink, void *shared);
};
void scn_trials_run(struct scn_shrink *shrink, const struct scn_trial_act *act, void *context,
                    void *shared, size_t shared_bytes);

/* In that process: whether to make another trial. */
bool scn_trials_go_on(const struct scn_shrink *shrink, const struct scn_trials *trials);
/* One run with shrink->run.chooser; true when it has reached the aim. */
bool scn_trial(struct scn_shrink *shrink, struct scn_trials *trials, struct scn_outcome *outcome);
/* How it ended: "clean", "R-OWN-07", "stuck"; SCN_OTHER_BYTES are enough. */
void scn_trial_end_text(const struct scn_session *session, const struct scn_outcome *outcome,
                        char *text, size_t size);

/*
 * Makes `next` of a list, with all else as in `shrink`: anchors are learnt from a run, and all that
 * came up in it is in. Takes the list's memory. False when that run does not reach the aim: there
 * is no `next` then.
 */
bool scn_shrink_learn(const struct scn_shrink *shrink, struct scn_decision_list *list,
                      struct scn_shrink *next);

/*
 * Looks for another failure of the same kind in `runs` random runs that deviate more rarely, and
 * makes `next` of the first one; false when there was none.
 */
bool scn_shrink_search(struct scn_shrink *shrink, uint64_t runs, struct scn_shrink *next);

#endif
