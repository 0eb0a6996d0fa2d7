/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of a call: who calls, at what level, and the checks around a driver's own routines.
 */
#include <krn/bugcheck.h>
#include <krn/memory.h>
#include <krn/state.h>

#include "bugcheck_guilty.h"
#include "call_error.h"
#include "driver_state.h"
#include "kernel.h"
#include "race.h"
#include "record.h"
#include "thread.h"

/* 100 ns units from 1601 to 2024-01-01 00:00:00, the moment at which every node was switched on. */
#define SYSTEM_TIME_AT_BOOT UINT64_C(133485408000000000)

const char *krn_irql_name(uint8_t level) {
    switch (level) {
    case SIM_LEVEL_PASSIVE:
        return "PASSIVE";
    case SIM_LEVEL_APC:
        return "APC";
    case SIM_LEVEL_DISPATCH:
        return "DISPATCH";
    case SIM_LEVEL_HIGH:
        return "HIGH";
    default:
        return "DIRQL";
    }
}

/* What an explorer let it stand still for is not the routine's. */
static SIM_NOINLINE void dpc_time_check(const struct krn_call *call, struct krn_cpu *cpu) {
    uint64_t late_ns = sim_cpu_late_ns(cpu->cpu) - cpu->dpc_late_ns;
    uint64_t ran_ns = sim_now_ns(call->world) - cpu->dpc_since_ns - late_ns;

    if (ran_ns <= call->node->dpc_limit_ns) {
        cpu->dpc_limit_ns = cpu->dpc_since_ns + call->node->dpc_limit_ns + late_ns;
        return;
    }
    if (sim_task_layer(call->task) == SIM_LAYER_DPC) {
        krn_bugcheck(0x133, 0, ran_ns / 15625000, call->node->dpc_limit_ns / 15625000, 0,
                     "a DPC routine has run for %llu us of virtual time, %llu us are allowed",
                     (unsigned long long)(ran_ns / SIM_NS_PER_US),
                     (unsigned long long)(call->node->dpc_limit_ns / SIM_NS_PER_US));
    }
}

/* Calls without a schedule point cost nothing; who makes so many in a row polls. */
#define CALLS_FREE 256u

static SIM_NOINLINE void poll_point(struct krn_call *call, struct krn_cpu *cpu) {
    (void)sim_point(&call->node->object, SIM_ACCESS_NONE, SIM_POINT_COST_NS);
    call->level = sim_cpu_level(cpu->cpu);
    cpu->calls_ns = sim_now_ns(call->world);
    cpu->call_count = 0;
    cpu->calls_free /= 2;
}

static inline struct krn_cpu *fill(struct krn_call *call, const char *name, const void *caller) {
    struct sim_task *task = sim_task_current();
    struct sim_cpu *cpu;
    struct krn_cpu *part;
    struct krn_node *node;

    SIM_ASSERT(task != NULL);
    cpu = sim_task_cpu(task);
    part = krn_cpu_of(cpu);
    node = part->node;
    call->name = name;
    call->caller = caller;
    call->frame = NULL;
    call->task = task;
    call->cpu = cpu;
    call->node = node;
    call->krn = node->krn;
    call->world = node->world;
    call->level = sim_cpu_level(cpu);
    return part;
}

void krn_call_fill(struct krn_call *call, const char *name, const void *caller) {
    (void)fill(call, name, caller);
}

void krn_call_begin(struct krn_call *call, const char *name, uint8_t level_max,
                    const void *caller) {
    struct krn_cpu *part = fill(call, name, caller);

    if (SIM_UNLIKELY(call->level > level_max)) {
        krn_call_level_error(call, level_max);
    }
    if (SIM_UNLIKELY(sim_now_ns(call->world) > part->dpc_limit_ns)) {
        dpc_time_check(call, part);
    }
    if (sim_now_ns(call->world) != part->calls_ns) {
        part->calls_ns = sim_now_ns(call->world);
        part->call_count = 0;
        part->calls_free = CALLS_FREE;
    } else if (SIM_UNLIKELY(++part->call_count > part->calls_free)) {
        poll_point(call, part);
    }
}

void krn_call_level_error(const struct krn_call *call, uint8_t level_max) {
    krn_bugcheck(0x0A, 0, call->level, 0, 0, "%s was called at %s; its highest IRQL is %s",
                 call->name, krn_irql_name(call->level), krn_irql_name(level_max));
}

void krn_call_error(const struct krn_call *call, uint32_t code, uint64_t p1, uint64_t p2,
                    const char *sentence) {
    krn_bugcheck(code, p1, p2, 0, 0, "%s: %s", call->name, sentence);
}

struct krn_driver *krn_task_driver(const struct sim_task *task) {
    struct krn_cpu *cpu = krn_cpu_of(sim_task_cpu(task));
    enum sim_layer layer = sim_task_layer(task);

    if (layer == SIM_LAYER_THREAD) {
        const struct krn_thread *thread = sim_task_context(task);

        return thread != NULL ? thread->driver : NULL;
    }
    return cpu->driver[layer];
}

struct krn_driver *krn_call_driver(const struct krn_call *call) {
    struct krn_driver *driver = krn_driver_of_code(call->world, call->caller);

    return driver != NULL ? driver : krn_task_driver(call->task);
}

struct sim_object *krn_call_owner(const struct krn_call *call) {
    struct krn_driver *driver = krn_call_driver(call);

    return driver != NULL ? krn_driver_object(driver) : &call->node->object;
}

/* `code` is of no driver. */
static void routine_check_stray(struct sim_world *world, const void *code, const char *what) {
    struct krn_place place;

    krn_place_of(world, code, &place);
    if (place.kind == KRN_PLACE_NULL) {
        struct krn_call call;

        krn_call_begin(&call, what, SIM_LEVEL_HIGH, NULL);
        krn_bugcheck(call.level >= SIM_LEVEL_DISPATCH ? 0xD1 : 0x7E, 0xC0000005, call.level, 0, 0,
                     "the kernel was about to call a NULL %s", what);
    }
    if (place.kind != KRN_PLACE_MODEL && place.kind != KRN_PLACE_NOWHERE) {
        char text[KRN_POINTER_TEXT_BYTES];

        krn_bugcheck(0xFC, 0, 0, 0, 0, "a %s lies in data: %s", what,
                     krn_pointer_text(world, code, text, sizeof(text)));
    }
    /* Code of the program itself: unit tests. */
}

/* The driver whose code it is, or NULL. */
static struct krn_driver *routine_driver(struct sim_world *world, const void *code,
                                         const char *what) {
    struct krn_driver *driver = krn_driver_of_code(world, code);

    if (driver == NULL) {
        routine_check_stray(world, code, what);
    } else if (krn_driver_is_gone(driver, code)) {
        krn_bugcheck(0xCE, 0, 0, 0, 0, "the kernel was about to call a %s of %s, which is unloaded",
                     what, krn_driver_name(driver));
    }
    return driver;
}

void krn_routine_check(struct sim_world *world, const void *routine, const char *what) {
    (void)routine_driver(world, routine, what);
}

void krn_routine_begin(struct krn_routine *routine, const void *code, const char *what) {
    struct sim_task *task = sim_task_current();
    struct sim_world *world = sim_task_world(task);

    routine->task = task;
    routine->driver = routine_driver(world, code, what);
    routine->code = code;
    routine->what = what;
    routine->level = sim_cpu_level(sim_task_cpu(task));
    routine->held_count = krn_held_count(krn_world_of(world), task);
    if (routine->driver != NULL) {
        krn_race_after(krn_world_of(world), routine->driver);
    }
}

void krn_routine_end(const struct krn_routine *routine) {
    struct sim_world *world = sim_task_world(routine->task);
    struct krn_world *krn = krn_world_of(world);
    uint8_t level = sim_cpu_level(sim_task_cpu(routine->task));

    if (krn_held_count(krn, routine->task) > routine->held_count) {
        struct krn_lock *held = krn_held_first(krn, routine->task);
        char name[SIM_NAME_BYTES];

        krn_bugcheck_of(routine->driver, routine->code, 0xC8, level, routine->level,
                        "a %s returned and still holds %s", routine->what,
                        sim_object_name(&held->record.object, name, sizeof(name)));
    }
    if (level != routine->level) {
        krn_bugcheck_of(routine->driver, routine->code, 0xC8, level, routine->level,
                        "a %s was called at %s and returned at %s", routine->what,
                        krn_irql_name(routine->level), krn_irql_name(level));
    }
}

void krn_routine_end_ordered(const struct krn_routine *routine) {
    krn_routine_end(routine);
    if (routine->driver != NULL) {
        krn_race_before(krn_world_of(sim_task_world(routine->task)), routine->driver);
    }
}

uint64_t krn_interrupt_time(const struct krn_node *node) {
    return (node->boot_ns + sim_now_ns(node->world)) / 100;
}

uint64_t krn_system_time(const struct krn_node *node) {
    return SYSTEM_TIME_AT_BOOT + krn_interrupt_time(node);
}

uint64_t krn_deadline_ns(const struct krn_node *node, int64_t timeout) {
    uint64_t now_ns = sim_now_ns(node->world);
    uint64_t units;

    if (timeout <= 0) {
        units = (uint64_t)0 - (uint64_t)timeout;
    } else if ((uint64_t)timeout <= krn_system_time(node)) {
        units = 0;
    } else {
        units = (uint64_t)timeout - krn_system_time(node);
    }
    return units > (SIM_TIME_NEVER - 1 - now_ns) / 100 ? SIM_TIME_NEVER : now_ns + units * 100;
}
