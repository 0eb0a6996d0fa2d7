/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a run's records for its note: objects with a life, and, where they are wanted, features:
 * two events in a row on one object, by whom, and the states and statuses that came with them.
 *
 * Names count without their numbers: the second QP's events are those of the first.
 */
#ifndef SIM_OBSERVER_H
#define SIM_OBSERVER_H

#include "knowledge.h"

struct sim_observer;

/*
 * `pattern`, unless it is NULL: objects of such names are those with a life, whatever happens to
 * them. Both must outlive it.
 */
struct sim_observer *sim_observer_create(const char *const *life_events, const char *pattern);
void sim_observer_destroy(struct sim_observer *observer);

/* A run begins, nothing is watched yet. */
void sim_observer_begin(struct sim_observer *observer, bool wants_features);
/* After the reset. */
void sim_observer_watch(struct sim_observer *observer, struct sim_world *world);

/* The run's features that `known` does not have, ascending, into `features`; returns how many. */
uint32_t sim_observer_features(struct sim_observer *observer, const struct sim_hashset *known,
                               uint64_t features[SIM_NOTE_FEATURE_MAX]);
/* The objects with a life whose names `known` does not have, in order of birth. */
uint32_t sim_observer_objects(struct sim_observer *observer, const struct sim_world *world,
                              const struct sim_hashmap *known,
                              struct sim_note_object objects[SIM_NOTE_OBJECT_MAX]);

#endif
