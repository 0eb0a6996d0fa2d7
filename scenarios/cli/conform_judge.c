/* SPDX-License-Identifier: Apache-2.0 */
/* See conform.h: what a run says of the provider, and what it cannot say for something lacks. */
#include <krn/ndk.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "cli/conform_answers.h"
#include "cli/session.h"
#include "run/judge.h"

bool scn_conform_is_under_test(const struct scn_driver *driver) {
    return driver->is_miniport && scn_member(driver->source, "driver") == NULL;
}

/* What has not been loaded by its end, or went wrong before, may be one. */
static bool may_be_provider(const struct scn_machine *machine) {
    bool is_there = false;

    for (uint32_t i = 0; i < machine->scenario->driver_count; i++) {
        const struct krn_driver *driver = machine->drivers[i];

        if (!scn_conform_is_under_test(&machine->scenario->drivers[i]) ||
            krn_driver_state(driver) == KRN_DRIVER_CREATED)
            continue;
        if (krn_driver_offers_ndk(driver))
            return true;
        is_there = true;
    }
    return !is_there;
}

/* An expectation about a counter that the provider under test would have, and has not. */
static bool lacks_counter(const struct scn_machine *machine, char *text, size_t size) {
    uint64_t value;

    for (uint32_t i = 0; i < machine->scenario->expect_count; i++) {
        const struct scn_expect *expect = &machine->scenario->expects[i];

        if (expect->kind != SCN_EXPECT_COUNTER || scn_counter_read(machine, expect->name, &value))
            continue;
        for (uint32_t k = 0; k < machine->scenario->driver_count; k++) {
            const struct scn_driver *driver = &machine->scenario->drivers[k];
            size_t length = strlen(driver->as);

            if (!scn_conform_is_under_test(driver) ||
                strncmp(expect->name, driver->as, length) != 0 || expect->name[length] != '.')
                continue;
            snprintf(text, size, "this provider has no counter \"%s\"", expect->name + length + 1);
            return true;
        }
    }
    return false;
}

/* What an open must answer is judged by the rules about it; others begin when it is done. */
static bool is_about_opening(size_t rule) {
    static const char *const ids[] = {"R-ADPT-01", "R-ADPT-02", "R-ADPT-03", "R-ADPT-05"};
    const char *id = vrf_rule_at(rule)->id;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(ids); i++)
        if (strcmp(id, ids[i]) == 0)
            return true;
    return false;
}

/* An adapter under test that was asked for versions that it does not offer, and no other. */
static bool lacks_version(const struct scn_machine *machine, char *text, size_t size) {
    uint16_t major, minor;

    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++) {
        const struct scn_adapter *adapter = &machine->scenario->adapters[i];

        if (!scn_conform_is_under_test(&machine->scenario->drivers[adapter->driver]) ||
            !krn_ndk_offers_others_only(machine->adapters[i], &major, &minor))
            continue;
        snprintf(text, size, "this provider does not offer NDK %u.%u: %s was not opened", major,
                 minor, adapter->full_name);
        return true;
    }
    return false;
}

/* A failed expectation or a hang may come of what this provider need not have. */
static bool lacks_something(size_t rule, const struct scn_session *session,
                            const struct scn_answers *answers, const struct scn_outcome *outcome,
                            char *text, size_t size) {
    if (scn_judge_needs(session->machine, text, size) != NULL)
        return true;
    if (outcome->verdict != SIM_VERDICT_EXPECTATION && outcome->verdict != SIM_VERDICT_STUCK)
        return false;
    return lacks_counter(session->machine, text, size) ||
           (!is_about_opening(rule) && lacks_version(session->machine, text, size)) ||
           scn_answers_lack(session->machine->world, answers, text, size);
}

static bool is_of_consumer(const struct sim_finding *finding) {
    return vrf_rule_find(finding->id) != NULL && strncmp(finding->guilty, "consumer ", 9) == 0;
}

/* The rule that wants the OIDs of NDK is broken where one is not supported: others need it. */
#define RULE_OF_OIDS "R-NDIS-03"

/*
 * Where an OID that the case asks is not supported, that rule is told, and the case has not come to
 * its own. Otherwise a finding of another rule is how the breach of this one shows, and a consumer
 * that breaks one was led there by the provider.
 */
static void judge_finding(size_t rule, const struct sim_finding *finding,
                          struct scn_conform_outcome *result) {
    const char *before = "";

    result->is_of_provider = !is_of_consumer(finding);
    snprintf(result->finding, sizeof(result->finding), "%s", finding->id);
    if (strcmp(finding->id, RULE_OF_OIDS) == 0 &&
        strcmp(vrf_rule_at(rule)->id, RULE_OF_OIDS) != 0) {
        before = "another rule was broken first: ";
        result->state = SCN_CONFORM_NOT_REACHED;
    }
    snprintf(result->reason, sizeof(result->reason), "%s%s%s%s: %s", before, finding->id,
             finding->guilty[0] != '\0' ? ", " : "", finding->guilty, finding->sentence);
}

void scn_conform_judge(size_t rule, const struct scn_session *session,
                       const struct scn_answers *answers, const struct scn_outcome *outcome,
                       struct scn_conform_outcome *result) {
    char text[sizeof(result->reason)];

    result->verdict = outcome->verdict;
    result->is_provider =
        outcome->verdict == SIM_VERDICT_BUGCHECK || may_be_provider(session->machine);
    result->has_started =
        !session->machine->has_failed_prelude || outcome->verdict != SIM_VERDICT_BUGCHECK;
    if (!session->machine->has_failed_prelude &&
        lacks_something(rule, session, answers, outcome, text, sizeof(text))) {
        result->state = SCN_CONFORM_NOT_REACHED;
        snprintf(result->reason, sizeof(result->reason), "%s", text);
        return;
    }
    result->state = outcome->verdict == SIM_VERDICT_HELD ? SCN_CONFORM_KEPT : SCN_CONFORM_BROKEN;
    snprintf(result->reason, sizeof(result->reason), "%s", outcome->reason);
    if (outcome->first_finding != SIZE_MAX)
        judge_finding(rule, sim_finding_at(session->machine->world, outcome->first_finding),
                      result);
}
