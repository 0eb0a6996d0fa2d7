/* SPDX-License-Identifier: Apache-2.0 */
/* Entries, arming and failure of completion queues; their life is in cq_life.c. */
#include "cq.h"

#include <sim/memory.h>

#include "device.h"
#include "eq.h"
#include "qp.h"

/* All QPs that complete into it go with it; they report nothing more (there is nowhere to). */
static void cq_fail(struct rnic_cq *cq, enum rnic_cq_fault fault) {
    struct rnic_device *device = cq->device;
    cq->fault = (uint8_t)fault;
    cq->arm = RNIC_ARM_NONE;
    sim_event_cancel(device->world, &cq->notify);
    sim_trace(device->world, RNIC_TRACE_CQ_ERROR, SIM_ACCESS_WRITE, cq->object, NULL, NULL, fault,
              0);
    const struct rnic_event event = {
        .number = cq->number, .type = RNIC_EVENT_CQ_ERROR, .status = (uint8_t)fault};
    rnic_eq_post(device, cq->eq, &event);
    rnic_qps_fail_with_cq(device, cq);
}

/* A record that makes no sense is not believed. */
bool rnic_cq_consumer_read(struct rnic_cq *cq) {
    uint32_t consumer;
    if (cq->consumer_record == 0)
        return true;
    if (!rnic_dma_read(cq->device, cq->consumer_record, &consumer, sizeof consumer))
        return false;
    if (consumer - cq->consumer <= cq->producer - cq->consumer)
        cq->consumer = consumer;
    return true;
}

/* Makes room for one more, by the driver's record when the ring looks full. */
static enum rnic_cq_fault room_find(struct rnic_cq *cq) {
    if (cq->producer - cq->consumer < cq->entry_limit)
        return RNIC_CQ_FAULT_NONE;
    if (!rnic_cq_consumer_read(cq))
        return RNIC_CQ_FAULT_DMA;
    return cq->producer - cq->consumer < cq->entry_limit ? RNIC_CQ_FAULT_NONE
                                                         : RNIC_CQ_FAULT_OVERRUN;
}

static bool is_satisfied(const struct rnic_cq *cq) {
    switch (cq->arm) {
    case RNIC_ARM_ANY:
        return (int32_t)(cq->producer - cq->arm_index) > 0;
    case RNIC_ARM_SOLICITED:
        return cq->has_solicited && (int32_t)(cq->solicited - cq->arm_index) > 0;
    default:
        return false;
    }
}

static void notify_now(struct rnic_cq *cq) {
    cq->arm = RNIC_ARM_NONE;
    sim_event_cancel(cq->device->world, &cq->notify);
    const struct rnic_event event = {
        .number = cq->number, .type = RNIC_EVENT_CQ, .data = {cq->producer}};
    rnic_eq_post(cq->device, cq->eq, &event);
}

/* Failures are told at once. */
static bool is_moderated(const struct rnic_cq *cq) {
    bool fails = cq->has_failed && (int32_t)(cq->failed - cq->arm_index) > 0;
    return cq->moderate_ns != 0 && cq->moderate_count > 1 && !fails;
}

/* Where the count alone is in charge, it is never more than what can come. */
static bool count_is_reached(const struct rnic_cq *cq) {
    uint32_t count = cq->moderate_count;
    if (cq->moderate_ns == RNIC_MODERATION_UNBOUNDED && count > cq->entry_limit)
        count = cq->entry_limit;
    return cq->producer - cq->arm_index >= count;
}

void rnic_cq_notify(struct rnic_cq *cq) {
    if (!is_satisfied(cq))
        return;
    if (!is_moderated(cq)) {
        notify_now(cq);
        return;
    }
    if (count_is_reached(cq))
        notify_now(cq);
    else if (cq->moderate_ns != RNIC_MODERATION_UNBOUNDED && !sim_event_is_scheduled(&cq->notify))
        sim_event_schedule(cq->device->world, &cq->notify, cq->moderate_ns);
}

static void cq_write(struct rnic_cq *cq, struct rnic_cqe *cqe) {
    struct rnic_device *device = cq->device;
    enum rnic_cq_fault fault = room_find(cq);
    if (fault != RNIC_CQ_FAULT_NONE) {
        cq_fail(cq, fault);
        return;
    }
    cqe->phase = (cq->producer & rnic_ring_count(&cq->ring)) == 0;
    uint64_t at = rnic_ring_address(&cq->ring, cq->producer);
    if (!rnic_dma_write(device, at, cqe, sizeof *cqe)) {
        cq_fail(cq, RNIC_CQ_FAULT_DMA);
        return;
    }
    cq->producer++;
    rnic_count(device, RNIC_COUNTER_CQES);
    /* A completion with an error always counts as solicited. */
    if ((cqe->flags & RNIC_CQE_FLAG_SOLICITED) != 0 || cqe->status != RNIC_CQE_OK) {
        cq->solicited = cq->producer;
        cq->has_solicited = true;
    }
    if (cqe->status != RNIC_CQE_OK) {
        cq->failed = cq->producer;
        cq->has_failed = true;
    }
    if (cq->arm != RNIC_ARM_NONE)
        rnic_cq_notify(cq);
}

static void hold(struct rnic_cq *cq, const struct rnic_cqe *cqe) {
    struct rnic_cq_held *held = sim_alloc(cq->device->world, sizeof *held);
    held->cqe = *cqe;
    *cq->held_last = held;
    cq->held_last = &held->next;
}

void rnic_cq_post(struct rnic_cq *cq, struct rnic_qp *qp, struct rnic_cqe *cqe) {
    struct rnic_device *device = cq->device;
    if (cq->fault != RNIC_CQ_FAULT_NONE || !rnic_device_is_ready(device))
        return;
    if (rnic_fault_hit(device, RNIC_FAULT_CQ_OVERRUN, cq->object, NULL)) {
        cq_fail(cq, RNIC_CQ_FAULT_OVERRUN);
        return;
    }
    if (rnic_fault_hit(device, RNIC_FAULT_CQ_FAIL, cq->object, NULL)) {
        cq_fail(cq, RNIC_CQ_FAULT_INJECTED);
        return;
    }
    sim_trace(device->world, RNIC_TRACE_CQE, SIM_ACCESS_WRITE, cq->object, qp->object, NULL,
              (uint64_t)cqe->status << 40 | (uint64_t)cqe->opcode << 32 | cqe->wqe_index,
              cqe->byte_count);
    uint64_t delay_ns = 0;
    if (rnic_fault_hit(device, RNIC_FAULT_COMPLETION_DELAY, cq->object, &delay_ns) &&
        cq->held_first == NULL)
        sim_event_schedule(device->world, &cq->release, delay_ns);
    if (rnic_cq_is_holding(cq))
        hold(cq, cqe);
    else
        cq_write(cq, cqe);
}

bool rnic_cq_is_holding(const struct rnic_cq *cq) {
    return sim_event_is_scheduled(&cq->release);
}

void rnic_cq_release(struct rnic_cq *cq, bool write) {
    bool held_any = cq->held_first != NULL;
    sim_event_cancel(cq->device->world, &cq->release);
    while (cq->held_first != NULL) {
        struct rnic_cq_held *held = cq->held_first;
        cq->held_first = held->next;
        if (write && cq->fault == RNIC_CQ_FAULT_NONE && rnic_device_is_ready(cq->device))
            cq_write(cq, &held->cqe);
        sim_free(cq->device->world, held, sizeof *held);
    }
    cq->held_last = &cq->held_first;
    if (write && held_any && rnic_device_is_ready(cq->device))
        rnic_qps_tell_finished(cq->device, cq);
}

void rnic_cq_moderation_over(struct rnic_cq *cq) {
    if (is_satisfied(cq))
        notify_now(cq);
}

void rnic_cq_doorbell(struct rnic_device *device, uint32_t number, enum rnic_arm arm,
                      uint32_t index) {
    struct rnic_cq *cq = rnic_cq_find(device, number);
    if (cq == NULL || cq->fault != RNIC_CQ_FAULT_NONE)
        return;
    if (arm == RNIC_ARM_NONE) {
        if (index - cq->consumer <= cq->producer - cq->consumer)
            cq->consumer = index;
        return;
    }
    sim_trace(device->world, RNIC_TRACE_CQ_ARM, SIM_ACCESS_WRITE, cq->object, NULL, NULL, arm,
              index);
    cq->arm_index = index;
    if (arm > cq->arm)
        cq->arm = (uint8_t)arm;
    if (is_satisfied(cq))
        rnic_work_add(device, RNIC_WORK_CQ, number);
}
