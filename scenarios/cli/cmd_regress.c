/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim regress DIR...`: every record of a folder once more, by name, each in a process of its
 * own. A record whose failure comes again ends with that failure's exit code; one whose failure is
 * gone with 7, or with the code of what came instead. The worst is the command's.
 */
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

#include "cli/known.h"
#include "cli/rerun.h"
#include "cli/results.h"
#include "parse/complain.h"
#include "report/annotate.h"
#include "report/plural.h"

struct wanted {
    const struct scn_options *options;
    const char *path;
};

struct result {
    bool is_whole; /* it could be read, built and run */
    int exit_code;
    char text[1024];
};

static int judge(const struct scn_rerun *rerun, const struct scn_outcome *outcome, char *text,
                 size_t size) {
    const struct scn_record *record = rerun->record;

    if (outcome->verdict == SIM_VERDICT_INTERRUPTED)
        return SIM_VERDICT_INTERRUPTED;
    if (scn_rerun_recurs(record, outcome)) {
        snprintf(text, size, "%s", outcome->reason);
        if (!scn_rerun_is_same_build(rerun) || outcome->digest == record->digest)
            return (int)outcome->verdict;
        snprintf(text, size, "the same build gave another digest: recorded %016llx, now %016llx",
                 (unsigned long long)record->digest, (unsigned long long)outcome->digest);
        return SIM_VERDICT_DIFFERED;
    }
    if (outcome->verdict != SIM_VERDICT_HELD) {
        snprintf(text, size, "%s; recorded was exit %u (%s)", outcome->reason, record->exit_code,
                 record->sentence);
        return (int)outcome->verdict;
    }
    snprintf(text, size, "the recorded failure did not recur: recorded exit %u (%s), now exit 0",
             record->exit_code, record->sentence);
    return SIM_VERDICT_GONE;
}

static void run_record(void *context, void *memory) {
    const struct wanted *wanted = context;
    struct result *result = memory;
    struct scn_outcome outcome;
    struct scn_rerun rerun;
    FILE *stream = wanted->options->json ? stderr : stdout;

    scn_session_host();
    if (!scn_rerun_open(&rerun, wanted->options, wanted->path)) {
        snprintf(result->text, sizeof(result->text), "%s", scn_first_complaint());
        return;
    }
    rerun.run.chooser = scn_rerun_recorded(&rerun);
    scn_session_run(&rerun.session, &rerun.run, &outcome);
    result->exit_code = judge(&rerun, &outcome, result->text, sizeof(result->text));
    result->is_whole = true;
    if (wanted->options->annotate != NULL && result->exit_code == SIM_VERDICT_GONE)
        scn_annotate(stream, wanted->path, "", sim_verdict_name(SIM_VERDICT_GONE), result->text);
    else if (wanted->options->annotate != NULL)
        scn_annotate_run(stream, rerun.session.machine, &outcome);
    scn_rerun_close(&rerun);
    sim_chooser_destroy(rerun.run.chooser); /* the world has ended with it */
}

static void run_apart(struct wanted *wanted, struct result *result) {
    char death[128] = "";

    switch (sim_host_apart(run_record, wanted, result, sizeof(*result), death, sizeof(death))) {
    case SIM_HOST_APART_DONE:
        return;
    case SIM_HOST_APART_DIED:
        result->is_whole = true;
        result->exit_code = sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : SIM_VERDICT_INTERNAL;
        snprintf(result->text, sizeof(result->text), "the process died: %s", death);
        return;
    case SIM_HOST_APART_REFUSED:
        scn_complain("%s: no process can be started for it: %s", wanted->path, death);
        return;
    }
}

/* Larger: worse. A failure that is gone is better than one that is there. */
static uint32_t weight(int code) {
    static const int order[] = {SIM_VERDICT_HELD,     SIM_VERDICT_GONE,     SIM_VERDICT_EXPECTATION,
                                SIM_VERDICT_STUCK,    SIM_VERDICT_RULE,     SIM_VERDICT_BUGCHECK,
                                SIM_VERDICT_DIFFERED, SIM_VERDICT_INTERNAL, SIM_VERDICT_INTERRUPTED,
                                SIM_VERDICT_USAGE};
    uint32_t at = 0;

    while (at + 1 < SIM_ARRAY_COUNT(order) && order[at] != code)
        at++;
    return at;
}

static void say(const struct scn_options *options, const char *path, const struct result *result,
                bool is_first) {
    const char *name = sim_verdict_name((enum sim_verdict)result->exit_code);
    size_t length = strlen(path);

    if (!options->json) {
        /* A text that begins with the place in the record has said which one. */
        bool says_path = strncmp(result->text, path, length) == 0 && result->text[length] == ':';

        printf("%s: %s%s%s\n", name, says_path ? "" : path,
               says_path || result->text[0] == '\0' ? "" : ": ", result->text);
        return;
    }
    fputs(is_first ? "\n  {\"record\": " : ",\n  {\"record\": ", stdout);
    scn_json_string(stdout, path);
    fputs(", \"verdict\": ", stdout);
    scn_json_string(stdout, name);
    printf(", \"exit\": %d, \"text\": ", result->exit_code);
    scn_json_string(stdout, result->text);
    fputc('}', stdout);
}

struct regression {
    const struct scn_options *options;
    struct scn_results results;
    size_t count;
    size_t failed;
    int exit_code;
};

static void add(struct regression *regression, const char *path, const struct result *result) {
    struct scn_junit_case one = {.name = ""};

    say(regression->options, path, result, regression->count++ == 0);
    regression->failed += result->exit_code != SIM_VERDICT_HELD;
    if (weight(result->exit_code) > weight(regression->exit_code))
        regression->exit_code = result->exit_code;
    snprintf(one.name, sizeof(one.name), "%.191s", path);
    snprintf(one.text, sizeof(one.text), "%.900s\nndksim replay %.100s", result->text, path);
    one.verdict = (enum sim_verdict)result->exit_code;
    scn_results_add(&regression->results, &one);
}

static void take(struct regression *regression, const char *path) {
    struct wanted wanted = {regression->options, path};
    struct result result = {.exit_code = SIM_VERDICT_USAGE};

    run_apart(&wanted, &result);
    if (!result.is_whole && result.text[0] == '\0')
        snprintf(result.text, sizeof(result.text), "it cannot be run");
    add(regression, path, &result);
}

/* A folder of records; false when it has none. */
static bool take_folder(struct regression *regression, const char *folder) {
    size_t count;
    char **paths = scn_folder_list("regress", folder, ".ndkrun", &count);
    bool is_good = paths != NULL && count > 0;

    if (paths != NULL && count == 0)
        scn_complain("regress %s: there is no record in it", folder);
    if (!is_good && regression->options->json) {
        struct result result = {.exit_code = SIM_VERDICT_USAGE};

        snprintf(result.text, sizeof(result.text), "%s", scn_first_complaint());
        say(regression->options, folder, &result, regression->count++ == 0);
    }
    for (size_t k = 0; paths != NULL && k < count && !sim_host_interrupted(); k++)
        take(regression, paths[k]);
    scn_folder_free(paths, count);
    return is_good;
}

/* The last line tells an error that came behind results. */
static int conclude(struct regression *regression, bool is_good) {
    const struct scn_options *options = regression->options;
    bool has_run = scn_results_have_run(&regression->results);

    if (options->json)
        fputs(regression->count > 0 ? "\n]\n" : "]\n", stdout);
    else if (options->verbosity > 0)
        printf("%zu record%s, %zu failed\n", regression->count, scn_plural(regression->count),
               regression->failed);
    is_good = scn_results_end(&regression->results, options) && is_good;
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    return scn_say_error(options, has_run, is_good ? regression->exit_code : SIM_VERDICT_USAGE);
}

int scn_command_regress(const struct scn_options *options) {
    struct regression regression = {.options = options, .exit_code = SIM_VERDICT_HELD};
    bool is_good = true;

    sim_host_catch_interrupts();
    if (options->json)
        fputs("[", stdout);
    for (uint32_t i = 0; i < options->operand_count; i++)
        is_good = take_folder(&regression, options->operands[i]) && is_good;
    return conclude(&regression, is_good);
}
