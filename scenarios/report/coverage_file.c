/* SPDX-License-Identifier: Apache-2.0 */
/* See coverage_file.h. */
#include "report/coverage_file.h"

#include <errno.h>
#include <string.h>

static void write_points(FILE *stream, const struct scn_coverage_sum *sum) {
    const char *group = "";

    for (uint32_t point = 0; point < SCN_COVERAGE_POINTS; point++) {
        char name[64];
        const char *now = scn_coverage_name(point, name, sizeof(name));

        if (sum->seen[point] == 0 || name[0] == '\0')
            continue;
        if (strcmp(now, group) == 0)
            fputc(',', stream);
        else
            fprintf(stream, "%s,\n \"%s\": {", group[0] != '\0' ? "\n }" : "", now);
        fprintf(stream, "\n  \"%s\": %llu", name, (unsigned long long)sum->seen[point]);
        group = now;
    }
    if (group[0] != '\0')
        fputs("\n }", stream);
}

int scn_coverage_write(const char *path, const struct scn_coverage_sum *sum) {
    FILE *stream;
    int error = 0;

    errno = 0;
    stream = fopen(path, "wb");
    if (stream == NULL)
        return errno;
    fprintf(stream, "{\n \"runs\": %llu", (unsigned long long)sum->run_count);
    write_points(stream, sum);
    fputs("\n}\n", stream);
    if (ferror(stream) != 0)
        error = errno != 0 ? errno : EIO;
    if (fclose(stream) != 0 && error == 0)
        error = errno;
    return error;
}

void scn_coverage_print(FILE *stream, const struct scn_coverage_sum *sum) {
    static const char *const groups[] = {"close_order", "connector_at_close",
                                         "provider_connector_at_close"};

    fputs("coverage:", stream);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(groups); i++)
        fprintf(stream, "%s %u of %s", i > 0 ? "," : "", scn_coverage_count(sum, groups[i]),
                groups[i]);
    fputc('\n', stream);
}
