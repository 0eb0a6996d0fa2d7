/* SPDX-License-Identifier: Apache-2.0 */
/* See report.h. Addresses of code become file:line here and nowhere else. */
#include "report/report.h"

#include <krn/state.h>
#include <sim/host.h>
#include <sim/trace.h>
#include <string.h>
#include <vrf/verifier.h>

#define FRAMES_SHOWN 3u

const char *scn_time_text(uint64_t time_ns, char *text, size_t size) {
    snprintf(text, size, "%llu.%06llums", (unsigned long long)(time_ns / SIM_NS_PER_MS),
             (unsigned long long)(time_ns % SIM_NS_PER_MS));
    return text;
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

/* "queue.c:12 (Reap)", not "queue.c:? (Reap)" or "mydriver.so (Reap)". */
static bool names_line(const char *place) {
    const char *function = strstr(place, " (");

    return function != NULL && function > place && function[-1] >= '0' && function[-1] <= '9' &&
           memchr(place, ':', (size_t)(function - place)) != NULL;
}

static void print_site(FILE *stream, const struct sim_site *site) {
    char actor[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES], place[256];
    bool has_line = false;
    uint32_t shown = 0;

    fprintf(stream, " %-8s %-24s %-8s %s", site->what, sim_object_name(site->actor, actor, 96),
            krn_irql_name(site->level), scn_time_text(site->time_ns, time, sizeof(time)));
    for (uint32_t i = 0; i < site->frame_count && shown < FRAMES_SHOWN; i++) {
        sim_host_symbolize(site->frames[i] - 1, place, sizeof(place));
        /* What has no line does not help behind what has one. */
        if (place[0] == '\0' || (has_line && !names_line(place)))
            continue;
        has_line = names_line(place);
        fprintf(stream, "%s%s", shown > 0 ? " < " : "  ", place);
        shown++;
    }
    fputc('\n', stream);
}

static void print_objects(FILE *stream, const struct sim_finding *finding) {
    char name[SIM_NAME_BYTES];

    for (uint32_t i = 0; i < finding->object_count; i++) {
        const struct sim_object *object = finding->objects[i];

        fprintf(stream, "%s%s%s%s", i == 0 ? "objects  " : " | ",
                sim_object_name(object, name, sizeof(name)), object->state != NULL ? " " : "",
                object->state != NULL ? object->state : "");
        if (object->closed && (object->state == NULL || strcmp(object->state, "closed") != 0))
            fputs(" closed", stream);
    }
    if (finding->object_count > 0)
        fputc('\n', stream);
}

static bool concerns(const struct sim_record *record, const struct sim_finding *finding) {
    for (uint32_t i = 0; i < finding->object_count; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (record->object_id[k] != 0 && record->object_id[k] == finding->objects[i]->id)
                return true;
    return false;
}

uint32_t scn_story(const struct scn_machine *machine, const struct sim_finding *finding,
                   uint32_t chosen[SCN_STORY_LINES]) {
    uint32_t count = 0;

    for (uint32_t back = 0; back < SIM_TRACE_RING_COUNT && count < SCN_STORY_LINES; back++) {
        const struct sim_record *record = sim_trace_last(machine->world, back);

        if (record == NULL)
            break;
        if (record->sequence <= finding->sequence && concerns(record, finding))
            chosen[count++] = back;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = chosen[count - 1 - i];

        chosen[count - 1 - i] = chosen[i];
        chosen[i] = other;
    }
    return count;
}

static void print_story(FILE *stream, const struct scn_machine *machine,
                        const struct sim_finding *finding) {
    uint32_t chosen[SCN_STORY_LINES], count = scn_story(machine, finding, chosen);
    char line[512];

    if (count == 0)
        return;
    fprintf(stream, "story    %u of %llu events\n", count,
            (unsigned long long)sim_trace_count(machine->world));
    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "  %s\n",
                sim_record_format(machine->world, sim_trace_last(machine->world, chosen[i]), line,
                                  sizeof(line)));
}

static void print_details(FILE *stream, const char *detail) {
    while (*detail != '\0') {
        size_t length = strcspn(detail, "\n");

        if (length > 0)
            fprintf(stream, " %.*s\n", (int)length, detail);
        detail += length + (detail[length] == '\n');
    }
}

void scn_report_finding(FILE *stream, const struct scn_machine *machine,
                        const struct sim_finding *finding) {
    char time[SCN_TIME_TEXT_BYTES];

    fprintf(stream, "%s %s%s%s   %s%s%s   t=%s\n", heading(finding), finding->id,
            finding->name[0] != '\0' ? " " : "", finding->name, machine->scenario->name,
            finding->guilty[0] != '\0' ? ", " : "", finding->guilty,
            scn_time_text(finding->time_ns, time, sizeof(time)));
    fprintf(stream, "%s\n", finding->sentence);
    if (finding->rule[0] != '\0')
        fprintf(stream, "rule     %s\n", finding->rule);
    if (finding->reason[0] != '\0')
        fprintf(stream, "%-8s %s\n", finding->severity == SIM_SEVERITY_WARN ? "warning" : "level",
                finding->reason);
    if (finding->verdict == SIM_VERDICT_BUGCHECK)
        fprintf(
            stream, "parameters 0x%llx 0x%llx 0x%llx 0x%llx\n",
            (unsigned long long)finding->parameters[0], (unsigned long long)finding->parameters[1],
            (unsigned long long)finding->parameters[2], (unsigned long long)finding->parameters[3]);
    for (uint32_t i = 0; i < finding->site_count; i++)
        print_site(stream, &finding->sites[i]);
    print_details(stream, finding->detail);
    print_objects(stream, finding);
    print_story(stream, machine, finding);
    if (finding->remedy[0] != '\0')
        fprintf(stream, "why      %s\n", finding->remedy);
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

void scn_report_run(FILE *stream, const struct scn_machine *machine,
                    const struct scn_outcome *outcome) {
    krn_images_readable();
    for (size_t i = 0; i < outcome->finding_count; i++)
        scn_report_finding(stream, machine, sim_finding_at(machine->world, i));
    if (outcome->verdict == SIM_VERDICT_EXPECTATION)
        print_unmet(stream, outcome);
    print_rules_off(stream);
    if (outcome->until_reached)
        fputs("note     stopped where --until says; expectations were not judged\n", stream);
}

void scn_report_line(FILE *stream, const struct scn_scenario *scenario, uint64_t seed,
                     const struct scn_outcome *outcome) {
    char time[SCN_TIME_TEXT_BYTES];

    fprintf(stream, "%s: %s, seed %llu, %llu events, %s, digest %016llx\n",
            sim_verdict_name(outcome->verdict), scenario->name, (unsigned long long)seed,
            (unsigned long long)outcome->event_count,
            scn_time_text(outcome->time_ns, time, sizeof(time)),
            (unsigned long long)outcome->digest);
}
