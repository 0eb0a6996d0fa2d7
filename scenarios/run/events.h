/* SPDX-License-Identifier: Apache-2.0 */
/* Names of trace events in a scenario, checked against those that the world knows. */
#ifndef SCN_RUN_EVENTS_H
#define SCN_RUN_EVENTS_H

#include "run/machine.h"

/*
 * An error for each event that triggers or expectations name and that nobody can ever trace.
 * Drivers bring names of their own at run time, so a name is wrong only in a family (what stands
 * before its first dot) that is the world's. Call it when all modules have registered theirs.
 */
void scn_check_events(const struct scn_machine *machine, struct scn_diagnostics *diagnostics);

#endif
