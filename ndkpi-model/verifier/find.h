/* SPDX-License-Identifier: Apache-2.0 */
/* Making findings: rule, whose fault, which objects, which call sites. */
#ifndef VRF_FIND_H
#define VRF_FIND_H

#include "rules.h"
#include "work.h"

/*
 * False when the rule is off, or the machine of `shadow`. `shadow` is the object that the finding
 * is about and tells who consumer and provider are; NULL: no object, the driver whose code runs
 * here, as the rule's bound says. What follows from a breach of the other side that was let pass is
 * a warning; see excuse.c.
 */
SIM_COLD bool vrf_find_begin(struct vrf_world *verifier, struct sim_finding *finding,
                             enum vrf_rule_number rule, struct vrf_shadow *shadow);
/* The same for a rule that binds both: `side` says whose fault this is. */
SIM_COLD bool vrf_find_begin_by(struct vrf_world *verifier, struct sim_finding *finding,
                                enum vrf_rule_number rule, struct vrf_shadow *shadow,
                                enum vrf_bound side);
/* The same for a mere hint of a breach: a warning whatever the row says; it excuses nothing. */
SIM_COLD bool vrf_find_begin_hint(struct vrf_world *verifier, struct sim_finding *finding,
                                  enum vrf_rule_number rule, struct vrf_shadow *shadow);
void vrf_find_site(struct vrf_world *verifier, struct sim_finding *finding, const char *what,
                   const struct sim_kept_site *site);
void vrf_find_work_site(struct vrf_world *verifier, struct sim_finding *finding, const char *what,
                        const struct vrf_work *work);
/* Adds the call stack of now and hands the finding in; does not return when it ends the run. */
void vrf_find_here(struct vrf_world *verifier, struct sim_finding *finding, const char *what);
/* The same without a stack: in the scheduler. False: a warning, which decides nothing. */
bool vrf_find(struct vrf_world *verifier, struct sim_finding *finding);

/*
 * Looks for who is to blame for what never came: `blame` finds so, and a silent fault of the
 * scenario excuses it. False without judging.
 */
bool vrf_blame_waits(struct vrf_world *verifier, bool (*blame)(struct vrf_world *verifier));

/* "consumer init", "provider nic". */
void vrf_guilty_consumer(const struct vrf_client *client, char *text, size_t size);
void vrf_guilty_provider(const struct vrf_shadow *shadow, char *text, size_t size);

#define VRF_TEXT_BYTES 160u
/* "connect of init.connector[0] (request 7)", "send of init.qp[0] (request 31)". */
const char *vrf_request_text(const struct vrf_request *request, char *text, size_t size);
const char *vrf_work_text(const struct vrf_work *work, char *text, size_t size);
/* "NdkConnect" is not kept: what a report calls the function is "connect". */
const char *vrf_name(struct vrf_shadow *shadow, char *text, size_t size);

/* For "since": milliseconds with six digits behind the point. */
const char *vrf_time_text(uint64_t time_ns, char *text, size_t size);

#endif
