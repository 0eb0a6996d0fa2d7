/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stepper. One step runs one context to its next schedule point, or delivers the head event.
 *
 * The line-up, option by option: the context that ran last, if it may go on; its CPU's others, the
 * other CPUs in cyclic order; the head event. A CPU gives one option, its `pick`, or one for each
 * ready thread. With one option nobody is asked.
 *
 * After SIM_STEP_ROW_MAX points in a row the last one yields: the line-up starts with the next in
 * the cycle cpu 0, ..., cpu n-1, head event, and the last one is its end. A head event that is not
 * due for long does not get a yield at once, or every busy microsecond would fire the next timer of
 * seconds: it must be due within `patience_ns`, which doubles from yield to yield until it is;
 * after a row of work (sim_task_progress) it grows by little.
 *
 * A head event due later than starve_max_ns from now is no option either while somebody is ready:
 * picking it would pass everybody over for longer than is allowed. (A yield whose patience has
 * grown that far still takes it: else a context that polls for it would never see it.)
 *
 * Most choices are to go on. They are made in the schedule point itself (point.c), without a
 * switch, a line-up or a look at `until`; whatever is not that simple leaves for the scheduler.
 *
 * A delivery that was chosen but is due after the end of this sim_run call is kept for the next
 * call: cutting a run into calls must not change it.
 */
#include <sim/run.h>

#include "world.h"

#define OPTION_COUNT_MAX 96u
#define PATIENCE_NS_MIN (SIM_STEP_ROW_MAX * SIM_POINT_COST_NS)
#define PATIENCE_NS_OF_WORK (4 * SIM_STEP_ROW_MAX)
#define PATIENCE_NS_MAX (UINT64_C(1) << 62)

#if SIM_ASAN
#include <sanitizer/lsan_interface.h>
#define REGIONS_BASE ((const void *)(uintptr_t)SIM_REGION_BASE)
#define REGIONS_BYTES ((size_t)(SIM_REGION_COUNT * SIM_REGION_SLOT_BYTES))
#else
#define __lsan_register_root_region(base, bytes) ((void)0)
#define __lsan_unregister_root_region(base, bytes) ((void)0)
#endif

volatile sig_atomic_t sim_interrupt_wanted;

struct line_up {
    uint32_t count;
    bool yields; /* the last context's row is over */
    bool is_far; /* the head event is due so late that picking it would starve whoever is ready */
    struct sim_event *head;
    struct sim_task *tasks[OPTION_COUNT_MAX]; /* NULL: the head event */
};

void sim_sched_init(struct sim_world *world) {
    struct sim_sched *sched = &world->sched;
    sim_task_running = NULL;
    sched->patience_ns = PATIENCE_NS_MIN;
    world->actor_level = 0xFF;
    /* What only the regions point to is no leak. */
    __lsan_register_root_region(REGIONS_BASE, REGIONS_BYTES);
    sim_bus_init(world);
}

void sim_sched_restored(struct sim_world *world) {
    (void)world;
    sim_task_running = NULL;
}

void sim_sched_deinit(struct sim_world *world) {
    (void)world;
    __lsan_unregister_root_region(REGIONS_BASE, REGIONS_BYTES);
    sim_task_running = NULL;
}

static void attend_next(struct sim_world *world) {
    struct sim_sched *sched = &world->sched;
    uint64_t steps_max = world->config.steps_max;
    sched->check_step =
        world->config.check_steps != 0 ? world->step_count + world->config.check_steps : UINT64_MAX;
    /* Asked before the step is counted. */
    sched->attend_step = sched->check_step - 1 < steps_max ? sched->check_step - 1 : steps_max;
}

void sim_sched_begin(struct sim_world *world, enum sim_asked asked) {
    world->sched.asked = (uint8_t)asked;
    attend_next(world);
}

void sim_run_interrupt(void) {
    sim_interrupt_wanted = 1;
}

void sim_run_interrupt_forget(void) {
    sim_interrupt_wanted = 0;
}

/* ---- The line-up ---- */

static void add(struct line_up *line, struct sim_task *task) {
    /* One place is kept for the head event. Who finds no place comes up later: lists rotate. */
    if (line->count < OPTION_COUNT_MAX - 1) {
        line->tasks[line->count++] = task;
    }
}

static void add_cpu(struct line_up *line, const struct sim_cpu *cpu,
                    const struct sim_task *except) {
    if (cpu->pick != NULL) {
        if (cpu->pick != except) {
            add(line, cpu->pick);
        }
        return;
    }
    struct sim_task *before_others = cpu->thread != except ? cpu->thread : NULL;
    if (before_others != NULL) {
        add(line, before_others);
    }
    for (struct sim_task *task = cpu->ready.first; task != NULL; task = task->next) {
        if (task != except && task != before_others) {
            add(line, task);
        }
    }
}

/* The CPUs of `mask`, by slot. */
static void add_cpus(struct line_up *line, const struct sim_sched *sched, uint64_t mask) {
    for (; mask != 0; mask &= mask - 1) {
        add_cpu(line, sched->cpus[sim_sched_lowest_bit(mask)], NULL);
    }
}

static bool may_run(const struct sim_task *task) {
    return task->cpu->pick == task || (task->cpu->pick == NULL && task->layer == SIM_LAYER_THREAD &&
                                       task->linked && task->state == SIM_TASK_READY);
}

static void line_up_quiet(struct line_up *line, const struct sim_sched *sched,
                          struct sim_task *last) {
    uint64_t own = UINT64_C(1) << sched->turn_slot;
    if (last != NULL) {
        line->tasks[line->count++] = last;
    }
    if ((sched->enabled & own) != 0) {
        add_cpu(line, sched->cpus[sched->turn_slot], last);
    }
    uint64_t others = sched->enabled & ~own;
    if (others != 0) {
        add_cpus(line, sched, others & ~(own - 1));
        add_cpus(line, sched, others & (own - 1));
    }
    if (line->head != NULL && !line->is_far) {
        line->tasks[line->count++] = NULL;
    }
}

static void line_up_yielding(struct line_up *line, struct sim_world *world, struct sim_task *last) {
    struct sim_sched *sched = &world->sched;
    uint64_t own = UINT64_C(1) << sched->turn_slot;
    bool event_in_turn = false;
    if (line->head != NULL) {
        uint64_t horizon_ns = world->now_ns + sched->patience_ns;
        event_in_turn = line->head->due_ns <= horizon_ns;
    }
    add_cpus(line, sched, sched->enabled & ~own & ~(own - 1));
    if (event_in_turn) {
        line->tasks[line->count++] = NULL;
    } else if (line->count == 0 && sched->patience_ns < PATIENCE_NS_MAX / 2) {
        sched->patience_ns += sched->row_progress ? PATIENCE_NS_OF_WORK : sched->patience_ns;
    }
    add_cpus(line, sched, sched->enabled & (own - 1));
    add_cpu(line, last->cpu, last);
    add(line, last);
    if (line->head != NULL && !event_in_turn && !line->is_far) {
        line->tasks[line->count++] = NULL;
    }
}

/* ---- Who was passed over too long ---- */

/* Since when the head event has been passed over. */
static uint64_t head_since_ns(const struct sim_sched *sched, const struct sim_event *head) {
    return head->due_ns > sched->event_since_ns ? head->due_ns : sched->event_since_ns;
}

/*
 * True if somebody was passed over for starve_max_ns: `*task` is the one that was for the longest
 * time, NULL for the head event. Sets when the next look is due.
 */
static bool find_starved(struct sim_world *world, struct sim_event *head, struct sim_task **task) {
    struct sim_sched *sched = &world->sched;
    uint64_t oldest_ns = world->now_ns;
    *task = NULL;
    if (head != NULL && head_since_ns(sched, head) < oldest_ns) {
        oldest_ns = head_since_ns(sched, head);
    }
    for (uint64_t mask = sched->enabled; mask != 0; mask &= mask - 1) {
        struct sim_cpu *cpu = sched->cpus[sim_sched_lowest_bit(mask)];
        struct sim_task *first = cpu->pick != NULL ? cpu->pick : cpu->ready.first;
        if (first->since_ns < oldest_ns) {
            oldest_ns = first->since_ns;
            *task = first;
        }
    }
    sched->starve_check_ns = oldest_ns + world->config.starve_max_ns;
    return sched->starve_check_ns <= world->now_ns;
}

/* ---- The choice ---- */

static void describe_head(const struct sim_world *world, const struct sim_event *head,
                          struct sim_option *option) {
    *option = (struct sim_option){
        .object_id = head->subject != NULL ? head->subject->id : 0,
        .access = SIM_ACCESS_WRITE,
        .label = head->label != NULL ? head->label : "event",
        .wait_ns = head->due_ns > world->now_ns ? head->due_ns - world->now_ns : 0,
    };
}

static void describe(const struct sim_world *world, const struct line_up *line, uint32_t index,
                     struct sim_option *option) {
    const struct sim_task *task = line->tasks[index];
    if (task == NULL) {
        describe_head(world, line->head, option);
        return;
    }
    sim_task_describe(task, option);
    if (task->layer != SIM_LAYER_THREAD && task->call == NULL) {
        const struct sim_object *object = task->cpu->calls_first[task->layer]->subject;
        option->object_id = object != NULL ? object->id : 0;
        option->access = SIM_ACCESS_WRITE;
    }
}

/* Fills the line-up and returns the index of who is chosen. */
static uint32_t choose(struct sim_world *world, struct line_up *line) {
    struct sim_sched *sched = &world->sched;
    struct sim_task *last = sched->last;
    struct sim_option options[OPTION_COUNT_MAX];
    if (last != NULL && !may_run(last)) {
        last = NULL;
    }
    line->count = 0;
    line->is_far = line->head != NULL && sim_event_is_far(world, line->head);
    line->yields = last != NULL && sim_row_count(world) >= SIM_STEP_ROW_MAX;
    if (line->yields) {
        last->row_total += sched->row_progress ? 0 : 1;
        line_up_yielding(line, world, last);
        sched->row_progress = false;
    } else {
        line_up_quiet(line, sched, last);
    }
    if (line->count == 1) {
        return 0;
    }
    struct sim_task *first = line->tasks[0] != NULL ? line->tasks[0] : last;
    if (sched->asked == SIM_ASKED_NOBODY) {
        describe(world, line, 0, &options[0]);
        sim_choice_count_step(world, &first->object, options[0].actor_id, options[0].object_id);
        return 0;
    }
    for (uint32_t i = 0; i < line->count; i++) {
        describe(world, line, i, &options[i]);
    }
    struct sim_choice choice = {
        .kind = SIM_CHOICE_STEP,
        .subject = &first->object,
        .options = options,
        .option_count = line->count,
    };
    return sim_choose(world, &choice);
}

/* The same, of a context that may go on; returns who is chosen, NULL: the head event. */
static struct sim_task *line_up_choose(struct sim_world *world, struct line_up *line) {
    return line->tasks[choose(world, line)];
}

/* ---- One step ---- */

static void deliver_head(struct sim_world *world, bool yielded) {
    struct sim_sched *sched = &world->sched;
    struct sim_event *event = sim_event_take(world);
    if (event->due_ns > world->now_ns) {
        world->now_ns = event->due_ns;
    }
    sched->event_picked = false;
    sched->event_since_ns = world->now_ns;
    sched->patience_ns = PATIENCE_NS_MIN;
    if (yielded) {
        sched->last = NULL;
        sched->turn_slot = 0;
    }
    world->step_count++;
    sched->row_first_step = world->step_count;
    sim_cause_begin(world, event->cause);
    event->deliver(world, event);
}

/* Enters `task` with how far it may go on by itself. */
static void resume(struct sim_sched *sched, struct sim_task *task) {
    uint64_t row_end_step = sched->row_first_step + SIM_STEP_ROW_MAX;

    sched->calm_step = row_end_step < sched->attend_step ? row_end_step : sched->attend_step;
    sched->calm_ns =
        sched->stop_ns < sched->starve_check_ns ? sched->stop_ns : sched->starve_check_ns;
    if (sched->asked == SIM_ASKED_SCHEDULER) {
        sched->calm_ns = 0;
    }
    sim_task_resume(sched, task);
}

/* It has left at a point. */
static void leave_ready(struct sim_world *world, struct sim_task *task) {
    task->state = SIM_TASK_READY;
    task->since_ns = world->now_ns;
    sim_task_rotate(task);
}

/*
 * The choice at the point that `task` has left. True if it is to go on: then nothing has happened
 * that would not have, had its chooser said so without seeing the options. Else the decision is
 * kept for the next step: sim_run has its look at the world before that, as it has whenever a
 * context is left for another.
 */
static bool is_chosen_to_go_on(struct sim_world *world, struct sim_task *task) {
    struct sim_sched *sched = &world->sched;
    struct line_up line = {.head = sim_queue_head(world, &world->queue)};
    sched->choice_wanted = false;
    leave_ready(world, task);
    sched->decision = line_up_choose(world, &line);
    sched->has_decision = sched->decision != task;
    if (sched->has_decision) {
        return false;
    }
    world->step_count++;
    if (world->step_count >= sched->check_step) {
        sched->check_wanted = true;
    }
    return true;
}

/* Checks, or a choice, that the running task has left for; it goes on if it returns true. */
static bool attend(struct sim_world *world, struct sim_task *task) {
    struct sim_sched *sched = &world->sched;
    if (sched->choice_wanted && !is_chosen_to_go_on(world, task)) {
        return false;
    }
    if (sched->check_wanted) {
        sched->check_wanted = false;
        attend_next(world);
        return sim_check_all(world);
    }
    return true;
}

static void run_task(struct sim_world *world, struct sim_task *task, bool row_is_over) {
    struct sim_sched *sched = &world->sched;
    struct sim_cpu *cpu = task->cpu;
    if (task != sched->last || row_is_over) {
        sched->row_first_step = world->step_count;
        sched->row_progress = false;
    }
    sched->last = task;
    sched->turn_slot = cpu->slot;
    if (task->layer == SIM_LAYER_THREAD) {
        cpu->thread = task;
    }
    task->steps -= world->step_count++;
    cpu->late_ns += world->now_ns - task->since_ns;
    resume(sched, task);
    while (SIM_UNLIKELY(sched->choice_wanted || sched->check_wanted) && attend(world, task)) {
        resume(sched, task);
    }
    task->steps += world->step_count;
    if (task->state == SIM_TASK_RUNNING) {
        leave_ready(world, task);
    } else if (task->state == SIM_TASK_DONE) {
        sched->last = NULL;
        sim_task_bury(task);
    }
}

/* Delivers the head, unless it is due after `limit_ns`, to which time moves then. */
static bool deliver_until(struct sim_world *world, const struct sim_event *head, uint64_t limit_ns,
                          bool yielded) {
    if (head->due_ns <= limit_ns || head->due_ns <= world->now_ns) {
        deliver_head(world, yielded);
        return true;
    }
    if (limit_ns > world->now_ns) {
        world->now_ns = limit_ns;
    }
    return false;
}

enum step_end { STEP_DONE, STEP_IDLE, STEP_LIMIT };

/* The head event, or a note that it is to be delivered by a later call. */
static enum step_end pick_head(struct sim_world *world, const struct sim_event *head,
                               uint64_t limit_ns, bool yielded) {
    struct sim_sched *sched = &world->sched;
    if (!deliver_until(world, head, limit_ns, yielded)) {
        sched->event_picked = true;
        sched->event_yielded = yielded;
        return STEP_LIMIT;
    }
    return STEP_DONE;
}

/* What was decided at the point that was left last. */
static enum step_end carry_out(struct sim_world *world, const struct sim_event *head,
                               uint64_t limit_ns) {
    struct sim_sched *sched = &world->sched;
    sched->has_decision = false;
    if (sched->decision == NULL) {
        return pick_head(world, head, limit_ns, false);
    }
    run_task(world, sched->decision, false);
    return STEP_DONE;
}

static enum step_end step(struct sim_world *world, uint64_t limit_ns) {
    struct sim_sched *sched = &world->sched;
    struct line_up line;
    struct sim_task *starved;
    line.head = sim_queue_head(world, &world->queue);
    if (sched->event_picked && line.head != NULL) {
        return deliver_until(world, line.head, limit_ns, sched->event_yielded) ? STEP_DONE
                                                                               : STEP_LIMIT;
    }
    if (sched->has_decision &&
        (sched->decision == NULL ? line.head != NULL : may_run(sched->decision))) {
        return carry_out(world, line.head, limit_ns);
    }
    sched->has_decision = false;
    if (sched->enabled == 0) {
        if (line.head == NULL) {
            return STEP_IDLE;
        }
        return deliver_until(world, line.head, limit_ns, false) ? STEP_DONE : STEP_LIMIT;
    }
    if (SIM_UNLIKELY(world->now_ns >= sched->starve_check_ns) &&
        find_starved(world, line.head, &starved)) {
        if (starved == NULL) {
            deliver_head(world, false);
        } else {
            run_task(world, starved, true);
        }
        return STEP_DONE;
    }
    uint32_t chosen = choose(world, &line);
    if (line.tasks[chosen] != NULL) {
        run_task(world, line.tasks[chosen], line.yields);
        return STEP_DONE;
    }
    return pick_head(world, line.head, limit_ns, line.yields && chosen == 0);
}

static bool is_over_limit(const struct sim_world *world) {
    return (world->config.time_max_ns != 0 && world->now_ns >= world->config.time_max_ns) ||
           world->step_count >= world->config.steps_max;
}

static uint64_t limit_of(const struct sim_world *world, uint64_t until_ns) {
    uint64_t max_ns = world->config.time_max_ns;
    return max_ns != 0 && max_ns < until_ns ? max_ns : until_ns;
}

static enum sim_run_end run(struct sim_world *world, bool (*until)(struct sim_world *, void *),
                            void *context, uint64_t until_ns) {
    uint64_t limit_ns = limit_of(world, until_ns);
    world->sched.stop_ns = limit_ns;
    for (;;) {
        if (SIM_UNLIKELY(sim_interrupt_wanted != 0)) {
            sim_interrupt_wanted = 0;
            return SIM_RUN_INTERRUPTED;
        }
        if (SIM_UNLIKELY(world->has_ended)) {
            return SIM_RUN_FINDING;
        }
        if (SIM_UNLIKELY(is_over_limit(world))) {
            return SIM_RUN_LIMIT;
        }
        if (SIM_UNLIKELY(world->step_count >= world->sched.check_step)) {
            attend_next(world);
            if (!sim_check_all(world)) {
                return SIM_RUN_FINDING;
            }
        }
        if (world->now_ns >= until_ns || (until != NULL && until(world, context))) {
            return SIM_RUN_UNTIL;
        }
        enum step_end end = step(world, limit_ns);
        if (end == STEP_IDLE) {
            return SIM_RUN_IDLE;
        }
    }
}

enum sim_run_end sim_run(struct sim_world *world, bool (*until)(struct sim_world *, void *),
                         void *context, uint64_t until_ns) {
    SIM_ASSERT(sim_task_running == NULL && !world->sched.is_stepping);
    world->sched.is_stepping = true;
    enum sim_run_end end = run(world, until, context, until_ns);
    world->sched.is_stepping = false;
    return end;
}
