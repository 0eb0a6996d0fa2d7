/* SPDX-License-Identifier: Apache-2.0 */
/* A world that does not move: who waits for whom, and whether that is a cycle. Verdict 4. */
#ifndef SCN_RUN_STUCK_H
#define SCN_RUN_STUCK_H

#include "run/machine.h"

/*
 * Makes the finding. The verifier is asked first: when a numbered rule names a guilty party, its
 * finding stands instead.
 */
void scn_find_stuck(struct scn_machine *machine, const char *why);

#endif
