/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim replay`: runs a record again. The exit code is the recorded one when the same failure
 * came again; 7 when it did not; 5 when the same build gave another digest. With --seed, the
 * recorded decisions do not count: the exit code is the run's.
 */
#include <sim/host.h>
#include <string.h>

#include "cli/results.h"
#include "cli/session.h"
#include "report/details.h"
#include "report/record.h"

/* The record's scenario as a document of its own, with --set changes. */
static struct scn_scenario *scenario_of(const struct scn_record *record,
                                        const struct scn_options *options,
                                        struct scn_diagnostics *diagnostics) {
    struct scn_document *document =
        scn_document_parse(record->document->file, "{}", 2, diagnostics);

    document->root = scn_value_copy(document, record->scenario);
    if (!scn_merge_overrides(document, options->sets, options->set_count, diagnostics)) {
        scn_document_free(document);
        return NULL;
    }
    return scn_scenario_build(document, record->scenario_file, diagnostics);
}

static void say_unused(FILE *stream, const struct scn_record *record) {
    for (size_t i = 0; i < record->deviation_count; i++) {
        const struct sim_deviation *one = &record->deviations[i];

        if (!one->used)
            fprintf(stream,
                    "skipped  decision %zu: %s%s%s of %s, number %u, takes \"%s\": it does not "
                    "come up any more\n",
                    i + 1, sim_choice_kind_name(one->kind), one->topic[0] != '\0' ? " " : "",
                    one->topic, one->subject, one->ordinal, one->label);
    }
}

/* The exit code; `text` says what is wrong when it is not the run's own. */
static int judge(const struct scn_record *record, bool same_build,
                 const struct scn_outcome *outcome, char *text, size_t size) {
    if (outcome->verdict == SIM_VERDICT_INTERRUPTED || outcome->until_reached)
        return (int)outcome->verdict;
    if ((uint32_t)outcome->verdict != record->exit_code ||
        outcome->signature != record->signature) {
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
static struct sim_chooser *chooser_of(const struct scn_record *record,
                                      const struct scn_options *options,
                                      const struct scn_scenario *scenario) {
    if (!options->has_seed)
        return sim_chooser_recorded_create(record->deviations, record->deviation_count);
    return record->is_exploring ? scn_session_random(scenario) : NULL;
}

/* The rest of what is said, with the exit code. */
static int conclude(const struct scn_session *session, const struct scn_record *record,
                    uint64_t seed, const struct scn_outcome *outcome, struct scn_junit_case *one) {
    const struct scn_options *options = session->options;
    bool same_build = scn_record_same_build(record, session->machine) && options->set_count == 0 &&
                      (options->check_steps == 0 || options->check_steps == record->check_steps) &&
                      options->driver_count == 0;
    FILE *notes = options->json ? stderr : stdout;
    int exit_code = (int)outcome->verdict;
    char text[1024] = "";

    if (!options->has_seed) {
        exit_code = judge(record, same_build, outcome, text, sizeof(text));
        say_unused(notes, record);
    }
    if (text[0] != '\0')
        fprintf(notes, "%s\n", text);
    if (!options->json && options->verbosity > 1)
        scn_report_details(stdout, session->machine, outcome);
    if (!options->json)
        scn_report_line(stdout, session->scenario, seed, outcome);
    scn_case_name(session->scenario, 0, 1, one->name, sizeof(one->name));
    one->verdict = (enum sim_verdict)exit_code;
    snprintf(one->text, sizeof(one->text), "%s", text[0] != '\0' ? text : outcome->reason);
    return exit_code;
}

static int replay(const struct scn_options *options, struct scn_record *record,
                  struct scn_scenario *scenario) {
    struct scn_run_options run_options = {
        .seed = options->has_seed ? options->seed : record->seed,
        .until_ns = options->until_ns,
        .check_steps = options->check_steps != 0 ? options->check_steps : record->check_steps,
        .is_exploring = record->is_exploring,
        .keep_going = options->keep_going,
        .special_pool = record->special_pool || options->special_pool,
    };
    struct scn_results results = {NULL, 0, 0};
    struct scn_junit_case one = {.name = ""};
    struct scn_options changed = *options;
    struct scn_session session;
    struct scn_outcome outcome;
    char command[4200];
    bool is_whole;
    int exit_code;

    changed.special_pool = run_options.special_pool;
    if (!scn_session_open(&session, &changed, scenario))
        return SIM_VERDICT_USAGE;
    run_options.chooser = chooser_of(record, options, scenario);
    if (!scn_session_watch(&session, run_options.seed, "",
                           options->verbosity > 0 && !options->json)) {
        scn_session_close(&session);
        return SIM_VERDICT_USAGE;
    }
    scn_session_run(&session, &run_options, &outcome);
    is_whole = scn_session_unwatch(&session);
    snprintf(command, sizeof(command), "ndksim replay %s", options->operands[0]);
    if (options->json)
        scn_report_json(stdout, session.machine, run_options.seed, &outcome, command);
    else
        scn_report_run(stdout, session.machine, &outcome);
    exit_code = conclude(&session, record, run_options.seed, &outcome, &one);
    scn_results_add(&results, &one);
    is_whole = scn_results_end(&results, options) && is_whole;
    scn_session_close(&session);
    sim_chooser_destroy(run_options.chooser);
    return is_whole ? exit_code : SIM_VERDICT_USAGE;
}

int scn_command_replay(const struct scn_options *options) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario = NULL;
    struct scn_record *record;
    int exit_code = SIM_VERDICT_USAGE;

    scn_session_host();
    scn_diagnostics_init(&diagnostics);
    record = scn_record_read(options->operands[0], &diagnostics);
    if (record != NULL)
        scenario = scenario_of(record, options, &diagnostics);
    if (scenario != NULL)
        scn_record_use_modules(record, scenario);
    if (scenario != NULL)
        exit_code = replay(options, record, scenario);
    else
        scn_print_diagnostics(&diagnostics);
    scn_record_free(record);
    return exit_code;
}
