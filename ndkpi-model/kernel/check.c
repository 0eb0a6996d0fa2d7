/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants of the kernel: see sim/check.h. Only the kernel's own memory is looked at; what a
 * driver may have written over is no matter of these.
 */
#include "check.h"

#include <stdio.h>

#include <sim/check.h>

#include "driver_state.h"
#include "pool.h"
#include "thread.h"
#include "work.h"

static bool wrong(char *text, size_t size, const struct sim_object *object, const char *what) {
    char name[SIM_NAME_BYTES];

    (void)snprintf(text, size, "%s: %s", sim_object_name(object, name, sizeof(name)), what);
    return false;
}

/* The first waiter's `previous` is the last one. */
static bool waiters_hold(const struct krn_record *record, char *text, size_t size) {
    const struct krn_wait_block *last = NULL;

    for (const struct krn_wait_block *block = record->waiters; block != NULL;
         last = block, block = block->next) {
        if (block->record != record || (last != NULL && block->previous != last)) {
            return wrong(text, size, &record->object, "a waiter is in the list of another object");
        }
        if (block->wait->thread->has_ended) {
            return wrong(text, size, &record->object, "a waiter has ended");
        }
    }
    if (last != NULL && record->waiters->previous != last) {
        return wrong(text, size, &record->object, "the last waiter is another");
    }
    return true;
}

static bool thread_holds(const struct krn_thread *thread, char *text, size_t size) {
    if (!thread->has_ended && sim_task_state(thread->task) == SIM_TASK_DONE) {
        return wrong(text, size, &thread->record.object, "its task is over, it is not");
    }
    if (!thread->has_ended && sim_task_context(thread->task) != thread) {
        return wrong(text, size, &thread->record.object, "its task is another thread's");
    }
    return waiters_hold(&thread->record, text, size);
}

/* Things in live pool: what drivers wait for, most of it. */
static bool things_hold(const struct krn_node *node, char *text, size_t size) {
    for (const struct krn_chunk *chunk = node->live_first; chunk != NULL;
         chunk = chunk->as.live.next) {
        for (const struct krn_record *record = chunk->as.live.records; record != NULL;
             record = record->chunk_next) {
            if (record->kind != KRN_KIND_NONE && !waiters_hold(record, text, size)) {
                return false;
            }
        }
    }
    return true;
}

static bool waits_hold(struct sim_world *world, char *text, size_t size) {
    for (const struct krn_node *node = krn_world_of(world)->node_first; node != NULL;
         node = node->next) {
        for (const struct krn_thread *thread = node->thread_first; thread != NULL;
             thread = thread->next) {
            if (!thread_holds(thread, text, size)) {
                return false;
            }
        }
        if (!things_hold(node, text, size)) {
            return false;
        }
    }
    return true;
}

static bool locks_hold(struct sim_world *world, char *text, size_t size) {
    const struct krn_lock *last = NULL;

    for (const struct krn_lock *lock = krn_world_of(world)->held_first; lock != NULL;
         last = lock, lock = lock->next) {
        if (lock->previous != last) {
            return wrong(text, size, &lock->record.object, "it is among the held locks by half");
        }
        if (lock->holder == NULL) {
            return wrong(text, size, &lock->record.object, "it is held by nobody");
        }
        if (!waiters_hold(&lock->record, text, size)) {
            return false;
        }
    }
    if (krn_world_of(world)->held_last != last) {
        (void)snprintf(text, size, "the last held lock is not the list's last");
        return false;
    }
    return true;
}

static bool levels_hold(struct sim_world *world, char *text, size_t size) {
    for (struct krn_node *node = krn_world_of(world)->node_first; node != NULL; node = node->next) {
        for (uint32_t i = 0; i < node->cpu_count; i++) {
            const struct krn_cpu *cpu = &node->cpus[i];

            if (cpu->dpc_running != NULL && sim_cpu_level(cpu->cpu) < SIM_LEVEL_DISPATCH) {
                return wrong(text, size, sim_cpu_object(cpu->cpu),
                             "a DPC runs below DISPATCH_LEVEL");
            }
            if (cpu->driver[SIM_LAYER_DPC] != NULL && cpu->dpc_running == NULL) {
                return wrong(text, size, sim_cpu_object(cpu->cpu),
                             "a driver's DPC is over and still named");
            }
        }
    }
    return true;
}

static bool pool_holds(struct sim_world *world, char *text, size_t size) {
    for (const struct krn_node *node = krn_world_of(world)->node_first; node != NULL;
         node = node->next) {
        const struct krn_chunk *last = NULL;
        uint64_t count = 0, bytes = 0;

        for (const struct krn_chunk *chunk = node->live_first; chunk != NULL;
             last = chunk, chunk = chunk->as.live.next) {
            if (!chunk->is_live || krn_chunk_node(chunk) != node ||
                chunk->as.live.previous != last) {
                (void)snprintf(text, size, "pool#%u is in the list of live blocks and should not",
                               chunk->serial);
                return false;
            }
            count++;
            bytes += chunk->bytes;
        }
        if (node->live_last != last || count != node->pool_live_count ||
            bytes != node->pool_live_bytes) {
            return wrong(text, size, &node->object, "live pool blocks are not as counted");
        }
    }
    return true;
}

static bool work_holds(struct sim_world *world, char *text, size_t size) {
    for (const struct krn_node *node = krn_world_of(world)->node_first; node != NULL;
         node = node->next) {
        if (!krn_workers_hold(node)) {
            return wrong(text, size, &node->object, "its work queues are not in order");
        }
    }
    return true;
}

static const struct sim_check checks[] = {
    {"kernel.waits", "Who waits for a thing is in its list, and a thread is its task's.",
     waits_hold},
    {"kernel.locks", "Every held lock has a holder.", locks_hold},
    {"kernel.irql", "A DPC runs at DISPATCH_LEVEL or above.", levels_hold},
    {"kernel.pool", "Every node counts its live pool blocks and their bytes.", pool_holds},
    {"kernel.work", "Queued work items say so; no more workers are idle than were made.",
     work_holds},
};

void krn_checks_register(struct sim_world *world) {
    sim_check_register(world, checks, SIM_ARRAY_COUNT(checks));
}
