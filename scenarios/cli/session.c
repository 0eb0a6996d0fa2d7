/* SPDX-License-Identifier: Apache-2.0 */
/* See session.h. */
#include "cli/session.h"

#include <errno.h>
#include <krn/bugcheck.h>
#include <net/names.h>
#include <sim/host.h>
#include <string.h>
#include <vrf/verifier.h>

#include "run/judge.h"

#define WATCHDOG_SECONDS 10u

static void print_line(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

void scn_print_diagnostics(const struct scn_diagnostics *diagnostics) {
    scn_diagnostics_print(diagnostics, print_line, NULL);
}

void scn_session_host(void) {
    sim_host_contain(krn_bugcheck_judge);
    sim_host_watchdog(WATCHDOG_SECONDS);
    sim_host_catch_interrupts();
}

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

    if (session->trace != NULL)
        fprintf(session->trace, "%s\n", sim_record_format(world, record, line, sizeof(line)));
    if (session->shows_text)
        show_fabric(world, record);
}

static void on_text(struct sim_sink *sink, struct sim_world *world, struct sim_object *who,
                    const char *text) {
    struct scn_session *session = SIM_CONTAINER_OF(sink, struct scn_session, sink);
    char name[SIM_NAME_BYTES], time[SCN_TIME_TEXT_BYTES];

    scn_judge_text(session->machine, text);
    sim_object_name(who, name, sizeof(name));
    scn_time_text(sim_now_ns(world), time, sizeof(time));
    if (session->log != NULL)
        fprintf(session->log, "%s %s %s\n", time, name, text);
    if (session->shows_text)
        printf("%14s  %-12s %s\n", time, name, text);
}

static bool apply_rule(struct sim_world *world, const char *id, const char *level,
                       const char *reason) {
    enum sim_severity severity = SIM_SEVERITY_ERROR;

    if (strcmp(level, "warn") == 0)
        severity = SIM_SEVERITY_WARN;
    else if (strcmp(level, "off") == 0)
        severity = SIM_SEVERITY_OFF;
    return vrf_rule_set(world, id, severity, reason);
}

static void unknown_rule(const char *id, struct scn_diagnostics *diagnostics,
                         const struct scn_value *source) {
    const char *names[512], *nearest;
    size_t count = 0;

    while (count < SIM_ARRAY_COUNT(names) && vrf_rule_at(count) != NULL) {
        names[count] = vrf_rule_at(count)->id;
        count++;
    }
    nearest = scn_nearest(id, names, count);
    if (source != NULL)
        scn_diagnose_value(diagnostics, source, true, "there is no rule \"%s\"%s%s%s", id,
                           nearest != NULL ? "; did you mean \"" : "",
                           nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    else
        scn_diagnose(diagnostics, "--rule", 0, 0, NULL, "there is no rule \"%s\"%s%s%s", id,
                     nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "\"?" : "");
}

/* "ID=warn:REASON", "ID=off:REASON" or "ID=error". */
static void apply_option_rule(struct scn_session *session, const char *text,
                              struct scn_diagnostics *diagnostics) {
    const char *equals = strchr(text, '=');
    const char *colon = equals != NULL ? strchr(equals, ':') : NULL;
    char id[64], level[16];

    if (equals == NULL) {
        scn_diagnose(diagnostics, "--rule", 0, 0, NULL,
                     "\"%s\": expected ID=error, ID=warn:REASON or ID=off:REASON", text);
        return;
    }
    snprintf(id, sizeof(id), "%.*s", (int)(equals - text), text);
    snprintf(level, sizeof(level), "%.*s",
             colon != NULL ? (int)(colon - equals - 1) : (int)strlen(equals + 1), equals + 1);
    if ((strcmp(level, "warn") != 0 && strcmp(level, "off") != 0 && strcmp(level, "error") != 0) ||
        (strcmp(level, "error") != 0 && (colon == NULL || colon[1] == '\0'))) {
        scn_diagnose(diagnostics, "--rule", 0, 0, NULL,
                     "\"%s\": expected ID=error, ID=warn:REASON or ID=off:REASON", text);
        return;
    }
    if (!apply_rule(session->machine->world, id, level, colon != NULL ? colon + 1 : ""))
        unknown_rule(id, diagnostics, NULL);
}

static void apply_rules(struct scn_session *session, struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = session->scenario;

    for (uint32_t i = 0; i < scenario->rule_count; i++)
        if (!apply_rule(session->machine->world, scenario->rules[i].id, scenario->rules[i].level,
                        scenario->rules[i].reason))
            unknown_rule(scenario->rules[i].id, diagnostics, scenario->rules[i].source);
    for (uint32_t i = 0; i < session->options->rule_count; i++)
        apply_option_rule(session, session->options->rules[i], diagnostics);
}

bool scn_session_open(struct scn_session *session, const struct scn_options *options,
                      struct scn_scenario *scenario) {
    static struct scn_diagnostics diagnostics;
    const struct scn_machine_options machine_options = {
        .module_dir = scn_module_dir(),
        .special_pool = options->special_pool,
        .keep_going = options->keep_going,
        .driver_overrides = options->drivers,
        .driver_override_count = options->driver_count,
    };

    memset(session, 0, sizeof(*session));
    session->options = options;
    session->scenario = scenario;
    session->sink.record = on_record;
    session->sink.text = on_text;
    scn_diagnostics_init(&diagnostics);
    session->machine = scn_machine_create(scenario, &machine_options, &diagnostics);
    if (session->machine != NULL)
        apply_rules(session, &diagnostics);
    if (diagnostics.count == 0)
        return true;
    scn_print_diagnostics(&diagnostics);
    scn_session_close(session);
    return false;
}

/* "file.json" and suffix "-3" give "file-3.json". */
static void with_suffix(const char *file, const char *suffix, char *path, size_t size) {
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');

    if (dot == NULL || (slash != NULL && dot < slash))
        dot = file + strlen(file);
    snprintf(path, size, "%.*s%s%s", (int)(dot - file), file, suffix, dot);
}

static bool open_file(const char *option, const char *file, const char *suffix, FILE **stream) {
    char path[4096];

    if (file == NULL)
        return true;
    with_suffix(file, suffix, path, sizeof(path));
    *stream = fopen(path, "wb");
    if (*stream == NULL)
        fprintf(stderr, "ndksim: %s %s: %s\n", option, path, strerror(errno));
    return *stream != NULL;
}

bool scn_session_watch(struct scn_session *session, uint64_t seed, const char *suffix) {
    const struct scn_options *options = session->options;

    if (!open_file("--log", options->log_file, suffix, &session->log) ||
        !open_file("--trace", options->trace_file, suffix, &session->trace))
        return false;
    session->shows_text = options->verbosity > 0 && !options->json;
    session->is_sink_needed = session->log != NULL || session->trace != NULL ||
                              session->shows_text || session->scenario->expect_count > 0;
    if (options->pcap_file == NULL)
        return true;
    with_suffix(options->pcap_file, suffix, session->capture_path, sizeof(session->capture_path));
    snprintf(session->capture_comment, sizeof(session->capture_comment), "scenario %s, seed %llu",
             session->scenario->name, (unsigned long long)seed);
    return true;
}

/* A capture and a coverage belong to one run: they begin after the world's reset. */
static void begin_run(void *context) {
    struct scn_session *session = context;

    if (session->coverage != NULL) {
        scn_coverage_begin(session->machine->world, session->coverage);
    }
    if (session->capture_path[0] == '\0') {
        return;
    }
    session->capture =
        net_capture_open(session->machine->world, session->capture_path, session->capture_comment);
    if (session->capture == NULL) {
        session->capture_error = errno != 0 ? errno : EIO;
    } else {
        net_capture_tap_all(session->capture);
    }
}

static bool close_file(const char *option, const char *name, FILE **stream) {
    bool failed;

    if (*stream == NULL)
        return true;
    failed = ferror(*stream) != 0;
    if (fclose(*stream) != 0)
        failed = true;
    *stream = NULL;
    if (failed)
        fprintf(stderr, "ndksim: %s %s: could not be written whole: %s\n", option, name,
                strerror(errno != 0 ? errno : EIO));
    return !failed;
}

bool scn_session_unwatch(struct scn_session *session) {
    const struct scn_options *options = session->options;
    bool is_whole = close_file("--log", options->log_file, &session->log);
    int error;

    is_whole = close_file("--trace", options->trace_file, &session->trace) && is_whole;
    if (session->capture_path[0] != '\0') {
        const char *what = session->capture != NULL ? "could not be written whole: " : "";

        error =
            session->capture != NULL ? net_capture_close(session->capture) : session->capture_error;
        session->capture = NULL;
        if (error != 0)
            fprintf(stderr, "ndksim: --pcap %s: %s%s\n", session->capture_path, what,
                    strerror(error));
        session->capture_path[0] = '\0';
        is_whole = is_whole && error == 0;
    }
    return is_whole;
}

void scn_session_close(struct scn_session *session) {
    scn_machine_destroy(session->machine);
    scn_scenario_free(session->scenario);
    session->machine = NULL;
    session->scenario = NULL;
}

void scn_session_run(struct scn_session *session, const struct scn_run_options *options,
                     struct scn_outcome *outcome) {
    struct scn_run_options with_capture = *options;

    with_capture.on_begin = begin_run;
    with_capture.context = session;
    sim_sink_set(session->machine->world, session->is_sink_needed ? &session->sink : NULL);
    scn_run(session->machine, &with_capture, outcome);
    sim_sink_set(session->machine->world, NULL);
}
