/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim dump`: a recorded run up to a moment, and what the world is like there. Steps back are
 * steps forward again: the run is made once more, up to so many steps before.
 */
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

#include "cli/debugger.h"
#include "cli/rerun.h"
#include "parse/complain.h"
#include "report/dump.h"
#include "report/dump_json.h"
#include "report/plural.h"
#include "report/story_json.h"

static const char *const parts[] = {"irql", "stacks", "locks", "pool", "objects"};

static void print_part(const struct scn_machine *machine, const char *part, bool each) {
    if (strcmp(part, "irql") == 0)
        scn_dump_levels(stdout, machine);
    else if (strcmp(part, "stacks") == 0)
        scn_dump_stacks(stdout, machine);
    else if (strcmp(part, "locks") == 0)
        scn_dump_locks(stdout, machine);
    else if (strcmp(part, "pool") == 0)
        scn_dump_pool(stdout, machine, each);
    else
        scn_dump_objects(stdout, machine);
}

static void print_part_json(const struct scn_machine *machine, const char *part) {
    if (strcmp(part, "irql") == 0)
        scn_dump_levels_json(stdout, machine);
    else if (strcmp(part, "stacks") == 0)
        scn_dump_stacks_json(stdout, machine);
    else if (strcmp(part, "locks") == 0)
        scn_dump_locks_json(stdout, machine);
    else if (strcmp(part, "pool") == 0)
        scn_dump_pool_json(stdout, machine);
    else
        scn_dump_objects_json(stdout, machine);
}

static bool is_part(const char *word) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(parts); i++)
        if (strcmp(word, parts[i]) == 0)
            return true;
    return false;
}

static void unknown(const struct scn_session *session, const char *word) {
    const struct sim_world *world = session->machine->world;
    uint32_t count = sim_object_count(world);
    char(*texts)[SIM_NAME_BYTES] = calloc(count + 1, sizeof(*texts));
    const char **names = calloc(count + SIM_ARRAY_COUNT(parts), sizeof(*names)), *nearest;
    size_t known = 0;

    SIM_ASSERT(texts != NULL && names != NULL);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(parts); i++)
        names[known++] = parts[i];
    for (uint32_t id = 1; id <= count; id++) {
        const struct sim_object *object = sim_object_by_id(world, id);

        if (object != NULL)
            names[known++] = sim_object_name(object, texts[id - 1], SIM_NAME_BYTES);
    }
    nearest = scn_nearest(word, names, known);
    scn_complain("dump: nothing is called \"%s\" then%s%s%s (expected irql, stacks, locks, pool, "
                 "objects, or an object's name)",
                 word, nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    free(names);
    free(texts);
}

static const char *const phases[] = {"work", "heal", "unload", "end"};

/* A member for each part or word. */
static bool print_json(const struct scn_rerun *rerun, const struct scn_outcome *outcome) {
    const struct scn_options *options = &rerun->options;
    const struct scn_session *session = &rerun->session;
    uint32_t count =
        options->operand_count > 1 ? options->operand_count - 1 : SIM_ARRAY_COUNT(parts);
    bool is_good = true;

    fputs("{\n  \"record\": ", stdout);
    scn_json_string(stdout, options->operands[0]);
    printf(", \"time_ns\": %llu, \"step\": %llu, \"event\": %llu, \"phase\": \"%s\"",
           (unsigned long long)outcome->time_ns, (unsigned long long)outcome->step_count,
           (unsigned long long)outcome->event_count, phases[outcome->phase]);
    scn_json_member(stdout, "reason", outcome->reason);
    for (uint32_t i = 0; i < count; i++) {
        const char *word = options->operand_count > 1 ? options->operands[i + 1] : parts[i];

        fputs(",\n  ", stdout);
        scn_json_string(stdout, word);
        fputs(": ", stdout);
        if (is_part(word)) {
            print_part_json(session->machine, word);
        } else if (scn_dump_named_json(stdout, session->machine, session->chronicle, word) == 0) {
            unknown(session, word);
            is_good = false;
        }
    }
    puts("\n}");
    return is_good;
}

/* False after a word that means nothing. */
static bool print(const struct scn_rerun *rerun, const struct scn_outcome *outcome) {
    const struct scn_options *options = &rerun->options;
    const struct scn_session *session = &rerun->session;
    char time[SCN_TIME_TEXT_BYTES];
    bool is_good = true;

    printf("time       %s, step %llu, event %llu, phase %s%s%s\n",
           scn_time_text(outcome->time_ns, time, sizeof(time)),
           (unsigned long long)outcome->step_count, (unsigned long long)outcome->event_count,
           phases[outcome->phase], outcome->reason[0] != '\0' ? ": " : "", outcome->reason);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(parts) && options->operand_count == 1; i++)
        print_part(session->machine, parts[i], false);
    for (uint32_t i = 1; i < options->operand_count; i++) {
        const char *word = options->operands[i];

        if (is_part(word)) {
            print_part(session->machine, word, true);
        } else if (scn_dump_named(stdout, session->machine, session->chronicle, word) == 0) {
            unknown(session, word);
            is_good = false;
        }
    }
    return is_good;
}

static void run(void *context, void *memory) {
    struct scn_rerun *rerun = context;

    scn_session_run(&rerun->session, &rerun->run, memory);
}

/* Where `--back` steps before the moment is; false after an error that has been printed. */
static bool find_step(struct scn_rerun *rerun, struct scn_outcome *outcome) {
    uint64_t back = rerun->options.back_steps;
    char death[64];

    if (sim_host_apart(run, rerun, outcome, sizeof(*outcome), death, sizeof(death)) !=
        SIM_HOST_APART_DONE) {
        scn_complain("dump: the run's process: %s", death);
        return false;
    }
    if (outcome->step_count <= back) {
        scn_complain("--back %llu: only %llu step%s been made by then", (unsigned long long)back,
                     (unsigned long long)outcome->step_count,
                     outcome->step_count == 1 ? " has" : "s have");
        return false;
    }
    rerun->run.until_ns = SIM_TIME_NEVER;
    rerun->run.until_step = outcome->step_count - back;
    return true;
}

static bool is_reached(const struct scn_rerun *rerun, const struct scn_outcome *outcome) {
    const struct scn_options *options = &rerun->options;
    char time[SCN_TIME_TEXT_BYTES];

    if (outcome->until_reached || (!options->has_at && options->step == 0))
        return true;
    scn_complain("dump: the run has ended before that: at %s, after %llu step%s (%s)",
                 scn_time_text(outcome->time_ns, time, sizeof(time)),
                 (unsigned long long)outcome->step_count, scn_plural(outcome->step_count),
                 outcome->reason[0] != '\0' ? outcome->reason : sim_verdict_name(outcome->verdict));
    return false;
}

static int dump(struct scn_rerun *rerun) {
    const struct scn_options *options = &rerun->options;
    static struct scn_outcome outcome;
    bool is_good;

    rerun->run.until_ns = options->has_at ? options->at_ns : SIM_TIME_NEVER;
    rerun->run.until_step = options->step;
    if (options->back_steps > 0 && (!find_step(rerun, &outcome) || !is_reached(rerun, &outcome)))
        return SIM_VERDICT_USAGE;
    scn_session_remember(&rerun->session, SCN_CHRONICLE_SHORT);
    scn_session_run(&rerun->session, &rerun->run, &outcome);
    if (outcome.verdict == SIM_VERDICT_INTERRUPTED)
        return SIM_VERDICT_INTERRUPTED;
    if (options->back_steps == 0 && !is_reached(rerun, &outcome))
        return SIM_VERDICT_USAGE;
    scn_rerun_say_unused(stderr, rerun->record, outcome.time_ns);
    krn_images_readable();
    is_good = options->json ? print_json(rerun, &outcome) : print(rerun, &outcome);
    (void)fflush(stdout);
    scn_debugger_stop();
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}

int scn_command_dump(const struct scn_options *options) {
    static struct scn_rerun rerun;
    int exit_code;

    if (options->has_at && options->step != 0) {
        scn_complain("dump: --at and --step name a moment each; one is wanted");
        return SIM_VERDICT_USAGE;
    }
    if (options->debug)
        return scn_debugger_become(options, "scn_debugger_stop");
    scn_session_host();
    if (!scn_rerun_open(&rerun, options, options->operands[0]))
        return SIM_VERDICT_USAGE;
    rerun.run.chooser = scn_rerun_recorded(&rerun);
    exit_code = dump(&rerun);
    scn_rerun_close(&rerun);
    sim_chooser_destroy(rerun.run.chooser);
    return exit_code;
}
