/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect8: fresh-world runs per second of connect, eight 256-byte requests, disconnect, close all
 * but the adapter (connect8.json), with ledger and digest on; and what one reset costs.
 *
 *     bench_connect8 SCENARIO DRIVER_DIR [RUNS [RESETS]]
 */
#include <stdio.h>
#include <stdlib.h>

#include <sim/host.h>
#include <sim/memory.h>

#include "memory_table.h"
#include "run/outcome.h"

#define RUNS_DEFAULT 2000u
#define RESETS_DEFAULT 2000u

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static struct scn_machine *machine_of(const char *file, const char *drivers) {
    static struct scn_diagnostics diagnostics;
    const struct scn_machine_options options = {.module_dir = drivers};
    struct scn_scenario *scenario;
    struct scn_machine *machine = NULL;

    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(file, NULL, 0, 0, NULL, &diagnostics);
    if (scenario != NULL) {
        machine = scn_machine_create(scenario, &options, &diagnostics);
    }
    scn_diagnostics_print(&diagnostics, print_line, NULL);
    return machine;
}

static void print_memory(const struct scn_machine *machine) {
    static struct memory_table table;

    printf("at the snapshot: %llu KiB private, %llu KiB driver\n",
           (unsigned long long)(sim_region_used_bytes(machine->world, SIM_REGION_PRIVATE) >> 10),
           (unsigned long long)(sim_region_used_bytes(machine->world, SIM_REGION_DRIVER) >> 10));
    memory_table_take(&table, machine);
    memory_table_print(&table, NULL, 1);
}

int main(int count, char **words) {
    struct scn_run_options options = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    const struct sim_config config = {.seed = 1};
    struct scn_outcome outcome;
    struct scn_machine *machine;
    uint64_t runs, resets, start_ns, spent_ns, digest = 0;

    machine = machine_of(count > 1 ? words[1] : CONNECT8_JSON, count > 2 ? words[2] : DRIVER_DIR);
    if (machine == NULL) {
        return 2;
    }
    runs = count > 3 ? strtoull(words[3], NULL, 10) : RUNS_DEFAULT;
    resets = count > 4 ? strtoull(words[4], NULL, 10) : RESETS_DEFAULT;
    print_memory(machine);
    start_ns = sim_host_cpu_ns();
    for (uint64_t i = 0; i < runs; i++) {
        scn_run(machine, &options, &outcome);
        if (outcome.verdict != SIM_VERDICT_HELD || (digest != 0 && digest != outcome.digest)) {
            fprintf(stderr, "run %llu: %s %s\n", (unsigned long long)i,
                    sim_verdict_name(outcome.verdict), outcome.reason);
            return 1;
        }
        digest = outcome.digest;
    }
    spent_ns = sim_host_cpu_ns() - start_ns;
    printf("connect8: %llu runs/s on one core (%llu us each, %llu steps, %llu events)\n",
           (unsigned long long)(runs * SIM_NS_PER_S / spent_ns),
           (unsigned long long)(spent_ns / runs / SIM_NS_PER_US),
           (unsigned long long)outcome.step_count, (unsigned long long)outcome.event_count);
    start_ns = sim_host_cpu_ns();
    for (uint64_t i = 0; i < resets; i++) {
        sim_world_reset(machine->world, &config);
    }
    printf("reset of an unused world: %llu ns\n",
           (unsigned long long)((sim_host_cpu_ns() - start_ns) / resets));
    scn_machine_destroy(machine);
    return 0;
}
