/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule table: one row per rule, in rules_<area>.c. A row is told to a driver's developer: what
 * must hold, and what a correct driver does.
 */
#ifndef VRF_RULES_H
#define VRF_RULES_H

#include <vrf/verifier.h>

#include "rule_ids.h"

/*
 * How a row ends: a finding carries the rule's own id, or that of another rule which describes the
 * same event; or its watcher has not been written, which `ndksim list rules` says.
 */
#define VRF_ITSELF NULL, false
#define VRF_SEEN_AS(id) id, false
#define VRF_NOT_YET NULL, true

extern const struct vrf_rule_area vrf_rules_life, vrf_rules_cmpl, vrf_rules_irql, vrf_rules_post,
    vrf_rules_defer, vrf_rules_cq, vrf_rules_mod, vrf_rules_res, vrf_rules_conn, vrf_rules_disc,
    vrf_rules_lstn, vrf_rules_ep, vrf_rules_shep, vrf_rules_mem, vrf_rules_srq, vrf_rules_adpt,
    vrf_rules_ndis, vrf_rules_wsk, vrf_rules_own;

/*
 * What the scenario or the command line made of it, where `side` is guilty; `reason` NULL when
 * nobody asked.
 */
enum sim_severity vrf_rule_severity(enum vrf_rule_number rule, enum vrf_bound side,
                                    const char **reason);
/* A new world: as the table says. */
void vrf_rules_reset(void);

#endif
