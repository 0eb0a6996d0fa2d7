/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that an idle connected pair takes: two ndkping drivers hold a few connections, then many
 * (idle.json); the difference of the regions' high-water marks over the difference in number. Both
 * ends, consumers and their message buffers included; each end has a PD, a CQ, a QP as deep as
 * ndkping can use, an MR, a connector. The lines behind say whose memory that is.
 *
 *     bench_idle SCENARIO DRIVER_DIR
 */
#include <stdio.h>

#include <sim/memory.h>

#include "loaded.h"
#include "memory_table.h"

#define FEW 16u
#define MANY 112u

/* Region bytes used once `count` connections are up. */
static void measure(const char *file, const char *drivers, unsigned count,
                    uint64_t used[SIM_REGION_COUNT], struct memory_table *table) {
    const struct scn_run_options run = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    char text[64];
    const struct scn_override hold = {text};
    struct scn_outcome outcome;
    struct loaded loaded;

    snprintf(text, sizeof(text), "nodes.client.drivers[0].registry.Hold=%u", count);
    loaded_open(&loaded, file, drivers, &hold, 1);
    loaded_run(&loaded, &run, &outcome);
    for (int i = 0; i < SIM_REGION_COUNT; i++) {
        used[i] = sim_region_used_bytes(loaded.machine->world, (enum sim_region_id)i);
    }
    memory_table_take(table, loaded.machine);
    loaded_close(&loaded);
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
