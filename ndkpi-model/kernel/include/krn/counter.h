/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that drivers publish with NdksimCounter: named numbers that expectations read. A counter
 * belongs to its driver; its full name is "driver.name" ("init.bytes_read"). Reset with the world.
 */
#ifndef KRN_COUNTER_H
#define KRN_COUNTER_H

#include <krn/driver.h>

/* The last value published, false when the driver never published that name. */
bool krn_counter_get(const struct krn_driver *driver, const char *name, uint64_t *value);

/* How often any counter was published: equal numbers, equal counters. */
uint64_t krn_counter_changes(const struct sim_world *world);

/* All counters, by drivers in load order, then in order of first publication. */
void krn_counter_visit(const struct sim_world *world,
                       void (*visit)(void *context, struct krn_driver *driver, const char *name,
                                     uint64_t value),
                       void *context);

#endif
