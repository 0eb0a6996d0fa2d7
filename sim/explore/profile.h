/* SPDX-License-Identifier: Apache-2.0 */
/* See profile.c. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "strategy.h"

struct sim_strategy *sim_profile_create(void);

#endif
