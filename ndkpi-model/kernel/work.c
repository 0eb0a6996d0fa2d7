/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads. */
#include "work.h"

#include <krn/state.h>

#include "race.h"
#include "thread.h"

struct krn_workers {
    struct krn_work *first[KRN_WORK_QUEUE_COUNT];
    struct krn_work *last[KRN_WORK_QUEUE_COUNT];
    struct krn_gate more; /* lets one idle worker through each time it opens */
    uint32_t made;
    uint32_t idle; /* workers that sleep and were not called yet */
};

void krn_workers_init(struct krn_node *node) {
    node->workers = sim_alloc(node->world, sizeof(*node->workers));
    krn_gate_init(node, &node->workers->more, &node->object, "workqueue");
    node->workers->more.header.Type = KRN_HEADER_EVENT_SYNCHRONIZATION;
}

bool krn_workers_hold(const struct krn_node *node) {
    const struct krn_workers *workers = node->workers;

    for (uint32_t i = 0; i < KRN_WORK_QUEUE_COUNT; i++) {
        const struct krn_work *last = NULL;

        for (const struct krn_work *work = workers->first[i]; work != NULL; work = work->next) {
            if (!work->is_queued) {
                return false;
            }
            last = work;
        }
        if (last != NULL && workers->last[i] != last) {
            return false;
        }
    }
    return workers->idle <= workers->made && workers->made <= node->worker_count;
}

enum krn_work_queue krn_work_queue_of(int windows_type) {
    switch (windows_type) {
    case HyperCriticalWorkQueue:
    case SuperCriticalWorkQueue:
    case RealTimeWorkQueue:
        return KRN_WORK_HYPERCRITICAL;
    case CriticalWorkQueue:
        return KRN_WORK_CRITICAL;
    default:
        return KRN_WORK_DELAYED;
    }
}

static struct krn_work *take(struct krn_workers *workers) {
    for (uint32_t i = 0; i < KRN_WORK_QUEUE_COUNT; i++) {
        struct krn_work *work = workers->first[i];

        if (work != NULL) {
            workers->first[i] = work->next;
            if (work->next == NULL) {
                workers->last[i] = NULL;
            }
            work->next = NULL;
            work->is_queued = false;
            return work;
        }
    }
    return NULL;
}

static void run(struct krn_thread *thread, struct krn_work *work) {
    struct sim_world *world = thread->node->world;
    struct sim_object *object = work->object;

    thread->driver = work->driver;
    sim_trace(world, KRN_TRACE_WORK_RUN, SIM_ACCESS_READ, object, NULL, NULL, 0, 0);
    sim_point(object, SIM_ACCESS_READ, SIM_POINT_COST_NS);
    krn_race_after(thread->node->krn, object);
    work->run(work);
    krn_race_before(thread->node->krn, object);
    thread->driver = NULL;
    sim_trace(world, KRN_TRACE_WORK_END, SIM_ACCESS_NONE, object, NULL, NULL, 0, 0);
}

static void worker_main(void *argument) {
    struct krn_node *node = argument;
    struct krn_workers *workers = node->workers;
    struct krn_thread *thread = krn_thread_current();

    for (;;) {
        struct krn_work *work = take(workers);

        if (work != NULL) {
            run(thread, work);
            continue;
        }
        workers->idle++;
        thread->is_idle_worker = true;
        krn_gate_wait(&workers->more, "idle worker");
        thread->is_idle_worker = false;
    }
}

void krn_work_queue(struct krn_node *node, struct krn_work *work, enum krn_work_queue queue) {
    struct krn_workers *workers = node->workers;

    SIM_ASSERT(!work->is_queued);
    work->is_queued = true;
    krn_race_before(node->krn, work->object);
    work->next = NULL;
    if (workers->last[queue] != NULL) {
        workers->last[queue]->next = work;
    } else {
        workers->first[queue] = work;
    }
    workers->last[queue] = work;
    sim_trace(node->world, KRN_TRACE_WORK_QUEUE, SIM_ACCESS_WRITE, work->object, NULL, NULL, queue,
              0);
    if (workers->idle != 0) {
        workers->idle--;
        krn_gate_open(&workers->more);
    } else if (workers->made < node->worker_count) {
        workers->made++;
        (void)krn_thread_create(node, NULL, &node->object, "worker", worker_main, node);
    }
}

bool krn_work_remove(struct krn_node *node, struct krn_work *work) {
    struct krn_workers *workers = node->workers;

    if (!work->is_queued) {
        return false;
    }
    for (uint32_t i = 0; i < KRN_WORK_QUEUE_COUNT; i++) {
        struct krn_work *previous = NULL;

        for (struct krn_work *at = workers->first[i]; at != NULL; previous = at, at = at->next) {
            if (at != work) {
                continue;
            }
            if (previous != NULL) {
                previous->next = at->next;
            } else {
                workers->first[i] = at->next;
            }
            if (at->next == NULL) {
                workers->last[i] = previous;
            }
            at->is_queued = false;
            return true;
        }
    }
    return false;
}
