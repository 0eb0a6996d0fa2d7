/* SPDX-License-Identifier: Apache-2.0 */
/* The files that watch a session's run, and the lines that a person sees of it. See session.h. */
#include <errno.h>
#include <net/names.h>
#include <net/topology.h>
#include <stdlib.h>
#include <string.h>

#include "cli/driver_files.h"
#include "cli/session.h"
#include "cli/taps.h"
#include "parse/complain.h"
#include "run/judge.h"

#define PATH_BYTES 4096u
#define LINE_BYTES 1024u

/* What happens to the fabric belongs to the story that a person watches. */
static void show_fabric(const struct sim_world *world, const struct sim_record *record) {
    char time[SCN_TIME_TEXT_BYTES], name[SIM_NAME_BYTES];

    if (record->type < NET_TRACE_LINK_UP || record->type > NET_TRACE_SWITCH_PAUSE)
        return;
    sim_object_name(sim_object_by_id(world, record->object_id[0]), name, sizeof(name));
    printf("%14s  %-12s %s %s\n", scn_time_text(record->time_ns, time, sizeof(time)), "fabric",
           sim_trace_type_name(world, record->type), name);
}

static void on_record(struct sim_sink *sink, struct sim_world *world,
                      const struct sim_record *record) {
    struct scn_session *session = SIM_CONTAINER_OF(sink, struct scn_session, sink);
    char line[512];

    if (session->chronicle != NULL)
        scn_chronicle_record(session->chronicle, world, record);
    if (session->trace != NULL)
        fprintf(session->trace, "%s\n", sim_record_format(world, record, line, sizeof(line)));
    scn_log_record(&session->log, world, record);
    if (session->shows_text)
        show_fabric(world, record);
}

/* As a driver wrote it, but with statuses by name and nothing that a terminal obeys. */
static const char *readable(const char *text, char line[static LINE_BYTES],
                            char visible[static 4 * LINE_BYTES]) {
    text = scn_status_annotate(text, line, LINE_BYTES);
    return scn_has_control(text) ? scn_visible(text, visible, 4 * LINE_BYTES) : text;
}

static void show_line(FILE *stream, const struct sim_world *world, struct sim_object *who,
                      const char *text) {
    char name[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES];

    sim_object_name(who, name, sizeof(name));
    scn_time_text(sim_now_ns(world), time, sizeof(time));
    fprintf(stream, "%14s  %-12s %s\n", time, name, text);
}

static void on_text(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                    const char *text) {
    struct scn_session *session = SIM_CONTAINER_OF(sink, struct scn_session, sink);
    char line[LINE_BYTES], visible[4 * LINE_BYTES];

    scn_judge_text(session->machine, text);
    text = readable(text, line, visible);
    if (session->chronicle != NULL)
        scn_chronicle_text(session->chronicle, world, who, text);
    scn_log_text(&session->log, world, who, text);
    if (session->shows_text)
        show_line(stdout, world, who, text);
}

struct sim_sink *scn_session_sink(struct scn_session *session) {
    if (session->log.stream == NULL && session->trace == NULL && !session->shows_text &&
        session->chronicle == NULL && session->scenario->expect_count == 0)
        return NULL;
    session->sink.record = on_record;
    session->sink.text = on_text;
    return &session->sink;
}

/* The prelude. */

static void keep_text(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                      const char *text) {
    struct scn_prelude *prelude = SIM_CONTAINER_OF(sink, struct scn_prelude, sink);
    char line[LINE_BYTES], visible[4 * LINE_BYTES];

    text = readable(text, line, visible);
    scn_log_text(&prelude->log, world, who, text);
    show_line(prelude->show, world, who, text);
}

void scn_session_prelude_begin(struct scn_session *session, struct sim_world *world) {
    struct scn_prelude *prelude = &session->prelude;

    prelude->log.stream = open_memstream(&prelude->logged, &prelude->logged_bytes);
    prelude->show = open_memstream(&prelude->shown, &prelude->shown_bytes);
    SIM_ASSERT(prelude->log.stream != NULL && prelude->show != NULL);
    prelude->log.is_seekable = true; /* marks for places, until it is known where they go */
    prelude->sink.text = keep_text;
    sim_sink_set(world, &prelude->sink);
}

void scn_session_prelude_end(struct scn_session *session) {
    struct scn_prelude *prelude = &session->prelude;

    if (prelude->show == NULL)
        return;
    if (session->machine != NULL)
        sim_sink_set(session->machine->world, NULL);
    fclose(prelude->log.stream);
    fclose(prelude->show);
    prelude->log.stream = prelude->show = NULL;
}

void scn_session_prelude_show(struct scn_session *session) {
    const struct scn_prelude *prelude = &session->prelude;

    if (session->log.stream != NULL)
        scn_log_begin_with(&session->log, &prelude->log, prelude->logged, prelude->logged_bytes);
    if (session->shows_text)
        fwrite(prelude->shown, 1, prelude->shown_bytes, stdout);
}

void scn_session_prelude_free(struct scn_session *session) {
    scn_session_prelude_end(session);
    free(session->prelude.logged);
    free(session->prelude.log.codes);
    session->prelude.log.codes = NULL;
    free(session->prelude.shown);
    session->prelude.logged = session->prelude.shown = NULL;
}

/* Names. */

/* "library/a.json" gives "a". */
static void base_name(const char *file, char *name, size_t size) {
    const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);

    snprintf(name, size, "%.*s", (int)length, base);
}

/* "-NAME", or "-NAME-2" when an earlier operand has that name too. */
static size_t put_operand(const struct scn_options *options, uint32_t operand, char *suffix,
                          size_t size) {
    char name[64], other[64];
    uint32_t twins = 1;
    int used;

    base_name(options->operands[operand], name, sizeof(name));
    for (uint32_t i = 0; i < operand; i++) {
        base_name(options->operands[i], other, sizeof(other));
        twins += strcmp(name, other) == 0;
    }
    used = twins > 1 ? snprintf(suffix, size, "-%s-%u", name, twins)
                     : snprintf(suffix, size, "-%s", name);
    return (size_t)used;
}

const char *scn_suffix(const struct scn_options *options, uint32_t operand, uint32_t cell,
                       uint32_t cell_count, char *suffix, size_t size) {
    size_t used = 0;

    suffix[0] = '\0';
    if (options->operand_count > 1)
        used = put_operand(options, operand, suffix, size);
    if (cell_count > 1)
        snprintf(suffix + used, size - used, "-%u", cell);
    return suffix;
}

const char *scn_suffixed(const char *file, const char *suffix, char *path, size_t size) {
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');

    if (dot == NULL || (slash != NULL && dot < slash))
        dot = file + strlen(file);
    snprintf(path, size, "%.*s%s%s", (int)(dot - file), file, suffix, dot);
    return path;
}

/* Opening. */

bool scn_session_has_files(const struct scn_options *options) {
    return options->log_file != NULL || options->trace_file != NULL ||
           options->ports_file != NULL || options->files_dir != NULL || options->pcap_count > 0;
}

static bool open_log(struct scn_session *session) {
    const char *file = session->options->log_file;
    char path[PATH_BYTES];

    if (file == NULL)
        return true;
    scn_suffixed(file, session->suffix, path, sizeof(path));
    if (scn_log_open(&session->log, path))
        return true;
    scn_complain("--log %s: %s", path, strerror(errno));
    return false;
}

static bool open_file(const struct scn_session *session, const char *option, const char *file,
                      FILE **stream) {
    char path[PATH_BYTES];

    if (file == NULL)
        return true;
    scn_suffixed(file, session->suffix, path, sizeof(path));
    *stream = fopen(path, "wb");
    if (*stream == NULL)
        scn_complain("%s %s: %s", option, path, strerror(errno));
    return *stream != NULL;
}

bool scn_session_watch(struct scn_session *session, uint64_t seed, const char *suffix,
                       bool shows_text) {
    const struct scn_options *options = session->options;

    session->suffix = suffix;
    session->shows_text = shows_text;
    if (!open_log(session) || !open_file(session, "--trace", options->trace_file, &session->trace))
        return false;
    session->captures = calloc(options->pcap_count + 1, sizeof(*session->captures));
    SIM_ASSERT(session->captures != NULL);
    while (scn_taps_file(options, session->capture_count) != NULL) {
        session->captures[session->capture_count].file =
            scn_taps_file(options, session->capture_count);
        session->capture_count++;
    }
    snprintf(session->capture_comment, sizeof(session->capture_comment), "scenario %s, seed %llu",
             session->scenario->name, (unsigned long long)seed);
    return true;
}

void scn_session_begin_files(struct scn_session *session) {
    scn_session_prelude_show(session);
    for (uint32_t i = 0; i < session->capture_count; i++) {
        struct scn_capture *one = &session->captures[i];
        char path[PATH_BYTES];

        scn_suffixed(one->file, session->suffix, path, sizeof(path));
        one->capture = net_capture_open(session->machine->world, path, session->capture_comment);
        if (one->capture == NULL)
            one->error = errno != 0 ? errno : EIO;
        else
            scn_taps_add(session->options, session->machine, one->file, one->capture);
    }
}

/* Closing. */

static bool said_whole(const struct scn_session *session, const char *option, const char *file,
                       bool is_whole) {
    char path[PATH_BYTES];

    if (!is_whole)
        scn_complain("%s %s: could not be written whole: %s", option,
                     scn_suffixed(file, session->suffix, path, sizeof(path)),
                     strerror(errno != 0 ? errno : EIO));
    return is_whole;
}

static bool close_file(const struct scn_session *session, const char *option, const char *file,
                       FILE **stream) {
    bool is_whole;

    if (*stream == NULL)
        return true;
    is_whole = ferror(*stream) == 0;
    is_whole = fclose(*stream) == 0 && is_whole;
    *stream = NULL;
    return said_whole(session, option, file, is_whole);
}

static bool close_capture(const struct scn_session *session, struct scn_capture *one) {
    const char *what = one->capture != NULL ? "could not be written whole: " : "";
    char path[PATH_BYTES];
    int error = one->capture != NULL ? net_capture_close(one->capture) : one->error;

    if (error != 0)
        scn_complain("--pcap %s: %s%s",
                     scn_suffixed(one->file, session->suffix, path, sizeof(path)), what,
                     strerror(error));
    return error == 0;
}

static void write_piece(void *context, const char *piece) {
    fputs(piece, context);
}

static bool write_ports(const struct scn_session *session) {
    const char *file = session->options->ports_file;
    FILE *stream = NULL;

    if (!open_file(session, "--ports", file, &stream))
        return false;
    if (stream != NULL)
        net_statistics_write(session->machine->world, write_piece, stream);
    return close_file(session, "--ports", file, &stream);
}

static bool write_driver_files(const struct scn_session *session) {
    const char *folder = session->options->files_dir;
    char path[PATH_BYTES];

    return folder == NULL ||
           scn_driver_files_write(session->machine,
                                  scn_suffixed(folder, session->suffix, path, sizeof(path)));
}

bool scn_session_unwatch(struct scn_session *session) {
    const struct scn_options *options = session->options;
    bool is_whole = said_whole(session, "--log", options->log_file, scn_log_close(&session->log));

    is_whole = close_file(session, "--trace", options->trace_file, &session->trace) && is_whole;
    for (uint32_t i = 0; i < session->capture_count; i++)
        is_whole = close_capture(session, &session->captures[i]) && is_whole;
    free(session->captures);
    session->captures = NULL;
    session->capture_count = 0;
    is_whole = write_driver_files(session) && is_whole;
    return write_ports(session) && is_whole;
}
