/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table; one row per rule, in rules.c. */
#ifndef VRF_RULES_H
#define VRF_RULES_H

#include <vrf/verifier.h>

/* X(name of the enumerator, id) */
#define VRF_RULES(X)                                                                               \
    X(OWN_01, "R-OWN-01")                                                                          \
    X(OWN_02, "R-OWN-02")                                                                          \
    X(OWN_03, "R-OWN-03")                                                                          \
    X(OWN_04, "R-OWN-04")                                                                          \
    X(OWN_05, "R-OWN-05")                                                                          \
    X(OWN_06, "R-OWN-06")                                                                          \
    X(OWN_07, "R-OWN-07")                                                                          \
    X(OWN_08, "R-OWN-08")                                                                          \
    X(OWN_09, "R-OWN-09")                                                                          \
    X(OWN_10, "R-OWN-10")                                                                          \
    X(OWN_11, "R-OWN-11")                                                                          \
    X(OWN_12, "R-OWN-12")                                                                          \
    X(OWN_14, "R-OWN-14")                                                                          \
    X(OWN_15, "R-OWN-15")                                                                          \
    X(OWN_16, "R-OWN-16")                                                                          \
    X(OWN_17, "R-OWN-17")                                                                          \
    X(LIFE_15, "R-LIFE-15")                                                                        \
    X(CQ_07, "R-CQ-07")                                                                            \
    X(EP_05, "R-EP-05")

#define VRF_RULE_ENUMERATOR(name, id) VRF_RULE_##name,
enum vrf_rule_number { VRF_RULES(VRF_RULE_ENUMERATOR) VRF_RULE_COUNT };
#undef VRF_RULE_ENUMERATOR

/* What the scenario or the command line made of it; `reason` NULL when nobody asked. */
enum sim_severity vrf_rule_severity(enum vrf_rule_number rule, const char **reason);
/* A new world: as the table says. */
void vrf_rules_reset(void);

#endif
