/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What starts from a record (replay, shrink, explain, dump, diff, likelihood): the recorded
 * scenario and modules as a session, and how to run it as it was run.
 */
#ifndef SCN_CLI_RERUN_H
#define SCN_CLI_RERUN_H

#include "cli/session.h"
#include "report/record.h"

struct scn_rerun {
    struct scn_record *record;
    struct scn_options options; /* the caller's, with what the record asks for */
    struct scn_session session;
    struct scn_run_options run; /* chooser: NULL until somebody sets it */
};

/* Reads the record and builds its machine. False after an error that has been printed. */
bool scn_rerun_open(struct scn_rerun *rerun, const struct scn_options *options, const char *file);
void scn_rerun_close(struct scn_rerun *rerun);

/* The record's scenario as a document of its own, with --set changes. NULL: diagnosed. */
struct scn_scenario *scn_rerun_scenario(const struct scn_record *record,
                                        const struct scn_options *options,
                                        struct scn_diagnostics *diagnostics);

/* The chooser of the recorded decisions; the caller's. */
struct sim_chooser *scn_rerun_recorded(const struct scn_rerun *rerun);

/*
 * True when it is the recorded failure, wherever in the code: another build may have other
 * functions.
 */
bool scn_rerun_recurs(const struct scn_record *record, const struct scn_outcome *outcome);

/* Whether a replay must give the recorded digest: same modules, nothing changed by options. */
bool scn_rerun_is_same_build(const struct scn_rerun *rerun);

/* After a run by the recorded decisions: as scn_session_tell, with what the record knows of them.
 */
const struct scn_telling *scn_rerun_tell(struct scn_rerun *rerun);

/* A line for each recorded decision up to `until_ns` that the last run has not come by. */
void scn_rerun_say_unused(FILE *stream, const struct scn_record *record, uint64_t until_ns);

/*
 * Runs a record that has just been made, in a process of its own, and prints its findings' reports.
 * `options`: of the command that made it; what is in the record already is not applied again.
 */
void scn_rerun_report(const struct scn_options *options, const char *file);

#endif
