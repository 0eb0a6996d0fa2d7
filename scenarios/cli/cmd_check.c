/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim check`: everything that can be said of a scenario without running it. Each cell is loaded
 * and its world is built up to the snapshot, so that modules, fault points and rules are checked
 * too.
 */
#include <sim/host.h>

#include "cli/results.h"
#include "cli/session.h"
#include "report/details.h"

static struct scn_diagnostics diagnostics;

static bool build(const struct scn_options *options, struct scn_scenario *scenario,
                  struct scn_session *session) {
    if (!options->json)
        return scn_session_open(session, options, scenario);
    if (scn_session_build(session, options, scenario, &diagnostics))
        return true;
    scn_print_diagnostics(&diagnostics);
    return false;
}

static bool check_cell(const struct scn_options *options, const char *file, uint32_t cell,
                       uint32_t *cell_count) {
    struct scn_scenario *scenario;
    struct scn_session session;
    bool is_good;

    scn_diagnostics_init(&diagnostics);
    scenario =
        scn_scenario_load(file, options->sets, options->set_count, cell, cell_count, &diagnostics);
    if (scenario == NULL) {
        scn_print_diagnostics(&diagnostics);
        return false;
    }
    if (!build(options, scenario, &session))
        return false;
    is_good = !session.machine->was_interrupted;
    if (is_good && options->verbosity > 1 && !options->json)
        scn_report_cast(stdout, session.machine);
    scn_session_close(&session);
    return is_good;
}

static void print_json(const char *file, bool is_good) {
    printf("{\n  \"scenario\": ");
    scn_json_string(stdout, file);
    printf(", \"good\": %s, \"exit\": %d,\n  \"errors\": [", is_good ? "true" : "false",
           is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE);
    for (uint32_t i = 0; !is_good && i < diagnostics.count; i++) {
        const struct scn_diagnostic *one = &diagnostics.entries[i];

        printf("%s\n    {\"file\": ", i > 0 ? "," : "");
        scn_json_string(stdout, one->file);
        printf(", \"line\": %u, \"column\": %u, \"path\": ", one->line, one->column);
        scn_json_string(stdout, one->path);
        fputs(", \"text\": ", stdout);
        scn_json_string(stdout, one->text);
        fputc('}', stdout);
    }
    printf("],\n  \"errors_not_shown\": %u\n}\n", is_good ? 0 : diagnostics.dropped);
}

static bool check_file(const struct scn_options *options, const char *file) {
    uint32_t cell_count = 1;
    bool is_good = true;

    for (uint32_t cell = 0; is_good && cell < cell_count; cell++)
        is_good = check_cell(options, file, cell, &cell_count);
    if (options->json)
        print_json(file, is_good);
    else if (is_good && options->verbosity > 0)
        printf("%s: good%s\n", scn_shown(file), cell_count > 1 ? ", every cell" : "");
    return is_good;
}

int scn_command_check(const struct scn_options *options) {
    struct scn_results results = {.is_array = options->operand_count > 1};
    bool is_good = true;

    scn_session_host();
    for (uint32_t i = 0; i < options->operand_count && !sim_host_interrupted(); i++) {
        if (options->json)
            fputs(scn_results_json_next(&results), stdout);
        is_good = check_file(options, options->operands[i]) && is_good;
    }
    scn_results_json_end(&results, options);
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}
