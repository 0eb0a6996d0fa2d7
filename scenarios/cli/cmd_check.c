/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim check`: everything that can be said of a scenario without running it. Each cell is loaded
 * and its world is built up to the snapshot, so that modules, fault points and rules are checked
 * too.
 */
#include <sim/host.h>

#include "cli/session.h"
#include "report/details.h"

static bool check_file(const struct scn_options *options, const char *file) {
    static struct scn_diagnostics diagnostics;
    uint32_t cell_count = 1, cell = 0;

    for (; cell < cell_count; cell++) {
        struct scn_scenario *scenario;
        struct scn_session session;

        scn_diagnostics_init(&diagnostics);
        scenario = scn_scenario_load(file, options->sets, options->set_count, cell, &cell_count,
                                     &diagnostics);
        if (scenario == NULL) {
            scn_print_diagnostics(&diagnostics);
            return false;
        }
        if (!scn_session_open(&session, options, scenario))
            return false;
        if (session.machine->was_interrupted) {
            scn_session_close(&session);
            return false;
        }
        if (options->verbosity > 1)
            scn_report_cast(stdout, session.machine);
        scn_session_close(&session);
    }
    if (options->verbosity > 0)
        printf("%s: good%s\n", scn_shown(file), cell_count > 1 ? ", every cell" : "");
    return true;
}

int scn_command_check(const struct scn_options *options) {
    bool is_good = true;

    scn_session_host();
    for (uint32_t i = 0; i < options->operand_count && !sim_host_interrupted(); i++)
        is_good = check_file(options, options->operands[i]) && is_good;
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}
