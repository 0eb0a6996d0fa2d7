/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system work queue of a node: a bounded number of worker threads that take items from three
 * queues, highest first. Workers are made when there is work and none is idle.
 */
#ifndef KRN_WORK_H
#define KRN_WORK_H

#include "kernel.h"

enum krn_work_queue {
    KRN_WORK_HYPERCRITICAL,
    KRN_WORK_CRITICAL,
    KRN_WORK_DELAYED,
    KRN_WORK_QUEUE_COUNT,
};

/* Embedded by its owner. `run` is called in a worker at PASSIVE; the item may be gone by then. */
struct krn_work {
    struct krn_work *next;
    void (*run)(struct krn_work *work);
    struct sim_object *object;
    struct krn_driver *driver; /* on whose behalf the worker runs it; NULL: the kernel */
    bool is_queued;
};

void krn_workers_init(struct krn_node *node);
/* Must not be queued. Called in any context. */
void krn_work_queue(struct krn_node *node, struct krn_work *work, enum krn_work_queue queue);
/* Takes it out before it began; false when it is not queued. */
bool krn_work_remove(struct krn_node *node, struct krn_work *work);
/* For the check: every queued item says so, and the counts of workers can be. */
bool krn_workers_hold(const struct krn_node *node);
enum krn_work_queue krn_work_queue_of(int windows_type);

#endif
