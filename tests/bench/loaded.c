/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded.h"

#include <stdio.h>
#include <stdlib.h>

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

void loaded_open(struct loaded *loaded, const char *file, const char *drivers,
                 const struct scn_override *overrides, size_t override_count) {
    static struct scn_diagnostics diagnostics;
    const struct scn_machine_options options = {.module_dir = drivers};

    *loaded = (struct loaded){0};
    scn_diagnostics_init(&diagnostics);
    loaded->scenario = scn_scenario_load(file, overrides, override_count, 0, NULL, &diagnostics);
    if (loaded->scenario != NULL) {
        loaded->machine = scn_machine_create(loaded->scenario, &options, &diagnostics);
    }
    scn_diagnostics_print(&diagnostics, print_line, NULL);
    if (loaded->machine == NULL) {
        exit(2);
    }
}

void loaded_run(struct loaded *loaded, const struct scn_run_options *options,
                struct scn_outcome *outcome) {
    scn_run(loaded->machine, options, outcome);
    if (outcome->verdict != SIM_VERDICT_HELD ||
        (loaded->digest != 0 && loaded->digest != outcome->digest)) {
        fprintf(stderr, "%s: %s %s, digest %016llx\n", loaded->scenario->file,
                sim_verdict_name(outcome->verdict), outcome->reason,
                (unsigned long long)outcome->digest);
        exit(1);
    }
    loaded->digest = outcome->digest;
}

void loaded_close(struct loaded *loaded) {
    scn_machine_destroy(loaded->machine);
    scn_scenario_free(loaded->scenario);
}
