/* SPDX-License-Identifier: Apache-2.0 */
/* Creation, resizing, moderation settings and end of completion queues. */
#include <string.h>

#include <sim/memory.h>

#include "cq.h"
#include "device.h"
#include "eq.h"

#define CQE_LOG2 6u

struct rnic_cq *rnic_cq_find(struct rnic_device *device, uint32_t number) {
    return rnic_table_find(&device->cqs, number);
}

static void notify_deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    rnic_cq_moderation_over(SIM_CONTAINER_OF(event, struct rnic_cq, notify));
}

static void release_deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    rnic_cq_release(SIM_CONTAINER_OF(event, struct rnic_cq, release), true);
}

static enum rnic_status ring_open(struct rnic_device *device, const struct rnic_pages *pages,
                                  uint32_t entry_count_log2, struct rnic_ring *ring) {
    if (entry_count_log2 > rnic_log2(device->config.cq_entry_count_max))
        return RNIC_STATUS_LIMIT;
    return rnic_ring_open(device, pages, entry_count_log2, CQE_LOG2, ring);
}

/* False: more than the ring has. */
static bool limit_find(const struct rnic_ring *ring, uint32_t wanted, uint32_t *limit) {
    *limit = wanted != 0 ? wanted : rnic_ring_count(ring);
    return *limit <= rnic_ring_count(ring);
}

static void cq_free(struct rnic_device *device, struct rnic_cq *cq) {
    rnic_ring_close(device, &cq->ring);
    sim_free(device->world, cq, sizeof *cq);
}

enum rnic_status rnic_cq_create(struct rnic_device *device, const struct rnic_cq_create *create,
                                uint32_t *number) {
    struct rnic_eq *eq = rnic_eq_find(device, create->eqn);
    if (eq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    struct rnic_cq *cq = sim_alloc(device->world, sizeof *cq);
    enum rnic_status status =
        ring_open(device, &create->pages, create->entry_count_log2, &cq->ring);
    if (status == RNIC_STATUS_OK && !limit_find(&cq->ring, create->entry_limit, &cq->entry_limit))
        status = RNIC_STATUS_BAD_PARAMETER;
    if (status != RNIC_STATUS_OK)
        goto fail;
    status = RNIC_STATUS_NO_RESOURCES;
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL) ||
        !rnic_table_add(device->world, &device->cqs, (struct rnic_numbered *)cq))
        goto fail;
    cq->device = device;
    cq->object = rnic_object_create(device, "cq");
    cq->eq = eq;
    cq->consumer_record = create->consumer_record;
    cq->held_last = &cq->held_first;
    sim_event_init(&cq->notify, "cq.moderation", cq->object, notify_deliver);
    sim_event_init(&cq->release, "cq.release", cq->object, release_deliver);
    eq->cq_count++;
    *number = cq->number;
    return RNIC_STATUS_OK;
fail:
    cq_free(device, cq);
    return status;
}

static void cq_remove(struct rnic_device *device, struct rnic_cq *cq) {
    rnic_cq_release(cq, false);
    sim_event_cancel(device->world, &cq->notify);
    cq->object->closed = true;
    cq->eq->cq_count--;
    rnic_table_remove(&device->cqs, (struct rnic_numbered *)cq);
    cq_free(device, cq);
}

enum rnic_status rnic_cq_destroy(struct rnic_device *device, uint32_t number) {
    struct rnic_cq *cq = rnic_cq_find(device, number);
    if (cq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (cq->qp_count != 0)
        return RNIC_STATUS_BUSY;
    cq_remove(device, cq);
    return RNIC_STATUS_OK;
}

void rnic_cqs_reset(struct rnic_device *device) {
    uint32_t slot = 0;
    for (struct rnic_cq *cq; (cq = rnic_table_next(&device->cqs, &slot)) != NULL;)
        cq_remove(device, cq);
}

/* Moves the entries over, and marks the others as not yet written. */
static bool entries_copy(struct rnic_cq *cq, const struct rnic_ring *to) {
    for (uint32_t i = cq->producer; i - cq->consumer < rnic_ring_count(to); i++) {
        struct rnic_cqe cqe = {.qpn = 0};
        cqe.phase = (i & rnic_ring_count(to)) != 0;
        if (!rnic_dma_write(cq->device, rnic_ring_address(to, i), &cqe, sizeof cqe))
            return false;
    }
    for (uint32_t i = cq->consumer; i != cq->producer; i++) {
        struct rnic_cqe cqe;
        if (!rnic_dma_read(cq->device, rnic_ring_address(&cq->ring, i), &cqe, sizeof cqe))
            return false;
        cqe.phase = (i & rnic_ring_count(to)) == 0;
        if (!rnic_dma_write(cq->device, rnic_ring_address(to, i), &cqe, sizeof cqe))
            return false;
    }
    return true;
}

/* The command may be older than what the record has told meanwhile; false: it makes no sense. */
static bool consumer_take(struct rnic_cq *cq, uint32_t consumer) {
    bool is_newer = (int32_t)(consumer - cq->consumer) > 0;
    if (is_newer && consumer - cq->consumer > cq->producer - cq->consumer)
        return false;
    cq->consumer = is_newer ? consumer : cq->consumer;
    return true;
}

enum rnic_status rnic_cq_resize(struct rnic_device *device, uint32_t number,
                                const struct rnic_cq_resize *resize, uint32_t *producer) {
    struct rnic_cq *cq = rnic_cq_find(device, number);
    if (cq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (cq->fault != RNIC_CQ_FAULT_NONE)
        return RNIC_STATUS_BAD_STATE;
    if (!consumer_take(cq, resize->consumer))
        return RNIC_STATUS_BAD_PARAMETER;
    if (!rnic_cq_consumer_read(cq))
        return RNIC_STATUS_DMA_ERROR;
    struct rnic_ring ring;
    memset(&ring, 0, sizeof ring);
    enum rnic_status status = ring_open(device, &resize->pages, resize->entry_count_log2, &ring);
    if (status != RNIC_STATUS_OK)
        return status;
    uint32_t limit;
    if (!limit_find(&ring, resize->entry_limit, &limit))
        status = RNIC_STATUS_BAD_PARAMETER;
    else if (cq->producer - cq->consumer > limit)
        status = RNIC_STATUS_LIMIT;
    else if (!entries_copy(cq, &ring))
        status = RNIC_STATUS_DMA_ERROR;
    if (status != RNIC_STATUS_OK) {
        rnic_ring_close(device, &ring);
        return status;
    }
    rnic_ring_close(device, &cq->ring);
    cq->ring = ring;
    cq->entry_limit = limit;
    *producer = cq->producer;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_cq_moderate(struct rnic_device *device, uint32_t number,
                                  uint64_t moderation) {
    struct rnic_cq *cq = rnic_cq_find(device, number);
    if (cq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    uint32_t count = (uint32_t)moderation;
    uint32_t period_ns = (uint32_t)(moderation >> 32);
    if (count == RNIC_MODERATION_UNBOUNDED && period_ns == RNIC_MODERATION_UNBOUNDED)
        return RNIC_STATUS_BAD_PARAMETER;
    cq->moderate_count = count;
    cq->moderate_ns = period_ns;
    /* An event that waits under the old settings is judged anew. */
    if (sim_event_cancel(device->world, &cq->notify))
        rnic_work_add(device, RNIC_WORK_CQ, number);
    return RNIC_STATUS_OK;
}
