/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated CPUs: three layers, their levels, and who of a CPU's contexts may run next.
 *
 *   interrupt call in progress          -> it, unless it spins
 *   interrupt queued above the level    -> the interrupt layer
 *   DPC in progress                     -> it, unless it spins
 *   DPC queued and level below DISPATCH -> the DPC layer
 *   a thread at DISPATCH or above       -> it, unless it spins
 *   else                                -> any ready thread
 *
 * A layer whose `call` is NULL is idle: its state is WAITING, and it starts the first queued call
 * when it is resumed. Invariant: a CPU's bit of `enabled` is set exactly when one of the above may
 * run, between steps and inside them.
 */
#include <sim/cpu.h>

#include <stdio.h>

#include "world.h"

struct sim_cpu *sim_cpu_create(struct sim_world *world, struct sim_object *owner) {
    struct sim_sched *sched = &world->sched;
    SIM_ASSERT(sched->cpu_count < SIM_CPU_COUNT_MAX);
    struct sim_cpu *cpu = sim_alloc(world, sizeof(*cpu));
    sim_object_init(world, &cpu->object, owner, "cpu", SIM_NAME_NUMBERED);
    cpu->world = world;
    cpu->node = owner;
    cpu->index = cpu->object.index;
    cpu->slot = sched->cpu_count;
    sched->cpus[sched->cpu_count++] = cpu;
    static const char *const labels[] = {
        [SIM_LAYER_DPC] = "dpc", [SIM_LAYER_INTERRUPT] = "interrupt"};
    for (int i = SIM_LAYER_DPC; i <= SIM_LAYER_INTERRUPT; i++) {
        struct sim_task *task = sim_task_make(cpu, &cpu->object, labels[i], SIM_NAME_PLAIN,
                                              (enum sim_layer)i, sim_cpu_layer_run, NULL);
        task->argument = task;
        cpu->layers[i] = task;
    }
    return cpu;
}

struct sim_object *sim_cpu_object(struct sim_cpu *cpu) {
    return &cpu->object;
}

uint32_t sim_cpu_index(const struct sim_cpu *cpu) {
    return cpu->index;
}

void *sim_cpu_context(const struct sim_cpu *cpu) {
    return cpu->context;
}

void sim_cpu_context_set(struct sim_cpu *cpu, void *context) {
    cpu->context = context;
}

/* ---- Who may run next ---- */

static bool can_go_on(const struct sim_task *task) {
    return task->state == SIM_TASK_READY || task->state == SIM_TASK_RUNNING;
}

/* The level that a new interrupt or DPC must exceed. */
static uint8_t level_below_interrupts(const struct sim_cpu *cpu) {
    const struct sim_task *dpc = cpu->layers[SIM_LAYER_DPC];
    if (dpc->call != NULL) {
        return dpc->level;
    }
    return cpu->pinned != NULL ? cpu->pinned->level : SIM_LEVEL_PASSIVE;
}

/* True: nobody but `*pick` (NULL: nobody at all) may run. False: every ready thread may. */
static bool has_pick(const struct sim_cpu *cpu, struct sim_task **pick) {
    if (cpu->is_stopped) {
        *pick = NULL;
        return true;
    }
    struct sim_task *interrupt = cpu->layers[SIM_LAYER_INTERRUPT];
    struct sim_task *dpc = cpu->layers[SIM_LAYER_DPC];
    const struct sim_call *first = cpu->calls_first[SIM_LAYER_INTERRUPT];
    uint8_t level = level_below_interrupts(cpu);
    if (interrupt->call != NULL) {
        *pick = can_go_on(interrupt) ? interrupt : NULL;
        return true;
    }
    if (first != NULL && first->level > level) {
        *pick = interrupt;
        return true;
    }
    if (dpc->call != NULL) {
        *pick = can_go_on(dpc) ? dpc : NULL;
        return true;
    }
    if (cpu->calls_first[SIM_LAYER_DPC] != NULL && level < SIM_LEVEL_DISPATCH) {
        *pick = dpc;
        return true;
    }
    if (cpu->pinned != NULL) {
        *pick = can_go_on(cpu->pinned) ? cpu->pinned : NULL;
        return true;
    }
    return false;
}

void sim_cpu_update(struct sim_cpu *cpu) {
    uint64_t bit = UINT64_C(1) << cpu->slot;
    struct sim_sched *sched = &cpu->world->sched;
    struct sim_task *pick = NULL;
    bool may_run = has_pick(cpu, &pick) ? pick != NULL : cpu->ready.first != NULL;
    if (pick != NULL && pick != cpu->pick) {
        pick->since_ns = cpu->world->now_ns;
    }
    cpu->pick = pick;
    if (may_run) {
        sched->enabled |= bit;
    } else {
        sched->enabled &= ~bit;
    }
}

void sim_cpu_stop(struct sim_cpu *cpu) {
    SIM_ASSERT(sim_task_running == NULL);
    cpu->is_stopped = true;
    sim_cpu_update(cpu);
}

/* ---- Levels ---- */

uint64_t sim_cpu_late_ns(const struct sim_cpu *cpu) {
    return cpu->late_ns;
}

uint8_t sim_cpu_level(const struct sim_cpu *cpu) {
    return cpu->level;
}

static struct sim_task *context_on(struct sim_cpu *cpu) {
    struct sim_task *task = sim_task_running;
    SIM_ASSERT(task != NULL && task->cpu == cpu);
    return task;
}

static void set_level(struct sim_cpu *cpu, struct sim_task *task, uint8_t level) {
    task->level = level;
    cpu->level = level;
    sim_level_note(cpu->world, level);
    if (task->layer == SIM_LAYER_THREAD) {
        cpu->pinned = level >= SIM_LEVEL_DISPATCH ? task : NULL;
    }
}

void sim_level_tell(struct sim_world *world) {
    bool is_high = world->actor_level >= SIM_LEVEL_DISPATCH && world->actor_level != 0xFF;
    if (is_high != world->is_level_high) {
        world->is_level_high = is_high;
        world->level_watch(world, is_high);
    }
}

void sim_level_watch(struct sim_world *world,
                     void (*watch)(struct sim_world *world, bool is_high)) {
    world->level_watch = watch;
    world->is_level_high = false;
    if (watch != NULL) {
        sim_level_tell(world);
    }
}

void sim_cpu_raise(struct sim_cpu *cpu, uint8_t level) {
    struct sim_task *task = context_on(cpu);
    SIM_ASSERT(level >= task->level && level <= SIM_LEVEL_HIGH);
    if (level != task->level) {
        set_level(cpu, task, level);
        sim_cpu_update(cpu);
    }
}

void sim_cpu_lower(struct sim_cpu *cpu, uint8_t level) {
    struct sim_task *task = context_on(cpu);
    SIM_ASSERT(level <= task->level);
    if (level != task->level) {
        set_level(cpu, task, level);
        sim_cpu_update(cpu);
    }
    if (cpu->pick != NULL && cpu->pick->layer > task->layer) {
        (void)sim_point(&cpu->object, SIM_ACCESS_NONE, 0);
    }
}

/* The level of the innermost context that was left, once the current one is through. */
static uint8_t level_left(const struct sim_cpu *cpu) {
    for (int i = SIM_LAYER_INTERRUPT; i >= SIM_LAYER_DPC; i--) {
        if (cpu->layers[i]->call != NULL) {
            return cpu->layers[i]->level;
        }
    }
    return cpu->pinned != NULL ? cpu->pinned->level : SIM_LEVEL_PASSIVE;
}

/* ---- Queued calls ---- */

bool sim_call_queue(struct sim_cpu *cpu, enum sim_layer layer, struct sim_call *call, bool urgent) {
    SIM_ASSERT(layer == SIM_LAYER_DPC || layer == SIM_LAYER_INTERRUPT);
    SIM_ASSERT(layer == SIM_LAYER_DPC || call->level > SIM_LEVEL_DISPATCH);
    if (call->queued_on != NULL) {
        return false;
    }
    struct sim_call **link = &cpu->calls_first[layer];
    while (*link != NULL) {
        bool higher = layer == SIM_LAYER_INTERRUPT && call->level > (*link)->level;
        bool equal = layer == SIM_LAYER_DPC || call->level == (*link)->level;
        if (higher || (urgent && equal)) {
            break;
        }
        link = &(*link)->next;
    }
    call->next = *link;
    *link = call;
    call->queued_on = cpu;
    call->cause = sim_cause_next(cpu->world);
    sim_cpu_update(cpu);
    return true;
}

bool sim_call_remove(struct sim_call *call) {
    struct sim_cpu *cpu = call->queued_on;
    if (cpu == NULL) {
        return false;
    }
    for (int layer = SIM_LAYER_DPC; layer <= SIM_LAYER_INTERRUPT; layer++) {
        struct sim_call **link = &cpu->calls_first[layer];
        while (*link != NULL && *link != call) {
            link = &(*link)->next;
        }
        if (*link == call) {
            *link = call->next;
            break;
        }
    }
    call->next = NULL;
    call->queued_on = NULL;
    sim_cpu_update(cpu);
    return true;
}

static void call_begin(struct sim_cpu *cpu, struct sim_task *task) {
    struct sim_call *call = cpu->calls_first[task->layer];
    uint8_t level = task->layer == SIM_LAYER_DPC ? SIM_LEVEL_DISPATCH : call->level;
    cpu->calls_first[task->layer] = call->next;
    call->next = NULL;
    call->queued_on = NULL;
    task->call = call;
    task->row_total = 0;
    task->point_object = call->subject;
    task->point_access = SIM_ACCESS_WRITE;
    set_level(cpu, task, level);
    sim_cause_begin(cpu->world, call->cause);
    sim_cpu_update(cpu);
}

static void call_end(struct sim_cpu *cpu, struct sim_task *task) {
    task->call = NULL;
    task->level = SIM_LEVEL_PASSIVE;
    task->state = SIM_TASK_WAITING;
    cpu->level = level_left(cpu);
    sim_cpu_update(cpu);
    sim_task_leave(task);
}

/* The call may be queued again, or freed by its owner, as soon as it runs. */
void sim_cpu_layer_run(void *argument) {
    struct sim_task *task = argument;
    for (;;) {
        struct sim_cpu *cpu = task->cpu;
        call_begin(cpu, task);
        task->call->run(task->call);
        call_end(cpu, task);
    }
}

/* ---- The check ---- */

static bool ready_holds(const struct sim_cpu *cpu) {
    const struct sim_task *last = NULL;
    for (const struct sim_task *task = cpu->ready.first; task != NULL; task = task->next) {
        if (task->previous != last || !task->linked || task->cpu != cpu ||
            task->layer != SIM_LAYER_THREAD || !can_go_on(task)) {
            return false;
        }
        last = task;
    }
    return cpu->ready.last == last;
}

static bool levels_hold(const struct sim_cpu *cpu) {
    const struct sim_task *pinned = cpu->pinned;
    if (pinned != NULL && (pinned->cpu != cpu || pinned->level < SIM_LEVEL_DISPATCH)) {
        return false;
    }
    for (const struct sim_task *task = cpu->ready.first; task != NULL; task = task->next) {
        if (task->level >= SIM_LEVEL_DISPATCH && task != pinned) {
            return false;
        }
    }
    for (int i = SIM_LAYER_DPC; i <= SIM_LAYER_INTERRUPT; i++) {
        const struct sim_task *layer = cpu->layers[i];
        if (layer->call != NULL && layer->level < SIM_LEVEL_DISPATCH) {
            return false;
        }
    }
    return true;
}

static bool calls_hold(const struct sim_cpu *cpu) {
    for (int i = SIM_LAYER_DPC; i <= SIM_LAYER_INTERRUPT; i++) {
        for (const struct sim_call *call = cpu->calls_first[i]; call != NULL; call = call->next) {
            if (call->queued_on != cpu) {
                return false;
            }
        }
    }
    return true;
}

bool sim_cpus_hold(struct sim_world *world, char *text, size_t size) {
    const struct sim_sched *sched = &world->sched;
    for (uint32_t i = 0; i < sched->cpu_count; i++) {
        const struct sim_cpu *cpu = sched->cpus[i];
        struct sim_task *pick = NULL;
        bool may_run = has_pick(cpu, &pick) ? pick != NULL : cpu->ready.first != NULL;
        const char *what = NULL;
        char name[SIM_NAME_BYTES];
        if (cpu->pick != pick || ((sched->enabled >> cpu->slot & 1) != 0) != may_run) {
            what = "who may run is not who is said to";
        } else if (!ready_holds(cpu)) {
            what = "its ready threads are not in order";
        } else if (!levels_hold(cpu)) {
            what = "a level is not what it should be";
        } else if (!calls_hold(cpu)) {
            what = "a queued call is queued elsewhere";
        }
        if (what != NULL) {
            (void)snprintf(text, size, "%s: %s", sim_object_name(&cpu->object, name, sizeof(name)),
                           what);
            return false;
        }
    }
    return true;
}
