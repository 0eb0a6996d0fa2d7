/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The focus of a run: one object, and which steps are about it.
 *
 * A step is about the object when it touches it or what belongs to it by name (`init.qp[0].send[3]`
 * to `init.qp[0]`), when its actor works on the object's behalf, or when it touches a companion:
 * something that in the runs so far was touched on no other object's behalf (the lock of a QP).
 */
#ifndef SIM_FOCUS_H
#define SIM_FOCUS_H

#include "knowledge.h"
#include "strategy.h"

struct sim_focus {
    const struct sim_knowledge *knowledge;
    uint64_t target; /* name hash; 0: the run has no focus */
    bool is_none;    /* asked for none */
    uint32_t run;
    struct sim_focus_relation {
        uint32_t run; /* the entry is of that run */
        bool is_its;
        bool is_companion;
    } * relations; /* by object id */
    size_t capacity;
    uint64_t step_count; /* about the object, in this run */
};

/* `pattern`: as in the explorer's options; it has chosen the objects that are known already. */
void sim_focus_init(struct sim_focus *focus, const char *pattern);
void sim_focus_free(struct sim_focus *focus);

/* Draws the run's object; without any the run has no focus. */
void sim_focus_plan(struct sim_focus *focus, const struct sim_plan *plan);

bool sim_focus_is_on_slow(struct sim_focus *focus, const struct sim_world *world,
                          const struct sim_option *option);
static inline bool sim_focus_is_on(struct sim_focus *focus, const struct sim_world *world,
                                   const struct sim_option *option) {
    return focus->target != 0 && sim_focus_is_on_slow(focus, world, option);
}

/* How many steps about the object a run has, as far as known; `otherwise` when it is not. */
uint64_t sim_focus_steps(const struct sim_focus *focus, uint64_t otherwise);
/* Tells `step_count` in the run's note. */
void sim_focus_fill(const struct sim_focus *focus, struct sim_note_head *head);

#endif
