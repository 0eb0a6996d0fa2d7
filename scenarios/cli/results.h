/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a command, for --junit: collected over its scenarios, written at its end. */
#ifndef SCN_CLI_RESULTS_H
#define SCN_CLI_RESULTS_H

#include "cli/options.h"
#include "report/report.h"

struct scn_results {
    struct scn_junit_case *cases;
    size_t count;
    size_t room;
    bool is_array; /* --json: more than one result may come */
    size_t printed;
};

/* "name", or "name[2: nodes.client.cpus=1]" of a matrix. Returns `name`. */
const char *scn_case_name(const struct scn_scenario *scenario, uint32_t cell, uint32_t cell_count,
                          char *name, size_t size);

void scn_results_add(struct scn_results *results, const struct scn_junit_case *one);

/* Writes the file of --junit, if that was given, and frees. False after an error: it is printed. */
bool scn_results_end(struct scn_results *results, const struct scn_options *options);

/*
 * --json: what stands in front of the next result, which is one; several are an array. Ask only
 * when it is printed. The end prints nothing unless they are one.
 */
const char *scn_results_json_next(struct scn_results *results);
void scn_results_json_end(const struct scn_results *results, const struct scn_options *options);

/* Whether anybody may read standard output: false behind a closed pipe. */
bool scn_output_has_reader(void);

/* Writes out standard output. False after an error, which has been printed. */
bool scn_output_flush(void);

/* Says which worker processes were lacking or killed. False when there was none in the end. */
struct sim_workers;
bool scn_workers_check(const struct sim_workers *workers);

/* Whether the verdict of a run, or of runs, has been said; before scn_results_end. */
bool scn_results_have_run(const struct scn_results *results);
/*
 * When what was said last is a verdict and the exit code is that of wrong input or output, the last
 * line is to say so. Returns `exit_code`.
 */
int scn_say_error(const struct scn_options *options, bool has_run, int exit_code);

#endif
