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
/* Where and about what: sites, details, objects, what is owed. */
void scn_report_places(FILE *stream, const struct scn_machine *machine,
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

/*
 * What a run that --until cut was not asked for, in words for people and programs; returns how many
 * words there are, at least one.
 */
#define SCN_NOT_JUDGED_MAX 5u
uint32_t scn_not_judged(const struct scn_machine *machine, const char *words[SCN_NOT_JUDGED_MAX]);

/* Behind the name of the verdict: " so far" of a run that held until it was cut, else "". */
const char *scn_so_far(const struct scn_outcome *outcome);

/* A finding, and what was not as expected (", \"unmet\": [...]"), as they stand there. */
void scn_report_finding_json(FILE *stream, const struct scn_machine *machine,
                             const struct scn_telling *telling, const struct sim_finding *finding);
void scn_report_unmet_json(FILE *stream, const struct scn_outcome *outcome);

/* Writes `text` as a JSON string with its quotes. */
void scn_json_string(FILE *stream, const char *text);
/* Whether a result has begun on standard output. */
bool scn_json_has_begun(void);

/* One result of a JUnit file. */
struct scn_junit_case {
    char name[192];
    enum sim_verdict verdict;
    bool is_skipped; /* `text` says why */
    char text[1024];
    uint64_t findings_left_out;
    char note[256]; /* of one that held: what was not judged; "": nothing */
};
/* Fills `note` of a case whose run --until cut. */
void scn_note_cut(const struct scn_machine *machine, const struct scn_outcome *outcome,
                  struct scn_junit_case *one);
/* Fills `text` with the reason of a failure, and with the drivers that did not load. */
void scn_note_failure(const struct scn_machine *machine, const struct scn_outcome *outcome,
                      struct scn_junit_case *one);
/* Returns 0 or an errno. */
int scn_junit_write(const char *path, const struct scn_junit_case *cases, size_t count);

#endif
