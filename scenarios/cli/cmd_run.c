/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim run`: each scenario, each cell of its matrix, once (or twice, to compare). */
#include <errno.h>
#include <net/topology.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "report/record.h"

#define CASE_COUNT_MAX 4096u
#define SEED_DEFAULT 1u

struct results {
    struct scn_junit_case *cases;
    size_t count;
    int exit_code;
};

static void add_case(struct results *results, const struct scn_scenario *scenario, uint32_t cell,
                     uint32_t cell_count, const struct scn_outcome *outcome) {
    struct scn_junit_case *one;

    if (results->exit_code == 0)
        results->exit_code = (int)outcome->verdict;
    if (results->count == CASE_COUNT_MAX)
        return;
    one = &results->cases[results->count++];
    if (cell_count > 1)
        snprintf(one->name, sizeof(one->name), "%s[%u]", scenario->name, cell);
    else
        snprintf(one->name, sizeof(one->name), "%s", scenario->name);
    one->verdict = outcome->verdict;
    snprintf(one->text, sizeof(one->text), "%s", outcome->reason);
}

static void write_ports(void *context, const char *piece) {
    fputs(piece, context);
}

static bool write_statistics(const struct scn_session *session) {
    const char *path = session->options->ports_file;
    bool failed;
    FILE *stream;

    if (path == NULL)
        return true;
    stream = fopen(path, "wb");
    failed = stream == NULL;
    if (stream != NULL) {
        net_statistics_write(session->machine->world, write_ports, stream);
        failed = ferror(stream) != 0;
        failed = fclose(stream) != 0 || failed;
    }
    if (failed)
        fprintf(stderr, "ndksim: --ports %s: %s\n", path, strerror(errno));
    return !failed;
}

/* The command that runs this again, for people to copy. */
static void say_replay(const struct scn_session *session, uint64_t seed) {
    const struct scn_options *options = session->options;

    if (options->record_file != NULL) {
        printf("replay   ndksim replay %s\n", options->record_file);
        return;
    }
    printf("replay   ndksim run %s --seed %llu", session->scenario->file, (unsigned long long)seed);
    for (uint32_t i = 0; i < options->set_count; i++)
        printf(" --set '%s'", options->sets[i].text);
    for (uint32_t i = 0; i < options->rule_count; i++)
        printf(" --rule '%s'", options->rules[i]);
    for (uint32_t i = 0; i < options->driver_count; i++)
        printf(" --driver '%s'", options->drivers[i]);
    printf("%s%s\n", options->special_pool ? " --pool special" : "",
           options->keep_going ? " --keep-going" : "");
}

static void compare_twice(struct scn_session *session, const struct scn_run_options *run_options,
                          struct scn_outcome *outcome) {
    struct scn_outcome again;

    if (sim_host_is_spent()) {
        fputs("ndksim: --twice: the first run ended in an accident; this process takes no "
              "second one\n",
              stderr);
        return;
    }
    session->shows_text = false;
    scn_session_run(session, run_options, &again);
    if (again.verdict == SIM_VERDICT_INTERRUPTED)
        return;
    if (again.digest == outcome->digest && again.verdict == outcome->verdict)
        return;
    outcome->verdict = SIM_VERDICT_DIFFERED;
    snprintf(outcome->reason, sizeof(outcome->reason),
             "two runs of one input differed: digest %016llx after %llu events, then %016llx "
             "after %llu",
             (unsigned long long)outcome->digest, (unsigned long long)outcome->event_count,
             (unsigned long long)again.digest, (unsigned long long)again.event_count);
    fprintf(stderr, "ndksim: %s\n", outcome->reason);
}

/* Frames that devices sent, and what became of those that did not arrive. */
static void say_wire(const struct scn_session *session) {
    uint64_t sent = 0, bytes = 0, lost = 0;
    struct net_port *port = NULL;

    while ((port = net_port_next(session->machine->world, port)) != NULL) {
        for (uint32_t i = 0; i < NET_DROP_COUNT; i++)
            lost += port->statistics.drops[i];
        if (port->owner_switch != NULL)
            continue;
        sent += port->statistics.frames_out;
        bytes += port->statistics.bytes_out;
    }
    printf("wire     %llu frames, %llu bytes sent, %llu frames lost on the way\n",
           (unsigned long long)sent, (unsigned long long)bytes, (unsigned long long)lost);
}

static bool run_once(struct scn_session *session, const char *suffix, struct scn_outcome *outcome) {
    const struct scn_options *options = session->options;
    uint64_t seed = options->has_seed ? options->seed : SEED_DEFAULT;
    const struct scn_run_options run_options = {
        .seed = seed,
        .until_ns = options->until_ns,
        .keep_going = options->keep_going,
        .special_pool = options->special_pool,
    };
    bool is_whole;
    int error;

    if (!scn_session_watch(session, seed, suffix))
        return false;
    scn_session_run(session, &run_options, outcome);
    is_whole = scn_session_unwatch(session);
    is_whole = write_statistics(session) && is_whole;
    if (options->record_file != NULL) {
        error = scn_record_write(options->record_file, session->machine, &run_options, outcome,
                                 "quiet");
        if (error != 0)
            fprintf(stderr, "ndksim: --record %s: %s\n", options->record_file, strerror(error));
        is_whole = is_whole && error == 0;
    }
    if (options->json)
        scn_report_json(stdout, session->machine, seed, outcome);
    else
        scn_report_run(stdout, session->machine, outcome);
    if (options->twice && outcome->verdict != SIM_VERDICT_INTERRUPTED)
        compare_twice(session, &run_options, outcome);
    if (!options->json) {
        if (options->verbosity > 0) {
            say_wire(session);
            say_replay(session, seed);
        }
        scn_report_line(stdout, session->scenario, seed, outcome);
    }
    return is_whole;
}

/* False when the input or an output file was wrong. */
static bool run_cells(const struct scn_options *options, const char *file,
                      struct results *results) {
    static struct scn_diagnostics diagnostics;
    uint32_t cell = 0, cell_count = 1;

    for (; cell < cell_count && !sim_host_interrupted(); cell++) {
        struct scn_scenario *scenario;
        struct scn_session session;
        struct scn_outcome outcome;
        char suffix[16] = "";
        bool is_whole;

        scn_diagnostics_init(&diagnostics);
        scenario = scn_scenario_load(file, options->sets, options->set_count, cell, &cell_count,
                                     &diagnostics);
        if (scenario == NULL) {
            scn_print_diagnostics(&diagnostics);
            return false;
        }
        if (cell_count > 1)
            snprintf(suffix, sizeof(suffix), "-%u", cell);
        if (!scn_session_open(&session, options, scenario))
            return false;
        is_whole = run_once(&session, suffix, &outcome);
        if (is_whole)
            add_case(results, scenario, cell, cell_count, &outcome);
        scn_session_close(&session);
        if (!is_whole)
            return false;
        if (sim_host_is_spent() && cell + 1 < cell_count) {
            fputs("ndksim: this process takes no further run after an accident; run the other "
                  "cells with --set\n",
                  stderr);
            break;
        }
    }
    return true;
}

int scn_command_run(const struct scn_options *options) {
    struct results results = {NULL, 0, 0};
    bool is_good = true;
    int error;

    results.cases = calloc(CASE_COUNT_MAX, sizeof(*results.cases));
    SIM_ASSERT(results.cases != NULL);
    scn_session_host();
    for (uint32_t i = 0; i < options->operand_count && is_good; i++) {
        is_good = run_cells(options, options->operands[i], &results);
        if (sim_host_interrupted() || sim_host_is_spent())
            break;
    }
    if (options->junit_file != NULL) {
        error = scn_junit_write(options->junit_file, results.cases, results.count);
        if (error != 0)
            fprintf(stderr, "ndksim: --junit %s: %s\n", options->junit_file, strerror(error));
        is_good = is_good && error == 0;
    }
    free(results.cases);
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    return is_good ? results.exit_code : SIM_VERDICT_USAGE;
}
