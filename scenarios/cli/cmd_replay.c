/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim replay`: runs a record again. The exit code is the recorded one when the same failure
 * came again; 7 when it did not; 5 when the same build gave another digest.
 */
#include <sim/host.h>
#include <string.h>

#include "cli/session.h"
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

static void say_unused(const struct scn_record *record) {
    for (size_t i = 0; i < record->deviation_count; i++) {
        const struct sim_deviation *one = &record->deviations[i];

        if (!one->used)
            printf("skipped  decision %zu: %s%s%s of %s, number %u, takes \"%s\": it does not "
                   "come up any more\n",
                   i + 1, sim_choice_kind_name(one->kind), one->topic[0] != '\0' ? " " : "",
                   one->topic, one->subject, one->ordinal, one->label);
    }
}

static int judge(const struct scn_record *record, bool same_build,
                 const struct scn_outcome *outcome) {
    if (outcome->verdict == SIM_VERDICT_INTERRUPTED || outcome->until_reached)
        return (int)outcome->verdict;
    if ((uint32_t)outcome->verdict != record->exit_code ||
        outcome->signature != record->signature) {
        printf("the recorded failure did not recur: recorded exit %u (%s), now exit %d\n",
               record->exit_code, record->sentence, (int)outcome->verdict);
        return SIM_VERDICT_GONE;
    }
    if (same_build && outcome->digest != record->digest) {
        printf("the same build gave another digest: recorded %016llx, now %016llx\n",
               (unsigned long long)record->digest, (unsigned long long)outcome->digest);
        return SIM_VERDICT_DIFFERED;
    }
    return (int)outcome->verdict;
}

static int replay(const struct scn_options *options, struct scn_record *record,
                  struct scn_scenario *scenario) {
    struct scn_run_options run_options = {
        .seed = record->seed,
        .until_ns = options->until_ns,
        .is_exploring = record->is_exploring,
        .keep_going = options->keep_going,
        .special_pool = record->special_pool || options->special_pool,
    };
    struct scn_options changed = *options;
    struct scn_session session;
    struct scn_outcome outcome;
    bool same_build, is_whole;
    int exit_code;

    changed.special_pool = run_options.special_pool;
    if (!scn_session_open(&session, &changed, scenario))
        return SIM_VERDICT_USAGE;
    same_build = scn_record_same_build(record, session.machine) && options->set_count == 0 &&
                 options->driver_count == 0;
    run_options.chooser = sim_chooser_recorded_create(record->deviations, record->deviation_count);
    if (!scn_session_watch(&session, record->seed, "")) {
        scn_session_close(&session);
        return SIM_VERDICT_USAGE;
    }
    scn_session_run(&session, &run_options, &outcome);
    is_whole = scn_session_unwatch(&session);
    if (options->json)
        scn_report_json(stdout, session.machine, record->seed, &outcome);
    else
        scn_report_run(stdout, session.machine, &outcome);
    say_unused(record);
    exit_code = judge(record, same_build, &outcome);
    if (!options->json)
        scn_report_line(stdout, scenario, record->seed, &outcome);
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
