/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which failures are one. What a finding is by itself (rule or bugcheck, the guilty one's role,
 * kinds and states of the objects) is its kind; with the functions at its sites it is a signature.
 * Seeds, numbers, times, addresses and lines are in neither.
 */
#ifndef SCN_RUN_SIGNATURE_H
#define SCN_RUN_SIGNATURE_H

#include <sim/finding.h>

/*
 * Of a finding: its kind and, for each site, the innermost function that belongs to the guilty
 * driver, or to any driver when nobody is to blame.
 */
uint64_t scn_signature(const struct sim_world *world, const struct sim_finding *finding);

/* Whether the finding blames this driver, or nobody. */
struct krn_driver;
bool scn_is_guilty(const struct sim_finding *finding, const struct krn_driver *driver);

/* Of what a sentence says, whatever numbers are in it. */
uint64_t scn_signature_of_text(const char *text);

#endif
