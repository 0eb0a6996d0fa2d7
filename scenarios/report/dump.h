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

/* ---- What is said of them, as text or otherwise ---- */

/* "runs", "waits", "is ready", ... */
const char *scn_dump_state(const struct sim_standing *standing);
/* From the innermost frame of a driver to its outermost; what is around them is not theirs. */
#define SCN_DUMP_FRAMES SIM_FINDING_FRAMES
#define SCN_DUMP_FRAME_BYTES 256u
uint32_t scn_dump_frames(const struct scn_machine *machine, const struct sim_standing *standing,
                         char frames[SCN_DUMP_FRAMES][SCN_DUMP_FRAME_BYTES]);
/* A block's tag, readable, and where it was made. */
struct krn_pool_block;
void scn_dump_block_place(const struct scn_machine *machine, const struct krn_pool_block *block,
                          char tag[5], char *place, size_t size);
/* What happened to an object last, oldest first. Returns how many lines. */
#define SCN_DUMP_HISTORY 8u
uint32_t scn_dump_history(const struct scn_chronicle *chronicle, const struct sim_object *object,
                          struct scn_story_line lines[SCN_DUMP_HISTORY]);
/* Whether a word means the object: its birth name, its end, a pattern. */
bool scn_dump_is_meant(const struct sim_object *object, const char *word);

#endif
