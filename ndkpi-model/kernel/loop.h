/* SPDX-License-Identifier: Apache-2.0 */
/* Endless loops of kernel calls: see sim_loop_judge. */
#ifndef KRN_LOOP_H
#define KRN_LOOP_H

#include "kernel.h"

void krn_loop_watch(struct sim_world *world);

#endif
