/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks: stackful coroutines, their waits and spins. Both layers of a CPU are tasks too (cpu.c).
 *
 *   READY --step--> RUNNING --point--> READY
 *                   RUNNING --wait---> WAITING  --wake or timeout--> READY
 *                   RUNNING --spin---> SPINNING --release----------> READY
 *                   RUNNING --exit---> DONE     (its stack goes back; its object stays)
 *
 * A READY or RUNNING thread is in its CPU's ready list, a SPINNING context among the spinners, a
 * WAITING or DONE one in no list. A task runs on its own stack; the scheduler on that of whoever
 * called sim_run.
 */
#include <sim/cpu.h>

#include "record_types.h"
#include "world.h"

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/*
 * Frames must lie on the task's stack, not on ASan's heap of fake ones. ASan asks at the program's
 * start; host_contain.c takes the signals over later.
 */
const char *__asan_default_options(void) {
    return "detect_stack_use_after_return=0:use_sigaltstack=0";
}
#endif

struct sim_task *sim_task_running;

/* ---- Lists ---- */

void sim_task_list_append(struct sim_task_list *list, struct sim_task *task) {
    SIM_ASSERT(!task->linked);
    task->next = NULL;
    task->previous = list->last;
    if (list->last != NULL) {
        list->last->next = task;
    } else {
        list->first = task;
    }
    list->last = task;
    task->linked = true;
}

void sim_task_list_remove(struct sim_task_list *list, struct sim_task *task) {
    SIM_ASSERT(task->linked);
    if (task->previous != NULL) {
        task->previous->next = task->next;
    } else {
        list->first = task->next;
    }
    if (task->next != NULL) {
        task->next->previous = task->previous;
    } else {
        list->last = task->previous;
    }
    task->next = NULL;
    task->previous = NULL;
    task->linked = false;
}

static void live_append(struct sim_sched *sched, struct sim_task *task) {
    task->live_previous = sched->live_last;
    if (sched->live_last != NULL) {
        sched->live_last->live_next = task;
    } else {
        sched->live_first = task;
    }
    sched->live_last = task;
}

static void live_remove(struct sim_sched *sched, struct sim_task *task) {
    if (task->live_previous != NULL) {
        task->live_previous->live_next = task->live_next;
    } else {
        sched->live_first = task->live_next;
    }
    if (task->live_next != NULL) {
        task->live_next->live_previous = task->live_previous;
    } else {
        sched->live_last = task->live_previous;
    }
}

/* A thread leaves its CPU's ready list: it waits, spins, moves or ends. */
static void leave_ready(struct sim_task *task) {
    struct sim_cpu *cpu = task->cpu;
    sim_task_list_remove(&cpu->ready, task);
    if (cpu->thread == task) {
        cpu->thread = NULL;
    }
}

/* ---- The switch ---- */

void sim_task_resume(struct sim_sched *sched, struct sim_task *task) {
    struct sim_world *world = task->world;
    task->state = SIM_TASK_RUNNING;
    task->cpu->level = task->level;
    world->actor_id = task->object.id;
    sim_level_note(world, task->level);
    sim_cause_begin(world, task->cause);
    sim_task_running = task;
#if SIM_ASAN
    __sanitizer_start_switch_fiber(&sched->fake_stack, (const void *)task->stack_low,
                                   task->stack_high - task->stack_low);
#endif
    sim_switch(&sched->scheduler_pointer, task->stack_pointer);
#if SIM_ASAN
    __sanitizer_finish_switch_fiber(sched->fake_stack, NULL, NULL);
#endif
    sim_task_running = NULL;
    world->actor_id = 0;
    sim_level_note(world, 0xFF);
}

/* The first thing on a stack that ASan has not seen us on, and after each way back to it. */
static void arrive(struct sim_task *task, void *fake_stack) {
#if SIM_ASAN
    struct sim_sched *sched = &task->world->sched;
    __sanitizer_finish_switch_fiber(fake_stack, &sched->scheduler_bottom, &sched->scheduler_bytes);
#else
    (void)task;
    (void)fake_stack;
#endif
}

void sim_task_leave(struct sim_task *task) {
    task->wait_frame = (uintptr_t)__builtin_frame_address(0);
    struct sim_sched *sched = &task->world->sched;
    task->cause = sim_cause_next(task->world);
#if SIM_ASAN
    __sanitizer_start_switch_fiber(task->state == SIM_TASK_DONE ? NULL : &task->fake_stack,
                                   sched->scheduler_bottom, sched->scheduler_bytes);
#endif
    sim_switch(&task->stack_pointer, sched->scheduler_pointer);
    arrive(task, task->fake_stack);
}

const char sim_why_left_behind[] = "left behind by a finding";

void sim_step_abandon(void) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL);
    struct sim_sched *sched = &task->world->sched;
    struct sim_cpu *cpu = task->cpu;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    uintptr_t left_behind;
    if (task->linked) {
        leave_ready(task);
    }
    /* Not DONE: its stack stays for the reports. What it blocked stays blocked. */
    task->wait_frame = frame >= task->stack_low && frame < task->stack_high ? frame : 0;
    task->state = SIM_TASK_WAITING;
    task->what = NULL;
    task->why = sim_why_left_behind;
    task->since_ns = task->world->now_ns;
    task->deadline_ns = SIM_TIME_NEVER;
    sim_cpu_update(cpu);
#if SIM_ASAN
    __sanitizer_start_switch_fiber(NULL, sched->scheduler_bottom, sched->scheduler_bytes);
#endif
    /* Perhaps on the alternate signal stack: the pointer says nothing about the task's own. */
    sim_switch(&left_behind, sched->scheduler_pointer);
    sim_assert_fail(__FILE__, __LINE__, "an abandoned task does not come back");
}

/* ---- Birth and end ---- */

static void task_main(void *argument) {
    struct sim_task *task = argument;
    arrive(task, NULL);
    task->entry(task->argument);
    sim_task_exit();
}

static void on_timeout(struct sim_world *world, struct sim_event *event) {
    struct sim_task *task = SIM_CONTAINER_OF(event, struct sim_task, timer);
    (void)world;
    sim_task_wake(task, SIM_WAKE_TIMEOUT);
}

struct sim_task *sim_task_make(struct sim_cpu *cpu, struct sim_object *owner, const char *label,
                               enum sim_object_naming naming, enum sim_layer layer,
                               void (*entry)(void *argument), void *argument) {
    struct sim_world *world = cpu->world;
    struct sim_task *task = sim_alloc(world, sizeof(*task));
    sim_object_init(world, &task->object, owner, label, naming);
    task->world = world;
    task->cpu = cpu;
    task->layer = layer;
    task->entry = entry;
    task->argument = argument;
    task->state = SIM_TASK_WAITING;
    task->cause = sim_cause_next(world);
    task->deadline_ns = SIM_TIME_NEVER;
    sim_event_init(&task->timer, "timeout", &task->object, on_timeout);
    task->stack_slot =
        sim_stack_slot_take(world, &task->stack_pointer, &task->stack_low, &task->stack_high);
    task->stack_pointer = sim_switch_prepare(task->stack_low, task->stack_high, task_main, task);
    live_append(&world->sched, task);
    return task;
}

static void make_ready(struct sim_task *task) {
    task->state = SIM_TASK_READY;
    task->since_ns = task->world->now_ns;
    if (task->layer == SIM_LAYER_THREAD) {
        sim_task_list_append(&task->cpu->ready, task);
    }
    sim_cpu_update(task->cpu);
}

struct sim_task *sim_task_create(struct sim_cpu *cpu, struct sim_object *owner, const char *label,
                                 void (*entry)(void *argument), void *argument, void *context) {
    struct sim_task *task =
        sim_task_make(cpu, owner, label, SIM_NAME_INDEXED, SIM_LAYER_THREAD, entry, argument);
    task->context = context;
    sim_trace(cpu->world, SIM_RECORD_TASK_CREATE, SIM_ACCESS_CREATE, &task->object, &cpu->object,
              NULL, 0, 0);
    task->cause = sim_cause_next(cpu->world);
    make_ready(task);
    return task;
}

void sim_task_bury(struct sim_task *task) {
    SIM_ASSERT(task->state == SIM_TASK_DONE);
    live_remove(&task->world->sched, task);
    sim_stack_slot_give(task->world, task->stack_slot);
    task->stack_slot = SIM_STACK_SLOT_NONE;
    task->stack_low = 0;
    task->stack_high = 0;
}

void sim_task_exit(void) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL && task->layer == SIM_LAYER_THREAD);
    struct sim_cpu *cpu = task->cpu;
    sim_trace(task->world, SIM_RECORD_TASK_EXIT, SIM_ACCESS_CLOSE, &task->object, NULL, NULL, 0, 0);
    leave_ready(task);
    task->state = SIM_TASK_DONE;
    task->object.closed = true;
    if (cpu->pinned == task) {
        cpu->pinned = NULL;
    }
    cpu->level = SIM_LEVEL_PASSIVE;
    sim_cpu_update(cpu);
    sim_task_leave(task);
    sim_assert_fail(__FILE__, __LINE__, "a task that ended does not come back");
}

struct sim_object *sim_task_subject_set(struct sim_object *subject) {
    struct sim_task *task = sim_task_running;
    struct sim_object *before = task->subject;
    task->subject = subject;
    return before;
}

/* ---- Waits and spins ---- */

uint64_t sim_task_wait(struct sim_object *what, const char *why, uint64_t deadline_ns) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL && task->layer == SIM_LAYER_THREAD);
    SIM_ASSERT(task->level < SIM_LEVEL_DISPATCH);
    struct sim_world *world = task->world;
    leave_ready(task);
    task->state = SIM_TASK_WAITING;
    task->what = what;
    task->why = why;
    task->since_ns = world->now_ns;
    task->deadline_ns = deadline_ns;
    task->point_object = what;
    task->point_access = SIM_ACCESS_READ;
    if (deadline_ns != SIM_TIME_NEVER) {
        uint64_t due_ns = deadline_ns > world->now_ns ? deadline_ns : world->now_ns;
        sim_event_schedule_at(world, &task->timer, due_ns);
    }
    sim_cpu_update(task->cpu);
    sim_task_leave(task);
    task->row_total = 0;
    return task->wake_reason;
}

bool sim_task_wake(struct sim_task *task, uint64_t reason) {
    if (task->state != SIM_TASK_WAITING || task->layer != SIM_LAYER_THREAD) {
        return false;
    }
    sim_event_cancel(task->world, &task->timer);
    task->wake_reason = reason;
    task->what = NULL;
    task->why = NULL;
    task->cause = sim_cause_next(task->world);
    make_ready(task);
    return true;
}

void sim_task_spin(uint64_t key, struct sim_task *holder) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL);
    if (task->layer == SIM_LAYER_THREAD) {
        leave_ready(task);
    }
    task->state = SIM_TASK_SPINNING;
    task->spin_key = key;
    task->holder = holder;
    task->since_ns = task->world->now_ns;
    sim_task_list_append(&task->world->sched.spinners, task);
    sim_cpu_update(task->cpu);
    sim_task_leave(task);
}

void sim_spin_release(struct sim_world *world, uint64_t key) {
    struct sim_task_list *spinners = &world->sched.spinners;
    struct sim_task *following;
    for (struct sim_task *task = spinners->first; task != NULL; task = following) {
        following = task->next;
        if (task->spin_key == key) {
            sim_task_list_remove(spinners, task);
            task->holder = NULL;
            make_ready(task);
        }
    }
}

void sim_task_move(struct sim_cpu *cpu) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL && task->layer == SIM_LAYER_THREAD);
    SIM_ASSERT(task->level < SIM_LEVEL_DISPATCH && cpu->node == task->cpu->node);
    struct sim_cpu *old = task->cpu;
    sim_trace(task->world, SIM_RECORD_TASK_MOVE, SIM_ACCESS_NONE, &task->object, &cpu->object, NULL,
              0, 0);
    leave_ready(task);
    old->level = SIM_LEVEL_PASSIVE;
    sim_cpu_update(old);
    task->cpu = cpu;
    make_ready(task);
    sim_task_leave(task);
}

/* ---- Questions ---- */

struct sim_task *sim_task_current(void) {
    return sim_task_running;
}

struct sim_world *sim_task_world(const struct sim_task *task) {
    return task->world;
}

struct sim_object *sim_task_object(struct sim_task *task) {
    return &task->object;
}

struct sim_cpu *sim_task_cpu(const struct sim_task *task) {
    return task->cpu;
}

enum sim_layer sim_task_layer(const struct sim_task *task) {
    return task->layer;
}

enum sim_task_state sim_task_state(const struct sim_task *task) {
    return task->state;
}

void *sim_task_context(const struct sim_task *task) {
    return task->context;
}

void sim_task_context_set(struct sim_task *task, void *context) {
    task->context = context;
}

void sim_task_stack(const struct sim_task *task, uintptr_t *low, uintptr_t *high) {
    *low = task->stack_low;
    *high = task->stack_high;
}

uintptr_t sim_task_stack_high(const struct sim_task *task) {
    return task->stack_high;
}

bool sim_is_stack(const struct sim_world *world, const void *address) {
    bool in_guard = false;
    return sim_stack_slot_of(world, (uintptr_t)address, &in_guard) != SIM_STACK_SLOT_NONE &&
           !in_guard;
}

bool sim_stack_is_live(struct sim_world *world, const void *address, struct sim_task **task) {
    bool in_guard = false;
    uint32_t slot = sim_stack_slot_of(world, (uintptr_t)address, &in_guard);
    *task = NULL;
    if (slot == SIM_STACK_SLOT_NONE || in_guard) {
        return false;
    }
    const uintptr_t *pointer = world->memory.stacks[slot].stack_pointer;
    if (pointer == NULL) {
        return false;
    }
    struct sim_task *owner =
        (struct sim_task *)((uintptr_t)pointer - offsetof(struct sim_task, stack_pointer));
    *task = owner;
    uintptr_t live_from = owner->stack_pointer;
    if (owner == sim_task_running) {
        /* In a signal handler we are elsewhere, and the saved pointer is the interrupted one. */
        uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        live_from = here >= owner->stack_low && here < owner->stack_high ? here : live_from;
    }
    return (uintptr_t)address >= live_from;
}
