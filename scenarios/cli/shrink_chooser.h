/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chooser of a shrinker's trials: some of the recorded decisions, quiet elsewhere.
 *
 * A decision about who runs next is recorded as the n-th of a context. When an earlier decision is
 * left out, the context comes by fewer or more choices, and all its later numbers mean other
 * moments. So each gets an anchor: the n-th choice at which the context is about to touch the same
 * object. A first run, by the recorded numbers, learns the anchors; trials go by them.
 */
#ifndef SCN_CLI_SHRINK_CHOOSER_H
#define SCN_CLI_SHRINK_CHOOSER_H

#include <sim/choice.h>

struct scn_trial_chooser;

/* Takes no copy of the deviations. */
struct scn_trial_chooser *scn_trial_chooser_create(struct sim_deviation *deviations, size_t count);
struct sim_chooser *scn_trial_chooser_base(struct scn_trial_chooser *trial);

/* The next run takes all of them as recorded and fills `anchors` (count of them). */
void scn_trial_learn(struct scn_trial_chooser *trial, uint64_t *anchors);
/* The next runs take those with `is_in[i]` by their anchors. Both arrays live as long as runs. */
void scn_trial_take(struct scn_trial_chooser *trial, const uint64_t *anchors,
                    const unsigned char *is_in);

#endif
