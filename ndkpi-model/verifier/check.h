/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's invariants. */
#ifndef VRF_CHECK_H
#define VRF_CHECK_H

#include "world.h"

void vrf_checks_register(struct sim_world *world);

#endif
