/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim diff`: the first decision in which two recorded runs of one scenario part, and what came
 * next in each. Each run has a process of its own, which prints its side.
 */
#include <sim/host.h>
#include <stdarg.h>
#include <string.h>

#include "cli/rerun.h"
#include "parse/complain.h"
#include "report/story_json.h"
#include "report/words.h"

#define LINES 10u

struct side {
    const struct scn_options *options;
    const char *file;
    size_t parting;  /* its first decision that the other has not; its count: none */
    uint64_t choice; /* in the run where that decision was taken; 0: not known yet */
    bool is_second;  /* to be told */
};

struct result {
    bool is_whole;
    uint64_t choice;
    int32_t verdict;
};

static bool same_decision(const struct sim_deviation *a, const struct sim_deviation *b) {
    return a->kind == b->kind && a->ordinal == b->ordinal && strcmp(a->topic, b->topic) == 0 &&
           strcmp(a->subject, b->subject) == 0 && strcmp(a->label, b->label) == 0;
}

/* What follows the choice, as far as it tells something. */
static void print_next(const struct scn_rerun *rerun, const struct scn_telling *telling,
                       uint64_t choice) {
    const struct scn_session *session = &rerun->session;
    const struct scn_chronicle *chronicle = session->chronicle;
    char text[SCN_STORY_BYTES];
    bool is_json = rerun->options.json;
    uint32_t shown = 0;

    for (uint32_t at = chronicle->first; at != 0 && at <= chronicle->last && shown < LINES; at++) {
        const struct sim_record *record = &scn_chronicle_at(chronicle, at)->record;
        const struct scn_story_line line = {.sequence = at};

        if (record->choice < choice || !scn_record_tells(session->machine->world, record))
            continue;
        if (is_json) {
            fputs(shown > 0 ? ",\n      " : "\n      ", stdout);
            scn_story_line_json(stdout, session->machine, telling, &line);
        } else {
            printf("  %s\n", scn_story_text(session->machine, telling, &line, text, sizeof(text)));
        }
        shown++;
    }
}

static void begin_side_json(const struct side *side) {
    printf("%s\n    {\"record\": ", side->is_second ? "," : "");
    scn_json_string(stdout, side->file);
}

static void end_side_json(const struct scn_outcome *outcome) {
    putchar(']');
    scn_json_member(stdout, "verdict", sim_verdict_name(outcome->verdict));
    scn_json_member(stdout, "reason", outcome->reason);
    printf(", \"exit\": %d}", (int)outcome->verdict);
}

/* Where the runs part; `comes_up`: in this build it still does. */
static void say_decision(const struct side *side, const char *words, bool comes_up) {
    if (!side->options->json) {
        printf("* decision %zu%s: %s\n", side->parting + 1,
               comes_up ? "" : " does not come up any more", words);
        return;
    }
    printf(", \"decision\": %zu", side->parting + 1);
    scn_json_member(stdout, "what", words);
    printf(", \"comes_up\": %s", comes_up ? "true" : "false");
}

static void say_quiet(const struct side *side) {
    if (side->options->json)
        fputs(", \"decision\": null", stdout);
    else
        puts("* that decision is the quiet one here");
}

static void print_side(void *context, void *memory) {
    const struct side *side = context;
    struct result *result = memory;
    static struct scn_rerun rerun;
    const struct scn_telling *telling;
    struct scn_outcome outcome;
    char text[512];
    size_t used = 0;

    scn_session_host();
    if (!scn_rerun_open(&rerun, side->options, side->file))
        return;
    rerun.run.chooser = scn_rerun_recorded(&rerun);
    scn_session_remember(&rerun.session, SCN_CHRONICLE_LONG);
    scn_session_run(&rerun.session, &rerun.run, &outcome);
    telling = scn_rerun_tell(&rerun);
    krn_images_readable();
    result->is_whole = true;
    result->verdict = (int32_t)outcome.verdict;
    result->choice = side->choice;
    if (side->options->json)
        begin_side_json(side);
    else
        printf("%s\n", side->file);
    if (side->choice == 0) {
        const struct sim_deviation *parting = &rerun.record->deviations[side->parting];

        for (size_t i = 0; i < side->parting; i++)
            used += rerun.record->deviations[i].used;
        if (parting->used && used < telling->decision_count) {
            say_decision(side, telling->decisions[used].words, true);
            result->choice = telling->decisions[used].deviation->choice;
        } else {
            say_decision(side, scn_deviation_text(parting, text, sizeof(text)), false);
        }
    } else {
        say_quiet(side);
    }
    if (side->options->json)
        fputs(",\n     \"next\": [", stdout);
    if (result->choice != 0)
        print_next(&rerun, telling, result->choice);
    if (side->options->json)
        end_side_json(&outcome);
    else
        printf("  ends: %s%s%s\n\n", sim_verdict_name(outcome.verdict),
               outcome.reason[0] != '\0' ? ": " : "", outcome.reason);
}

struct notes {
    bool is_json;
    uint32_t count;
};

/* True when two values are the same JSON. */
static bool same_value(const struct scn_value *a, const struct scn_value *b) {
    const struct scn_value *other = b->first;

    if (a->type != b->type || a->count != b->count)
        return false;
    if (a->type == SCN_STRING || a->type == SCN_REAL)
        return strcmp(a->string, b->string) == 0;
    if (a->type == SCN_INTEGER || a->type == SCN_BOOLEAN)
        return a->integer == b->integer && a->boolean == b->boolean;
    for (const struct scn_value *one = a->first; one != NULL; one = one->next, other = other->next)
        if ((one->key != NULL && strcmp(one->key, other->key) != 0) || !same_value(one, other))
            return false;
    return true;
}

/* What makes two records incomparable; NULL: nothing. */
static const char *obstacle(const struct scn_record *a, const struct scn_record *b) {

    if (a->module_count != b->module_count)
        return "they are of scenarios with other drivers";
    for (size_t i = 0; i < a->module_count; i++)
        if (strcmp(a->modules[i].name, b->modules[i].name) != 0 ||
            a->modules[i].is_device != b->modules[i].is_device)
            return "they are of scenarios with other drivers";
    return NULL;
}

/* A remark: a line, or an element of "notes". */
SIM_PRINTF(2, 3)
static void note(struct notes *notes, const char *format, ...) {
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (notes->is_json) {
        fputs(notes->count++ > 0 ? ", " : "", stdout);
        scn_json_string(stdout, text);
    } else {
        printf("note     %s\n", text);
    }
}

static void say_heads(struct notes *notes, const struct scn_record *a, const struct scn_record *b) {
    for (size_t i = 0; i < a->module_count; i++)
        if (strcmp(a->modules[i].build_id, b->modules[i].build_id) != 0)
            note(notes, "%s is another build: %s, %s", a->modules[i].name, a->modules[i].build_id,
                 b->modules[i].build_id);
    if (!same_value(a->scenario, b->scenario))
        note(notes, "the scenarios differ");
    if (a->seed != b->seed)
        note(notes, "the seeds differ: %llu, %llu", (unsigned long long)a->seed,
             (unsigned long long)b->seed);
}

/* What is the same. */
static void say_common(const struct scn_options *options, const struct scn_record *a,
                       const struct scn_record *b, size_t common) {
    bool are_same = common == a->deviation_count && common == b->deviation_count;

    if (options->json)
        printf("],\n  \"common_decisions\": %zu, \"decisions\": [%zu, %zu], \"part\": %s, "
               "\"same_digest\": %s,\n  \"sides\": [",
               common, a->deviation_count, b->deviation_count, are_same ? "false" : "true",
               a->digest == b->digest ? "true" : "false");
    else if (are_same)
        printf("the %zu decision%s the same%s\n", common, common == 1 ? " is" : "s are",
               a->digest == b->digest ? ", and so are the digests" : "; the digests are not");
    else
        printf("the first %zu decision%s the same, of %zu and %zu\n\n", common,
               common == 1 ? " is" : "s are", a->deviation_count, b->deviation_count);
}

static bool show(struct side *side, struct result *result) {
    char death[64];

    memset(result, 0, sizeof(*result));
    if (sim_host_apart(print_side, side, result, sizeof(*result), death, sizeof(death)) !=
        SIM_HOST_APART_DONE) {
        scn_complain("%s: the run's process: %s", side->file, death);
        return false;
    }
    return result->is_whole;
}

static int diff(const struct scn_options *options, const struct scn_record *a,
                const struct scn_record *b) {
    struct side sides[2] = {{.options = options, .file = options->operands[0]},
                            {.options = options, .file = options->operands[1]}};
    struct result result;
    size_t common = 0, first;

    while (common < a->deviation_count && common < b->deviation_count &&
           same_decision(&a->deviations[common], &b->deviations[common]))
        common++;
    say_common(options, a, b, common);
    if (common == a->deviation_count && common == b->deviation_count)
        return SIM_VERDICT_HELD;
    /* Of the two next decisions the earlier one is where the runs part. */
    first = common == a->deviation_count ||
            (common < b->deviation_count &&
             b->deviations[common].time_ns < a->deviations[common].time_ns);
    sides[first].parting = common;
    if (!show(&sides[first], &result))
        return SIM_VERDICT_USAGE;
    sides[1 - first].choice = result.choice;
    sides[1 - first].is_second = true;
    if (result.choice == 0)
        return SIM_VERDICT_EXPECTATION;
    return show(&sides[1 - first], &result) ? SIM_VERDICT_EXPECTATION : SIM_VERDICT_USAGE;
}

int scn_command_diff(const struct scn_options *options) {
    static struct scn_diagnostics diagnostics;
    struct scn_record *records[2] = {NULL, NULL};
    const char *wrong;
    int exit_code = SIM_VERDICT_USAGE;

    scn_diagnostics_init(&diagnostics);
    for (size_t i = 0; i < 2; i++)
        records[i] = scn_record_read(options->operands[i], &diagnostics);
    if (records[0] == NULL || records[1] == NULL) {
        scn_print_diagnostics(&diagnostics);
    } else if ((wrong = obstacle(records[0], records[1])) != NULL) {
        scn_complain("diff: %s, %s: %s", options->operands[0], options->operands[1], wrong);
    } else {
        struct notes notes = {.is_json = options->json};

        fputs(options->json ? "{\n  \"notes\": [" : "", stdout);
        say_heads(&notes, records[0], records[1]);
        exit_code = diff(options, records[0], records[1]);
        fputs(options->json ? "\n  ]\n}\n" : "", stdout);
    }
    scn_record_free(records[0]);
    scn_record_free(records[1]);
    return exit_code;
}
