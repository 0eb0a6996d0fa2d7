/* SPDX-License-Identifier: Apache-2.0 */
/* A world that has stopped, as text: CPUs, contexts, locks, pool, objects. */
#ifndef SCN_REPORT_DUMP_H
#define SCN_REPORT_DUMP_H

#include <stdio.h>

#include "report/story.h"

void scn_dump_levels(FILE *stream, const struct scn_machine *machine);
void scn_dump_stacks(FILE *stream, const struct scn_machine *machine);
void scn_dump_locks(FILE *stream, const struct scn_machine *machine);
/* Sums by owner; `each`: every live block, too. */
void scn_dump_pool(FILE *stream, const struct scn_machine *machine, bool each);
/* Everything that has a state and is not closed. */
void scn_dump_objects(FILE *stream, const struct scn_machine *machine);

/*
 * Objects that a word means: a birth name, its end ("qp[0]"), or a pattern. With what happened to
 * each last. Returns how many there were.
 */
uint32_t scn_dump_named(FILE *stream, const struct scn_machine *machine,
                        const struct scn_chronicle *chronicle, const char *word);

#endif
