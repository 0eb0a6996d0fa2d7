/* SPDX-License-Identifier: Apache-2.0 */
/* See rerun.h. */
#include "cli/rerun.h"
#include "parse/complain.h"

#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

struct scn_scenario *scn_rerun_scenario(const struct scn_record *record,
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

static void fill_run(struct scn_rerun *rerun) {
    const struct scn_options *options = &rerun->options;
    const struct scn_record *record = rerun->record;

    rerun->run = (struct scn_run_options){
        .seed = options->has_seed ? options->seed : record->seed,
        .until_ns = options->until_ns,
        .check_steps = options->check_steps != 0 ? options->check_steps : record->check_steps,
        .is_exploring = record->is_exploring,
        .keep_going = options->keep_going,
        .special_pool = options->special_pool,
    };
}

/* What the record was made with, and what the command line says instead or besides. */
static bool take_options(struct scn_rerun *rerun) {
    const struct scn_record *record = rerun->record;
    struct scn_options *options = &rerun->options;

    options->special_pool = options->special_pool || record->special_pool;
    options->keep_going = options->keep_going || record->keep_going;
    if (options->until_ns == SIM_TIME_NEVER)
        options->until_ns = record->until_ns;
    if (options->blame == NULL)
        options->blame = record->blame;
    if (options->rule_count + record->rule_count > SCN_OPTION_LIST_MAX) {
        scn_complain("--rule: %u more in the record; at most %u", record->rule_count,
                     SCN_OPTION_LIST_MAX);
        return false;
    }
    /* The later ones win: those of the command line. */
    memmove(options->rules + record->rule_count, options->rules,
            options->rule_count * sizeof(options->rules[0]));
    for (uint32_t i = 0; i < record->rule_count; i++)
        options->rules[i] = record->rules[i];
    options->rule_count += record->rule_count;
    return true;
}

static bool is_replayable(const struct scn_rerun *rerun, const char *file) {
    const struct scn_record_module *module =
        scn_record_foreign(rerun->record, rerun->session.machine);

    if (module != NULL)
        scn_complain(
            "%s: recorded with an instrumented build of %s (%s, build %s) that is no "
            "longer there: decisions at loads and stores hold for that build only; fuzz again",
            file, module->name, module->module, module->build_id);
    return module == NULL;
}

bool scn_rerun_open(struct scn_rerun *rerun, const struct scn_options *options, const char *file) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario = NULL;

    memset(rerun, 0, sizeof(*rerun));
    scn_diagnostics_init(&diagnostics);
    rerun->options = *options;
    rerun->record = scn_record_read(file, &diagnostics);
    if (rerun->record != NULL)
        scenario = scn_rerun_scenario(rerun->record, options, &diagnostics);
    if (scenario == NULL) {
        scn_print_diagnostics(&diagnostics);
        scn_record_free(rerun->record);
        return false;
    }
    if (!take_options(rerun)) {
        scn_scenario_free(scenario);
        scn_record_free(rerun->record);
        return false;
    }
    scn_record_use_modules(rerun->record, scenario);
    if (!scn_session_open(&rerun->session, &rerun->options, scenario)) {
        scn_record_free(rerun->record);
        return false;
    }
    if (!options->has_seed && !is_replayable(rerun, file)) {
        scn_rerun_close(rerun);
        return false;
    }
    fill_run(rerun);
    return true;
}

void scn_rerun_close(struct scn_rerun *rerun) {
    scn_session_close(&rerun->session);
    scn_record_free(rerun->record);
}

struct sim_chooser *scn_rerun_recorded(const struct scn_rerun *rerun) {
    return sim_chooser_recorded_create(rerun->record->deviations, rerun->record->deviation_count);
}

bool scn_rerun_recurs(const struct scn_record *record, const struct scn_outcome *outcome) {
    return (uint32_t)outcome->verdict == record->exit_code && outcome->kind == record->kind;
}

bool scn_rerun_is_same_build(const struct scn_rerun *rerun) {
    const struct scn_options *options = &rerun->options;

    return scn_record_same_build(rerun->record, rerun->session.machine) &&
           options->set_count == 0 && options->driver_count == 0 && options->device_count == 0 &&
           options->rule_count == rerun->record->rule_count &&
           options->blame == rerun->record->blame &&
           options->keep_going == rerun->record->keep_going &&
           options->until_ns == rerun->record->until_ns &&
           (options->check_steps == 0 || options->check_steps == rerun->record->check_steps);
}

const struct scn_telling *scn_rerun_tell(struct scn_rerun *rerun) {
    const struct scn_record *record = rerun->record;
    const char **others = calloc(record->deviation_count + 1, sizeof(*others));
    const struct scn_telling *telling;
    size_t count, used = 0;

    SIM_ASSERT(others != NULL);
    sim_deviations(rerun->session.machine->world, &count);
    for (size_t i = 0; i < record->deviation_count; i++)
        if (record->deviations[i].used)
            others[used++] = record->others[i];
    telling = scn_session_tell(&rerun->session, used == count ? others : NULL);
    free(others);
    return telling;
}

void scn_rerun_say_unused(FILE *stream, const struct scn_record *record, uint64_t until_ns) {
    char text[512];

    for (size_t i = 0; i < record->deviation_count; i++)
        if (!record->deviations[i].used && record->deviations[i].time_ns < until_ns)
            fprintf(stream, "skipped  decision %zu: %s: it does not come up any more\n", i + 1,
                    scn_deviation_text(&record->deviations[i], text, sizeof(text)));
}

struct to_report {
    const struct scn_options *options;
    const char *file;
};

static void report(void *context, void *memory) {
    const struct to_report *to_report = context;
    struct scn_options options = *to_report->options;
    static struct scn_rerun rerun;
    struct scn_outcome outcome;

    (void)memory;
    options.set_count = 0;
    options.driver_count = 0;
    options.device_count = 0;
    options.has_seed = false;
    options.coverage_file = NULL;
    /* What this process was forked with makes room: there is one world at a time. */
    sim_world_destroy(sim_world_active());
    if (!scn_rerun_open(&rerun, &options, to_report->file))
        return;
    rerun.run.chooser = scn_rerun_recorded(&rerun);
    scn_session_remember(&rerun.session, SCN_CHRONICLE_SHORT);
    scn_session_run(&rerun.session, &rerun.run, &outcome);
    scn_report_run(stdout, rerun.session.machine, scn_rerun_tell(&rerun), &outcome);
}

void scn_rerun_report(const struct scn_options *options, const char *file) {
    struct to_report to_report = {options, file};
    char death[64], nothing = 0;

    if (sim_host_apart(report, &to_report, &nothing, sizeof(nothing), death, sizeof(death)) !=
        SIM_HOST_APART_DONE)
        scn_complain("%s: its report: %s", file, death);
}
