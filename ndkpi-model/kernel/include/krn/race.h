/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of contexts, for data races in instrumented modules: what the kernel does not see itself
 * is said here. No-ops while no module of the world is instrumented. No schedule points.
 */
#ifndef KRN_RACE_H
#define KRN_RACE_H

#include <sim/object.h>
#include <sim/path.h>

struct krn_driver;

/* What comes after an acquire is ordered behind what came before each release of the same key. */
void krn_race_acquire(struct sim_world *world, const void *key);
void krn_race_release(struct sim_world *world, const void *key);

/* Two accesses to the same bytes, at least one of them writes, that nothing orders. */
struct krn_race {
    struct krn_driver *driver; /* whose code did the later one */
    struct sim_object *word;   /* the memory, by name */
    const char *now;           /* static: "writes", "reads" */
    const char *earlier;       /* "wrote", "read" */
    struct sim_kept_site site; /* of the earlier one */
};

#endif
