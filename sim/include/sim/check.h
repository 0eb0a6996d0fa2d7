/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks: named invariants of a world, registered by the modules whose state they are about. They
 * are looked at between steps, at a cadence that the configuration chooses, and at the end of a
 * run. One that does not hold is a fault of ours: a finding with verdict 134 and the check's name.
 *
 * A check reads; it changes nothing, chooses nothing, costs no virtual time and is no part of the
 * digest. Between steps no task runs, but one may be within a kernel call: a check must allow what
 * its module lets be true at a schedule point.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <sim/base.h>

struct sim_world;

/* Static storage. */
struct sim_check {
    const char *name;  /* "net.queues" */
    const char *about; /* one sentence: what holds */
    /* False when it does not; `text` says what was found instead. */
    bool (*holds)(struct sim_world *world, char *text, size_t size);
};

/* Once per world, before its snapshot. */
void sim_check_register(struct sim_world *world, const struct sim_check *checks, size_t count);
const struct sim_check *sim_check_at(const struct sim_world *world, size_t index); /* or NULL */

/* Looks at all of them now, outside of tasks. True when all hold; else the first that does not is a
 * finding. */
bool sim_check_all(struct sim_world *world);

#endif
