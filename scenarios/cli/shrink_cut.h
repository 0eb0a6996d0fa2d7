/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the scenario of a failure small: nodes, drivers, steps and faults go, workloads (numbers
 * in registries, instructions of scripts) shrink, times become round. Each cut is tried in a world
 * of its own, with the decisions that are still in, and stays when the failure does.
 */
#ifndef SCN_CLI_SHRINK_CUT_H
#define SCN_CLI_SHRINK_CUT_H

#include "cli/shrink.h"

struct scn_cuts {
    uint32_t made;
    uint32_t tried;
};

/*
 * Cuts and opens the session anew with what is left; the decisions that still come up stay in.
 * False when that session cannot be opened (said).
 */
bool scn_shrink_cut(struct scn_rerun *rerun, struct scn_shrink *shrink, struct scn_cuts *cuts);

#endif
