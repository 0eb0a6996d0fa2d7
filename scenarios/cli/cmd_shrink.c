/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim shrink`: a recorded failure with as few decisions, and as small a scenario, as it still
 * happens with. What is written is a record like any other, whose decisions have words. See
 * shrink.h and shrink_cut.h for how; here is what is said and written.
 */
#include <errno.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/shrink.h"
#include "cli/shrink_cut.h"
#include "parse/complain.h"
#include "report/plural.h"

#define TRIALS_DEFAULT 20000u

/* "dir/a.ndkrun" gives "dir/a-small.ndkrun". */
static void path_of(const struct scn_options *options, char *path, size_t size) {
    if (options->output_file != NULL)
        snprintf(path, size, "%s", options->output_file);
    else
        scn_suffixed(options->operands[0], "-small", path, size);
}

static char **others_of(struct scn_shrink *shrink) {
    char **others = calloc(shrink->list.count + 1, sizeof(*others));
    size_t count = 0;

    SIM_ASSERT(others != NULL);
    for (size_t i = 0; i < shrink->list.count; i++) {
        char text[SCN_OTHER_BYTES] = "";

        if (shrink->is_in[i] == 0)
            continue;
        if (!sim_host_interrupted() && scn_shrink_size(shrink) <= SCN_STORY_DECISIONS)
            scn_shrink_without(shrink, i, text, sizeof(text));
        others[count] = strdup(text);
        SIM_ASSERT(others[count] != NULL);
        count++;
    }
    return others;
}

static void free_others(char **others) {
    for (size_t i = 0; others[i] != NULL; i++)
        free(others[i]);
    free(others);
}

static void say_decisions(FILE *stream, const struct scn_telling *telling) {
    char time[SCN_TIME_TEXT_BYTES];

    if (telling->decision_count > SCN_STORY_DECISIONS)
        return;
    for (size_t i = 0; i < telling->decision_count; i++) {
        const struct scn_decision *one = &telling->decisions[i];

        fprintf(stream, "%-8s %zu. %s %s%s%s%s\n", i == 0 ? "because" : "", i + 1,
                scn_time_text(one->deviation->time_ns, time, sizeof(time)), one->words,
                one->other[0] != '\0' ? " (other order: " : "", one->other,
                one->other[0] != '\0' ? ")" : "");
    }
    if (telling->decision_count == 0)
        fputs("because  nothing: it happens when nothing is decided otherwise\n", stream);
}

struct sizes {
    size_t decisions;
    uint32_t drivers;
    uint32_t faults;
    uint32_t steps;
};

static struct sizes sizes_of(const struct scn_scenario *scenario, size_t decisions) {
    return (struct sizes){decisions, scenario->driver_count, scenario->fault_count,
                          scenario->step_count};
}

static void say_cut(FILE *stream, const char *what, uint32_t before, uint32_t after) {
    if (before != after)
        fprintf(stream, ", %u of %u %s%s", after, before, what, scn_plural(before));
}

static void say_end(FILE *stream, const struct scn_shrink *shrink, const struct sizes *before,
                    const struct sizes *after, const struct scn_cuts *cuts, const char *path) {
    fprintf(stream, "shrunk   %zu of %zu decision%s", after->decisions, before->decisions,
            scn_plural(before->decisions));
    say_cut(stream, "driver", before->drivers, after->drivers);
    say_cut(stream, "fault", before->faults, after->faults);
    say_cut(stream, "step", before->steps, after->steps);
    if (cuts->made > 0)
        fprintf(stream, ", %u cut%s in the scenario", cuts->made, scn_plural(cuts->made));
    fprintf(stream, "; %llu trial%s%s\n", (unsigned long long)shrink->aim->trials,
            scn_plural(shrink->aim->trials),
            sim_host_interrupted()            ? "; interrupted: the best so far"
            : scn_shrink_is_over(shrink->aim) ? "; stopped at the limit: the best so far"
                                              : "");
    fprintf(stream, "replay   ndksim replay %s\n", path);
}

/* The last run, in this process: it is told and recorded. */
static int conclude(struct scn_rerun *rerun, struct scn_shrink *shrink, const struct sizes *before,
                    const struct scn_cuts *cuts) {
    struct scn_session *session = shrink->session;
    const struct scn_options *options = &rerun->options;
    char **others = others_of(shrink), path[4096], command[4200];
    const struct sizes after = sizes_of(session->scenario, scn_shrink_size(shrink));
    const struct scn_telling *telling;
    struct scn_outcome outcome;
    bool is_whole;
    int error;

    scn_session_remember(session, SCN_CHRONICLE_LONG);
    is_whole = scn_session_watch(session, shrink->run.seed, "", false);
    scn_shrink_last_run(shrink, &outcome);
    is_whole = scn_session_unwatch(session) && is_whole;
    telling = scn_session_tell(session, (const char *const *)others);
    free_others(others);
    path_of(options, path, sizeof(path));
    shrink->run.check_steps = rerun->record->check_steps;
    error = scn_record_write_told(path, session->machine, &shrink->run, &outcome, "shrink",
                                  telling->decisions);
    snprintf(command, sizeof(command), "ndksim replay %s", path);
    if (options->json) {
        scn_report_json(stdout, session->machine, telling, shrink->run.seed, &outcome, command);
    } else {
        if (options->verbosity > 0)
            scn_report_run(stdout, session->machine, telling, &outcome);
        say_decisions(stdout, telling);
        say_end(stdout, shrink, before, &after, cuts, path);
        scn_report_line(stdout, session->scenario, shrink->run.seed, &outcome);
    }
    if (error != 0) {
        scn_complain("-o %s: %s", path, strerror(error));
        return SIM_VERDICT_USAGE;
    }
    if (!is_whole)
        return SIM_VERDICT_USAGE;
    return sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : SIM_VERDICT_HELD;
}

static int shrink_record(struct scn_rerun *rerun) {
    const struct scn_options *options = &rerun->options;
    const struct scn_record *record = rerun->record;
    struct scn_shrink_aim aim = {
        .exit_code = record->exit_code,
        .signature = record->signature,
        .trials_max = options->runs > 0 ? options->runs : TRIALS_DEFAULT,
        .stop_wall_ns = options->time_ns > 0 ? sim_host_wall_ns() + options->time_ns : 0,
    };
    const struct sizes before = sizes_of(rerun->session.scenario, record->deviation_count);
    struct scn_cuts cuts = {0, 0};
    struct scn_shrink shrink;
    int exit_code;

    rerun->run.check_steps = 0; /* invariants of ours are not what is looked for */
    if (!scn_shrink_begin(&shrink, &aim, &rerun->session, &rerun->run, record->deviations,
                          record->deviation_count)) {
        scn_complain("%s: the recorded failure did not recur (%s); nothing to shrink",
                     options->operands[0], record->sentence);
        return sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : SIM_VERDICT_GONE;
    }
    scn_shrink_decisions(&shrink);
    if (!scn_shrink_cut(rerun, &shrink, &cuts))
        return sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : SIM_VERDICT_INTERNAL;
    if (cuts.made > 0)
        scn_shrink_decisions(&shrink);
    exit_code = conclude(rerun, &shrink, &before, &cuts);
    scn_session_close(&rerun->session);
    scn_shrink_end(&shrink);
    return exit_code;
}

int scn_command_shrink(const struct scn_options *options) {
    static struct scn_rerun rerun;
    int exit_code;

    scn_session_host();
    if (!scn_rerun_open(&rerun, options, options->operands[0]))
        return SIM_VERDICT_USAGE;
    if (rerun.record->exit_code == SIM_VERDICT_HELD) {
        scn_complain("%s: the recorded run held: there is no failure to shrink",
                     options->operands[0]);
        exit_code = SIM_VERDICT_USAGE;
    } else {
        exit_code = shrink_record(&rerun);
    }
    scn_rerun_close(&rerun);
    return exit_code;
}
