/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that an idle connected pair takes: two ndkping drivers hold a few connections, then many
 * (idle.json); the difference of the regions' high-water marks over the difference in number. Both
 * ends, consumers and their message buffers included; each end has a PD, a CQ, a QP of depth 8, an
 * MR, a connector. The lines behind say whose memory that is.
 *
 *     bench_idle SCENARIO DRIVER_DIR
 */
#include <stdio.h>
#include <stdlib.h>

#include <sim/memory.h>

#include "memory_table.h"
#include "run/outcome.h"

#define FEW 16u
#define MANY 112u

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

/* Region bytes used once `count` connections are up. */
static void measure(const char *file, const char *drivers, unsigned count,
                    uint64_t used[SIM_REGION_COUNT], struct memory_table *table) {
    static struct scn_diagnostics diagnostics;
    const struct scn_machine_options options = {.module_dir = drivers};
    struct scn_run_options run = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    char text[64];
    const struct scn_override hold = {text};
    struct scn_outcome outcome;
    struct scn_scenario *scenario;
    struct scn_machine *machine = NULL;

    snprintf(text, sizeof(text), "nodes.client.drivers[0].registry.Hold=%u", count);
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(file, &hold, 1, 0, NULL, &diagnostics);
    if (scenario != NULL) {
        machine = scn_machine_create(scenario, &options, &diagnostics);
    }
    scn_diagnostics_print(&diagnostics, print_line, NULL);
    if (machine == NULL) {
        exit(2);
    }
    scn_run(machine, &run, &outcome);
    if (outcome.verdict != SIM_VERDICT_HELD) {
        fprintf(stderr, "%u connections: %s %s\n", count, sim_verdict_name(outcome.verdict),
                outcome.reason);
        exit(1);
    }
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        used[i] = sim_region_used_bytes(machine->world, (enum sim_region_id)i);
    }
    memory_table_take(table, machine);
    scn_machine_destroy(machine);
    scn_scenario_free(scenario);
}

int main(int count, char **words) {
    static const char *const names[SIM_REGION_COUNT] = {
        [SIM_REGION_PRIVATE] = "private",
        [SIM_REGION_DRIVER] = "driver",
        [SIM_REGION_BULK] = "bulk",
    };
    const char *file = count > 1 ? words[1] : IDLE_JSON;
    const char *drivers = count > 2 ? words[2] : DRIVER_DIR;
    static struct memory_table few_table, many_table;
    uint64_t few[SIM_REGION_COUNT], many[SIM_REGION_COUNT], all = 0;

    measure(file, drivers, FEW, few, &few_table);
    measure(file, drivers, MANY, many, &many_table);
    printf("idle connected pair:");
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        uint64_t bytes = (many[i] - few[i]) / (MANY - FEW);

        printf(" %llu bytes %s%s", (unsigned long long)bytes, names[i],
               i + 1 < SIM_REGION_COUNT ? "," : "");
        all += bytes;
    }
    printf("; %llu in all\n", (unsigned long long)all);
    memory_table_print(&many_table, &few_table, MANY - FEW);
    return 0;
}
