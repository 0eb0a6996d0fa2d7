/* SPDX-License-Identifier: Apache-2.0 */
/* A world that does not move: who waits for whom, and whether that is a cycle. Verdict 4. */
#ifndef SCN_RUN_STUCK_H
#define SCN_RUN_STUCK_H

#include "run/machine.h"

/*
 * Makes the finding. When the world is idle, the verifier is asked first: if a numbered rule names
 * a guilty party, its finding stands instead. At a limit nobody is guilty yet: what is owed may
 * come.
 */
void scn_find_stuck(struct scn_machine *machine, bool is_idle, const char *why);

/* Makes the finding of a run that takes more steps than its scenario allows: who took them. */
void scn_find_endless(struct scn_machine *machine);

#endif
