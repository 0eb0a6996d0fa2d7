/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule table, joined from its areas. Severities that somebody asked for are settings of the
 * process, like its chooser: they outlive the world's resets and are no part of the world.
 */
#include "rules.h"

#include <stdio.h>
#include <string.h>

#define REASON_BYTES 128u

/* In the order of rule_ids.h. */
static const struct vrf_rule_area *const areas[] = {
    &vrf_rules_life, &vrf_rules_cmpl, &vrf_rules_irql, &vrf_rules_post, &vrf_rules_defer,
    &vrf_rules_cq,   &vrf_rules_mod,  &vrf_rules_res,  &vrf_rules_conn, &vrf_rules_disc,
    &vrf_rules_lstn, &vrf_rules_ep,   &vrf_rules_shep, &vrf_rules_mem,  &vrf_rules_srq,
    &vrf_rules_adpt, &vrf_rules_ndis, &vrf_rules_wsk,  &vrf_rules_own,
};

static struct {
    bool is_set;
    enum sim_severity severity;
    char reason[REASON_BYTES];
} asked[VRF_RULE_COUNT];
static enum vrf_bound blamed = VRF_BOTH;

const struct vrf_rule_area *vrf_rule_area_at(size_t index) {
    return index < SIM_ARRAY_COUNT(areas) ? areas[index] : NULL;
}

const struct vrf_rule *vrf_rule_at(size_t index) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(areas); i++) {
        if (index < areas[i]->count) {
            return &areas[i]->rows[index];
        }
        index -= areas[i]->count;
    }
    return NULL;
}

/* VRF_RULE_COUNT when there is none. */
static size_t number_of(const char *id) {
    size_t number = 0;

    while (number < VRF_RULE_COUNT && strcmp(vrf_rule_at(number)->id, id) != 0) {
        number++;
    }
    return number;
}

const struct vrf_rule *vrf_rule_find(const char *id) {
    return vrf_rule_at(number_of(id));
}

bool vrf_rule_is_missing(const struct vrf_rule *rule) {
    return rule->seen_as != NULL ? vrf_rule_find(rule->seen_as)->is_missing : rule->is_missing;
}

bool vrf_rule_set(struct sim_world *world, const char *id, enum sim_severity severity,
                  const char *reason) {
    size_t number = number_of(id);

    (void)world;
    if (number == VRF_RULE_COUNT) {
        return false;
    }
    asked[number].is_set = true;
    asked[number].severity = severity;
    snprintf(asked[number].reason, REASON_BYTES, "%s", reason != NULL ? reason : "");
    return true;
}

bool vrf_rule_asked(size_t index, enum sim_severity *severity, const char **reason) {
    *severity = asked[index].severity;
    *reason = asked[index].reason;
    return asked[index].is_set;
}

void vrf_blame_only(enum vrf_bound side) {
    blamed = side;
}

enum sim_severity vrf_rule_severity(enum vrf_rule_number rule, enum vrf_bound side,
                                    const char **reason) {
    enum sim_severity severity =
        asked[rule].is_set ? asked[rule].severity : vrf_rule_at(rule)->severity;

    *reason = asked[rule].is_set ? asked[rule].reason : NULL;
    if (severity == SIM_SEVERITY_ERROR && blamed != VRF_BOTH && blamed != side) {
        *reason =
            blamed == VRF_CONSUMER ? "only consumers are judged" : "only providers are judged";
        return SIM_SEVERITY_WARN;
    }
    return severity;
}

void vrf_rules_reset(void) {
    memset(asked, 0, sizeof(asked));
    blamed = VRF_BOTH;
}
