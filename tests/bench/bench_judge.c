/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verifier's judging costs a whole run: connect8, and a connection that writes 16 times
 * 1 MiB, each with judging on and off in turn, in one process. The digests must be equal.
 *
 *     bench_judge SCENARIO DRIVER_DIR
 */
#include <stdio.h>
#include <stdlib.h>

#include <sim/host.h>
#include <vrf/verifier.h>

#include "loaded.h"

#define ROUNDS 9u

struct load {
    const char *name;
    const struct scn_override *overrides;
    size_t override_count;
    uint32_t runs; /* per round */
};

struct judging {
    struct loaded loaded;
    bool is_on;
};

static void begin(void *context) {
    const struct judging *judging = context;

    vrf_judge_set(judging->loaded.machine->world, judging->is_on);
}

/* CPU time of `runs` runs. */
static uint64_t spend_ns(struct judging *judging, uint32_t runs) {
    struct scn_run_options options = {
        .seed = 1, .until_ns = SIM_TIME_NEVER, .on_begin = begin, .context = judging};
    struct scn_outcome outcome;
    uint64_t start_ns = sim_host_cpu_ns();

    for (uint32_t i = 0; i < runs; i++) {
        loaded_run(&judging->loaded, &options, &outcome);
    }
    return sim_host_cpu_ns() - start_ns;
}

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static void measure(const char *file, const char *drivers, const struct load *load) {
    uint64_t off_ns[ROUNDS], on_ns[ROUNDS], permille[ROUNDS];
    struct judging judging = {0};

    loaded_open(&judging.loaded, file, drivers, load->overrides, load->override_count);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        judging.is_on = false;
        off_ns[round] = spend_ns(&judging, load->runs);
        judging.is_on = true;
        on_ns[round] = spend_ns(&judging, load->runs);
        permille[round] = on_ns[round] * 1000 / off_ns[round];
    }
    qsort(off_ns, ROUNDS, sizeof(off_ns[0]), by_value);
    qsort(on_ns, ROUNDS, sizeof(on_ns[0]), by_value);
    qsort(permille, ROUNDS, sizeof(permille[0]), by_value);
    printf("%-22s %8llu us judging off, %8llu us on; on/off %llu.%03llu (median of %u)\n",
           load->name, (unsigned long long)(off_ns[ROUNDS / 2] / load->runs / SIM_NS_PER_US),
           (unsigned long long)(on_ns[ROUNDS / 2] / load->runs / SIM_NS_PER_US),
           (unsigned long long)(permille[ROUNDS / 2] / 1000),
           (unsigned long long)(permille[ROUNDS / 2] % 1000), ROUNDS);
    loaded_close(&judging.loaded);
}

int main(int count, char **words) {
    static const struct scn_override stream[] = {
        {"nodes.client.drivers[0].registry.Count=0"},
        {"nodes.client.drivers[0].registry.Writes=16"},
        {"nodes.client.drivers[0].registry.ReadSize=1048576"},
        {"nodes.server.drivers[0].registry.ReadSize=1048576"},
        {"expect=[]"},
    };
    static const struct load loads[] = {
        {"connect8", NULL, 0, 400},
        {"16 x WRITE of 1 MiB", stream, SIM_ARRAY_COUNT(stream), 3},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(loads); i++) {
        measure(count > 1 ? words[1] : CONNECT8_JSON, count > 2 ? words[2] : DRIVER_DIR, &loads[i]);
    }
    return 0;
}
