/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doorbells and commands have set off: taken up doorbell_ns later, in order, in an event
 * delivery. Entries name objects by number; one that is gone by then is passed over.
 */
#include <sim/memory.h>

#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"
#include "srq.h"

#define WORK_CAPACITY_FIRST 16u

static void qp_take_up(struct rnic_device *device, const struct rnic_work *work) {
    struct rnic_qp *qp = rnic_qp_find(device, work->number);
    if (qp == NULL)
        return;
    if (work->kind == RNIC_WORK_SEND)
        rnic_requester_start(qp);
    else if (work->kind == RNIC_WORK_FLUSH)
        rnic_qp_flush(qp);
    else
        rnic_qp_fail(qp, RNIC_SYNDROME_WQE);
}

static void cq_take_up(struct rnic_device *device, const struct rnic_work *work) {
    struct rnic_cq *cq = rnic_cq_find(device, work->number);
    if (cq != NULL)
        rnic_cq_notify(cq);
}

static void eq_take_up(struct rnic_device *device, const struct rnic_work *work) {
    struct rnic_eq *eq = rnic_eq_find(device, work->number);
    if (eq != NULL)
        rnic_eq_notify(device, eq);
}

static void srq_take_up(struct rnic_device *device, const struct rnic_work *work) {
    struct rnic_srq *srq = rnic_srq_find(device, work->number);
    if (srq == NULL)
        return;
    if (work->kind == RNIC_WORK_SRQ)
        rnic_srq_tell_due(srq);
    else
        rnic_srq_fail(srq);
}

static void take_up(struct rnic_device *device, const struct rnic_work *work) {
    switch (work->kind) {
    case RNIC_WORK_NONE:
        return;
    case RNIC_WORK_SEND:
    case RNIC_WORK_FLUSH:
    case RNIC_WORK_OVERFLOW:
        qp_take_up(device, work);
        return;
    case RNIC_WORK_CQ:
        cq_take_up(device, work);
        return;
    case RNIC_WORK_EQ:
        eq_take_up(device, work);
        return;
    case RNIC_WORK_SRQ:
    case RNIC_WORK_SRQ_OVERFLOW:
        srq_take_up(device, work);
        return;
    }
}

static void work_deliver(struct sim_world *world, struct sim_event *event) {
    struct rnic_device *device = SIM_CONTAINER_OF(event, struct rnic_device, work.event);
    struct rnic_work_queue *work = &device->work;
    uint64_t now_ns = sim_now_ns(world);
    while (work->head != work->tail) {
        const struct rnic_work entry = work->entries[work->head & (work->capacity - 1)];
        if (entry.due_ns > now_ns) {
            /* What was taken up may have added work and scheduled. */
            if (!sim_event_is_scheduled(event))
                sim_event_schedule_at(world, event, entry.due_ns);
            return;
        }
        work->head++;
        if (rnic_device_is_ready(device))
            take_up(device, &entry);
    }
}

void rnic_work_init(struct rnic_device *device) {
    device->work.capacity = WORK_CAPACITY_FIRST;
    device->work.entries =
        sim_alloc(device->world, WORK_CAPACITY_FIRST * sizeof *device->work.entries);
    sim_event_init(&device->work.event, "doorbell", &device->bus.object, work_deliver);
}

static void grow(struct rnic_device *device) {
    struct rnic_work_queue *work = &device->work;
    uint32_t old = work->capacity;
    struct rnic_work *entries = sim_alloc(device->world, 2 * old * sizeof *entries);
    for (uint32_t i = work->head; i != work->tail; i++)
        entries[i & (2 * old - 1)] = work->entries[i & (old - 1)];
    sim_free(device->world, work->entries, old * sizeof *entries);
    work->entries = entries;
    work->capacity = 2 * old;
}

void rnic_work_add(struct rnic_device *device, enum rnic_work_kind kind, uint32_t number) {
    struct rnic_work_queue *work = &device->work;
    if (work->tail - work->head == work->capacity)
        grow(device);
    uint64_t due_ns = rnic_now_ns(device) + device->config.latency.doorbell_ns;
    work->entries[work->tail++ & (work->capacity - 1)] =
        (struct rnic_work){.due_ns = due_ns, .number = number, .kind = kind};
    if (!sim_event_is_scheduled(&work->event))
        sim_event_schedule_at(device->world, &work->event, due_ns);
}

void rnic_work_reset(struct rnic_device *device) {
    sim_event_cancel(device->world, &device->work.event);
    device->work.head = device->work.tail;
}

void rnic_work_forget_qp(struct rnic_device *device, uint32_t number) {
    struct rnic_work_queue *work = &device->work;
    for (uint32_t i = work->head; i != work->tail; i++) {
        struct rnic_work *entry = &work->entries[i & (work->capacity - 1)];
        bool is_of_qp = entry->kind == RNIC_WORK_SEND || entry->kind == RNIC_WORK_FLUSH ||
                        entry->kind == RNIC_WORK_OVERFLOW;
        if (is_of_qp && entry->number == number)
            entry->kind = RNIC_WORK_NONE;
    }
}
