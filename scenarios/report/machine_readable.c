/* SPDX-License-Identifier: Apache-2.0 */
/* Results for other programs: JSON on standard output, JUnit files. */
#include <errno.h>
#include <krn/driver.h>
#include <krn/state.h>
#include <krn/bugcheck.h>
#include <sim/host.h>
#include <sim/trace.h>
#include <string.h>

#include "parse/diagnostic.h"
#include "parse/tidy_path.h"
#include "report/not_loaded.h"
#include "report/report.h"
#include "run/signature.h"

static bool has_begun;

bool scn_json_has_begun(void) {
    return has_begun;
}

void scn_json_string(FILE *stream, const char *text) {
    size_t length;

    has_begun = has_begun || stream == stdout;
    fputc('"', stream);
    for (; *text != '\0'; text += length) {
        unsigned char byte = (unsigned char)*text;

        length = scn_character(text);
        if (byte == '"' || byte == '\\')
            fprintf(stream, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(stream, "\\u%04x", byte);
        else if (length == 0)
            fputs("\\ufffd", stream); /* JSON is UTF-8; names of files need not be */
        else
            fwrite(text, 1, length, stream);
        length = length > 0 ? length : 1;
    }
    fputc('"', stream);
}

static void member(FILE *stream, const char *key, const char *text) {
    fprintf(stream, "\"%s\": ", key);
    scn_json_string(stream, text);
}

static const char *severity_name(enum sim_severity severity) {
    static const char *const names[] = {"error", "warn", "off"};

    return names[severity];
}

static void site_json(FILE *stream, const struct sim_site *site) {
    char actor[SIM_NAME_BYTES], place[256];

    fputc('{', stream);
    member(stream, "what", site->what);
    fprintf(stream, ", \"time_ns\": %llu, ", (unsigned long long)site->time_ns);
    member(stream, "actor", sim_object_name(site->actor, actor, sizeof(actor)));
    fputs(", ", stream);
    member(stream, "level", krn_irql_name(site->level));
    fputs(", \"frames\": [", stream);
    for (uint32_t i = 0; i < site->frame_count; i++) {
        sim_host_symbolize(site->frames[i] - 1, place, sizeof(place));
        scn_path_tidy(place, sizeof(place));
        fputs(i > 0 ? ", " : "", stream);
        scn_json_string(stream, place);
    }
    fputs("]}", stream);
}

static void story_json(FILE *stream, const struct scn_machine *machine,
                       const struct scn_telling *telling, const struct sim_finding *finding) {
    struct scn_story_line lines[SCN_STORY_LONG];
    uint32_t count = scn_story(machine, telling, finding, SCN_STORY_SHORT, lines);
    char text[SCN_STORY_BYTES];

    fputs("], \"story\": [", stream);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        scn_json_string(stream, scn_story_text(machine, telling, &lines[i], text, sizeof(text)));
    }
}

void scn_report_finding_json(FILE *stream, const struct scn_machine *machine,
                             const struct scn_telling *telling, const struct sim_finding *finding) {
    char name[SIM_NAME_BYTES];

    fputc('{', stream);
    member(stream, "id", finding->id);
    fputs(", ", stream);
    member(stream, "name", finding->name);
    fputs(", ", stream);
    member(stream, "severity", severity_name(finding->severity));
    fprintf(stream, ", \"exit\": %d, \"time_ns\": %llu,\n     ", (int)finding->verdict,
            (unsigned long long)finding->time_ns);
    member(stream, "guilty", finding->guilty);
    fputs(", ", stream);
    member(stream, "sentence", finding->sentence);
    fputs(",\n     ", stream);
    member(stream, "meaning", krn_bugcheck_meaning(finding));
    fprintf(stream, ", \"parameters\": [\"0x%llx\", \"0x%llx\", \"0x%llx\", \"0x%llx\"],\n     ",
            (unsigned long long)finding->parameters[0], (unsigned long long)finding->parameters[1],
            (unsigned long long)finding->parameters[2], (unsigned long long)finding->parameters[3]);
    member(stream, "rule", finding->rule);
    fputs(", ", stream);
    member(stream, "reason", finding->reason);
    fputs(",\n     ", stream);
    member(stream, "detail", finding->detail);
    fputs(", ", stream);
    member(stream, "remedy", finding->remedy);
    fputs(",\n     \"objects\": [", stream);
    for (uint32_t i = 0; i < finding->object_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        scn_json_string(stream, sim_object_name(finding->objects[i], name, sizeof(name)));
    }
    fputs("], \"sites\": [", stream);
    for (uint32_t i = 0; i < finding->site_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        site_json(stream, &finding->sites[i]);
    }
    story_json(stream, machine, telling, finding);
    fprintf(stream, "], \"signature\": \"0x%016llx\"}",
            (unsigned long long)scn_signature(machine->world, finding));
}

void scn_report_unmet_json(FILE *stream, const struct scn_outcome *outcome) {
    const char *line = outcome->unmet;
    char text[SCN_REASON_BYTES];

    fputs(",\n  \"unmet\": [", stream);
    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
        fputs(line != outcome->unmet ? ", " : "", stream);
        scn_json_string(stream, text);
    }
    fputc(']', stream);
}

/* Those of a run that has been shrunk; of others there are too many to be told. */
static void decisions_json(FILE *stream, const struct scn_telling *telling) {
    if (telling == NULL || telling->decision_count > SCN_STORY_DECISIONS)
        return;
    fputs(",\n  \"decisions\": [", stream);
    for (size_t i = 0; i < telling->decision_count; i++) {
        fputs(i > 0 ? ",\n    {" : "\n    {", stream);
        member(stream, "words", telling->decisions[i].words);
        fputs(", ", stream);
        member(stream, "other_order", telling->decisions[i].other);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void verdict_json(FILE *stream, const struct scn_machine *machine,
                         const struct scn_outcome *outcome) {
    const char *words[SCN_NOT_JUDGED_MAX];
    uint32_t count = outcome->until_reached ? scn_not_judged(machine, words) : 0;
    char verdict[64];

    snprintf(verdict, sizeof(verdict), "%s%s", sim_verdict_name(outcome->verdict),
             scn_so_far(outcome));
    member(stream, "verdict", verdict);
    fputs(", \"not_judged\": [", stream);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        scn_json_string(stream, words[i]);
    }
    fputc(']', stream);
}

void scn_report_json(FILE *stream, const struct scn_machine *machine,
                     const struct scn_telling *telling, uint64_t seed,
                     const struct scn_outcome *outcome, const char *replay) {
    krn_images_readable();
    fputs("{\n  ", stream);
    member(stream, "scenario", machine->scenario->name);
    fputs(", ", stream);
    if (machine->scenario->cell != NULL) {
        member(stream, "cell", machine->scenario->cell);
        fputs(", ", stream);
    }
    verdict_json(stream, machine, outcome);
    fprintf(stream,
            ", \"exit\": %d, \"seed\": %llu,\n  \"events\": %llu, \"time_ns\": %llu, "
            "\"steps\": %llu, \"choices\": %llu, \"deviations\": %zu,\n"
            "  \"digest\": \"0x%016llx\", \"signature\": \"0x%016llx\", ",
            (int)outcome->verdict, (unsigned long long)seed,
            (unsigned long long)outcome->event_count, (unsigned long long)outcome->time_ns,
            (unsigned long long)outcome->step_count, (unsigned long long)outcome->choice_count,
            outcome->deviation_count, (unsigned long long)outcome->digest,
            (unsigned long long)outcome->signature);
    member(stream, "reason", outcome->reason);
    scn_report_unmet_json(stream, outcome);
    scn_not_loaded_json(stream, machine, telling);
    decisions_json(stream, telling);
    fputs(",\n  ", stream);
    member(stream, "replay", replay);
    fputs(",\n  \"findings\": [", stream);
    for (size_t i = 0; i < outcome->finding_count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        scn_report_finding_json(stream, machine, telling, sim_finding_at(machine->world, i));
    }
    fprintf(stream, "%s],\n  \"findings_not_shown\": %llu\n}\n",
            outcome->finding_count > 0 ? "\n  " : "",
            (unsigned long long)outcome->findings_left_out);
}

static void xml_text(FILE *stream, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '<')
            fputs("&lt;", stream);
        else if (byte == '>')
            fputs("&gt;", stream);
        else if (byte == '&')
            fputs("&amp;", stream);
        else if (byte == '"')
            fputs("&quot;", stream);
        else if (byte >= 0x20 || byte == '\n')
            fputc(byte, stream);
    }
}

void scn_note_cut(const struct scn_machine *machine, const struct scn_outcome *outcome,
                  struct scn_junit_case *one) {
    const char *words[SCN_NOT_JUDGED_MAX];
    uint32_t count = outcome->until_reached ? scn_not_judged(machine, words) : 0;
    size_t used = 0;

    one->note[0] = '\0';
    for (uint32_t i = 0; i < count && used < sizeof(one->note); i++)
        used +=
            (size_t)snprintf(one->note + used, sizeof(one->note) - used, "%s%s",
                             i > 0 ? ", " : "stopped where --until says; not judged: ", words[i]);
}

void scn_note_failure(const struct scn_machine *machine, const struct scn_outcome *outcome,
                      struct scn_junit_case *one) {
    char list[SCN_NOT_LOADED_BYTES];

    snprintf(one->text, sizeof(one->text), "%s", outcome->reason);
    if (outcome->verdict != SIM_VERDICT_HELD)
        scn_not_loaded_list_add(scn_not_loaded_list(machine, list, sizeof(list)), one->text,
                                sizeof(one->text));
}

int scn_junit_write(const char *path, const struct scn_junit_case *cases, size_t count) {
    size_t failed = 0, wrong = 0;
    const char *element;
    int error = 0;
    FILE *stream;

    errno = 0;
    stream = fopen(path, "wb");
    if (stream == NULL)
        return errno;
    for (size_t i = 0; i < count; i++) {
        wrong += cases[i].verdict == SIM_VERDICT_USAGE;
        failed += cases[i].verdict != SIM_VERDICT_HELD && cases[i].verdict != SIM_VERDICT_USAGE;
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"ndksim\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
            count, failed, wrong);
    for (size_t i = 0; i < count; i++) {
        fputs("  <testcase classname=\"ndksim\" name=\"", stream);
        xml_text(stream, cases[i].name);
        if (cases[i].is_skipped) {
            fputs("\">\n    <skipped message=\"", stream);
            xml_text(stream, cases[i].text);
            fputs("\"/>\n  </testcase>\n", stream);
            continue;
        }
        if (cases[i].verdict == SIM_VERDICT_HELD && cases[i].findings_left_out == 0 &&
            cases[i].note[0] == '\0') {
            fputs("\"/>\n", stream);
            continue;
        }
        fputs("\">\n", stream);
        if (cases[i].verdict != SIM_VERDICT_HELD) {
            element = cases[i].verdict == SIM_VERDICT_USAGE ? "error" : "failure";
            fprintf(stream, "    <%s type=\"%s\">", element, sim_verdict_name(cases[i].verdict));
            xml_text(stream, cases[i].text);
            fprintf(stream, "</%s>\n", element);
        }
        if (cases[i].note[0] != '\0') {
            fputs("    <system-out>", stream);
            xml_text(stream, cases[i].note);
            fputs("</system-out>\n", stream);
        }
        if (cases[i].findings_left_out > 0)
            fprintf(stream, "    <system-out>%llu more finding%s not shown</system-out>\n",
                    (unsigned long long)cases[i].findings_left_out,
                    cases[i].findings_left_out == 1 ? " is" : "s are");
        fputs("  </testcase>\n", stream);
    }
    fputs("</testsuite>\n", stream);
    if (ferror(stream))
        error = errno != 0 ? errno : EIO;
    if (fclose(stream) != 0 && error == 0)
        error = errno;
    return error;
}
