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

#include "loaded.h"
#include "memory_table.h"

#define RUNS_DEFAULT 2000u
#define RESETS_DEFAULT 2000u

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
    struct loaded loaded;
    uint64_t runs, resets, start_ns, spent_ns;

    loaded_open(&loaded, count > 1 ? words[1] : CONNECT8_JSON, count > 2 ? words[2] : DRIVER_DIR,
                NULL, 0);
    runs = count > 3 ? strtoull(words[3], NULL, 10) : RUNS_DEFAULT;
    resets = count > 4 ? strtoull(words[4], NULL, 10) : RESETS_DEFAULT;
    print_memory(loaded.machine);
    start_ns = sim_host_cpu_ns();
    for (uint64_t i = 0; i < runs; i++) {
        loaded_run(&loaded, &options, &outcome);
    }
    spent_ns = sim_host_cpu_ns() - start_ns;
    printf("connect8: %llu runs/s on one core (%llu us each, %llu steps, %llu events)\n",
           (unsigned long long)(runs * SIM_NS_PER_S / spent_ns),
           (unsigned long long)(spent_ns / runs / SIM_NS_PER_US),
           (unsigned long long)outcome.step_count, (unsigned long long)outcome.event_count);
    start_ns = sim_host_cpu_ns();
    for (uint64_t i = 0; i < resets; i++) {
        sim_world_reset(loaded.machine->world, &config);
    }
    printf("reset of an unused world: %llu ns\n",
           (unsigned long long)((sim_host_cpu_ns() - start_ns) / resets));
    loaded_close(&loaded);
    return 0;
}
