/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign has seen, told: as JSON, as a list of what it has not seen, as one line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "cli/tally.h"
#include "parse/complain.h"
#include "report/file.h"
#include "report/plural.h"

/* Groups whose points are all there are to be seen. Of the others only what was seen is told. */
static const struct {
    const char *name;
    const char *plural;
    const char *missing;
} groups[] = {
    {"state", "states", "states never reached"},
    {"transition", "transitions", "transitions never taken"},
    {"event", "events", "events never seen"},
    {"fault", "faults", "fault points that never fired"},
    {"close_order", "close orders", "orders of closing never seen"},
    {"connector_at_close", "connector states at close", "connectors never closed when"},
};

static bool is_of(const struct scn_point *point, const char *group) {
    return strcmp(point->group, group) == 0;
}

static void count_group(const struct scn_tally *tally, const char *group, uint32_t *seen,
                        uint32_t *all) {
    *seen = 0;
    *all = 0;
    for (size_t i = 0; i < tally->point_count; i++) {
        if (!is_of(&tally->points[i], group))
            continue;
        *seen += tally->points[i].run_count > 0;
        ++*all;
    }
}

const char *scn_coverage_summary(const struct scn_tally *tally, char *text, size_t size) {
    uint32_t seen, all;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < SIM_ARRAY_COUNT(groups) && used < size; i++) {
        count_group(tally, groups[i].name, &seen, &all);
        if (all > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%u of %u %s",
                                     used > 0 ? ", " : "", seen, all, groups[i].plural);
    }
    count_group(tally, "order", &seen, &all);
    if (used < size)
        snprintf(text + used, size - used, "%s%u order%s of two events", used > 0 ? ", " : "", seen,
                 scn_plural(seen));
    return text;
}

int scn_coverage_write(const struct scn_tally *tally, const char *path) {
    const char *group = "";
    struct scn_file file;

    if (!scn_file_open(&file, path))
        return file.error;
    fprintf(file.stream, "{\n \"runs\": %llu", (unsigned long long)tally->covered_count);
    for (size_t i = 0; i < tally->point_count; i++) {
        const struct scn_point *one = &tally->points[i];

        if (one->run_count == 0)
            continue;
        if (is_of(one, group))
            fputc(',', file.stream);
        else
            fprintf(file.stream, "%s,\n \"%s\": {", group[0] != '\0' ? "\n }" : "", one->group);
        fputs("\n  ", file.stream);
        scn_json_string(file.stream, one->name);
        fprintf(file.stream, ": %llu", (unsigned long long)one->run_count);
        group = one->group;
    }
    fputs(group[0] != '\0' ? "\n }\n}\n" : "\n}\n", file.stream);
    return scn_file_close(&file);
}

static int by_name(const void *key, const void *entry) {
    const struct scn_point *point = entry;
    int order = strcmp("order", point->group);

    return order != 0 ? order : strcmp(key, point->name);
}

/* Pairs that have come in one order only. The other may be impossible, or what nobody has tried. */
static void report_orders(const struct scn_tally *tally, FILE *stream) {
    static const char between[] = " before ";

    fputs("events that came in one order only:\n", stream);
    for (size_t i = 0; i < tally->point_count; i++) {
        const struct scn_point *one = &tally->points[i];
        const char *middle = strstr(one->name, between);
        char turned[SCN_COVERAGE_NAME_BYTES];

        if (!is_of(one, "order") || one->run_count == 0 || middle == NULL)
            continue;
        snprintf(turned, sizeof(turned), "%s%s%.*s", middle + strlen(between), between,
                 (int)(middle - one->name), one->name);
        if (bsearch(turned, tally->points, tally->point_count, sizeof(*one), by_name) == NULL)
            fprintf(stream, "  %s, in %llu run%s\n", one->name, (unsigned long long)one->run_count,
                    scn_plural(one->run_count));
    }
}

void scn_coverage_report(const struct scn_tally *tally, FILE *stream) {
    char text[512];

    fprintf(stream, "coverage of %s, %llu run%s: %s\n", tally->identity.name,
            (unsigned long long)tally->covered_count, scn_plural(tally->covered_count),
            scn_coverage_summary(tally, text, sizeof(text)));
    for (size_t i = 0; i < SIM_ARRAY_COUNT(groups); i++) {
        uint32_t seen, all;

        count_group(tally, groups[i].name, &seen, &all);
        if (seen == all)
            continue;
        fprintf(stream, "%s:\n", groups[i].missing);
        for (size_t k = 0; k < tally->point_count; k++)
            if (is_of(&tally->points[k], groups[i].name) && tally->points[k].run_count == 0)
                fprintf(stream, "  %s\n", tally->points[k].name);
    }
    report_orders(tally, stream);
}

static bool said(const char *option, const char *path, int error) {
    if (error != 0)
        scn_complain("%s %s: %s", option, path, strerror(error));
    return error == 0;
}

static bool write_report(const struct scn_tally *tally, const char *path) {
    struct scn_file file;

    if (strcmp(path, "-") == 0) {
        scn_coverage_report(tally, stdout);
        return true;
    }
    if (!scn_file_open(&file, path))
        return said("--coverage-report", path, file.error);
    scn_coverage_report(tally, file.stream);
    return said("--coverage-report", path, scn_file_close(&file));
}

bool scn_coverage_files(const struct scn_tally *tally, const struct scn_options *options,
                        const char *suffix) {
    const char *file = options->coverage_file, *report = options->coverage_report;
    char path[SCN_PATH_BYTES];
    bool is_whole = true;

    if (file != NULL) {
        scn_suffixed(file, suffix, path, sizeof(path));
        is_whole = said("--coverage", path, scn_coverage_write(tally, path));
    }
    if (report == NULL)
        return is_whole;
    if (strcmp(report, "-") != 0)
        report = scn_suffixed(report, suffix, path, sizeof(path));
    return write_report(tally, report) && is_whole;
}
