/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's invariants. */
#ifndef KRN_CHECK_H
#define KRN_CHECK_H

#include "kernel.h"

void krn_checks_register(struct sim_world *world);

#endif
