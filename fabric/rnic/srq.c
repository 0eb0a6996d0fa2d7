/* SPDX-License-Identifier: Apache-2.0 */
#include "srq.h"

#include <string.h>

#include <sim/memory.h>

#include "device.h"
#include "eq.h"
#include "mkey.h"
#include "qp.h"
#include "wqe.h"

struct rnic_srq *rnic_srq_find(struct rnic_device *device, uint32_t number) {
    return rnic_table_find(&device->srqs, number);
}

static void srq_free(struct rnic_device *device, struct rnic_srq *srq) {
    rnic_ring_close(device, &srq->ring);
    sim_free(device->world, srq, sizeof *srq);
}

static enum rnic_status ring_open(struct rnic_device *device, const struct rnic_pages *pages,
                                  uint32_t entry_count_log2, uint32_t stride_log2,
                                  struct rnic_ring *ring) {
    if (entry_count_log2 > rnic_log2(device->config.srq_entry_count_max))
        return RNIC_STATUS_LIMIT;
    return rnic_ring_open(device, pages, entry_count_log2, stride_log2, ring);
}

static enum rnic_status create_check(struct rnic_device *device,
                                     const struct rnic_srq_create *create) {
    if ((device->config.cap_flags & RNIC_CAP_SRQ) == 0)
        return RNIC_STATUS_LIMIT;
    if (create->stride_log2 < 4 || create->stride_log2 > 10)
        return RNIC_STATUS_BAD_PARAMETER;
    if (create->sge_count_max > device->config.sge_count_max)
        return RNIC_STATUS_LIMIT;
    if (RNIC_RECEIVE_DATA_OFFSET + create->sge_count_max * sizeof(struct rnic_sge) >
        1u << create->stride_log2)
        return RNIC_STATUS_BAD_PARAMETER;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_srq_create(struct rnic_device *device, const struct rnic_srq_create *create,
                                 uint32_t *number) {
    struct rnic_pd *pd = rnic_pd_find(device, create->pdn);
    if (pd == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    enum rnic_status status = create_check(device, create);
    if (status != RNIC_STATUS_OK)
        return status;
    struct rnic_srq *srq = sim_alloc(device->world, sizeof *srq);
    status = ring_open(device, &create->pages, create->entry_count_log2, create->stride_log2,
                       &srq->ring);
    if (status != RNIC_STATUS_OK)
        goto fail;
    status = RNIC_STATUS_NO_RESOURCES;
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL) ||
        !rnic_table_add(device->world, &device->srqs, (struct rnic_numbered *)srq))
        goto fail;
    srq->device = device;
    srq->object = rnic_object_create(device, "srq");
    srq->pdn = create->pdn;
    srq->limit = create->limit;
    srq->sge_count_max = create->sge_count_max;
    pd->used++;
    *number = srq->number;
    return RNIC_STATUS_OK;
fail:
    srq_free(device, srq);
    return status;
}

static enum rnic_status ring_move(struct rnic_srq *srq, const struct rnic_srq_modify *modify) {
    struct rnic_ring ring;
    memset(&ring, 0, sizeof ring);
    if (modify->entry_count_log2 < 32 &&
        srq->producer - srq->consumer > 1u << modify->entry_count_log2)
        return RNIC_STATUS_LIMIT;
    enum rnic_status status = ring_open(srq->device, &modify->pages, modify->entry_count_log2,
                                        srq->ring.stride_log2, &ring);
    if (status != RNIC_STATUS_OK)
        return status;
    rnic_ring_close(srq->device, &srq->ring);
    srq->ring = ring;
    return RNIC_STATUS_OK;
}

/* Judged now, told later: what is posted in between does not undo it. */
static void limit_arm(struct rnic_srq *srq, uint32_t limit) {
    srq->limit = limit;
    if (srq->producer - srq->consumer >= limit)
        return;
    srq->limit = 0;
    srq->is_due = true;
    rnic_work_add(srq->device, RNIC_WORK_SRQ, srq->number);
}

enum rnic_status rnic_srq_modify(struct rnic_device *device, uint32_t number,
                                 const struct rnic_srq_modify *modify) {
    struct rnic_srq *srq = rnic_srq_find(device, number);
    if (srq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (srq->is_failed)
        return RNIC_STATUS_BAD_STATE;
    if ((modify->flags & RNIC_SRQ_MODIFY_RING) != 0) {
        enum rnic_status status = ring_move(srq, modify);
        if (status != RNIC_STATUS_OK)
            return status;
    }
    if ((modify->flags & RNIC_SRQ_MODIFY_LIMIT) != 0)
        limit_arm(srq, modify->limit);
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_srq_query(struct rnic_device *device, uint32_t number,
                                struct rnic_srq_info *info) {
    const struct rnic_srq *srq = rnic_srq_find(device, number);
    if (srq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    *info = (struct rnic_srq_info){
        .producer = srq->producer, .consumer = srq->consumer, .limit = srq->limit};
    return RNIC_STATUS_OK;
}

static void srq_remove(struct rnic_device *device, struct rnic_srq *srq) {
    srq->object->closed = true;
    rnic_table_remove(&device->srqs, (struct rnic_numbered *)srq);
    srq_free(device, srq);
}

enum rnic_status rnic_srq_destroy(struct rnic_device *device, uint32_t number) {
    struct rnic_srq *srq = rnic_srq_find(device, number);
    if (srq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (srq->qp_count != 0)
        return RNIC_STATUS_BUSY;
    rnic_pd_find(device, srq->pdn)->used--;
    srq_remove(device, srq);
    return RNIC_STATUS_OK;
}

void rnic_srqs_reset(struct rnic_device *device) {
    uint32_t slot = 0;
    for (struct rnic_srq *srq; (srq = rnic_table_next(&device->srqs, &slot)) != NULL;)
        srq_remove(device, srq);
}

void rnic_srq_doorbell(struct rnic_device *device, uint32_t number, uint32_t producer) {
    struct rnic_srq *srq = rnic_srq_find(device, number);
    if (srq == NULL || srq->is_failed)
        return;
    enum rnic_post post = rnic_ring_post(&srq->ring, srq->consumer, srq->producer, producer);
    if (post == RNIC_POST_BEYOND)
        rnic_work_add(device, RNIC_WORK_SRQ_OVERFLOW, number);
    else if (post == RNIC_POST_NEW)
        srq->producer = producer;
}

void rnic_srq_fail(struct rnic_srq *srq) {
    if (srq->is_failed)
        return;
    srq->is_failed = true;
    sim_trace(srq->device->world, RNIC_TRACE_SRQ_ERROR, SIM_ACCESS_WRITE, srq->object, NULL, NULL,
              0, 0);
    const struct rnic_event event = {.number = srq->number, .type = RNIC_EVENT_SRQ_ERROR};
    rnic_event_post(srq->device, &event);
    rnic_qps_fail_with_srq(srq->device, srq);
}

static void limit_tell(struct rnic_srq *srq) {
    uint32_t left = srq->producer - srq->consumer;
    sim_trace(srq->device->world, RNIC_TRACE_SRQ_LIMIT, SIM_ACCESS_WRITE, srq->object, NULL, NULL,
              left, 0);
    const struct rnic_event event = {
        .number = srq->number, .type = RNIC_EVENT_SRQ_LIMIT, .data = {left}};
    rnic_event_post(srq->device, &event);
}

void rnic_srq_tell_due(struct rnic_srq *srq) {
    if (!srq->is_due || srq->is_failed)
        return;
    srq->is_due = false;
    limit_tell(srq);
}

bool rnic_srq_take(struct rnic_srq *srq, enum rnic_syndrome *syndrome,
                   struct rnic_receive *receive) {
    if (srq->is_failed || srq->consumer == srq->producer)
        return false;
    *syndrome = rnic_fault_hit(srq->device, RNIC_FAULT_SRQ_FAIL, srq->object, NULL)
                    ? RNIC_SYNDROME_DMA
                    : rnic_receive_fetch(srq->device, &srq->ring, srq->consumer, srq->sge_count_max,
                                         receive);
    if (*syndrome == RNIC_SYNDROME_DMA) {
        rnic_srq_fail(srq);
        return false;
    }
    srq->consumer++;
    if (srq->limit != 0 && srq->producer - srq->consumer == srq->limit - 1) {
        srq->limit = 0;
        limit_tell(srq);
    }
    return true;
}
