/* SPDX-License-Identifier: Apache-2.0 */
/* What a node is doing, for reports and the checks of an unload. */
#include <krn/state.h>

#include "dpc.h"
#include "driver_state.h"
#include "handle.h"
#include "io_object.h"
#include "irp.h"
#include "mdl.h"
#include "pool.h"
#include "thread.h"
#include "timer.h"
#include "work_record.h"
#include "wsk_state.h"

struct blocked_walk {
    const struct krn_thread *thread;
    struct krn_thread_state *state;
};

static void blocked_seen(void *context, const struct sim_blocked *blocked) {
    struct blocked_walk *walk = context;

    if (blocked->context == walk->thread) {
        walk->state->waits_why = blocked->why;
        walk->state->waits_for = blocked->what;
        walk->state->waits_since_ns = blocked->since_ns;
        walk->state->deadline_ns = blocked->deadline_ns;
    }
}

void krn_thread_visit(struct krn_node *node,
                      void (*visit)(void *context, const struct krn_thread_state *thread),
                      void *context) {
    for (const struct krn_thread *thread = node->thread_first; thread != NULL;
         thread = thread->next) {
        struct krn_thread_state state = {0};
        struct blocked_walk walk = {thread, &state};

        if (thread->has_ended) {
            continue;
        }
        state.object = sim_task_object(thread->task);
        state.driver = thread->driver;
        state.cpu = sim_task_cpu(thread->task);
        state.state = sim_task_state(thread->task);
        state.level =
            state.state == SIM_TASK_WAITING ? SIM_LEVEL_PASSIVE : sim_cpu_level(state.cpu);
        state.deadline_ns = SIM_TIME_NEVER;
        state.is_idle_worker = thread->is_idle_worker;
        sim_blocked_visit(node->world, blocked_seen, &walk);
        visit(context, &state);
    }
}

struct sim_object *krn_lock_held_of(struct sim_world *world, const struct krn_driver *maker) {
    const struct sim_task *task = sim_task_current();

    for (struct krn_lock *held = krn_world_of(world)->held_first; held != NULL; held = held->next) {
        if (held->holder == task && held->record.kind == KRN_KIND_SPIN_LOCK &&
            held->record.is_of_driver && held->record.maker.driver == maker) {
            return &held->record.object;
        }
    }
    return NULL;
}

void krn_lock_visit(struct krn_node *node,
                    void (*visit)(void *context, const struct krn_lock_state *lock),
                    void *context) {
    uint32_t last_id = 0;

    /* Held locks are few: find the next id each time. */
    for (;;) {
        const struct krn_lock *next = NULL;

        for (const struct krn_lock *held = node->krn->held_first; held != NULL; held = held->next) {
            uint32_t id = held->record.object.id;

            if (krn_record_node(&held->record) == node && id > last_id &&
                (next == NULL || id < next->record.object.id)) {
                next = held;
            }
        }
        if (next == NULL) {
            return;
        }
        struct krn_lock_state state = {
            .object = (struct sim_object *)(uintptr_t)&next->record.object,
            .holder = sim_task_object(next->holder),
            .cpu = sim_task_cpu(next->holder),
            .since_ns = next->since_ns,
            .is_queued = next->handle != NULL,
        };

        last_id = next->record.object.id;
        visit(context, &state);
    }
}

static void pending_of_list(const struct krn_duty *first,
                            void (*visit)(void *context, const struct krn_pending *pending),
                            void *context) {
    for (const struct krn_duty *duty = first; duty != NULL; duty = duty->next) {
        const struct krn_record *record = &duty->record;
        struct krn_pending pending = {
            .object = (struct sim_object *)(uintptr_t)&record->object,
            .driver = krn_record_driver(record),
        };

        if (record->kind == KRN_KIND_DPC && krn_dpc_is_queued((const struct krn_dpc *)record)) {
            pending.kind = KRN_PENDING_DPC;
        } else if (record->kind == KRN_KIND_TIMER &&
                   krn_timer_is_set((const struct krn_timer *)record)) {
            pending.kind = KRN_PENDING_TIMER;
            pending.due_ns = ((const struct krn_timer *)record)->event.due_ns;
        } else if (record->kind == KRN_KIND_WORK_ITEM &&
                   ((const struct krn_work_record *)record)->work.is_queued) {
            pending.kind = KRN_PENDING_WORK_ITEM;
        } else {
            continue;
        }
        visit(context, &pending);
    }
}

void krn_pending_visit(struct krn_node *node,
                       void (*visit)(void *context, const struct krn_pending *pending),
                       void *context) {
    pending_of_list(node->duty_first, visit, context);
    for (const struct krn_driver *driver = node->krn->driver_first; driver != NULL;
         driver = driver->next) {
        if (driver->node == node) {
            pending_of_list(driver->duty_first, visit, context);
        }
    }
    for (struct krn_irp_record *irp = node->irp_first; irp != NULL; irp = irp->next) {
        struct krn_pending pending = {
            .kind = KRN_PENDING_IRP, .object = &irp->object, .driver = irp->holder};

        if (irp->is_sent) {
            visit(context, &pending);
        }
    }
}

static void count_block(void *context, const struct krn_pool_block *block) {
    struct krn_leftovers *left = context;

    left->pool_blocks++;
    left->pool_bytes += block->bytes;
}

static void count_records(const struct krn_driver *driver, struct krn_leftovers *left) {
    for (const struct krn_duty *duty = driver->duty_first; duty != NULL; duty = duty->next) {
        const struct krn_record *record = &duty->record;
        bool busy = record->kind != KRN_KIND_NONE && krn_record_busy(record) != NULL;

        left->timers += busy && record->kind == KRN_KIND_TIMER;
        left->dpcs += busy && record->kind == KRN_KIND_DPC;
        left->work_items += busy && record->kind == KRN_KIND_WORK_ITEM;
        left->lookaside_lists += busy && record->kind == KRN_KIND_LOOKASIDE;
        left->locked_mdls += record->kind == KRN_KIND_MDL;
    }
}

void krn_driver_leftovers(struct krn_driver *driver, struct krn_leftovers *leftovers) {
    *leftovers = (struct krn_leftovers){0};
    krn_pool_visit(driver->node, &driver->object, count_block, leftovers);
    count_records(driver, leftovers);
    leftovers->threads = krn_thread_count(driver);
    for (const struct krn_device *device = driver->node->device_first; device != NULL;
         device = device->next) {
        leftovers->devices += device->driver == driver && !device->is_deleted;
    }
    leftovers->irps = krn_irp_count(driver);
    leftovers->ndk_adapters = krn_ndk_open_count(driver);
    leftovers->wsk_registrations = krn_wsk_count(driver);
    leftovers->handles = krn_handle_count(driver);
}
