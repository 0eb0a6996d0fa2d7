/* SPDX-License-Identifier: Apache-2.0 */
/* See report.h. Addresses of code become file:line here and nowhere else. */
#include "report/report.h"

#include <krn/bugcheck.h>
#include <krn/state.h>
#include <sim/host.h>
#include <sim/trace.h>
#include <string.h>
#include <strings.h>
#include <vrf/verifier.h>

#include "report/not_loaded.h"
#include "report/plural.h"

#define FRAMES_SHOWN 3u
#define LOG_LINES 2u
#define OWED_LINES 6u
#define OWED_COLUMNS 160u

static const char owed_prefix[] = "owed: "; /* of a line of vrf_say_owed */

const char *scn_time_text(uint64_t time_ns, char *text, size_t size) {
    snprintf(text, size, "%llu.%06llums", (unsigned long long)(time_ns / SIM_NS_PER_MS),
             (unsigned long long)(time_ns % SIM_NS_PER_MS));
    return text;
}

uint32_t scn_not_judged(const struct scn_machine *machine, const char *words[SCN_NOT_JUDGED_MAX]) {
    const struct scn_scenario *scenario = machine->scenario;
    uint32_t count = 0;

    if (scenario->step_count > 0)
        words[count++] = "steps";
    if (scenario->expect_count > 0)
        words[count++] = "expectations";
    if (scenario->fault_count > 0)
        words[count++] = "whether faults fired";
    words[count++] = "whether the work ends";
    if (scenario->unload_at_end)
        words[count++] = "unloading and what it leaves behind";
    return count;
}

const char *scn_so_far(const struct scn_outcome *outcome) {
    return outcome->verdict == SIM_VERDICT_HELD && outcome->until_reached ? " so far" : "";
}

static const char *heading(const struct sim_finding *finding) {
    switch (finding->verdict) {
    case SIM_VERDICT_BUGCHECK:
        return "BUGCHECK";
    case SIM_VERDICT_RULE:
        return finding->severity == SIM_SEVERITY_WARN ? "WARNING" : "RULE";
    case SIM_VERDICT_STUCK:
        return "STUCK";
    case SIM_VERDICT_INTERNAL:
        return "INTERNAL";
    default:
        return "FINDING";
    }
}

static void print_site(FILE *stream, const struct sim_site *site) {
    char actor[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES], frame[256];
    bool has_line = false;
    uint32_t shown = 0;

    fprintf(stream, " %-8s %-24s %-8s %s", site->what, sim_object_name(site->actor, actor, 96),
            krn_irql_name(site->level), scn_time_text(site->time_ns, time, sizeof(time)));
    for (uint32_t i = 0; i < site->frame_count && shown < FRAMES_SHOWN; i++) {
        bool names_line = scn_frame_text(site->frames[i], frame, sizeof(frame));

        /* What has no line does not help behind what has one. */
        if (frame[0] == '\0' || (has_line && !names_line))
            continue;
        has_line = names_line;
        fprintf(stream, "%s%s", shown > 0 ? " < " : "  ", frame);
        shown++;
    }
    fputc('\n', stream);
}

/* A state that says by itself that the object is no more. */
static bool is_of_end(const char *state) {
    return state != NULL && (strcmp(state, "closed") == 0 || strcmp(state, "unloaded") == 0);
}

static void print_objects(FILE *stream, const struct sim_finding *finding) {
    char name[SIM_NAME_BYTES];

    for (uint32_t i = 0; i < finding->object_count; i++) {
        const struct sim_object *object = finding->objects[i];

        fprintf(stream, "%s%s%s%s", i == 0 ? "objects  " : " | ",
                sim_object_name(object, name, sizeof(name)), object->state != NULL ? " " : "",
                object->state != NULL ? object->state : "");
        if (object->closed && !is_of_end(object->state))
            fputs(" closed", stream);
    }
    if (finding->object_count > 0)
        fputc('\n', stream);
}

/* As many things as a line has place for. */
static size_t cut_owed(const char *text, size_t length) {
    size_t shown = length;

    while (shown > OWED_COLUMNS && shown > 0)
        for (shown--; shown > 0 && text[shown] != ',';)
            shown--;
    return shown > 0 ? shown : OWED_COLUMNS;
}

static bool is_owed_line(const char *line) {
    return strncmp(line, owed_prefix, sizeof(owed_prefix) - 1) == 0;
}

/* Of a detail: a few of them, and as much of each as has place, unless `is_whole`. */
static void print_owed_lines(FILE *stream, const char *line, bool is_whole) {
    uint32_t shown = 0;

    while (*line != '\0' && (is_whole || shown < OWED_LINES)) {
        size_t length = strcspn(line, "\n");

        if (is_owed_line(line)) {
            const char *text = line + sizeof(owed_prefix) - 1;
            size_t size = length - (sizeof(owed_prefix) - 1);
            size_t part = is_whole || size <= OWED_COLUMNS ? size : cut_owed(text, size);

            fprintf(stream, "%-8s %.*s%s\n", shown++ == 0 ? "owed" : "", (int)part, text,
                    part < size ? ", ..." : "");
        }
        line += length + (line[length] == '\n');
    }
}

/* Who owes what at the end of the run; findings about that have it themselves, and all of it. */
static void print_owed(FILE *stream, const struct scn_machine *machine,
                       const struct sim_finding *finding) {
    struct sim_finding owed = {.detail = ""};

    if (strstr(finding->detail, owed_prefix) != NULL) {
        print_owed_lines(stream, finding->detail, true);
    } else if (finding->severity == SIM_SEVERITY_ERROR) {
        vrf_say_owed(machine->world, &owed);
        print_owed_lines(stream, owed.detail, false);
    }
}

static void print_story(FILE *stream, const struct scn_machine *machine,
                        const struct scn_telling *telling, const struct sim_finding *finding) {
    struct scn_story_line lines[SCN_STORY_LONG];
    uint32_t count = scn_story(machine, telling, finding, SCN_STORY_SHORT, lines);
    char text[SCN_STORY_BYTES];

    if (count == 0)
        return;
    fprintf(stream, "story    %u of %llu event%s, ms", count,
            (unsigned long long)sim_trace_count(machine->world),
            scn_plural(sim_trace_count(machine->world)));
    if (telling->decision_count > SCN_STORY_DECISIONS)
        fprintf(stream, "; %zu decisions: `ndksim shrink` finds those that matter",
                telling->decision_count);
    else if (telling->decision_count > 0)
        fprintf(stream, "; * = one of %zu decision%s", telling->decision_count,
                scn_plural(telling->decision_count));
    fputc('\n', stream);
    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "%c %s\n", lines[i].decision != NULL ? '*' : ' ',
                scn_story_text(machine, telling, &lines[i], text, sizeof(text)));
}

/* The drivers' last own lines before it. */
static void print_log(FILE *stream, const struct scn_machine *machine,
                      const struct scn_telling *telling) {
    char name[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES];

    if (telling == NULL || telling->chronicle == NULL)
        return;
    for (uint32_t back = LOG_LINES; back-- > 0;) {
        const struct scn_saying *saying = scn_chronicle_saying(telling->chronicle, back);

        if (saying != NULL)
            fprintf(stream, "log      %s %s %s\n",
                    scn_time_text(saying->time_ns, time, sizeof(time)),
                    sim_object_name(sim_object_by_id(machine->world, saying->who_id), name,
                                    sizeof(name)),
                    saying->text);
    }
    if (telling->log_file != NULL)
        fprintf(stream, "log      all lines: %s\n", telling->log_file);
}

/* What is owed has its place behind the objects. */
static void print_details(FILE *stream, const char *detail) {
    while (*detail != '\0') {
        size_t length = strcspn(detail, "\n");

        if (length > 0 && !is_owed_line(detail))
            fprintf(stream, " %.*s\n", (int)length, detail);
        detail += length + (detail[length] == '\n');
    }
}

void scn_report_head(FILE *stream, const struct scn_machine *machine,
                     const struct sim_finding *finding) {
    char time[SCN_TIME_TEXT_BYTES];

    const char *kind = heading(finding);
    bool says_it = strcasecmp(kind, finding->id) == 0; /* STUCK stuck */

    fprintf(stream, "%s%s%s%s%s   %s%s%s   t=%s\n", kind, says_it ? "" : " ",
            says_it ? "" : finding->id, finding->name[0] != '\0' ? " " : "", finding->name,
            machine->scenario->name, finding->guilty[0] != '\0' ? ", " : "", finding->guilty,
            scn_time_text(finding->time_ns, time, sizeof(time)));
    fprintf(stream, "%s\n", finding->sentence);
}

static void print_bugcheck(FILE *stream, const struct sim_finding *finding) {
    const uint64_t *parameters = finding->parameters;

    if (finding->verdict != SIM_VERDICT_BUGCHECK)
        return;
    fprintf(stream, "meaning  %s\n", krn_bugcheck_meaning(finding));
    fprintf(stream, "parameters 0x%llx 0x%llx 0x%llx 0x%llx\n", (unsigned long long)parameters[0],
            (unsigned long long)parameters[1], (unsigned long long)parameters[2],
            (unsigned long long)parameters[3]);
}

void scn_report_places(FILE *stream, const struct scn_machine *machine,
                       const struct sim_finding *finding) {
    print_bugcheck(stream, finding);
    for (uint32_t i = 0; i < finding->site_count; i++)
        print_site(stream, &finding->sites[i]);
    print_details(stream, finding->detail);
    print_objects(stream, finding);
    print_owed(stream, machine, finding);
}

void scn_report_finding(FILE *stream, const struct scn_machine *machine,
                        const struct scn_telling *telling, const struct sim_finding *finding) {
    scn_report_head(stream, machine, finding);
    scn_not_loaded(stream, machine, telling, false);
    if (finding->rule[0] != '\0')
        fprintf(stream, "rule     %s\n", finding->rule);
    if (finding->reason[0] != '\0')
        fprintf(stream, "%-8s %s\n", finding->severity == SIM_SEVERITY_WARN ? "warning" : "level",
                finding->reason);
    scn_report_places(stream, machine, finding);
    print_story(stream, machine, telling, finding);
    if (finding->remedy[0] != '\0')
        fprintf(stream, "why      %s\n", finding->remedy);
    print_log(stream, machine, telling);
    if (finding->wall_clock)
        fputs("note     found by the host's clock: another run may end elsewhere\n", stream);
}

static void print_rules_off(FILE *stream) {
    const struct vrf_rule *rule;

    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++) {
        enum sim_severity severity;
        const char *reason;

        if (vrf_rule_asked(i, &severity, &reason) && severity == SIM_SEVERITY_OFF)
            fprintf(stream, "note     %s is off: %s\n", rule->id, reason);
    }
}

/* All that failed; an expectation that a driver stated (NdksimRequire) is a finding. */
static void print_unmet(FILE *stream, const struct scn_outcome *outcome) {
    const char *line = outcome->unmet;
    uint32_t shown = 0;

    if (outcome->unmet_count == 0)
        fprintf(stream, "EXPECTATION %s\n", outcome->reason);
    for (; *line != '\0'; line += strcspn(line, "\n") + 1, shown++)
        fprintf(stream, "EXPECTATION %.*s\n", (int)strcspn(line, "\n"), line);
    if (shown < outcome->unmet_count)
        fprintf(stream, "EXPECTATION (%u more)\n", outcome->unmet_count - shown);
}

/* What a run that is cut is not asked for. */
static void print_not_judged(FILE *stream, const struct scn_machine *machine) {
    const char *words[SCN_NOT_JUDGED_MAX];
    uint32_t count = scn_not_judged(machine, words);

    fputs("note     stopped where --until says; not judged: ", stream);
    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", words[i]);
    fputc('\n', stream);
}

void scn_report_run(FILE *stream, const struct scn_machine *machine,
                    const struct scn_telling *telling, const struct scn_outcome *outcome) {
    krn_images_readable();
    for (size_t i = 0; i < outcome->finding_count; i++)
        scn_report_finding(stream, machine, telling, sim_finding_at(machine->world, i));
    if (outcome->findings_left_out > 0)
        fprintf(stream, "note     %llu more finding%s not shown\n",
                (unsigned long long)outcome->findings_left_out,
                outcome->findings_left_out == 1 ? " is" : "s are");
    if (outcome->verdict == SIM_VERDICT_EXPECTATION || outcome->unmet_count > 0)
        print_unmet(stream, outcome);
    if (outcome->finding_count == 0 && outcome->verdict == SIM_VERDICT_EXPECTATION)
        scn_not_loaded(stream, machine, telling, true);
    print_rules_off(stream);
    if (outcome->until_reached)
        print_not_judged(stream, machine);
}

void scn_report_line(FILE *stream, const struct scn_scenario *scenario, uint64_t seed,
                     const struct scn_outcome *outcome) {
    char time[SCN_TIME_TEXT_BYTES];

    fprintf(stream, "%s%s: %s%s%s%s, seed %llu, %llu event%s, %s, digest %016llx\n",
            sim_verdict_name(outcome->verdict), scn_so_far(outcome), scenario->name,
            scenario->cell != NULL ? "[" : "", scenario->cell != NULL ? scenario->cell : "",
            scenario->cell != NULL ? "]" : "", (unsigned long long)seed,
            (unsigned long long)outcome->event_count, scn_plural(outcome->event_count),
            scn_time_text(outcome->time_ns, time, sizeof(time)),
            (unsigned long long)outcome->digest);
}
