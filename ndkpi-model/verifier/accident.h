/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accidents that a rule explains better than a bugcheck: a provider that touches an NDK object
 * after it started the completion in which, or after which, the consumer closed it (R-LIFE-15); and
 * a consumer that uses one whose memory went with its close and is out of reach (R-OWN-10).
 */
#ifndef VRF_ACCIDENT_H
#define VRF_ACCIDENT_H

#include "world.h"

struct sim_finding;

/* The interposer's `judge`. */
void vrf_accident_judge(struct sim_world *world, const void *address, struct krn_driver *by,
                        struct sim_finding *finding);

#endif
