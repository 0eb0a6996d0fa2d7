/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim conform`: every case of the provider rules against one provider. Cases run in worker
 * processes, so that a provider's accident costs its own case only. A rule is broken when one of
 * its cases fails, or when a finding of any case names it; kept when all of its cases that the
 * provider's features let begin have held. A first look at one case tells a module that does not
 * start or registers no NDK provider: then no rule is judged.
 *
 * A case may name what this provider or its device does not declare: a fault point, a quirk, a
 * limit, a counter. It may ask for versions of NDK that this provider does not offer. Such a case
 * is not reached, and says what was missing; so is one of a provider that answers a call with
 * STATUS_NOT_SUPPORTED only. Rules that a
 * file of claims leaves out are not tried; they are told with the reason that it gives.
 */
#include <errno.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "cli/conform_answers.h"
#include "cli/results.h"
#include "cli/session.h"
#include "parse/complain.h"

#define SEED 1u

static void put_provider(struct scn_conformance *conformance, const struct scn_scenario *scenario) {
    struct scn_options *options = &conformance->run_options;

    options->driver_count = 0;
    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        const struct scn_driver *driver = &scenario->drivers[i];

        if (!scn_conform_is_under_test(driver) || options->driver_count == SCN_OPTION_LIST_MAX)
            continue;
        snprintf(conformance->drivers[options->driver_count],
                 sizeof(conformance->drivers[options->driver_count]), "%s.%s=%s",
                 scenario->nodes[driver->node].name, driver->as, conformance->options->module);
        options->drivers[options->driver_count] = conformance->drivers[options->driver_count];
        options->driver_count++;
    }
}

static void put_device(struct scn_conformance *conformance, const struct scn_scenario *scenario) {
    struct scn_options *options = &conformance->run_options;

    options->device_count = 0;
    for (uint32_t i = 0; i < scenario->adapter_count; i++) {
        const struct scn_adapter *adapter = &scenario->adapters[i];
        char *text = conformance->devices[options->device_count];

        if (conformance->options->device_module == NULL ||
            !scn_conform_is_under_test(&scenario->drivers[adapter->driver]) ||
            options->device_count == SCN_OPTION_LIST_MAX)
            continue;
        snprintf(text, sizeof(conformance->devices[0]), "%s=%s", adapter->full_name,
                 conformance->options->device_module);
        options->devices[options->device_count++] = text;
    }
}

/* The case sets up a transport that not every device has. */
static bool sets_technology(const struct scn_scenario *scenario) {
    for (uint32_t i = 0; i < scenario->adapter_count; i++) {
        const struct scn_adapter *adapter = &scenario->adapters[i];

        if (!scn_conform_is_under_test(&scenario->drivers[adapter->driver]))
            continue;
        for (uint32_t k = 0; k < adapter->keywords.count; k++)
            if (strcmp(adapter->keywords.entries[k].name, "*NetworkDirectTechnology") == 0)
                return true;
    }
    return false;
}

/* A module that started before has not done so with what this case sets up. */
static void not_started(bool has_technology, const struct scn_diagnostics *diagnostics,
                        struct scn_conform_outcome *result) {
    result->verdict = has_technology ? SIM_VERDICT_HELD : SIM_VERDICT_EXPECTATION;
    result->state = has_technology ? SCN_CONFORM_NOT_REACHED : SCN_CONFORM_BROKEN;
    snprintf(result->reason, sizeof(result->reason), "%s%.440s",
             has_technology ? "this provider does not have the technology that the case sets: "
                            : "",
             diagnostics->entries[0].text);
}

/* With hardware of its own the module is known to start: the first look was at a case that can. */
static void not_built(const struct scn_conformance *conformance, bool has_technology,
                      const struct scn_diagnostics *diagnostics,
                      struct scn_conform_outcome *result) {
    bool is_absent = scn_diagnostics_only_absent(diagnostics);

    if ((conformance->has_looked || has_technology) && scn_diagnostics_only_idle(diagnostics)) {
        not_started(has_technology, diagnostics, result);
        return;
    }
    if (!is_absent && !conformance->has_looked) {
        snprintf(result->reason, sizeof(result->reason), "%.440s", diagnostics->entries[0].text);
        return; /* said by who looks */
    }
    if (!is_absent && conformance->options->device_module == NULL) {
        scn_print_diagnostics(diagnostics);
        return;
    }
    result->verdict = SIM_VERDICT_HELD;
    result->state = SCN_CONFORM_NOT_REACHED;
    snprintf(result->reason, sizeof(result->reason), "%s: %.440s",
             is_absent ? "this provider does not have what the case names" : "this device cannot",
             diagnostics->entries[0].text);
}

struct listening {
    struct scn_session session;
    struct scn_answers answers;
};

static void on_begin(void *context) {
    struct listening *listening = context;

    scn_answers_begin(listening->session.machine->world, &listening->answers);
}

static void run_built(size_t rule, struct listening *listening,
                      struct scn_conform_outcome *result) {
    const struct scn_run_options run_options = {
        .seed = SEED, .until_ns = SIM_TIME_NEVER, .on_begin = on_begin, .context = listening};
    struct scn_outcome outcome;

    result->was_built = true;
    if (!scn_session_watch(&listening->session, SEED, "", false))
        return;
    scn_session_run(&listening->session, &run_options, &outcome);
    scn_session_unwatch(&listening->session);
    scn_conform_judge(rule, &listening->session, &listening->answers, &outcome, result);
    if (!sim_host_is_spent())
        scn_session_close(&listening->session);
}

static size_t run_case(void *context, uint64_t index, void *bytes) {
    static struct scn_diagnostics diagnostics;
    static struct listening listening;
    struct scn_conformance *conformance = context;
    const struct scn_conform_case *one = &conformance->cases.entries[index];
    struct scn_conform_outcome *result = bytes;
    struct scn_scenario *scenario;
    bool has_technology;

    memset(result, 0, sizeof(*result));
    memset(&listening.answers, 0, sizeof(listening.answers));
    result->verdict = SIM_VERDICT_USAGE;
    result->is_provider = true;
    result->state = SCN_CONFORM_BROKEN;
    snprintf(result->reason, sizeof(result->reason), "the case could not be run");
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(one->path, NULL, 0, 0, NULL, &diagnostics);
    if (scenario == NULL) {
        scn_print_diagnostics(&diagnostics);
        return sizeof(*result);
    }
    put_provider(conformance, scenario);
    put_device(conformance, scenario);
    has_technology = sets_technology(scenario);
    if (scn_session_build(&listening.session, &conformance->run_options, scenario, &diagnostics))
        run_built(one->rule, &listening, result);
    else
        not_built(conformance, has_technology, &diagnostics, result);
    return sizeof(*result);
}

/* The first case that can be built for the module tells what it is. */
static void look(void *context, void *bytes) {
    const struct scn_conformance *conformance = context;
    const struct scn_conform_outcome *result = bytes;
    uint64_t index = 0;

    scn_session_host();
    do
        run_case(context, index, bytes);
    while (result->state == SCN_CONFORM_NOT_REACHED && !result->was_built &&
           ++index < conformance->cases.count);
}

/* A process that dies here will do so again, and is told then. */
static bool is_provider(struct scn_conformance *conformance) {
    const char *module = conformance->options->module;
    struct scn_conform_outcome result;
    char death[64];

    if (conformance->cases.count == 0 ||
        sim_host_apart(look, conformance, &result, sizeof(result), death, sizeof(death)) !=
            SIM_HOST_APART_DONE)
        return true;
    if (result.verdict == SIM_VERDICT_USAGE)
        scn_complain("--driver %s: no NDK provider: %s", module, result.reason);
    else if (!result.has_started)
        scn_complain("--driver %s: it does not start: %s", module, result.reason);
    else if (!result.is_provider)
        scn_complain("--driver %s: no NDK provider: it has registered none (a miniport does so "
                     "in MiniportSetOptions, by NdisSetOptionalHandlers)",
                     module);
    conformance->has_looked =
        result.verdict != SIM_VERDICT_USAGE && result.has_started && result.is_provider;
    return conformance->has_looked;
}

static void prepare(void *context, uint32_t worker) {
    (void)context;
    (void)worker;
    scn_session_host();
}

static size_t rule_of_finding(const char *id) {
    const struct vrf_rule *rule;
    size_t index = 0;

    while ((rule = vrf_rule_at(index)) != NULL && strcmp(rule->id, id) != 0)
        index++;
    return rule != NULL && rule->bound != VRF_CONSUMER ? index : SIZE_MAX;
}

static void settle(struct scn_conformance *conformance, size_t rule,
                   const struct scn_conform_case *one, enum scn_conform_state state) {
    if (state > conformance->states[rule]) {
        conformance->states[rule] = state;
        conformance->decided_by[rule] = one;
    }
}

static bool on_result(void *context, uint64_t index, const void *bytes, size_t count,
                      const char *death) {
    struct scn_conformance *conformance = context;
    struct scn_conform_case *one = &conformance->cases.entries[index];
    struct scn_conform_outcome result;
    size_t found;

    if (count == sizeof(result))
        memcpy(&result, bytes, sizeof(result));
    if (count == sizeof(result) && result.verdict == SIM_VERDICT_INTERRUPTED)
        return false;
    if (count != sizeof(result)) {
        one->state = SCN_CONFORM_BROKEN;
        one->verdict = SIM_VERDICT_BUGCHECK;
        snprintf(one->reason, sizeof(one->reason), "the process died: %s",
                 death != NULL ? death : "no result");
    } else {
        one->state = result.state;
        one->verdict = result.verdict;
        one->is_of_provider = result.is_of_provider;
        snprintf(one->finding, sizeof(one->finding), "%s", result.finding);
        snprintf(one->reason, sizeof(one->reason), "%s", result.reason);
    }
    if (one->verdict == SIM_VERDICT_USAGE) {
        conformance->has_bad_input = true;
        return false;
    }
    settle(conformance, one->rule, one, one->state);
    found = one->is_of_provider ? rule_of_finding(one->finding) : SIZE_MAX;
    if (found != SIZE_MAX)
        settle(conformance, found, one, SCN_CONFORM_BROKEN);
    return !sim_host_interrupted();
}

/* ---- What is asked for ---- */

/* Rules of our own are seen through the numbered ones. */
static bool is_of_providers(const struct vrf_rule *rule) {
    return rule->bound != VRF_CONSUMER && strncmp(rule->id, "R-OWN-", 6) != 0;
}

static bool select_rule(struct scn_conformance *conformance, const char *id) {
    const char *names[SCN_CLAIMS_MAX], *nearest;
    const struct vrf_rule *rule;
    size_t count = 0;

    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++) {
        if (!is_of_providers(rule))
            continue;
        if (strcmp(rule->id, id) == 0) {
            conformance->is_selected[i] = true;
            return true;
        }
        names[count++] = rule->id;
    }
    nearest = scn_nearest(id, names, count);
    scn_complain("--rule %s: no rule of providers%s%s%s", id,
                 nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return false;
}

/* Only the cases of the selected rules stay. */
static bool select_all(struct scn_conformance *conformance) {
    const struct scn_options *options = conformance->options;
    const struct vrf_rule *rule;
    size_t kept = 0;

    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++) {
        SIM_ASSERT(i < SCN_CLAIMS_MAX);
        conformance->is_selected[i] = options->rule_count == 0 && is_of_providers(rule);
    }
    for (uint32_t i = 0; i < options->rule_count; i++)
        if (!select_rule(conformance, options->rules[i]))
            return false;
    for (size_t i = 0; i < conformance->cases.count; i++) {
        const struct scn_conform_case *one = &conformance->cases.entries[i];

        if (!conformance->is_selected[one->rule] || !scn_conform_is_claimed(conformance, one->rule))
            continue;
        if (one->is_left_out)
            conformance->left_out_count++;
        else
            conformance->cases.entries[kept++] = *one;
    }
    conformance->cases.count = kept;
    return true;
}

static int exit_code_of(const struct scn_conformance *conformance) {
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    for (size_t i = 0; i < SCN_CLAIMS_MAX; i++)
        if (conformance->is_selected[i] && scn_conform_is_claimed(conformance, i) &&
            conformance->states[i] == SCN_CONFORM_BROKEN)
            return SIM_VERDICT_RULE;
    return SIM_VERDICT_HELD;
}

static int conclude(const struct scn_conformance *conformance) {
    int exit_code = exit_code_of(conformance);

    if (conformance->has_bad_input)
        return SIM_VERDICT_USAGE;
    if (!scn_conform_write_junit(conformance) && exit_code == SIM_VERDICT_HELD)
        exit_code = SIM_VERDICT_USAGE;
    scn_conform_tell(conformance, exit_code);
    return exit_code;
}

static bool is_module_there(const char *module) {
    char path[4096];

    scn_module_path(NULL, scn_module_dir(), module, path, sizeof(path));
    if (access(path, R_OK) == 0)
        return true;
    scn_complain("--driver %s: %s: %s", module, path, strerror(errno));
    return false;
}

int scn_command_conform(const struct scn_options *options) {
    struct scn_conformance *conformance = calloc(1, sizeof(*conformance));
    int exit_code = SIM_VERDICT_USAGE;

    SIM_ASSERT(conformance != NULL);
    conformance->options = options;
    conformance->run_options = (struct scn_options){.until_ns = SIM_TIME_NEVER};
    if (options->module == NULL)
        scn_complain("conform: --driver MODULE is wanted");
    else if (is_module_there(options->module) && scn_conform_find(&conformance->cases) &&
             (options->claims_file == NULL ||
              scn_claims_read(&conformance->claims, &conformance->cases, options->claims_file)) &&
             select_all(conformance) && is_provider(conformance)) {
        struct sim_workers workers = {
            .jobs = options->jobs > 0 ? options->jobs : sim_host_cpu_count(),
            .count = conformance->cases.count,
            .result_bytes = sizeof(struct scn_conform_outcome),
            .context = conformance,
            .prepare = prepare,
            .run = run_case,
            .result = on_result,
        };

        sim_host_catch_interrupts();
        sim_host_workers_run(&workers);
        if (scn_workers_check(&workers))
            exit_code = conclude(conformance);
    }
    scn_conform_free(&conformance->cases);
    free(conformance);
    return exit_code;
}
