/* SPDX-License-Identifier: Apache-2.0 */
/* Where contexts stand: for stuck verdicts and dumps. Pure queries, in birth order. */
#include <string.h>

#include <sim/run.h>

#include "world.h"

void sim_blocked_visit(struct sim_world *world,
                       void (*visit)(void *context, const struct sim_blocked *blocked),
                       void *context) {
    for (struct sim_task *task = world->sched.live_first; task != NULL; task = task->live_next) {
        bool waits = task->state == SIM_TASK_WAITING && task->layer == SIM_LAYER_THREAD;
        if (task->cpu->is_stopped || (!waits && task->state != SIM_TASK_SPINNING)) {
            continue;
        }
        struct sim_blocked blocked = {
            .task = &task->object,
            .what = waits ? task->what : task->point_object,
            .holder = waits || task->holder == NULL ? NULL : &task->holder->object,
            .why = waits ? task->why : "spins",
            .since_ns = task->since_ns,
            .deadline_ns = waits ? task->deadline_ns : SIM_TIME_NEVER,
            .context = task->context,
        };
        visit(context, &blocked);
    }
}

void sim_standing_visit(struct sim_world *world,
                        void (*visit)(void *context, const struct sim_standing *standing),
                        void *context) {
    for (struct sim_task *task = world->sched.live_first; task != NULL; task = task->live_next) {
        bool waits = task->state == SIM_TASK_WAITING && task->layer == SIM_LAYER_THREAD;
        bool is_left = task->state == SIM_TASK_WAITING && task->why == sim_why_left_behind;
        const struct sim_standing standing = {
            .task = &task->object,
            .cpu = task->cpu,
            .layer = task->layer,
            .state = task->state,
            .level = task->level,
            .is_left_behind = is_left,
            .is_idle = task->layer != SIM_LAYER_THREAD && task->call == NULL,
            .subject = task->layer != SIM_LAYER_THREAD && task->call != NULL ? task->call->subject
                                                                             : task->point_object,
            .what = waits ? task->what : task->point_object,
            .why = waits && !is_left ? task->why : NULL,
            .holder = task->state == SIM_TASK_SPINNING && task->holder != NULL
                          ? &task->holder->object
                          : NULL,
            .steps = task->steps,
            .since_ns = task->since_ns,
            .deadline_ns = waits ? task->deadline_ns : SIM_TIME_NEVER,
        };

        visit(context, &standing);
    }
}

void sim_site_of_standing(struct sim_site *site, const char *what,
                          const struct sim_standing *standing) {
    const struct sim_blocked blocked = {.task = standing->task, .since_ns = standing->since_ns};

    memset(site, 0, sizeof(*site));
    site->what = what;
    site->actor = standing->task;
    if (!standing->is_idle) {
        sim_site_of_blocked(site, what, &blocked);
    }
}

struct sim_object *sim_task_point(const struct sim_task *task, enum sim_access *access) {
    *access = task->point_access;
    return task->point_object;
}
