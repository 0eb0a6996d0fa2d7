/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the functions of the dispatch tables answer in a run: a function that answers only with
 * STATUS_NOT_SUPPORTED or STATUS_NOT_IMPLEMENTED is one that the provider does not have yet.
 */
#ifndef SCN_CLI_CONFORM_ANSWERS_H
#define SCN_CLI_CONFORM_ANSWERS_H

#include <sim/run.h>

#define SCN_ANSWERS_MAX 128u /* trace types from SIM_TRACE_NDK on */

/* Host memory. */
struct scn_answers {
    uint32_t declined[SCN_ANSWERS_MAX];
    uint32_t other[SCN_ANSWERS_MAX];
};

/* When a run begins; `answers` are emptied, and filled until the next reset. */
void scn_answers_begin(struct sim_world *world, struct scn_answers *answers);
/* Whether there is a function that the provider does not have; `text` says which. */
bool scn_answers_lack(const struct sim_world *world, const struct scn_answers *answers, char *text,
                      size_t size);

#endif
