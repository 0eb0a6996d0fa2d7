/* SPDX-License-Identifier: Apache-2.0 */
/* Life of queue pairs: creation, query, destruction. */
#include "qp.h"

#include <sim/memory.h>

#include "cq.h"
#include "device.h"
#include "mkey.h"
#include "srq.h"

struct rnic_qp *rnic_qp_find(const struct rnic_device *device, uint32_t number) {
    return number == 1 ? device->gsi : rnic_table_find(&device->qps, number);
}

static uint64_t flights_bytes(const struct rnic_qp *qp) {
    return (uint64_t)rnic_ring_count(&qp->sq) * sizeof *qp->requester.flights;
}

uint64_t rnic_reads_bytes(const struct rnic_device *device) {
    return device->config.reads_in_max * sizeof(struct rnic_read);
}

static void qp_free(struct rnic_device *device, struct rnic_qp *qp) {
    if (qp->requester.flights != NULL)
        sim_free(device->world, qp->requester.flights, flights_bytes(qp));
    rnic_responder_put(qp);
    if (qp->responder.reads != NULL)
        sim_free(device->world, qp->responder.reads, rnic_reads_bytes(device));
    rnic_ring_close(device, &qp->sq);
    rnic_ring_close(device, &qp->rq);
    sim_free(device->world, qp, sizeof *qp);
}

enum {
    FLAGS_FLUSH = RNIC_QP_FLAG_FLUSH_RECEIVES_FIRST | RNIC_QP_FLAG_FLUSH_IN_TURN,
    FLAGS_KNOWN = RNIC_QP_FLAG_SRQ | FLAGS_FLUSH,
};

static enum rnic_status limits_check(const struct rnic_config *config,
                                     const struct rnic_qp_create *create) {
    bool has_rq = (create->flags & RNIC_QP_FLAG_SRQ) == 0;
    if (create->type > RNIC_QP_GSI || (create->flags & ~(uint32_t)FLAGS_KNOWN) != 0 ||
        create->sq_stride_log2 < 6 || create->sq_stride_log2 > 10)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((create->flags & FLAGS_FLUSH) == FLAGS_FLUSH || (create->type == RNIC_QP_GSI && !has_rq))
        return RNIC_STATUS_BAD_PARAMETER;
    if (has_rq && (create->rq_stride_log2 < 4 || create->rq_stride_log2 > 10))
        return RNIC_STATUS_BAD_PARAMETER;
    if (create->sq_sge_count_max > config->sge_count_max ||
        create->rq_sge_count_max > config->sge_count_max ||
        create->read_sge_count_max > config->read_sge_count_max ||
        create->sq_entry_count_log2 > rnic_log2(config->sq_entry_count_max) ||
        (has_rq && create->rq_entry_count_log2 > rnic_log2(config->rq_entry_count_max)))
        return RNIC_STATUS_LIMIT;
    return RNIC_STATUS_OK;
}

/* What a QP refers to; takes no reference yet. */
static enum rnic_status parents_find(struct rnic_device *device,
                                     const struct rnic_qp_create *create, struct rnic_qp *qp) {
    qp->pdn = create->pdn;
    qp->send_cq = rnic_cq_find(device, create->send_cqn);
    qp->receive_cq = rnic_cq_find(device, create->receive_cqn);
    if (rnic_pd_find(device, create->pdn) == NULL || qp->send_cq == NULL || qp->receive_cq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    if (qp->send_cq->fault != RNIC_CQ_FAULT_NONE || qp->receive_cq->fault != RNIC_CQ_FAULT_NONE)
        return RNIC_STATUS_BAD_STATE;
    if ((create->flags & RNIC_QP_FLAG_SRQ) != 0) {
        qp->srq = rnic_srq_find(device, create->srqn);
        if (qp->srq == NULL)
            return RNIC_STATUS_BAD_NUMBER;
        if (qp->srq->is_failed)
            return RNIC_STATUS_BAD_STATE;
    }
    return RNIC_STATUS_OK;
}

static enum rnic_status rings_open(struct rnic_device *device, const struct rnic_qp_create *create,
                                   struct rnic_qp *qp) {
    enum rnic_status status = rnic_ring_open(device, &create->sq_pages, create->sq_entry_count_log2,
                                             create->sq_stride_log2, &qp->sq);
    if (status != RNIC_STATUS_OK || qp->srq != NULL)
        return status;
    return rnic_ring_open(device, &create->rq_pages, create->rq_entry_count_log2,
                          create->rq_stride_log2, &qp->rq);
}

static bool number_give(struct rnic_device *device, struct rnic_qp *qp) {
    if (rnic_fault_hit(device, RNIC_FAULT_TABLE_FULL, &device->bus.object, NULL))
        return false;
    if (qp->type != RNIC_QP_GSI)
        return rnic_table_add(device->world, &device->qps, (struct rnic_numbered *)qp);
    if (device->gsi != NULL)
        return false;
    device->gsi = qp;
    qp->number = 1;
    return true;
}

static void references_change(struct rnic_device *device, struct rnic_qp *qp, uint32_t by) {
    rnic_pd_find(device, qp->pdn)->used += by;
    qp->send_cq->qp_count += by;
    qp->receive_cq->qp_count += by;
    if (qp->srq != NULL)
        qp->srq->qp_count += by;
}

static void qp_fill(struct rnic_qp *qp, const struct rnic_qp_create *create) {
    struct rnic_device *device = qp->device;
    qp->flags = (uint8_t)create->flags;
    qp->sq_sge_count_max = create->sq_sge_count_max;
    qp->rq_sge_count_max = create->rq_sge_count_max;
    qp->read_sge_count_max = create->read_sge_count_max;
    qp->sq_finished_record = create->sq_finished_record;
    qp->attributes.pkey = WIRE_PKEY_DEFAULT;
    if (qp->type == RNIC_QP_RC)
        qp->requester.flights = sim_alloc(device->world, flights_bytes(qp));
    rnic_requester_reset(qp);
    rnic_responder_close(qp);
    rnic_completer_init(qp);
    qp->object->state = rnic_qp_state_name(qp->state);
}

enum rnic_status rnic_qp_create(struct rnic_device *device, const struct rnic_qp_create *create,
                                uint32_t *number) {
    enum rnic_status status = limits_check(&device->config, create);
    if (status != RNIC_STATUS_OK)
        return status;
    struct rnic_qp *qp = sim_alloc(device->world, sizeof *qp);
    qp->device = device;
    qp->type = (uint8_t)create->type;
    status = parents_find(device, create, qp);
    if (status == RNIC_STATUS_OK)
        status = rings_open(device, create, qp);
    if (status == RNIC_STATUS_OK && !number_give(device, qp))
        status = RNIC_STATUS_NO_RESOURCES;
    if (status != RNIC_STATUS_OK) {
        qp_free(device, qp);
        return status;
    }
    qp->object = rnic_object_create(device, "qp");
    qp_fill(qp, create);
    references_change(device, qp, 1);
    *number = qp->number;
    return RNIC_STATUS_OK;
}

static void qp_remove(struct rnic_qp *qp) {
    struct rnic_device *device = qp->device;
    rnic_work_forget_qp(device, qp->number);
    rnic_transmit_drop(qp);
    rnic_completer_stop(qp);
    qp->object->closed = true;
    if (qp == device->gsi)
        device->gsi = NULL;
    else
        rnic_table_remove(&device->qps, (struct rnic_numbered *)qp);
    qp_free(device, qp);
}

enum rnic_status rnic_qp_destroy(struct rnic_device *device, uint32_t number) {
    struct rnic_qp *qp = rnic_qp_find(device, number);
    if (qp == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    rnic_qp_release_held(qp);
    references_change(device, qp, UINT32_MAX);
    qp_remove(qp);
    return RNIC_STATUS_OK;
}

void rnic_qps_reset(struct rnic_device *device) {
    uint32_t slot = 0;
    for (struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        qp_remove(qp);
    if (device->gsi != NULL)
        qp_remove(device->gsi);
}

void rnic_qp_query(const struct rnic_qp *qp, struct rnic_qp_info *info) {
    *info = (struct rnic_qp_info){.attributes = qp->attributes,
                                  .state = qp->state,
                                  .syndrome = qp->syndrome,
                                  .sq_producer = qp->requester.producer,
                                  .sq_consumer = qp->requester.start_index,
                                  .sq_finished = qp->completer.head,
                                  .rq_producer = qp->responder.rq_producer,
                                  .rq_consumer = qp->responder.rq_consumer,
                                  .msn = qp->responder.msn,
                                  .reads_out_now = rnic_qp_reads_out(qp)};
    info->attributes.state = qp->state;
    info->attributes.sq_psn = qp->requester.next_psn.value;
    info->attributes.rq_psn = qp->responder.expected.value;
}

bool rnic_device_qp_info(const struct rnic_device *device, uint32_t qpn,
                         struct rnic_qp_info *info) {
    const struct rnic_qp *qp = rnic_qp_find(device, qpn);
    if (qp != NULL)
        rnic_qp_query(qp, info);
    return qp != NULL;
}
