/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzzer's bytes as the choices of a scenario's run: which context goes on, which fault fires,
 * how an answer comes. For libFuzzer as it is; for AFL++ and for single inputs with a `main` that
 * takes files (FUZZ_FILES).
 *
 *     NDKSIM_FUZZ_SCENARIO=FILE fuzz_choices CORPUS_DIR       (libFuzzer)
 *     fuzz_choices_files FILE...                              (one run each; AFL++: @@)
 *
 * What libFuzzer is shown as coverage is what the runs do, not lines of code: two events in a row
 * on an object, states, statuses. So neither drivers nor the program need instrumentation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <krn/bugcheck.h>
#include <sim/host.h>

#include "explore/observer.h"
#include "run/outcome.h"

#define COUNTER_COUNT 65536u
#define STEPS_PER_CHECK 4096u

#if defined(__linux__) && !defined(FUZZ_FILES)
__attribute__((section("__libfuzzer_extra_counters")))
#endif
static volatile unsigned char counters[COUNTER_COUNT]; /* read by libFuzzer alone */

static struct scn_machine *machine;
static struct sim_chooser *chooser;
static struct sim_observer *observer;

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count);

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static void open_machine(void) {
    static struct scn_diagnostics diagnostics;
    const char *named = getenv("NDKSIM_FUZZ_SCENARIO");
    const char *file = named != NULL ? named : FUZZ_SCENARIO;
    const struct scn_machine_options options = {.module_dir = DRIVER_DIR};
    struct scn_scenario *scenario;

    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(file, NULL, 0, 0, NULL, &diagnostics);
    if (scenario != NULL)
        machine = scn_machine_create(scenario, &options, &diagnostics);
    scn_diagnostics_print(&diagnostics, print_line, NULL);
    if (machine == NULL)
        exit(SIM_VERDICT_USAGE);
    chooser = sim_chooser_bytes_create();
    observer = sim_observer_create(NULL, NULL);
}

static void on_begin(void *context) {
    (void)context;
    sim_observer_watch(observer, machine->world);
}

static void show_coverage(void) {
    static uint64_t features[SIM_NOTE_FEATURE_MAX];
    static const struct sim_hashset none;
    uint32_t count = sim_observer_features(observer, &none, features);

    for (uint32_t i = 0; i < count; i++)
        counters[features[i] % COUNTER_COUNT] = 1;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count) {
    struct scn_run_options options = {.seed = 1,
                                      .until_ns = SIM_TIME_NEVER,
                                      .check_steps = STEPS_PER_CHECK,
                                      .is_exploring = true,
                                      .on_begin = on_begin};
    struct scn_outcome outcome;

    if (machine == NULL)
        open_machine();
    sim_chooser_bytes_set(chooser, bytes, count);
    options.chooser = chooser;
    sim_observer_begin(observer, true);
    scn_run(machine, &options, &outcome);
    show_coverage();
    if (outcome.verdict != SIM_VERDICT_HELD) {
        fprintf(stderr, "verdict %d: %s\n", (int)outcome.verdict, outcome.reason);
        abort();
    }
#if defined(FUZZ_FILES)
    printf("held: %zu bytes, %zu deviations, digest %016llx\n", count, outcome.deviation_count,
           (unsigned long long)outcome.digest);
#endif
    return 0;
}

#if defined(FUZZ_FILES)
static bool run_file(const char *path) {
    static unsigned char bytes[1u << 20];
    FILE *file = fopen(path, "rb");
    size_t count;

    if (file == NULL) {
        perror(path);
        return false;
    }
    count = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, count);
    return true;
}

int main(int count, char **words) {
    sim_host_contain(krn_bugcheck_judge);
    for (int i = 1; i < count; i++)
        if (!run_file(words[i]))
            return SIM_VERDICT_USAGE;
    return count > 1 ? 0 : SIM_VERDICT_USAGE;
}
#endif
