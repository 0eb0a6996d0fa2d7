/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What idleness costs: the library's keepalives.json, two nodes and a keepalive each second, for 24
 * simulated hours. Aim: under 2 s.
 *
 *     bench_keepalive SCENARIO DRIVER_DIR
 */
#include <stdio.h>

#include <sim/host.h>

#include "loaded.h"

#define HOURS 24u

int main(int count, char **words) {
    static const struct scn_override day[] = {
        {"nodes.client.drivers[0].registry.PauseMs=86400000"},
        {"expect[0].at_least=86000"},
        {"end.limit=90000s"},
    };
    const struct scn_run_options options = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    struct scn_outcome outcome;
    struct loaded loaded;
    uint64_t start_ns, spent_ns;

    loaded_open(&loaded, count > 1 ? words[1] : KEEPALIVES_JSON, count > 2 ? words[2] : DRIVER_DIR,
                day, SIM_ARRAY_COUNT(day));
    start_ns = sim_host_cpu_ns();
    loaded_run(&loaded, &options, &outcome);
    spent_ns = sim_host_cpu_ns() - start_ns;
    printf("%u idle hours with a keepalive each second: %llu ms (%llu ns a second of them, %llu "
           "steps)\n",
           HOURS, (unsigned long long)(spent_ns / SIM_NS_PER_MS),
           (unsigned long long)(spent_ns / (HOURS * 3600u)),
           (unsigned long long)outcome.step_count);
    loaded_close(&loaded);
    return 0;
}
