/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim run`: each scenario, each cell of its matrix, once (or twice, to compare). */
#include <net/topology.h>
#include <sim/host.h>
#include <stdarg.h>
#include <string.h>

#include "cli/debugger.h"
#include "cli/results.h"
#include "cli/session.h"
#include "parse/complain.h"
#include "report/annotate.h"
#include "report/details.h"
#include "report/plural.h"
#include "report/record.h"

#define SEED_DEFAULT 1u

/* One cell of one scenario, and what came of it. */
struct cell {
    const struct scn_options *options;
    uint32_t operand;
    uint32_t number;
    uint32_t count;     /* of the scenario's cells */
    bool is_second;     /* of --twice, in a process of its own: says nothing */
    const char *before; /* --json: in front of the result */
};

struct result {
    bool has_run;  /* the input was good */
    bool is_whole; /* and all output could be written */
    bool has_died;
    bool is_spent; /* the process could not take the second run of --twice */
    uint64_t digest;
    uint64_t event_count;
    struct scn_junit_case junit;
};

#define COMMAND_BYTES 8192u

SIM_PRINTF(3, 4)
static void append(char *text, size_t size, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* The command that runs this again, for people to copy. Returns `text`. */
static const char *replay_text(const struct scn_session *session, uint64_t seed, char *text,
                               size_t size) {
    const struct scn_options *options = session->options;
    char path[4096];

    text[0] = '\0';
    if (options->record_file != NULL && !session->has_no_record) {
        append(text, size, "ndksim replay %s",
               scn_shown(scn_suffixed(options->record_file, session->suffix, path, sizeof(path))));
        return text;
    }
    append(text, size, "ndksim run %s --seed %llu", scn_shown(session->scenario->file),
           (unsigned long long)seed);
    for (uint32_t i = 0; i < options->set_count; i++)
        append(text, size, " --set '%s'", options->sets[i].text);
    for (uint32_t i = 0; i < options->rule_count; i++)
        append(text, size, " --rule '%s'", options->rules[i]);
    for (uint32_t i = 0; i < options->driver_count; i++)
        append(text, size, " --driver '%s'", options->drivers[i]);
    for (uint32_t i = 0; i < options->device_count; i++)
        append(text, size, " --device '%s'", options->devices[i]);
    if (options->blame != NULL)
        append(text, size, " --blame %s", options->blame);
    append(text, size, "%s%s", options->special_pool ? " --pool special" : "",
           options->keep_going ? " --keep-going" : "");
    return text;
}

/* What differs between two runs that should be one; false when nothing does. */
static bool differ(const struct result *one, uint64_t digest, uint64_t event_count,
                   enum sim_verdict verdict, char *text, size_t size) {
    if (one->digest == digest && one->junit.verdict == verdict)
        return false;
    snprintf(text, size,
             "two runs of one input differed: digest %016llx after %llu events, then %016llx "
             "after %llu",
             (unsigned long long)one->digest, (unsigned long long)one->event_count,
             (unsigned long long)digest, (unsigned long long)event_count);
    scn_complain("%s", text);
    return true;
}

/* After an accident this process takes no second run; another one will. */
static void compare_twice(struct scn_session *session, const struct scn_run_options *run_options,
                          struct scn_outcome *outcome, struct result *result) {
    struct scn_outcome again;

    result->is_spent = sim_host_is_spent();
    if (result->is_spent)
        return;
    session->shows_text = false;
    scn_session_run(session, run_options, &again);
    if (again.verdict != SIM_VERDICT_INTERRUPTED &&
        differ(result, again.digest, again.event_count, again.verdict, outcome->reason,
               sizeof(outcome->reason)))
        outcome->verdict = SIM_VERDICT_DIFFERED;
}

/* A frame that a port refuses, as its link is down, was sent and is lost. */
static void say_wire(const struct scn_session *session) {
    const struct net_totals *totals = net_totals(session->machine->world);

    printf("wire     %llu frame%s, %llu byte%s sent, %llu frame%s lost on the way\n",
           (unsigned long long)totals->frames_sent, scn_plural(totals->frames_sent),
           (unsigned long long)totals->bytes_sent, scn_plural(totals->bytes_sent),
           (unsigned long long)totals->frames_lost, scn_plural(totals->frames_lost));
}

/* What a person reads behind the findings; the last line is the verdict. */
static void say_end(const struct scn_session *session, uint64_t seed,
                    const struct scn_outcome *outcome) {
    char command[COMMAND_BYTES];

    if (session->options->verbosity > 1)
        scn_report_details(stdout, session->machine, outcome);
    if (session->options->verbosity > 0) {
        say_wire(session);
        printf("replay   %s\n", replay_text(session, seed, command, sizeof(command)));
    }
    scn_report_line(stdout, session->scenario, seed, outcome);
}

static bool write_record(struct scn_session *session, const struct scn_run_options *options,
                         const struct scn_outcome *outcome) {
    const char *file = session->options->record_file;
    char path[4096];
    int error;

    if (file == NULL)
        return true;
    scn_suffixed(file, session->suffix, path, sizeof(path));
    error = scn_record_write(path, session->machine, options, outcome, "quiet");
    if (error != 0)
        scn_complain("--record %s: %s", path, strerror(error));
    session->has_no_record = error != 0;
    return error == 0;
}

static void keep(const struct scn_machine *machine, const struct scn_outcome *outcome,
                 struct result *result) {
    scn_note_cut(machine, outcome, &result->junit);
    result->digest = outcome->digest;
    result->event_count = outcome->event_count;
    result->junit.verdict = outcome->verdict;
    result->junit.findings_left_out = outcome->findings_left_out;
    scn_note_failure(machine, outcome, &result->junit);
}

static bool run_once(struct scn_session *session, const char *suffix, const struct cell *cell,
                     struct result *result) {
    const struct scn_options *options = session->options;
    uint64_t seed = options->has_seed ? options->seed : SEED_DEFAULT;
    const struct scn_run_options run_options = {
        .seed = seed,
        .until_ns = options->until_ns,
        .check_steps = options->check_steps,
        .keep_going = options->keep_going,
        .special_pool = options->special_pool,
    };
    char command[COMMAND_BYTES];
    const struct scn_telling *telling;
    struct scn_outcome outcome;
    bool is_whole;

    if (!cell->is_second &&
        !scn_session_watch(session, seed, suffix, options->verbosity > 0 && !options->json))
        return false;
    scn_session_remember(session, SCN_CHRONICLE_SHORT);
    scn_session_run(session, &run_options, &outcome);
    keep(session->machine, &outcome, result);
    if (cell->is_second)
        return true;
    telling = scn_session_tell(session, NULL);
    is_whole = scn_session_unwatch(session);
    is_whole = write_record(session, &run_options, &outcome) && is_whole;
    if (options->json) {
        fputs(cell->before, stdout);
        scn_report_json(stdout, session->machine, telling, seed, &outcome,
                        replay_text(session, seed, command, sizeof(command)));
    } else {
        scn_report_run(stdout, session->machine, telling, &outcome);
    }
    if (options->annotate != NULL)
        scn_annotate_run(options->json ? stderr : stdout, session->machine, &outcome);
    if (options->twice && outcome.verdict != SIM_VERDICT_INTERRUPTED)
        compare_twice(session, &run_options, &outcome, result);
    if (!options->json)
        say_end(session, seed, &outcome);
    keep(session->machine, &outcome, result);
    return is_whole;
}

static struct scn_scenario *load(const struct cell *cell, uint32_t *cell_count) {
    static struct scn_diagnostics diagnostics;
    const struct scn_options *options = cell->options;
    struct scn_scenario *scenario;

    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(options->operands[cell->operand], options->sets,
                                 options->set_count, cell->number, cell_count, &diagnostics);
    if (scenario == NULL)
        scn_print_diagnostics(&diagnostics);
    return scenario;
}

/* A case of its own: who counts cases must not miss it. */
static void note_bad_input(const struct cell *cell, struct result *result) {
    const char *file = cell->options->operands[cell->operand];

    result->junit.verdict = SIM_VERDICT_USAGE;
    snprintf(result->junit.name, sizeof(result->junit.name), "%.150s", file);
    if (cell->count > 1)
        append(result->junit.name, sizeof(result->junit.name), "[%u]", cell->number);
    snprintf(result->junit.text, sizeof(result->junit.text), "%s", scn_first_diagnostic());
}

static void run_cell(void *context, void *memory) {
    const struct cell *cell = context;
    struct scn_scenario *scenario = load(cell, NULL);
    struct result *result = memory;
    char suffix[SCN_SUFFIX_BYTES];
    struct scn_session session;

    scn_session_host();
    if (scenario == NULL || !scn_session_open(&session, cell->options, scenario)) {
        note_bad_input(cell, result);
        return;
    }
    scn_suffix(cell->options, cell->operand, cell->number, cell->count, suffix, sizeof(suffix));
    scn_case_name(scenario, cell->number, cell->count, result->junit.name,
                  sizeof(result->junit.name));
    result->is_whole = run_once(&session, suffix, cell, result);
    result->has_run = true;
    scn_session_close(&session);
    result->is_whole = scn_output_flush() && result->is_whole;
}

/* A process that died with its run: an error of ours, or of a sanitizer, which has said so. */
static void note_death(const struct cell *cell, const char *death, struct result *result) {
    struct scn_scenario *scenario = load(cell, NULL);

    result->is_whole = result->has_run = scenario != NULL;
    if (scenario == NULL) {
        note_bad_input(cell, result);
        return;
    }
    result->has_died = true;
    result->junit.verdict = SIM_VERDICT_INTERNAL;
    scn_case_name(scenario, cell->number, cell->count, result->junit.name,
                  sizeof(result->junit.name));
    snprintf(result->junit.text, sizeof(result->junit.text), "the process died: %s", death);
    scn_complain("%s: %s", result->junit.name, result->junit.text);
    scn_scenario_free(scenario);
}

/* In a process of its own; false when it could not be had, or was ended by an interrupt. */
static bool run_apart(struct cell *cell, struct result *result) {
    char death[128];

    switch (sim_host_apart(run_cell, cell, result, sizeof(*result), death, sizeof(death))) {
    case SIM_HOST_APART_DONE:
        return true;
    case SIM_HOST_APART_DIED:
        if (sim_host_interrupted())
            return false;
        note_death(cell, death, result);
        return true;
    case SIM_HOST_APART_REFUSED:
        scn_complain("%s: no process can be started for it: %s",
                     cell->options->operands[cell->operand], death);
        break;
    }
    return false;
}

/* The second run of --twice, when the process of the first one could not take it. */
static void compare_apart(const struct cell *cell, struct result *first) {
    struct cell second = *cell;
    struct result again = {0};

    second.is_second = true;
    if (!run_apart(&second, &again))
        return;
    if (again.junit.verdict != SIM_VERDICT_INTERRUPTED &&
        differ(first, again.digest, again.event_count, again.junit.verdict, first->junit.text,
               sizeof(first->junit.text)))
        first->junit.verdict = SIM_VERDICT_DIFFERED;
}

/* Of what did not run, or died. */
static void print_without_run(const struct cell *cell, const struct result *result) {
    printf("%s{\n  \"scenario\": ", cell->before);
    scn_json_string(stdout, result->junit.name);
    printf(", \"verdict\": \"%s\", \"exit\": %d,\n  \"reason\": ",
           sim_verdict_name(result->junit.verdict), (int)result->junit.verdict);
    scn_json_string(stdout, result->junit.text);
    fputs("\n}\n", stdout);
}

/*
 * A single run happens here, where a debugger is. Of several, each has a process of its own: after
 * an accident a process takes no further run.
 */
static bool run_anywhere(struct cell *cell, struct scn_results *results, int *exit_code) {
    const struct scn_options *options = cell->options;
    bool is_single = options->operand_count == 1 && cell->count == 1 && !options->twice;
    struct scn_results next = *results;
    struct result result = {0};

    cell->before = scn_results_json_next(&next);
    if (is_single)
        run_cell(cell, &result);
    else
        (void)run_apart(cell, &result);
    if (result.is_spent)
        compare_apart(cell, &result);
    if (result.junit.name[0] == '\0')
        return false; /* no process, which has been said */
    if (options->json && (!result.has_run || result.has_died))
        print_without_run(cell, &result);
    results->printed++;
    if (result.has_run && *exit_code == SIM_VERDICT_HELD)
        *exit_code = (int)result.junit.verdict;
    scn_results_add(results, &result.junit);
    return result.is_whole;
}

/* False when the input or an output file was wrong; what is behind it runs all the same. */
static bool run_cells(const struct scn_options *options, uint32_t operand,
                      struct scn_results *results, int *exit_code) {
    struct cell cell = {.options = options, .operand = operand, .count = 1};
    struct scn_scenario *scenario = load(&cell, &cell.count);
    bool is_good = true;

    results->is_array = options->operand_count > 1 || cell.count > 1;
    if (scenario == NULL) {
        struct result result = {0};

        note_bad_input(&cell, &result);
        cell.before = scn_results_json_next(results);
        if (options->json)
            print_without_run(&cell, &result);
        scn_results_add(results, &result.junit);
        return false;
    }
    scn_scenario_free(scenario);
    for (; cell.number < cell.count && !sim_host_interrupted() &&
           *exit_code != SIM_VERDICT_INTERRUPTED;
         cell.number++)
        is_good = run_anywhere(&cell, results, exit_code) && is_good;
    return is_good;
}

int scn_command_run(const struct scn_options *options) {
    struct scn_results results = {0};
    int exit_code = SIM_VERDICT_HELD;
    bool has_run, is_good = true;

    if (options->debug)
        return scn_debugger_become(options, "sim_find");
    sim_host_catch_interrupts();
    for (uint32_t i = 0; i < options->operand_count && !sim_host_interrupted() &&
                         exit_code != SIM_VERDICT_INTERRUPTED;
         i++)
        is_good = run_cells(options, i, &results, &exit_code) && is_good;
    has_run = scn_results_have_run(&results);
    is_good = scn_results_end(&results, options) && is_good;
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    return scn_say_error(options, has_run, is_good ? exit_code : SIM_VERDICT_USAGE);
}
