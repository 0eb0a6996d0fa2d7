/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging changes nothing: each scenario runs twice, with the verifier's judging on and off, and
 * both runs have the same digest, events and time. Scenarios in which something is found are left
 * out: there judging ends the run.
 *
 *     judge_digest DRIVER_DIR SCENARIO...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/host.h>
#include <vrf/verifier.h>

#include "run/machine.h"
#include "run/outcome.h"

#define COMPARED_MIN 10u

struct judging {
    struct scn_machine *machine;
    bool is_on;
};

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static void begin(void *context) {
    const struct judging *judging = context;

    vrf_judge_set(judging->machine->world, judging->is_on);
}

static void run(struct judging *judging, bool is_on, struct scn_outcome *outcome) {
    const struct scn_run_options options = {
        .seed = 1, .until_ns = SIM_TIME_NEVER, .on_begin = begin, .context = judging};

    judging->is_on = is_on;
    scn_run(judging->machine, &options, outcome);
}

static struct scn_machine *make(const char *file, const char *drivers) {
    static struct scn_diagnostics diagnostics;
    const struct scn_machine_options options = {.module_dir = drivers};
    struct scn_scenario *scenario;
    struct scn_machine *machine = NULL;

    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(file, NULL, 0, 0, NULL, &diagnostics);
    if (scenario != NULL) {
        machine = scn_machine_create(scenario, &options, &diagnostics);
    }
    if (machine == NULL) {
        scn_diagnostics_print(&diagnostics, print_line, NULL);
        exit(2);
    }
    return machine;
}

/* 0: the same; 1: not; 2: something was found. */
static int compare(const char *file, const char *drivers) {
    struct judging judging = {.machine = make(file, drivers)};
    const struct scn_scenario *scenario = judging.machine->scenario;
    struct scn_outcome on, off;
    int result = 2;

    run(&judging, true, &on);
    if (on.finding_count == 0) {
        run(&judging, false, &off);
        result = on.digest != off.digest || on.event_count != off.event_count ||
                 on.time_ns != off.time_ns || on.choice_count != off.choice_count;
    }
    if (result == 1) {
        fprintf(stderr, "%s: judging changes the run: digest %016llx, without it %016llx\n", file,
                (unsigned long long)on.digest, (unsigned long long)off.digest);
    }
    scn_machine_destroy(judging.machine);
    scn_scenario_free((struct scn_scenario *)(uintptr_t)scenario);
    return result;
}

int main(int count, char **words) {
    uint32_t compared = 0, differ = 0;

    if (count < 3) {
        fputs("usage: judge_digest DRIVER_DIR SCENARIO...\n", stderr);
        return 2;
    }
    for (int i = 2; i < count; i++) {
        int result = compare(words[i], words[1]);

        compared += result != 2;
        differ += result == 1;
    }
    printf("%u scenarios compared, %u differ\n", compared, differ);
    return differ != 0 || compared < COMPARED_MIN;
}
