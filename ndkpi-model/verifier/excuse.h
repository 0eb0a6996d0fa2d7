/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from a breach that was let pass. Where one side broke a rule and the run goes on all
 * the same (the rule is a warning or off, its side is not judged, the run keeps going), the other
 * side is not held to what it owes for that object, for those that rely on it, and for those that
 * it relies on: findings against it are warnings that name the breach. Rules that are warnings by
 * themselves are advice, and excuse nothing.
 */
#ifndef VRF_EXCUSE_H
#define VRF_EXCUSE_H

#include "rules.h"
#include "world.h"

/* `side` broke `rule` at `shadow` (NULL: at no object, which excuses nothing), and was let pass. */
void vrf_excuse_others(struct vrf_shadow *shadow, enum vrf_rule_number rule, enum vrf_bound side);
/* Makes a warning of an error of `side` at `shadow` that follows from such a breach, then true. */
bool vrf_excuse(const struct vrf_world *verifier, struct sim_finding *finding,
                const struct vrf_shadow *shadow, enum vrf_bound side);
/*
 * Makes a warning of an error that something never came, where a silent fault of the scenario may
 * have taken it: neither side can know. Then true.
 */
bool vrf_excuse_lost(const struct vrf_world *verifier, struct sim_finding *finding);
/* Adds a line for each of the first breaches that were let pass, for what ends the run later. */
void vrf_say_passed(struct sim_world *world, struct sim_finding *finding);

#endif
