/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedule points. There are thousands in each run, and nearly all of them end in going on, so that
 * is decided in three tiers:
 *
 *   sim_point   in a calm stretch (scheduler.h): a few comparisons, and where somebody explores
 *               the chooser's word
 *   goes_on     any other point whose chooser can say so without the options
 *   scheduler   everything else, after a switch: see step.c
 *
 * All three leave the same behind: counts, the hash of the order, the task's place in its list.
 */
#include "outer.h"

void sim_loop_judge(struct sim_world *world,
                    void (*found)(struct sim_task *task, uint64_t point_count)) {
    world->sched.loop_found = found;
}

static void loop_find(struct sim_task *task) {
    struct sim_sched *sched = &task->world->sched;
    uint64_t points = (uint64_t)task->row_total * SIM_STEP_ROW_MAX;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    task->row_total = 0;
    if (sched->loop_found != NULL) {
        sched->loop_found(task, points);
        return;
    }
    sim_finding_init(&finding, SIM_VERDICT_STUCK, "loop", "");
    sim_finding_say(&finding, "%s went through %llu points and never waited: it loops",
                    sim_object_name(&task->object, name, sizeof(name)), (unsigned long long)points);
    sim_finding_object(&finding, &task->object);
    sim_finding_site_here(&finding, "loops");
    sim_find(task->world, &finding);
}

void sim_task_progress(void) {
    if (sim_task_running != NULL) {
        sim_task_running->world->sched.row_progress = true;
    }
}

/* ---- Going on ---- */

/* Somebody else could be chosen instead of the running `task`. */
static inline bool has_rival(const struct sim_world *world, const struct sim_task *task,
                             const struct sim_event *head) {
    const struct sim_cpu *cpu = task->cpu;
    return (head != NULL && !sim_event_is_far(world, head)) ||
           (world->sched.enabled & ~(UINT64_C(1) << cpu->slot)) != 0 ||
           (cpu->pick == NULL && cpu->ready.first != cpu->ready.last);
}

/* Something that the scheduler has to look at, whoever runs next. */
static bool must_leave(const struct sim_world *world, uint64_t step_limit) {
    const struct sim_sched *sched = &world->sched;
    return world->now_ns >= sched->stop_ns || world->now_ns >= sched->starve_check_ns ||
           sim_row_count(world) >= SIM_STEP_ROW_MAX || world->step_count >= step_limit ||
           world->has_ended || sim_interrupt_wanted != 0;
}

/*
 * Whether the chooser says without the options that `task` goes on. If not, the scheduler has it
 * choose among them, and nobody has a look at the world before it is known that the task is left.
 */
static inline bool is_said_to_go_on(struct sim_world *world, struct sim_task *task) {
    struct sim_option own;
    sim_task_describe(task, &own);
    if (sim_choose_goes_on(world, &task->object, &own)) {
        return true;
    }
    world->sched.choice_wanted = true;
    return false;
}

/* True when `task` goes on, with all that leaving and coming back would have done. */
static bool goes_on(struct sim_task *task) {
    struct sim_world *world = task->world;
    struct sim_sched *sched = &world->sched;
    bool check_is_due = false;
    if (SIM_UNLIKELY(must_leave(world, sched->attend_step))) {
        if (must_leave(world, world->config.steps_max)) {
            return false;
        }
        check_is_due = true;
    }
    if (task->cpu->pick != task && (task->cpu->pick != NULL || task->layer != SIM_LAYER_THREAD)) {
        return false;
    }
    if (has_rival(world, task, sim_queue_head(world, &world->queue)) &&
        !is_said_to_go_on(world, task)) {
        return false;
    }
    task->since_ns = world->now_ns;
    sim_task_rotate(task);
    world->step_count++;
    if (SIM_UNLIKELY(check_is_due)) {
        /* On the scheduler's stack: what lies below this task's frames must not depend on it. */
        sched->check_wanted = true;
        sim_task_leave(task);
        return true;
    }
    sim_cause_begin(world, sim_cause_next(world));
    return true;
}

static SIM_NOINLINE bool leave(struct sim_task *task) {
    sim_task_leave(task);
    if (SIM_UNLIKELY(task->row_total >= SIM_LOOP_ROW_MAX)) {
        loop_find(task);
    }
    return true;
}

static SIM_NOINLINE bool point_fully(struct sim_task *task) {
    return goes_on(task) ? false : leave(task);
}

/* It may run, and if it is a thread, it is where it will be after this step too. */
static inline bool is_in_place(const struct sim_task *task) {
    const struct sim_cpu *cpu = task->cpu;
    return task->next == NULL &&
           (cpu->pick == task || (cpu->pick == NULL && cpu->ready.first == task));
}

/* What going on leaves behind, besides the choice. */
static inline bool go_on(struct sim_world *world, struct sim_task *task, uint64_t now_ns) {
    task->since_ns = now_ns;
    world->step_count++;
    sim_cause_begin(world, sim_cause_next(world));
    return false;
}

/* Somebody explores, and says without the options whether the task goes on. */
static SIM_NOINLINE bool point_asked(struct sim_task *task) {
    struct sim_world *world = task->world;
    if (!is_said_to_go_on(world, task)) {
        return leave(task);
    }
    return go_on(world, task, world->now_ns);
}

/* Calls nothing but at its end, so that it needs no registers of its own. */
bool sim_point(struct sim_object *object, enum sim_access access, uint64_t cost_ns) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL);
    struct sim_world *world = task->world;
    const struct sim_sched *sched = &world->sched;
    const struct sim_event *head = world->queue.bottom.head;
    uint64_t now_ns = world->now_ns + cost_ns;
    world->now_ns = now_ns;
    task->point_object = object;
    task->point_access = access;
    if (SIM_UNLIKELY(now_ns >= sched->calm_ns || world->step_count >= sched->calm_step ||
                     head == NULL || !is_in_place(task))) {
        return point_fully(task);
    }
    if (SIM_LIKELY(has_rival(world, task, head))) {
        if (SIM_UNLIKELY(sched->asked != SIM_ASKED_NOBODY)) {
            return point_asked(task);
        }
        sim_choice_count_step(world, &task->object, task->object.id,
                              object != NULL ? object->id : 0);
    }
    return go_on(world, task, now_ns);
}
