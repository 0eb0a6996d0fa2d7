/* SPDX-License-Identifier: Apache-2.0 */
/* See excuse.h. Looked up when something is found, which is rare: a walk over all shadows will do.
 */
#include "excuse.h"

#include <sim/fault.h>
#include <stdio.h>

#include "find.h"
#include "shadow.h"

#define PASSED_SHOWN 3u

static enum vrf_bound other_side(enum vrf_bound side) {
    return side == VRF_CONSUMER ? VRF_PROVIDER : VRF_CONSUMER;
}

static const char *side_name(enum vrf_bound side) {
    return side == VRF_CONSUMER ? "consumer" : "provider";
}

void vrf_excuse_others(struct vrf_shadow *shadow, enum vrf_rule_number rule, enum vrf_bound side) {
    if (shadow != NULL && shadow->passed[side] == 0 &&
        vrf_rule_at(rule)->severity == SIM_SEVERITY_ERROR) {
        shadow->passed[side] = (uint16_t)(rule + 1);
    }
}

/* Through any number of objects between: connector, QP, PD, adapter. */
static bool leans_on(const struct vrf_shadow *shadow, const struct vrf_shadow *antecedent,
                     uint32_t depth) {
    if (shadow == NULL || depth == NdkObjectTypeMax) {
        return false;
    }
    if (shadow == antecedent || leans_on(shadow->parent, antecedent, depth + 1)) {
        return true;
    }
    for (uint32_t i = 0; i < VRF_RELIED_COUNT; i++) {
        if (leans_on(shadow->relied[i], antecedent, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool vrf_excuse(const struct vrf_world *verifier, struct sim_finding *finding,
                const struct vrf_shadow *shadow, enum vrf_bound side) {
    enum vrf_bound other = other_side(side);
    char name[SIM_NAME_BYTES];

    if (shadow == NULL || finding->severity != SIM_SEVERITY_ERROR) {
        return false;
    }
    for (struct vrf_shadow *at = verifier->shadow_first; at != NULL; at = at->next) {
        if (at->passed[other] != 0 && (leans_on(shadow, at, 0) || leans_on(at, shadow, 0))) {
            finding->severity = SIM_SEVERITY_WARN;
            snprintf(finding->reason, sizeof(finding->reason),
                     "excused since %s of the %s at %.64s was let pass",
                     vrf_rule_at((size_t)at->passed[other] - 1)->id, side_name(other),
                     vrf_name(at, name, sizeof(name)));
            return true;
        }
    }
    return false;
}

bool vrf_excuse_lost(const struct vrf_world *verifier, struct sim_finding *finding) {
    const struct sim_fault_plan *plan = sim_fault_silent(verifier->world);
    char time[32];

    if (plan == NULL || finding->severity != SIM_SEVERITY_ERROR) {
        return false;
    }
    finding->severity = SIM_SEVERITY_WARN;
    snprintf(finding->reason, sizeof(finding->reason),
             "excused since the scenario's fault %s, last at %s, may have taken what never came",
             plan->point->name, vrf_time_text(plan->fired_ns, time, sizeof(time)));
    return true;
}

void vrf_say_passed(struct sim_world *world, struct sim_finding *finding) {
    const struct vrf_world *verifier = vrf_world_of(world);
    uint32_t count = 0;

    for (struct vrf_shadow *at = verifier != NULL ? verifier->shadow_first : NULL; at != NULL;
         at = at->next) {
        for (int side = VRF_CONSUMER; side <= VRF_PROVIDER; side++) {
            char name[SIM_NAME_BYTES];

            if (at->passed[side] != 0 && count++ < PASSED_SHOWN) {
                sim_finding_detail(finding, "let pass before: %s of the %s at %s",
                                   vrf_rule_at((size_t)at->passed[side] - 1)->id,
                                   side_name((enum vrf_bound)side),
                                   vrf_name(at, name, sizeof(name)));
            }
        }
    }
}
