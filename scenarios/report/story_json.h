/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of stories for programs: {"kind", "time_ns", "who", "what"}, with "place" where the source
 * is known, and "other_order" of decisions that were shrunk. Kinds: "event", "decision", "driver".
 */
#ifndef SCN_REPORT_STORY_JSON_H
#define SCN_REPORT_STORY_JSON_H

#include <stdio.h>

#include "report/story.h"

void scn_story_line_json(FILE *stream, const struct scn_machine *machine,
                         const struct scn_telling *telling, const struct scn_story_line *line);
void scn_saying_json(FILE *stream, const struct scn_machine *machine,
                     const struct scn_saying *saying);
/* A member, with a comma and a space in front of it. */
void scn_json_member(FILE *stream, const char *key, const char *text);

#endif
