/* SPDX-License-Identifier: Apache-2.0 */
/* What a person reads: times, findings in the layout of a bugcheck report, the last line of a run.
 */
#ifndef SCN_REPORT_REPORT_H
#define SCN_REPORT_REPORT_H

#include <stdio.h>

#include "report/story.h"

#define SCN_TIME_TEXT_BYTES 32u

/* Virtual time in milliseconds with nanosecond digits: "1.204318ms". Returns `text`. */
const char *scn_time_text(uint64_t time_ns, char *text, size_t size);

/* Its first two lines: what it is, and what happened. */
void scn_report_head(FILE *stream, const struct scn_machine *machine,
                     const struct sim_finding *finding);
/*
 * A finding: heading, sites, objects, details, what is owed, story, remedy, log. `telling`: NULL
 * for no story.
 */
void scn_report_finding(FILE *stream, const struct scn_machine *machine,
                        const struct scn_telling *telling, const struct sim_finding *finding);

/* All findings of a run, then the reason when an expectation failed. */
void scn_report_run(FILE *stream, const struct scn_machine *machine,
                    const struct scn_telling *telling, const struct scn_outcome *outcome);

/* One line: verdict, scenario, seed, events, virtual time, digest. */
void scn_report_line(FILE *stream, const struct scn_scenario *scenario, uint64_t seed,
                     const struct scn_outcome *outcome);

/* The same fields as a JSON object, with the findings and the command that shows it again. */
void scn_report_json(FILE *stream, const struct scn_machine *machine,
                     const struct scn_telling *telling, uint64_t seed,
                     const struct scn_outcome *outcome, const char *replay);

/* Writes `text` as a JSON string with its quotes. */
void scn_json_string(FILE *stream, const char *text);

/* One result of a JUnit file. */
struct scn_junit_case {
    char name[192];
    enum sim_verdict verdict;
    bool is_skipped; /* `text` says why */
    char text[1024];
    uint64_t findings_left_out;
};
/* Returns 0 or an errno. */
int scn_junit_write(const char *path, const struct scn_junit_case *cases, size_t count);

#endif
