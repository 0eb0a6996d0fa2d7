/* SPDX-License-Identifier: Apache-2.0 */
/* See log.h. While the run writes, a place is a number between marks. */
#include "cli/log.h"

#include <krn/driver.h>
#include <krn/state.h>
#include <sim/cpu.h>
#include <sim/finding.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/tidy_path.h"
#include "report/report.h"
#include "report/words.h"

#define MARK '\x1f'
#define PLACE_BYTES 256u

bool scn_log_open(struct scn_log *log, const char *path) {
    struct stat about;

    memset(log, 0, sizeof(*log));
    log->stream = fopen(path, "w+b");
    log->is_seekable =
        log->stream != NULL && fstat(fileno(log->stream), &about) == 0 && S_ISREG(about.st_mode);
    if (log->stream == NULL)
        log->stream = fopen(path, "wb");
    return log->stream != NULL;
}

/* "12.000345ms server.cpu1 DISPATCH "; outside of tasks there is neither CPU nor IRQL. */
static void put_head(const struct scn_log *log, const struct sim_world *world) {
    const struct sim_task *task = sim_task_current();
    char time[SCN_TIME_TEXT_BYTES], name[SIM_NAME_BYTES] = "-";
    const char *irql = "-";

    if (task != NULL) {
        struct sim_cpu *cpu = sim_task_cpu(task);

        sim_object_name(sim_cpu_object(cpu), name, sizeof(name));
        irql = krn_irql_name(sim_cpu_level(cpu));
    }
    fprintf(log->stream, "%s %s %s ", scn_time_text(sim_now_ns(world), time, sizeof(time)), name,
            irql);
}

/* Where a driver stands now, as a number from 0; UINT32_MAX: nowhere. */
static uint32_t place_now(struct scn_log *log, const struct sim_world *world) {
    struct sim_site site;
    uint32_t number = 0;

    if (sim_task_current() == NULL)
        return UINT32_MAX;
    sim_site_capture(&site, "log");
    krn_site_begin_with_driver(world, &site);
    if (site.frame_count == 0 ||
        krn_driver_of_code(world, (const void *)(site.frames[0] - 1)) == NULL)
        return UINT32_MAX;
    while (number < log->code_count && log->codes[number] != site.frames[0])
        number++;
    if (number < log->code_count)
        return number;
    if ((number & (number - 1)) == 0) {
        log->codes = realloc(log->codes, (number > 0 ? 2u * number : 1u) * sizeof(*log->codes));
        SIM_ASSERT(log->codes != NULL);
    }
    log->codes[log->code_count++] = site.frames[0];
    return number;
}

static void put_mark(const struct scn_log *log, uint32_t place) {
    if (place != UINT32_MAX)
        fprintf(log->stream, " %c%u%c", log->is_seekable ? MARK : '[', place,
                log->is_seekable ? MARK : ']');
}

/* What trace macros print begins with its place: "conn.c:277: ". */
static bool has_place(const char *text) {
    const char *colon = text + strcspn(text, ": ");
    size_t digits = *colon == ':' ? strspn(colon + 1, "0123456789") : 0;

    return colon != text && digits > 0 && strncmp(colon + 1 + digits, ": ", 2) == 0;
}

void scn_log_text(struct scn_log *log, struct sim_world *world, struct sim_object *who,
                  const char *text) {
    char name[SIM_NAME_BYTES];

    if (log->stream == NULL)
        return;
    put_head(log, world);
    fprintf(log->stream, "%s %s", sim_object_name(who, name, sizeof(name)), text);
    if (!has_place(text))
        put_mark(log, place_now(log, world));
    fputc('\n', log->stream);
}

void scn_log_record(struct scn_log *log, struct sim_world *world, const struct sim_record *record) {
    char words[512], actor[SIM_NAME_BYTES];
    uint64_t request;

    if (log->stream == NULL || record->type < SIM_TRACE_NDK || record->type >= SIM_TRACE_SCENARIO)
        return;
    put_head(log, world);
    fprintf(log->stream, "%s %s",
            sim_object_name(sim_object_by_id(world, record->actor_id), actor, sizeof(actor)),
            scn_record_words(world, record, words, sizeof(words)));
    request = scn_record_request(world, record);
    if (request != 0)
        fprintf(log->stream, " (request %llu)", (unsigned long long)request);
    put_mark(log, place_now(log, world));
    fputc('\n', log->stream);
}

void scn_log_begin_with(struct scn_log *log, const struct scn_log *early, const char *text,
                        size_t bytes) {
    bool is_open = false;

    if (early->code_count > 0 && log->code_count == 0) {
        log->codes = malloc(2u * early->code_count * sizeof(*log->codes));
        SIM_ASSERT(log->codes != NULL);
        memcpy(log->codes, early->codes, early->code_count * sizeof(*log->codes));
        log->code_count = early->code_count;
    }
    for (size_t i = 0; i < bytes; i++) {
        is_open = is_open != (text[i] == MARK);
        fputc(text[i] != MARK || log->is_seekable ? text[i] : is_open ? '[' : ']', log->stream);
    }
}

/* ---- Places ---- */

/* "[file.c:12 (Function)]" */
static void put_place(const struct scn_log *log, uint32_t number, FILE *to) {
    char place[PLACE_BYTES];

    sim_host_symbolize(log->codes[number] - 1, place, sizeof(place));
    scn_path_tidy(place, sizeof(place));
    fprintf(to, "[%s]", place[0] != '\0' ? place : "?");
}

static char *read_all(FILE *stream, size_t *bytes) {
    long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;

    if (text == NULL || fseek(stream, 0, SEEK_SET) != 0) {
        free(text);
        return NULL;
    }
    *bytes = fread(text, 1, (size_t)end, stream);
    text[*bytes] = '\0';
    return text;
}

/* From the mark at `text` to behind its other end, or NULL when it is none of ours. */
static const char *marked(const struct scn_log *log, const char *text, uint32_t *number) {
    char *end;
    unsigned long value = strtoul(text + 1, &end, 10);

    *number = (uint32_t)value;
    return end != text + 1 && *end == MARK && value < log->code_count ? end + 1 : NULL;
}

/* What is not read back whole is left as it is. */
static void put_places_in(struct scn_log *log) {
    size_t bytes = 0;
    char *text = read_all(log->stream, &bytes);
    const char *at = text;

    if (text == NULL || fseek(log->stream, 0, SEEK_SET) != 0) {
        free(text);
        return;
    }
    while (at < text + bytes) {
        uint32_t number;
        const char *behind = *at == MARK ? marked(log, at, &number) : NULL;

        if (behind != NULL)
            put_place(log, number, log->stream);
        else
            fputc(*at, log->stream);
        at = behind != NULL ? behind : at + 1;
    }
    free(text);
    if (fflush(log->stream) == 0)
        log->is_cut = ftruncate(fileno(log->stream), ftell(log->stream)) != 0;
}

bool scn_log_close(struct scn_log *log) {
    bool is_whole;

    if (log->stream == NULL)
        return true;
    krn_images_readable();
    if (log->is_seekable && log->code_count > 0)
        put_places_in(log);
    for (uint32_t i = 0; !log->is_seekable && i < log->code_count; i++) {
        fprintf(log->stream, "[%u] ", i);
        put_place(log, i, log->stream);
        fputc('\n', log->stream);
    }
    is_whole = ferror(log->stream) == 0 && !log->is_cut;
    is_whole = fclose(log->stream) == 0 && is_whole;
    free(log->codes);
    memset(log, 0, sizeof(*log));
    return is_whole;
}
