/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a scenario that nothing in its world can ever have: classes, objects, counters. */
#ifndef SCN_RUN_NAMES_H
#define SCN_RUN_NAMES_H

#include "run/machine.h"

/*
 * An error, with the nearest name, for
 *   - a class that no frame is of, and a class at a fault point that frames do not pass;
 *   - an object below a root that is none: roots (nodes, drivers, links, switches) all exist before
 *     anything runs, what is below drivers does not;
 *   - a node's adapter, port or CPU that it has not;
 *   - a counter of a port or device that these do not count. Drivers make theirs up as they run.
 * Call it when the world is built.
 */
void scn_check_names(const struct scn_machine *machine, struct scn_diagnostics *diagnostics);

/* A counter's nearest name among those that there are now, NULL for none. `name`: its buffer. */
const char *scn_counter_nearest(const struct scn_machine *machine, const char *counter, char *name,
                                size_t size);

#endif
