/* SPDX-License-Identifier: Apache-2.0 */
/* See conform.h: what came of it, as text, JSON and JUnit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "cli/results.h"
#include "cli/rules.h"
#include "cli/session.h"
#include "parse/complain.h"
#include "report/plural.h"

bool scn_conform_is_claimed(const struct scn_conformance *conformance, size_t rule) {
    return conformance->options->claims_file == NULL || conformance->claims.rules[rule].is_claimed;
}

static const char *state_text(const struct scn_conformance *conformance, size_t index) {
    const struct vrf_rule *rule = vrf_rule_at(index);

    if (!scn_conform_is_claimed(conformance, index))
        return conformance->options->json ? "not_claimed" : "not claimed";
    if (conformance->states[index] == SCN_CONFORM_NO_CASE && rule->held == VRF_CONSTRUCTION)
        return "by construction";
    return scn_conform_state_name(conformance->states[index], conformance->options->json);
}

static void print_replay(const struct scn_conformance *conformance,
                         const struct scn_conform_case *one) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario;

    printf("  replay   ndksim run %s", one->path);
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(one->path, NULL, 0, 0, NULL, &diagnostics);
    for (uint32_t i = 0; scenario != NULL && i < scenario->driver_count; i++)
        if (scn_conform_is_under_test(&scenario->drivers[i]))
            printf(" --driver %s=%s", scenario->drivers[i].as, conformance->options->module);
    for (uint32_t i = 0; scenario != NULL && i < scenario->adapter_count; i++)
        if (conformance->options->device_module != NULL &&
            scn_conform_is_under_test(&scenario->drivers[scenario->adapters[i].driver]))
            printf(" --device %s=%s", scenario->adapters[i].full_name,
                   conformance->options->device_module);
    putchar('\n');
    if (scenario != NULL)
        scn_scenario_free(scenario);
}

static void print_rule(const struct scn_conformance *conformance, size_t index) {
    const struct vrf_rule *rule = vrf_rule_at(index);
    const struct scn_conform_case *one = conformance->decided_by[index];

    printf("%-15s %-10s %s\n", state_text(conformance, index), rule->id, rule->sentence);
    if (!scn_conform_is_claimed(conformance, index)) {
        const char *reason = conformance->claims.rules[index].reason;

        printf("  %s\n", reason[0] != '\0' ? reason : "the file of claims does not name it");
        return;
    }
    if (one == NULL || conformance->states[index] == SCN_CONFORM_KEPT)
        return;
    printf("  %s\n", one->reason);
    if (conformance->states[index] == SCN_CONFORM_BROKEN) {
        printf("  correct  %s\n", rule->remedy);
        print_replay(conformance, one);
    }
}

struct totals {
    uint32_t rules, construction, unclaimed;
    uint32_t states[SCN_CONFORM_BROKEN + 1];
};

static bool is_by_construction(const struct scn_conformance *conformance, size_t index) {
    return conformance->states[index] == SCN_CONFORM_NO_CASE &&
           vrf_rule_at(index)->held == VRF_CONSTRUCTION;
}

static struct totals add_up(const struct scn_conformance *conformance) {
    struct totals totals = {0};

    for (size_t i = 0; vrf_rule_at(i) != NULL; i++) {
        if (!conformance->is_selected[i])
            continue;
        totals.rules++;
        if (!scn_conform_is_claimed(conformance, i))
            totals.unclaimed++;
        else if (is_by_construction(conformance, i))
            totals.construction++;
        else
            totals.states[conformance->states[i]]++;
    }
    return totals;
}

static void print_all(const struct scn_conformance *conformance) {
    const struct totals totals = add_up(conformance);
    const struct scn_options *options = conformance->options;

    for (size_t i = 0; vrf_rule_at(i) != NULL; i++) {
        bool is_broken =
            conformance->states[i] == SCN_CONFORM_BROKEN && scn_conform_is_claimed(conformance, i);

        if (conformance->is_selected[i] && (options->verbosity > 0 || is_broken))
            print_rule(conformance, i);
    }
    printf(
        "%s: %u rule%s, %zu case%s: %u kept, %u broken, %u not reached, %u without a case, %u by "
        "construction",
        options->module, totals.rules, scn_plural(totals.rules), conformance->cases.count,
        scn_plural(conformance->cases.count), totals.states[SCN_CONFORM_KEPT],
        totals.states[SCN_CONFORM_BROKEN], totals.states[SCN_CONFORM_NOT_REACHED],
        totals.states[SCN_CONFORM_NO_CASE], totals.construction);
    if (options->claims_file != NULL)
        printf(", %u not claimed; %u case%s left out", totals.unclaimed,
               conformance->left_out_count, scn_plural(conformance->left_out_count));
    putchar('\n');
}

static void print_case_json(const struct scn_conform_case *one, bool is_first) {
    printf("%s\n      {\"file\": ", is_first ? "" : ",");
    scn_json_string(stdout, one->path);
    printf(", \"state\": \"%s\", \"finding\": ", scn_conform_state_name(one->state, true));
    scn_json_string(stdout, one->finding);
    fputs(", \"reason\": ", stdout);
    scn_json_string(stdout, one->reason);
    putchar('}');
}

static void print_totals(const struct scn_conformance *conformance, int exit_code) {
    const struct totals totals = add_up(conformance);

    printf(",\n  \"verdict\": \"%s\",\n  \"exit\": %d,\n",
           sim_verdict_name((enum sim_verdict)exit_code), exit_code);
    printf("  \"totals\": {\"rules\": %u, \"cases\": %zu, \"kept\": %u, \"broken\": %u, "
           "\"not_reached\": %u, \"no_case\": %u, \"construction\": %u, \"not_claimed\": %u, "
           "\"cases_left_out\": %u}",
           totals.rules, conformance->cases.count, totals.states[SCN_CONFORM_KEPT],
           totals.states[SCN_CONFORM_BROKEN], totals.states[SCN_CONFORM_NOT_REACHED],
           totals.states[SCN_CONFORM_NO_CASE], totals.construction, totals.unclaimed,
           conformance->left_out_count);
}

static void print_json(const struct scn_conformance *conformance, int exit_code) {
    const struct vrf_rule *rule;
    bool is_first = true;

    fputs("{\n  \"driver\": ", stdout);
    scn_json_string(stdout, conformance->options->module);
    print_totals(conformance, exit_code);
    fputs(",\n  \"rules\": [", stdout);
    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++) {
        bool is_first_case = true;

        if (!conformance->is_selected[i])
            continue;
        printf("%s\n    {\"id\": \"%s\", \"held\": \"%s\", \"state\": \"%s\", \"cases\": [",
               is_first ? "" : ",", rule->id, scn_rule_held(rule),
               scn_conform_is_claimed(conformance, i)
                   ? scn_conform_state_name(conformance->states[i], true)
                   : "not_claimed");
        is_first = false;
        for (size_t k = 0; k < conformance->cases.count; k++) {
            if (conformance->cases.entries[k].rule != i)
                continue;
            print_case_json(&conformance->cases.entries[k], is_first_case);
            is_first_case = false;
        }
        fputs("]}", stdout);
    }
    puts("\n  ]\n}");
}

bool scn_conform_write_junit(const struct scn_conformance *conformance) {
    const char *file = conformance->options->junit_file;
    struct scn_junit_case *cases;
    const struct vrf_rule *rule;
    size_t count = 0;
    int error;

    if (file == NULL)
        return true;
    cases = calloc(SCN_CLAIMS_MAX, sizeof(*cases));
    SIM_ASSERT(cases != NULL);
    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++) {
        const struct scn_conform_case *one = conformance->decided_by[i];
        struct scn_junit_case *junit = &cases[count];

        if (!conformance->is_selected[i])
            continue;
        count++;
        snprintf(junit->name, sizeof(junit->name), "%s", rule->id);
        junit->is_skipped =
            !scn_conform_is_claimed(conformance, i) || conformance->states[i] < SCN_CONFORM_KEPT;
        junit->verdict = !junit->is_skipped && conformance->states[i] == SCN_CONFORM_BROKEN
                             ? SIM_VERDICT_RULE
                             : SIM_VERDICT_HELD;
        snprintf(junit->text, sizeof(junit->text), "%s",
                 one != NULL ? one->reason : state_text(conformance, i));
    }
    error = scn_junit_write(file, cases, count);
    free(cases);
    if (error != 0)
        scn_complain("--junit %s: %s", file, strerror(error));
    return error == 0;
}

void scn_conform_tell(const struct scn_conformance *conformance, int exit_code) {
    if (conformance->options->json)
        print_json(conformance, exit_code);
    else
        print_all(conformance);
}
