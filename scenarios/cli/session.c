/* SPDX-License-Identifier: Apache-2.0 */
/* See session.h. */
#include "cli/session.h"

#include <krn/bugcheck.h>
#include <krn/memory.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/taps.h"
#include "parse/complain.h"

/* Of CPU time without a schedule point. */
#define WATCHDOG_SECONDS 10u
/* For the line of an address. */
#define TOOL_SECONDS 20u
#define SPREAD_LOG2 4u

static char last_said[1024];

static void print_line(void *context, const char *line) {
    (void)context;
    if (last_said[0] == '\0')
        snprintf(last_said, sizeof(last_said), "%s", line);
    scn_complain_line(line);
}

void scn_print_diagnostics(const struct scn_diagnostics *diagnostics) {
    last_said[0] = '\0';
    scn_diagnostics_print(diagnostics, print_line, NULL);
}

const char *scn_first_diagnostic(void) {
    return last_said;
}

/* A checker that slows all down may need more; tests want less. */
static uint32_t seconds_of(const char *name, uint32_t otherwise) {
    const char *asked = getenv(name);
    long seconds = asked != NULL ? strtol(asked, NULL, 10) : 0;

    return seconds > 0 && seconds <= 86400 ? (uint32_t)seconds : otherwise;
}

void scn_session_contain(void) {
    sim_host_contain(krn_bugcheck_judge);
    sim_host_contain_rescue(krn_exception_rescue);
    sim_host_contain_code(krn_is_driver_code);
    if (!sim_host_is_traced())
        krn_pool_open_on_demand();
    sim_host_watchdog_blame(krn_watchdog_blame);
    sim_host_watchdog(seconds_of("NDKSIM_WATCHDOG_SECONDS", WATCHDOG_SECONDS));
    sim_host_symbol_wait(seconds_of("NDKSIM_TOOL_SECONDS", TOOL_SECONDS));
}

void scn_session_host(void) {
    scn_session_contain();
    sim_host_catch_interrupts();
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
static void apply_option_rule(struct sim_world *world, const char *text,
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
    if (!apply_rule(world, id, level, colon != NULL ? colon + 1 : ""))
        unknown_rule(id, diagnostics, NULL);
}

static void on_start(struct sim_world *world, void *context, struct scn_diagnostics *diagnostics) {
    struct scn_session *session = context;
    const struct scn_scenario *scenario = session->scenario;

    scn_session_prelude_begin(session, world);
    for (uint32_t i = 0; i < scenario->rule_count; i++)
        if (!apply_rule(world, scenario->rules[i].id, scenario->rules[i].level,
                        scenario->rules[i].reason))
            unknown_rule(scenario->rules[i].id, diagnostics, scenario->rules[i].source);
    if (session->options->blame != NULL)
        vrf_blame_only(strcmp(session->options->blame, "consumer") == 0 ? VRF_CONSUMER
                                                                        : VRF_PROVIDER);
    for (uint32_t i = 0; i < session->options->rule_count; i++)
        apply_option_rule(world, session->options->rules[i], diagnostics);
}

static bool build(struct scn_session *session, const struct scn_options *options,
                  struct scn_scenario *scenario, struct scn_diagnostics *diagnostics) {
    const struct scn_machine_options machine_options = {
        .module_dir = scn_module_dir(),
        .special_pool = options->special_pool,
        .keep_going = options->keep_going,
        .on_start = on_start,
        .context = session,
        .driver_overrides = options->drivers,
        .driver_override_count = options->driver_count,
        .device_overrides = options->devices,
        .device_override_count = options->device_count,
    };

    memset(session, 0, sizeof(*session));
    session->options = options;
    session->scenario = scenario;
    scn_diagnostics_init(diagnostics);
    session->machine = scn_machine_create(scenario, &machine_options, diagnostics);
    scn_session_prelude_end(session);
    if (session->machine != NULL) {
        session->machine->rules = session->options->rules;
        session->machine->rule_count = session->options->rule_count;
        session->machine->blame = session->options->blame;
    }
    if (session->machine != NULL)
        scn_taps_check(options, session->machine, diagnostics);
    return diagnostics->count == 0;
}

bool scn_session_build(struct scn_session *session, const struct scn_options *options,
                       struct scn_scenario *scenario, struct scn_diagnostics *diagnostics) {
    if (build(session, options, scenario, diagnostics))
        return true;
    scn_session_close(session);
    return false;
}

/* What drivers said before one of them did not start tells why. */
bool scn_session_open(struct scn_session *session, const struct scn_options *options,
                      struct scn_scenario *scenario) {
    static struct scn_diagnostics diagnostics;

    if (build(session, options, scenario, &diagnostics))
        return true;
    if (session->prelude.shown_bytes > 0)
        fwrite(session->prelude.shown, 1, session->prelude.shown_bytes, stderr);
    scn_session_close(session);
    scn_print_diagnostics(&diagnostics);
    return false;
}

void scn_session_close(struct scn_session *session) {
    scn_session_prelude_free(session);
    scn_chronicle_destroy(session->chronicle);
    free((void *)(uintptr_t)session->telling.decisions);
    scn_machine_destroy(session->machine);
    scn_scenario_free(session->scenario);
    session->chronicle = NULL;
    session->telling.decisions = NULL;
    session->machine = NULL;
    session->scenario = NULL;
}

struct sim_chooser *scn_session_random(const struct scn_scenario *scenario) {
    const struct sim_chooser_random_options random = {
        .step_ppm = scenario->explore_step_ppm,
        .other_ppm = scenario->explore_other_ppm,
        .spread_log2 = SPREAD_LOG2,
    };

    return sim_chooser_random_create(&random);
}

static void begin_run(void *context) {
    struct scn_session *session = context;

    if (session->coverage != NULL)
        scn_coverage_begin(session->machine->world, session->coverage, session->coverage_bits);
    scn_session_begin_files(session);
    if (session->on_begin != NULL)
        session->on_begin(session->begin_context);
}

void scn_session_run(struct scn_session *session, const struct scn_run_options *options,
                     struct scn_outcome *outcome) {
    struct scn_run_options with_files = *options;

    session->on_begin = options->on_begin;
    session->begin_context = options->context;
    if (session->chronicle != NULL)
        scn_chronicle_clear(session->chronicle);
    with_files.on_begin = begin_run;
    with_files.context = session;
    sim_sink_set(session->machine->world, scn_session_sink(session));
    if (session->machine->has_failed_prelude)
        scn_session_prelude_show(session); /* no run begins */
    scn_run(session->machine, &with_files, outcome);
    sim_sink_set(session->machine->world, NULL);
    if (session->coverage != NULL)
        scn_coverage_end(session->machine->world, session->coverage, session->coverage_bits);
}

void scn_session_remember(struct scn_session *session, uint32_t room) {
    scn_chronicle_destroy(session->chronicle);
    session->chronicle = scn_chronicle_create(room);
}

const struct scn_telling *scn_session_tell(struct scn_session *session, const char *const *others) {
    struct scn_telling *telling = &session->telling;
    struct scn_decision *decisions;
    size_t count;
    const struct sim_deviation *deviations = sim_deviations(session->machine->world, &count);

    SIM_ASSERT(session->chronicle != NULL);
    krn_images_readable(); /* names of objects and states may be an unloaded driver's */
    free((void *)(uintptr_t)telling->decisions);
    decisions = scn_decisions_tell(session->machine->world, session->chronicle, deviations, count);
    for (size_t i = 0; others != NULL && i < count; i++)
        snprintf(decisions[i].other, sizeof(decisions[i].other), "%s", others[i]);
    *telling = (struct scn_telling){.chronicle = session->chronicle,
                                    .decisions = decisions,
                                    .decision_count = count,
                                    .log_file = session->options->log_file};
    return telling;
}
