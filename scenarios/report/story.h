/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The story of a failure: of all records those that matter, in order. What matters: the decisions,
 * what led to the finding (backwards along the causes), what happened to its objects last, and, as
 * far as there is room, what else both sides did and told each other.
 */
#ifndef SCN_REPORT_STORY_H
#define SCN_REPORT_STORY_H

#include "report/decision.h"
#include "run/outcome.h"

/* More decisions than that are no story: shrink first. */
#define SCN_STORY_DECISIONS 24u
#define SCN_STORY_SHORT 20u
#define SCN_STORY_LONG 80u

/* What reports may lean on; any member may be NULL or 0. */
struct scn_telling {
    const struct scn_chronicle *chronicle;
    const struct scn_decision *decisions;
    size_t decision_count;
    const char *log_file; /* where all lines of the drivers are */
};

struct scn_story_line {
    uint32_t sequence;
    const struct scn_decision *decision; /* that shows here; NULL: none */
};

/* Chooses up to `max` (at most SCN_STORY_LONG) lines, oldest first. Returns how many. */
uint32_t scn_story(const struct scn_machine *machine, const struct scn_telling *telling,
                   const struct sim_finding *finding, uint32_t max,
                   struct scn_story_line lines[SCN_STORY_LONG]);

/* One line as text: time, who, what, and the place in the source when there is one. */
#define SCN_STORY_BYTES 768u
const char *scn_story_text(const struct scn_machine *machine, const struct scn_telling *telling,
                           const struct scn_story_line *line, char *text, size_t size);

/* "conn.c:277" of a code address; "" when it has no line. Returns `text`. */
const char *scn_code_text(uintptr_t code, char *text, size_t size);

/* "Reap queue.c:12", or "Reap" when there is no line: false then. */
bool scn_frame_text(uintptr_t code, char *text, size_t size);

#endif
