/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of a run in words: what came before what, and what the other order does. */
#ifndef SCN_REPORT_DECISION_H
#define SCN_REPORT_DECISION_H

#include <sim/choice.h>

#include "report/chronicle.h"

#define SCN_DECISION_BYTES 400u
#define SCN_OTHER_BYTES 64u

struct scn_decision {
    const struct sim_deviation *deviation;
    uint32_t sequence; /* of the record in which it shows; 0: in none that is kept */
    char words[SCN_DECISION_BYTES];
    char other[SCN_OTHER_BYTES]; /* how a run without it alone ends; "" when nobody has tried */
};

/*
 * Tells the deviations of the run that the chronicle is of. `deviations` are of sim_deviations, and
 * live as long as the decisions. The caller frees the array.
 */
struct scn_decision *scn_decisions_tell(const struct sim_world *world,
                                        const struct scn_chronicle *chronicle,
                                        const struct sim_deviation *deviations, size_t count);

/* "step of X, number 7, takes "Y"": as it is recorded. Returns `text`. */
const char *scn_deviation_text(const struct sim_deviation *deviation, char *text, size_t size);

#endif
