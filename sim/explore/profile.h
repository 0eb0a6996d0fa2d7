/* SPDX-License-Identifier: Apache-2.0 */
/* See profile.c. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "strategy.h"

/* How many runs it plans. */
#define SIM_PROFILE_RUNS 2u

struct sim_strategy *sim_profile_create(void);

#endif
