/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier: stands between NDK consumers and providers at every dispatch table, names objects,
 * makes calls and callbacks schedule points, keeps the ledger of who owes what, and (from the rule
 * table) finds who broke which rule. The interposition is always there; judging can be switched
 * off.
 */
#ifndef VRF_VERIFIER_H
#define VRF_VERIFIER_H

#include <sim/finding.h>
#include <sim/run.h>

/* Once per world at set-up, after krn_start: interposer, trace names. */
void vrf_start(struct sim_world *world);

/* Judging on (default) or off; never changes the digest. */
void vrf_judge_set(struct sim_world *world, bool on);

enum vrf_bound { VRF_CONSUMER, VRF_PROVIDER, VRF_BOTH };
enum vrf_held {
    VRF_WATCHED,      /* by a function that looks on while drivers run */
    VRF_TESTED,       /* by a case of `ndksim conform` */
    VRF_CONSTRUCTION, /* by the types of the headers, or by the kernel's own code */
    VRF_PERMISSION,   /* advice or allowance: nothing can break it */
};
struct vrf_rule {
    const char *id; /* "R-CQ-07" */
    enum vrf_bound bound;
    enum vrf_held held;
    enum sim_severity severity; /* default */
    const char *sentence;
    const char *remedy;  /* what a correct driver does */
    const char *seen_as; /* the id that a finding has when this one is broken; NULL: its own */
    bool is_missing;     /* to be watched, but nobody looks yet; see vrf_rule_is_missing */
};
/* The rules of one subject. */
struct vrf_rule_area {
    const char *name; /* "R-CQ"; R-OWN: rules of our own, beside the numbered 330 */
    const char *subject;
    const struct vrf_rule *rows;
    size_t count;
};
const struct vrf_rule_area *vrf_rule_area_at(size_t index); /* NULL past the end */
const struct vrf_rule *vrf_rule_at(size_t index);           /* over all areas; NULL past the end */
const struct vrf_rule *vrf_rule_find(const char *id);
/* Whether nobody looks yet, neither for the rule itself nor for what it is seen as. */
bool vrf_rule_is_missing(const struct vrf_rule *rule);

/* A scenario's or the command line's severity; false for an unknown id. Survives resets. */
bool vrf_rule_set(struct sim_world *world, const char *id, enum sim_severity severity,
                  const char *reason);
/* What was asked for the rule at `index` of vrf_rule_at; false for nothing. */
bool vrf_rule_asked(size_t index, enum sim_severity *severity, const char **reason);
/* Findings against the other side become warnings; VRF_BOTH (default): none. Survives resets. */
void vrf_blame_only(enum vrf_bound side);

/*
 * The world does not move: if a rule names a guilty party (a completion that never came, a close
 * that waits for what only the waiter could do), adds that finding and answers true. A finding that
 * is only a warning is added, too, and leaves the question open: false, here and below.
 */
bool vrf_blame_stuck(struct sim_world *world);
/*
 * A part of it, for a limit that was reached while the world still moves: drivers that wait in a
 * call of WSK for what they have left open themselves, or whose open adapter holds up a disable.
 */
bool vrf_blame_doors(struct sim_world *world);
/*
 * The same for arms of completion queues that were not met (R-CQ-07), also when a limit was reached
 * and timers are still pending. Asks the providers, in threads: the world moves on a little.
 */
bool vrf_blame_arms(struct sim_world *world);
/* Where nobody else is to blame: results that a consumer waits for and did not ask of (R-CQ-24). */
bool vrf_blame_forgotten(struct sim_world *world);
/* Whether consumers are open and all their providers owe them is receives. */
bool vrf_only_receives_owed(struct sim_world *world);
/* Adds "owed: provider: accept of init.connector[0] since ...; init: close cq[1]" lines. */
void vrf_say_owed(struct sim_world *world, struct sim_finding *finding);

/* What a consumer can know of a connector, as its object's state says it; NULL past the end. */
const char *vrf_connector_state_at(size_t index);

/* At the end of a run, after unload: what is still open or owed becomes findings. */
void vrf_check_end(struct sim_world *world);

#endif
