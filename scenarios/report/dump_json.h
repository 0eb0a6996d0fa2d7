/* SPDX-License-Identifier: Apache-2.0 */
/* What report/dump.h prints, for programs: a JSON value each. */
#ifndef SCN_REPORT_DUMP_JSON_H
#define SCN_REPORT_DUMP_JSON_H

#include <stdio.h>

#include "report/story.h"

/* [{"cpu", "irql"}] */
void scn_dump_levels_json(FILE *stream, const struct scn_machine *machine);
/* [{"task", "state", "irql", "since_ns"}], with "call", "about", "holder", and "frames" */
void scn_dump_stacks_json(FILE *stream, const struct scn_machine *machine);
/* [{"lock", "holder", "since_ns", "waiters": [{"task", "state", "since_ns"}]}] */
void scn_dump_locks_json(FILE *stream, const struct scn_machine *machine);
/* [{"node", "count", "bytes", "blocks": [{"serial", "tag", "bytes", "owner", "made_ns", "place"}]}]
 */
void scn_dump_pool_json(FILE *stream, const struct scn_machine *machine);
/* [{"object", "state", "closed"}] */
void scn_dump_objects_json(FILE *stream, const struct scn_machine *machine);

/* The same with "story", of those that a word means (scn_dump_named); returns how many. */
uint32_t scn_dump_named_json(FILE *stream, const struct scn_machine *machine,
                             const struct scn_chronicle *chronicle, const char *word);

#endif
