/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim replay`: runs a record again. The exit code is the recorded one when the same failure
 * came again; 7 when it did not; 5 when the same build gave another digest. With --seed, the
 * recorded decisions do not count: the exit code is the run's. With --bisect it is what `git bisect
 * run` asks: 1 when the failure is there, 0 when it is gone, 125 when that cannot be told.
 */
#include <sim/host.h>
#include <string.h>

#include "cli/debugger.h"
#include "cli/rerun.h"
#include "cli/results.h"
#include "parse/complain.h"
#include "report/annotate.h"
#include "report/details.h"

#define BISECT_GOOD 0
#define BISECT_BAD 1
#define BISECT_SKIP 125

/* The exit code; `text` says what is wrong when it is not the run's own. */
static int judge(const struct scn_record *record, const struct scn_rerun *rerun,
                 const struct scn_outcome *outcome, char *text, size_t size) {
    bool same_build = scn_rerun_is_same_build(rerun);

    if (outcome->verdict == SIM_VERDICT_INTERRUPTED ||
        (outcome->until_reached && rerun->options.until_ns != record->until_ns))
        return (int)outcome->verdict;
    if (!scn_rerun_recurs(record, outcome)) {
        snprintf(text, size,
                 "the recorded failure did not recur: recorded exit %u (%s), now exit %d",
                 record->exit_code, record->sentence, (int)outcome->verdict);
        return SIM_VERDICT_GONE;
    }
    if (same_build && outcome->digest != record->digest) {
        snprintf(text, size, "the same build gave another digest: recorded %016llx, now %016llx",
                 (unsigned long long)record->digest, (unsigned long long)outcome->digest);
        return SIM_VERDICT_DIFFERED;
    }
    return (int)outcome->verdict;
}

/* --seed: the recorded scenario, drivers and way of running, with other draws. */
static struct sim_chooser *chooser_of(const struct scn_rerun *rerun) {
    if (!rerun->options.has_seed)
        return scn_rerun_recorded(rerun);
    return rerun->record->is_exploring ? scn_session_random(rerun->session.scenario) : NULL;
}

/* The rest of what is said, with the exit code. */
static int conclude(const struct scn_rerun *rerun, const struct scn_outcome *outcome,
                    struct scn_junit_case *one) {
    const struct scn_session *session = &rerun->session;
    const struct scn_options *options = &rerun->options;
    FILE *notes = options->json ? stderr : stdout;
    int exit_code = (int)outcome->verdict;
    char text[1024] = "";

    if (!options->has_seed) {
        exit_code = judge(rerun->record, rerun, outcome, text, sizeof(text));
        scn_rerun_say_unused(notes, rerun->record, rerun->run.until_ns);
    }
    if (text[0] != '\0')
        fprintf(notes, "%s\n", text);
    if (!options->json && options->verbosity > 1)
        scn_report_details(stdout, session->machine, outcome);
    if (!options->json)
        scn_report_line(stdout, session->scenario, rerun->run.seed, outcome);
    scn_case_name(session->scenario, 0, 1, one->name, sizeof(one->name));
    one->verdict = (enum sim_verdict)exit_code;
    scn_note_cut(session->machine, outcome, one);
    if (text[0] != '\0')
        snprintf(one->text, sizeof(one->text), "%s", text);
    else
        scn_note_failure(session->machine, outcome, one);
    return exit_code;
}

static int replay(struct scn_rerun *rerun, struct scn_outcome *outcome) {
    const struct scn_options *options = &rerun->options;
    struct scn_session *session = &rerun->session;
    struct scn_results results = {0};
    struct scn_junit_case one = {.name = ""};
    const struct scn_telling *telling;
    char command[4200];
    bool is_whole;
    int exit_code;

    if (!scn_session_watch(session, rerun->run.seed, "", options->verbosity > 0 && !options->json))
        return SIM_VERDICT_USAGE;
    scn_session_remember(session, SCN_CHRONICLE_SHORT);
    scn_session_run(session, &rerun->run, outcome);
    telling = scn_rerun_tell(rerun);
    is_whole = scn_session_unwatch(session);
    snprintf(command, sizeof(command), "ndksim replay %s", options->operands[0]);
    if (options->json)
        scn_report_json(stdout, session->machine, telling, rerun->run.seed, outcome, command);
    else
        scn_report_run(stdout, session->machine, telling, outcome);
    if (options->annotate != NULL)
        scn_annotate_run(options->json ? stderr : stdout, session->machine, outcome);
    exit_code = conclude(rerun, outcome, &one);
    scn_results_add(&results, &one);
    is_whole = scn_results_end(&results, options) && is_whole;
    return scn_say_error(options, true, is_whole ? exit_code : SIM_VERDICT_USAGE);
}

/* 125: another failure came before this one could, or the run has not come to its end. */
static int bisect_code(int exit_code, const struct scn_outcome *outcome) {
    if (exit_code == SIM_VERDICT_USAGE || exit_code >= SIM_VERDICT_INTERRUPTED)
        return BISECT_SKIP;
    if (outcome->verdict != SIM_VERDICT_HELD)
        return exit_code == SIM_VERDICT_GONE ? BISECT_SKIP : BISECT_BAD;
    if (exit_code != SIM_VERDICT_HELD || !outcome->until_reached)
        return BISECT_GOOD;
    scn_complain("--bisect: --until ends the run before it can be told: exit 125");
    return BISECT_SKIP;
}

int scn_command_replay(const struct scn_options *options) {
    static struct scn_rerun rerun;
    static struct scn_outcome outcome;
    int exit_code;

    if (options->debug)
        return scn_debugger_become(options, "sim_find");
    scn_session_host();
    if (!scn_rerun_open(&rerun, options, options->operands[0]))
        return options->bisect ? BISECT_SKIP : SIM_VERDICT_USAGE;
    rerun.run.chooser = chooser_of(&rerun);
    exit_code = replay(&rerun, &outcome);
    scn_rerun_close(&rerun);
    sim_chooser_destroy(rerun.run.chooser); /* the world has ended with it */
    return options->bisect ? bisect_code(exit_code, &outcome) : exit_code;
}
