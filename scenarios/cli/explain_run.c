/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See explain_run.h. Without further options the failure's story, long, with the drivers' own lines
 * where they were said; --object: all that happened to the objects of a name; --request: the path
 * of one request from its call to its result, over all that it caused on the way.
 */
#include "cli/explain_run.h"
#include "cli/explain_wire.h"

#include <stdlib.h>
#include <string.h>

#include "cli/rerun.h"
#include "parse/complain.h"
#include "report/not_loaded.h"
#include "report/plural.h"
#include "report/story_json.h"
#include "report/words.h"

#define SAYINGS_MAX 40u
#define SAYINGS_BEFORE 3u

struct view {
    const struct scn_session *session;
    const struct scn_telling *telling;
    bool is_json;
    uint32_t line_count; /* printed so far */
};

/* ---- Lines ---- */

static void print_line(struct view *view, const struct scn_story_line *line) {
    char text[SCN_STORY_BYTES];

    view->line_count++;
    if (view->is_json) {
        fputs(view->line_count > 1 ? ",\n    " : "\n    ", stdout);
        scn_story_line_json(stdout, view->session->machine, view->telling, line);
        return;
    }
    printf("%c %s\n", line->decision != NULL ? '*' : ' ',
           scn_story_text(view->session->machine, view->telling, line, text, sizeof(text)));
}

static void print_saying(struct view *view, const struct scn_saying *saying) {
    char name[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES], code[128];

    view->line_count++;
    if (view->is_json) {
        fputs(view->line_count > 1 ? ",\n    " : "\n    ", stdout);
        scn_saying_json(stdout, view->session->machine, saying);
        return;
    }
    scn_time_text(saying->time_ns, time, sizeof(time));
    time[strlen(time) - 2] = '\0'; /* all of them are ms */
    scn_code_text(saying->code, code, sizeof(code));
    printf("| %12s %-18s %s%s%s\n", time,
           sim_object_name(sim_object_by_id(view->session->machine->world, saying->who_id), name,
                           sizeof(name)),
           saying->text, code[0] != '\0' ? "  " : "", code);
}

/* The drivers' lines between two records, the last `max` of them. */
static void print_sayings(struct view *view, uint32_t after, uint32_t upto, uint32_t max) {
    const struct scn_chronicle *chronicle = view->telling->chronicle;
    const struct scn_saying *saying;
    uint32_t back = 0, oldest;

    while ((saying = scn_chronicle_saying(chronicle, back)) != NULL && saying->sequence > upto)
        back++;
    oldest = back;
    while ((saying = scn_chronicle_saying(chronicle, oldest)) != NULL && saying->sequence > after &&
           oldest - back < max)
        oldest++;
    while (oldest-- > back)
        print_saying(view, scn_chronicle_saying(chronicle, oldest));
}

static void print_lines(struct view *view, const struct scn_story_line *lines, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0)
            print_sayings(view, 0, lines[i].sequence, SAYINGS_BEFORE);
        else
            print_sayings(view, lines[i - 1].sequence, lines[i].sequence, SAYINGS_MAX);
        print_line(view, &lines[i]);
    }
}

/* ---- The failure ---- */

/* Who is where: the sides of the story. */
static void print_sides(const struct view *view) {
    const struct scn_scenario *scenario = view->session->scenario;

    for (uint32_t node = 0; node < scenario->node_count; node++) {
        const char *between = ": ";

        printf("%-8s %s", node == 0 ? "sides" : "", scenario->nodes[node].name);
        for (uint32_t i = 0; i < scenario->driver_count; i++)
            if (scenario->drivers[i].node == node) {
                printf("%s%s", between, scenario->drivers[i].as);
                between = ", ";
            }
        putchar('\n');
    }
}

static void print_story(struct view *view, const struct scn_story_line *lines, uint32_t count) {
    if (!view->is_json)
        printf("story    %u of %llu event%s, ms; * = a decision, | = a driver's own line\n", count,
               (unsigned long long)sim_trace_count(view->session->machine->world),
               scn_plural(sim_trace_count(view->session->machine->world)));
    print_lines(view, lines, count);
    if (count > 0)
        print_sayings(view, lines[count - 1].sequence, UINT32_MAX, SAYINGS_MAX);
    else
        print_sayings(view, 0, UINT32_MAX, SAYINGS_MAX);
}

static void explain_finding(struct view *view, const struct sim_finding *finding) {
    struct scn_story_line lines[SCN_STORY_LONG];
    uint32_t count =
        scn_story(view->session->machine, view->telling, finding, SCN_STORY_LONG, lines);

    if (!view->is_json) {
        scn_report_head(stdout, view->session->machine, finding);
        scn_not_loaded(stdout, view->session->machine, view->telling, false);
        scn_report_places(stdout, view->session->machine, finding);
        print_sides(view);
    }
    print_story(view, lines, count);
    if (view->is_json)
        return;
    if (finding->rule[0] != '\0')
        printf("rule     %s\n", finding->rule);
    if (finding->remedy[0] != '\0')
        printf("correct  %s\n", finding->remedy);
}

/* No finding has a place in the run then: the story is of how it ended. */
static void explain_expectation(struct view *view, const struct scn_outcome *outcome) {
    struct scn_story_line lines[SCN_STORY_LONG];
    struct sim_finding ended = {.sequence = view->telling->chronicle->last};
    uint32_t count =
        scn_story(view->session->machine, view->telling, &ended, SCN_STORY_LONG, lines);
    const char *line = outcome->unmet_count > 0 ? outcome->unmet : outcome->reason;

    for (; !view->is_json && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
        printf("EXPECTATION %.*s\n", (int)strcspn(line, "\n"), line);
    if (!view->is_json)
        print_sides(view);
    print_story(view, lines, count);
}

static void failure_json(struct view *view, const struct scn_outcome *outcome,
                         const struct sim_finding *finding) {
    const struct scn_machine *machine = view->session->machine;

    fputs("  \"finding\": ", stdout);
    if (finding != NULL)
        scn_report_finding_json(stdout, machine, NULL, finding);
    else
        fputs("null", stdout);
    scn_report_unmet_json(stdout, outcome);
    scn_not_loaded_json(stdout, machine, view->telling);
    fputs(",\n  \"story\": [", stdout);
    if (finding != NULL)
        explain_finding(view, finding);
    else if (outcome->verdict != SIM_VERDICT_HELD)
        explain_expectation(view, outcome);
    fputs(view->line_count > 0 ? "\n  ]" : "]", stdout);
}

static int explain_failure(struct view *view, const struct scn_outcome *outcome) {
    const struct sim_finding *finding =
        outcome->first_finding != SIZE_MAX
            ? sim_finding_at(view->session->machine->world, outcome->first_finding)
            : NULL;

    if (view->is_json)
        failure_json(view, outcome, finding);
    else if (finding != NULL)
        explain_finding(view, finding);
    else if (outcome->verdict != SIM_VERDICT_HELD)
        explain_expectation(view, outcome);
    else
        puts("the run held: there is no failure (--object NAME and --request N tell of the rest)");
    return SIM_VERDICT_HELD;
}

/* ---- Objects ---- */

static bool concerns(const struct sim_world *world, const struct sim_record *record,
                     const char *pattern) {
    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++) {
        const struct sim_object *object = sim_object_by_id(world, record->object_id[i]);

        if (object != NULL && sim_object_matches(object, pattern))
            return true;
    }
    return false;
}

static int explain_object(struct view *view, const char *pattern) {
    const struct sim_world *world = view->session->machine->world;
    const struct scn_chronicle *chronicle = view->telling->chronicle;
    uint32_t last = 0, count = 0;

    for (uint32_t at = chronicle->first; at != 0 && at <= chronicle->last; at++) {
        const struct scn_story_line line = {.sequence = at};

        if (!concerns(world, &scn_chronicle_at(chronicle, at)->record, pattern))
            continue;
        if (count++ > 0)
            print_sayings(view, last, at, SAYINGS_MAX);
        print_line(view, &line);
        last = at;
    }
    if (count > 0)
        return SIM_VERDICT_HELD;
    scn_complain("--object %s: nothing of that name was in the run", pattern);
    return SIM_VERDICT_USAGE;
}

/* ---- A request ---- */

/*
 * What the request's call has led to, and of that what has led to its end: marks 1 and 2, by
 * sequence from `first` on.
 */
static void mark_path(const struct view *view, uint32_t first, uint32_t last, uint64_t request,
                      unsigned char *marks) {
    const struct sim_world *world = view->session->machine->world;
    const struct scn_chronicle *chronicle = view->telling->chronicle;

    for (uint32_t at = first; at <= last; at++) {
        const struct sim_record *record = &scn_chronicle_at(chronicle, at)->record;

        if (scn_record_request(world, record) == request ||
            (record->cause >= first && record->cause < at && marks[record->cause - first] != 0))
            marks[at - first] = 1;
    }
    for (uint32_t at = last; at >= first && at > 0; at--) {
        const struct sim_record *record = &scn_chronicle_at(chronicle, at)->record;

        if (scn_record_request(world, record) == request)
            marks[at - first] |= 2;
        if ((marks[at - first] & 2) != 0 && record->cause >= first && record->cause < at)
            marks[record->cause - first] |= 2;
    }
}

static int explain_request(struct view *view, uint64_t request) {
    const struct scn_chronicle *chronicle = view->telling->chronicle;
    const struct sim_world *world = view->session->machine->world;
    uint32_t first = 0, last = 0, before = 0, posted, doorbell;
    unsigned char *marks;

    for (uint32_t at = chronicle->first; at != 0 && at <= chronicle->last; at++)
        if (scn_record_request(world, &scn_chronicle_at(chronicle, at)->record) == request) {
            first = first != 0 ? first : at;
            last = at;
        }
    if (first == 0) {
        scn_complain("--request %llu: no request of that number was in the run",
                     (unsigned long long)request);
        return SIM_VERDICT_USAGE;
    }
    posted = first;
    doorbell = scn_wire_doorbell(world, chronicle, posted);
    first = doorbell != 0 ? doorbell : first;
    marks = calloc(last - first + 1, 1);
    SIM_ASSERT(marks != NULL);
    mark_path(view, first, last, request, marks);
    scn_wire_mark(world, chronicle, posted, first, last, marks);
    for (uint32_t at = first; at <= last; at++) {
        const struct scn_story_line line = {.sequence = at};

        if (marks[at - first] != 3)
            continue;
        if (before != 0)
            print_sayings(view, before, at, SAYINGS_MAX);
        print_line(view, &line);
        before = at;
    }
    free(marks);
    return SIM_VERDICT_HELD;
}

/* ---- The command ---- */

static int explain_asked(struct view *view, const struct scn_options *options,
                         const struct scn_outcome *outcome) {
    int exit_code;

    if (options->object == NULL && options->request == 0)
        return explain_failure(view, outcome);
    if (view->is_json)
        fputs("  \"story\": [", stdout);
    exit_code = options->object != NULL ? explain_object(view, options->object)
                                        : explain_request(view, options->request);
    if (view->is_json)
        fputs(view->line_count > 0 ? "\n  ]" : "]", stdout);
    return exit_code;
}

static int explain(struct scn_rerun *rerun) {
    const struct scn_options *options = &rerun->options;
    struct scn_session *session = &rerun->session;
    struct view view = {.session = session, .is_json = options->json};
    struct scn_outcome outcome;
    bool recurs;
    int exit_code;

    scn_session_remember(session, SCN_CHRONICLE_LONG);
    scn_session_run(session, &rerun->run, &outcome);
    if (outcome.verdict == SIM_VERDICT_INTERRUPTED)
        return SIM_VERDICT_INTERRUPTED;
    view.telling = scn_rerun_tell(rerun);
    recurs = scn_rerun_recurs(rerun->record, &outcome);
    scn_rerun_say_unused(stderr, rerun->record, SIM_TIME_NEVER);
    if (!recurs && options->object == NULL && options->request == 0)
        scn_complain("%s: the recorded failure did not recur (%s)", options->operands[0],
                     rerun->record->sentence);
    if (view.is_json) {
        fputs("{\n  \"record\": ", stdout);
        scn_json_string(stdout, options->operands[0]);
        scn_json_member(stdout, "scenario", session->scenario->name);
        scn_json_member(stdout, "verdict", sim_verdict_name(outcome.verdict));
        scn_json_member(stdout, "reason", outcome.reason);
        printf(", \"exit\": %d, \"recurs\": %s,\n", (int)outcome.verdict,
               recurs ? "true" : "false");
    }
    exit_code = explain_asked(&view, options, &outcome);
    if (view.is_json)
        puts("\n}");
    if (!recurs && options->object == NULL && options->request == 0)
        return SIM_VERDICT_GONE;
    return exit_code;
}

int scn_explain_run(const struct scn_options *options) {
    static struct scn_rerun rerun;
    int exit_code;

    scn_session_host();
    if (!scn_rerun_open(&rerun, options, options->operands[0]))
        return SIM_VERDICT_USAGE;
    rerun.run.chooser = scn_rerun_recorded(&rerun);
    exit_code = explain(&rerun);
    scn_rerun_close(&rerun);
    sim_chooser_destroy(rerun.run.chooser);
    return exit_code;
}
