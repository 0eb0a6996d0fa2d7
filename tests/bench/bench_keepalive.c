/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What idleness costs: 24 simulated hours of one connection with a keepalive each second, on two
 * nodes (keepalive.json). Aim: under 2 s.
 *
 *     bench_keepalive SCENARIO DRIVER_DIR
 */
#include <stdio.h>

#include <sim/host.h>

#include "loaded.h"

#define HOURS 24u

int main(int count, char **words) {
    const struct scn_run_options options = {.seed = 1, .until_ns = SIM_TIME_NEVER};
    struct scn_outcome outcome;
    struct loaded loaded;
    uint64_t start_ns, spent_ns;

    loaded_open(&loaded, count > 1 ? words[1] : KEEPALIVE_JSON, count > 2 ? words[2] : DRIVER_DIR,
                NULL, 0);
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
