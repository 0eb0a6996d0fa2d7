/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: making, ending, CPU and priority. PsCreateSystemThread and handles are in ps.c. */
#include "thread.h"

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "call_error.h"
#include "pool.h"
#include "race.h"

static void thread_main(void *argument) {
    struct krn_thread *thread = argument;
    struct krn_routine routine;
    struct krn_call call;

    krn_race_after(thread->node->krn, thread);
    if (thread->is_from_outside) {
        krn_race_after(thread->node->krn, krn_race_outside(thread->node->krn));
    }
    if (thread->is_driver_routine) {
        krn_routine_begin(&routine, (const void *)thread->entry, "thread routine");
    }
    thread->entry(thread->argument);
    if (thread->is_driver_routine) {
        krn_routine_end(&routine);
    }
    krn_call_begin(&call, "the end of the thread", SIM_LEVEL_HIGH, NULL);
    krn_thread_end(&call, STATUS_SUCCESS);
}

struct krn_thread *krn_thread_create(struct krn_node *node, struct krn_driver *driver,
                                     struct sim_object *owner, const char *label,
                                     void (*entry)(void *argument), void *argument) {
    struct krn_thread *thread = sim_alloc(node->world, sizeof(*thread));
    struct krn_cpu *cpu = &node->cpus[node->cpu_next];

    node->cpu_next = (node->cpu_next + 1) % node->cpu_count;
    thread->header.Type = KRN_HEADER_THREAD;
    thread->node = node;
    thread->driver = driver;
    thread->entry = entry;
    thread->argument = argument;
    thread->is_from_outside = sim_task_current() == NULL;
    thread->priority = 8;
    thread->references = 1;
    thread->affinity = (KAFFINITY)((UINT64_C(1) << node->cpu_count) - 1);
    if (node->cpu_count >= 64) {
        thread->affinity = ~(KAFFINITY)0;
    }
    if (node->thread_last != NULL) {
        node->thread_last->next = thread;
    } else {
        node->thread_first = thread;
    }
    node->thread_last = thread;
    thread->task = sim_task_create(cpu->cpu, owner, label, thread_main, thread, thread);
    if (node->krn->races != NULL) {
        krn_race_born(node->krn, thread);
    }
    krn_record_own(node, &thread->record, thread, KRN_KIND_THREAD, sim_task_object(thread->task),
                   "end");
    sim_trace(node->world, KRN_TRACE_THREAD_CREATE, SIM_ACCESS_CREATE,
              sim_task_object(thread->task), NULL, NULL, cpu->index, 0);
    return thread;
}

void krn_node_thread(struct krn_node *node, const char *label, void (*entry)(void *argument),
                     void *argument) {
    (void)krn_thread_create(node, NULL, &node->object, sim_text_keep(node->world, label), entry,
                            argument);
}

struct krn_thread *krn_thread_current(void) {
    struct sim_task *task = sim_task_current();

    return task != NULL && sim_task_layer(task) == SIM_LAYER_THREAD ? sim_task_context(task) : NULL;
}

struct krn_thread *krn_thread_of(const void *object) {
    struct sim_task *task = sim_task_current();
    struct krn_record *record = krn_record_find(krn_world_of(sim_task_world(task)), object);

    return record != NULL && record->kind == KRN_KIND_THREAD
               ? (struct krn_thread *)(uintptr_t)object
               : NULL;
}

static void check_end(const struct krn_call *call, const struct krn_thread *thread) {
    char name[SIM_NAME_BYTES];

    if (call->level != PASSIVE_LEVEL) {
        krn_bugcheck(0xC8, 0, call->level, 0, 0, "a thread ended at %s",
                     krn_irql_name(call->level));
    }
    if (thread->mutexes_owned != 0) {
        const struct krn_lock *held = call->krn->held_first;

        while (held != NULL && held->holder != call->task) {
            held = held->next;
        }
        krn_bugcheck(0x20, 0, 0, 0, 0, "a thread ended and owns %s",
                     held != NULL ? sim_object_name(&held->record.object, name, sizeof(name))
                                  : "a mutex");
    }
    if (thread->critical_regions != 0) {
        krn_bugcheck(0x20, 0, thread->critical_regions, 0, 0,
                     "a thread ended inside a critical region");
    }
    if (thread->guarded_regions != 0) {
        krn_bugcheck(0x20, 0, thread->guarded_regions, 0, 0,
                     "a thread ended inside a guarded region");
    }
}

void krn_thread_end(const struct krn_call *call, NTSTATUS status) {
    struct krn_thread *thread = krn_thread_current();

    SIM_ASSERT(thread != NULL);
    check_end(call, thread);
    sim_point(&thread->record.object, SIM_ACCESS_CLOSE, SIM_POINT_COST_NS);
    thread->has_ended = true;
    thread->exit_status = status;
    thread->header.SignalState = 1;
    thread->record.object.closed = true;
    sim_trace(call->world, KRN_TRACE_THREAD_EXIT, SIM_ACCESS_CLOSE, sim_task_object(thread->task),
              NULL, NULL, (uint64_t)(ULONG)status, 0);
    krn_race_before(call->krn, krn_race_outside(call->krn));
    krn_signal(&thread->record);
    sim_task_exit();
}

uint32_t krn_thread_count(const struct krn_driver *driver) {
    uint32_t count = 0;

    for (const struct krn_thread *thread = krn_driver_node(driver)->thread_first; thread != NULL;
         thread = thread->next) {
        count += thread->driver == driver && thread->is_driver_routine && !thread->has_ended;
    }
    return count;
}

PKTHREAD NTAPI KeGetCurrentThread(VOID) {
    KRN_CALL(HIGH_LEVEL);
    return (PKTHREAD)krn_thread_current();
}

KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_of(Thread);
    KPRIORITY old;

    if (thread == NULL) {
        krn_bad_pointer(&call, Thread, "thread");
    }
    old = thread->priority;
    thread->priority = Priority;
    return old;
}

KPRIORITY NTAPI KeQueryPriorityThread(PKTHREAD Thread) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_of(Thread);

    if (thread == NULL) {
        krn_bad_pointer(&call, Thread, "thread");
    }
    return thread->priority;
}
