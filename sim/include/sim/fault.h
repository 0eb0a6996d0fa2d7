/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault registry. A fault point is a named place where the world can go wrong on purpose; a
 * planned fault (from the scenario) says which point, for whom and when. A point with no plan and
 * no free chooser costs one test. A plan that never fired is reported by the runner.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <sim/base.h>
#include <sim/object.h>
#include <sim/trace.h>

/*
 * Not const; in static storage or the world's. Registered before the world's snapshot. `parameter`
 * names the value it takes, or NULL. `index` is left 0 by its owner and filled by the registry.
 */
struct sim_fault_point {
    const char *name;      /* "link.drop", "rnic.doorbell_lost", "pool.fail" */
    const char *layer;     /* packet, link, device, resource, answer, pnp, peer, driver */
    const char *about;     /* one sentence, for `ndksim list faults` */
    const char *parameter; /* "delay_ns", "bytes", ... or NULL */
    bool free;             /* an exploring chooser may fire it, where a plan's free_ppm allows */
    uint16_t index;        /* the registry's own; 0: not registered */
    bool silent;           /* what it takes is gone, and no driver can know */
};
void sim_fault_register(struct sim_world *world, struct sim_fault_point *const *points,
                        size_t count);
/* Points registered so far; sim_fault_point_at takes 0 to this - 1, in order of registration. */
size_t sim_fault_point_count(const struct sim_world *world);
const struct sim_fault_point *sim_fault_point_at(const struct sim_world *world, size_t index);
const struct sim_fault_point *sim_fault_point_find(const struct sim_world *world, const char *name);

/* A plan. All conditions that are set must hold. Lives in the PRIVATE region, owned by the
 * registry. */
struct sim_fault_plan {
    const struct sim_fault_point *point;
    const char *subject; /* birth-name pattern, NULL: any */
    /*
     * Pattern on the class of what passes ("cm.rep", "cm.*"), NULL: any. A passing without a class
     * (sim_fault_hit) matches only NULL. What does not match is no passing: `nth` counts matches.
     */
    const char *class_pattern;
    uint64_t from_ns;         /* 0: from the start */
    uint64_t to_ns;           /* SIM_TIME_NEVER: to the end */
    uint32_t nth;             /* fires at the n-th passing (from 1) only; 0: not used */
    uint32_t count_max;       /* fires at most so often; 0: no limit */
    uint32_t ppm;             /* fires with this probability (a planned choice); 0: certain */
    uint32_t free_ppm;        /* an exploring chooser may fire it with this probability; 0: not */
    const char *after_event;  /* armed by this event type name ..., NULL: always armed */
    const char *after_object; /* ... of an object that matches */
    uint32_t after_nth;       /* ... the n-th time; 0 and 1: the first */
    uint64_t parameter;
    const char *source;    /* where it stands in the scenario, for reports */
    uint32_t passed_count; /* kept by the registry */
    uint32_t fired_count;
    uint64_t fired_ns; /* the last time */
    bool armed;
};
struct sim_fault_plan *sim_fault_plan_add(struct sim_world *world,
                                          const struct sim_fault_plan *plan);
size_t sim_fault_plan_count(const struct sim_world *world);
struct sim_fault_plan *sim_fault_plan_at(const struct sim_world *world, size_t index);

/* The first plan of a silent point that has fired, NULL for none: what never comes may be its work.
 */
const struct sim_fault_plan *sim_fault_silent(const struct sim_world *world);

/* Switches all plans off (the heal phase) or on. */
void sim_fault_enable(struct sim_world *world, bool on);

/*
 * Failures that nobody planned: a chooser with `asks_failures` is asked at each passing of a point
 * of the layers "resource" and "driver", while plans are switched on. `code_hash` tells a driver's
 * code address by a number that is equal in all processes of a build, 0 for code of no driver; NULL
 * (until set): all paths are one. Set-up.
 */
void sim_fault_code_hash_set(struct sim_world *world,
                             uint64_t (*code_hash)(const struct sim_world *world, uintptr_t code));
/* How many of those there were in this run: what drivers answer to them is no plan's. */
uint32_t sim_fault_chosen_count(const struct sim_world *world);

/* The first bytes of every world: plans that may fire, by the point's index. */
#define SIM_FAULT_POINT_COUNT_MAX 1023u
struct sim_fault_flags {
    uint8_t planned[SIM_FAULT_POINT_COUNT_MAX + 1];
};

/*
 * At a fault point: true if a plan fires here for `subject`; `*parameter` (may be NULL) is the
 * plan's. Inline test first: free of cost when nothing is planned for the point.
 */
bool sim_fault_hit_slow(struct sim_world *world, const struct sim_fault_point *point,
                        struct sim_object *subject, uint64_t *parameter);
bool sim_fault_hit_class_slow(struct sim_world *world, const struct sim_fault_point *point,
                              struct sim_object *subject, const char *class_name,
                              uint64_t *parameter);
static inline bool sim_fault_planned(const struct sim_world *world,
                                     const struct sim_fault_point *point) {
    return ((const struct sim_fault_flags *)(const void *)world)->planned[point->index] != 0;
}
static inline bool sim_fault_hit(struct sim_world *world, const struct sim_fault_point *point,
                                 struct sim_object *subject, uint64_t *parameter) {
    return SIM_UNLIKELY(sim_fault_planned(world, point)) &&
           sim_fault_hit_slow(world, point, subject, parameter);
}

/* For points at which things of several classes pass (frames): see class_pattern. */
static inline bool sim_fault_hit_class(struct sim_world *world, const struct sim_fault_point *point,
                                       struct sim_object *subject, const char *class_name,
                                       uint64_t *parameter) {
    return SIM_UNLIKELY(sim_fault_planned(world, point)) &&
           sim_fault_hit_class_slow(world, point, subject, class_name, parameter);
}

#endif
