/* SPDX-License-Identifier: Apache-2.0 */
/* See results.h. */
#include "cli/results.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse/complain.h"
#include "report/plural.h"

#define ROOM_FIRST 16u

const char *scn_case_name(const struct scn_scenario *scenario, uint32_t cell, uint32_t cell_count,
                          char *name, size_t size) {
    if (scenario->cell != NULL)
        snprintf(name, size, "%s[%s]", scenario->name, scenario->cell);
    else if (cell_count > 1)
        snprintf(name, size, "%s[%u]", scenario->name, cell);
    else
        snprintf(name, size, "%s", scenario->name);
    return name;
}

void scn_results_add(struct scn_results *results, const struct scn_junit_case *one) {
    if (results->count == results->room) {
        results->room = results->room > 0 ? 2 * results->room : ROOM_FIRST;
        results->cases = realloc(results->cases, results->room * sizeof(*results->cases));
        SIM_ASSERT(results->cases != NULL);
    }
    results->cases[results->count++] = *one;
}

const char *scn_results_json_next(struct scn_results *results) {
    bool is_first = results->printed++ == 0;

    if (!results->is_array)
        return "";
    return is_first ? "[\n" : ",\n";
}

void scn_results_json_end(const struct scn_results *results, const struct scn_options *options) {
    if (options->json && results->is_array)
        fputs(results->printed > 0 ? "]\n" : "[]\n", stdout);
}

bool scn_results_end(struct scn_results *results, const struct scn_options *options) {
    int error = 0;

    scn_results_json_end(results, options);
    if (options->junit_file != NULL)
        error = scn_junit_write(options->junit_file, results->cases, results->count);
    if (error != 0)
        scn_complain("--junit %s: %s", options->junit_file, strerror(error));
    free(results->cases);
    memset(results, 0, sizeof(*results));
    return error == 0;
}

bool scn_results_have_run(const struct scn_results *results) {
    for (size_t i = 0; i < results->count; i++)
        if (results->cases[i].verdict != SIM_VERDICT_USAGE)
            return true;
    return false;
}

int scn_say_error(const struct scn_options *options, bool has_run, int exit_code) {
    static const char text[] = "not all that was asked for was done, as said on standard error";

    if (exit_code != SIM_VERDICT_USAGE || !has_run)
        return exit_code;
    fflush(stdout);
    if (options->json)
        fprintf(stderr, "ndksim: %s: exit %d\n", text, exit_code);
    else
        printf("error: %s: exit %d\n", text, exit_code);
    return exit_code;
}

bool scn_output_has_reader(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};

    if (sim_host_is_unread())
        return false;
    return poll(&output, 1, 0) != 1 || (output.revents & (POLLERR | POLLHUP)) == 0;
}

bool scn_output_flush(void) {
    bool is_written;

    errno = 0;
    is_written = fflush(stdout) == 0 && ferror(stdout) == 0;
    if (sim_host_is_unread())
        (void)raise(SIGPIPE);
    if (is_written)
        return true;
    /* While workers ran, the signal was ignored; who ignores it for good wants to be told. */
    if (errno == EPIPE || !scn_output_has_reader())
        (void)raise(SIGPIPE);
    scn_complain("standard output: could not be written whole: %s",
                 strerror(errno != 0 ? errno : EIO));
    return false;
}

static const char *limit_of(int error) {
    return error == EMFILE ? " (ulimit -n)" : error == EAGAIN ? " (ulimit -u)" : "";
}

bool scn_workers_check(const struct sim_workers *workers) {
    if (workers->killed_count > 0)
        fprintf(
            stderr,
            "ndksim: worker processes were killed from outside, %u time%s; their runs were done "
            "again\n",
            workers->killed_count, scn_plural(workers->killed_count));
    if (workers->has_given_up)
        scn_complain("run %llu: its worker was killed %u times in a row: given up (no memory?)",
                     (unsigned long long)workers->given_up, SIM_WORKER_KILLS_MAX);
    if (workers->error != 0)
        scn_complain(
            "%u of %u worker processes could be started%s: %s%s", workers->started, workers->jobs,
            workers->has_starved && workers->started > 0 ? ", and none in the place of the last"
                                                         : "",
            strerror(workers->error), limit_of(workers->error));
    return !workers->has_starved && !workers->has_given_up;
}
