/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completions of a QP, its way to the error state, and the flush: each queue in posting order, the
 * send queue first unless the QP was made otherwise. A QP whose CQ or SRQ failed reports nothing
 * more at all.
 */
#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"
#include "srq.h"

void rnic_qp_complete_send(struct rnic_qp *qp, uint32_t index, enum rnic_wqe_opcode opcode,
                           enum rnic_cqe_status status, enum rnic_syndrome syndrome,
                           uint32_t bytes) {
    static const uint8_t cqe_opcodes[RNIC_WQE_OPCODE_COUNT] = {
        [RNIC_WQE_NOP] = RNIC_CQE_NOP,           [RNIC_WQE_SEND] = RNIC_CQE_SEND,
        [RNIC_WQE_SEND_INV] = RNIC_CQE_SEND,     [RNIC_WQE_WRITE] = RNIC_CQE_WRITE,
        [RNIC_WQE_READ] = RNIC_CQE_READ,         [RNIC_WQE_LOCAL_INV] = RNIC_CQE_LOCAL_INV,
        [RNIC_WQE_FAST_REG] = RNIC_CQE_FAST_REG, [RNIC_WQE_BIND_MW] = RNIC_CQE_BIND_MW,
    };
    struct rnic_cqe cqe = {.qpn = qp->number,
                           .wqe_index = index,
                           .byte_count = bytes,
                           .opcode = cqe_opcodes[opcode],
                           .status = (uint8_t)status,
                           .syndrome = (uint8_t)syndrome};
    rnic_cq_post(qp->send_cq, qp, &cqe);
}

void rnic_qp_complete_receive(struct rnic_qp *qp, struct rnic_cqe *cqe) {
    cqe->qpn = qp->number;
    if (qp->srq != NULL) {
        cqe->srqn = qp->srq->number;
        cqe->flags |= RNIC_CQE_FLAG_SRQ;
    }
    if (cqe->status == RNIC_CQE_OK)
        rnic_count(qp->device, RNIC_COUNTER_MESSAGES_RECEIVED);
    rnic_cq_post(qp->receive_cq, qp, cqe);
}

void rnic_qp_enter_error(struct rnic_qp *qp, enum rnic_syndrome syndrome) {
    rnic_qp_set_state(qp, RNIC_QPS_ERR, syndrome);
    rnic_requester_stop(qp);
    rnic_completer_stop(qp);
    rnic_responder_stop(qp);
    rnic_work_add(qp->device, RNIC_WORK_FLUSH, qp->number);
}

void rnic_qp_fail(struct rnic_qp *qp, enum rnic_syndrome syndrome) {
    if (qp->state == RNIC_QPS_ERR || !rnic_device_is_ready(qp->device))
        return;
    rnic_qp_enter_error(qp, syndrome);
    const struct rnic_event event = {
        .number = qp->number, .type = RNIC_EVENT_QP_ERROR, .status = (uint8_t)syndrome};
    rnic_event_post(qp->device, &event);
}

/* Also one that is in error already is silent from now on. */
static void fail_silently(struct rnic_qp *qp, enum rnic_syndrome syndrome) {
    rnic_qp_fail(qp, syndrome);
    qp->syndrome = (uint8_t)syndrome;
}

static bool is_silent(const struct rnic_qp *qp) {
    return qp->syndrome == RNIC_SYNDROME_CQ || qp->syndrome == RNIC_SYNDROME_SRQ;
}

void rnic_qps_fail_with_srq(struct rnic_device *device, const struct rnic_srq *srq) {
    uint32_t slot = 0;
    for (struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        if (qp->srq == srq)
            fail_silently(qp, RNIC_SYNDROME_SRQ);
}

static void fail_with_cq(struct rnic_qp *qp, const struct rnic_cq *cq) {
    if (qp->send_cq == cq || qp->receive_cq == cq)
        fail_silently(qp, RNIC_SYNDROME_CQ);
}

void rnic_qps_fail_with_cq(struct rnic_device *device, struct rnic_cq *cq) {
    uint32_t slot = 0;
    for (struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        fail_with_cq(qp, cq);
    if (device->gsi != NULL)
        fail_with_cq(device->gsi, cq);
}

void rnic_qps_tell_finished(struct rnic_device *device, const struct rnic_cq *cq) {
    uint32_t slot = 0;
    for (struct rnic_qp *qp; (qp = rnic_table_next(&device->qps, &slot)) != NULL;)
        if (qp->send_cq == cq)
            rnic_completer_tell(qp);
    if (device->gsi != NULL && device->gsi->send_cq == cq)
        rnic_completer_tell(device->gsi);
}

static void flush_in_turn(struct rnic_qp *qp) {
    bool sends = true;
    bool receives = true;
    while ((sends || receives) && rnic_device_is_ready(qp->device)) {
        sends = sends && rnic_completer_flush(qp, 1);
        receives = receives && rnic_responder_flush(qp, 1);
    }
}

void rnic_qp_flush(struct rnic_qp *qp) {
    bool in_error = qp->state == RNIC_QPS_ERR;
    if (is_silent(qp) || !rnic_device_is_ready(qp->device))
        return;
    if (in_error && (qp->flags & RNIC_QP_FLAG_FLUSH_IN_TURN) != 0)
        flush_in_turn(qp);
    if (in_error && (qp->flags & RNIC_QP_FLAG_FLUSH_RECEIVES_FIRST) != 0)
        (void)rnic_responder_flush(qp, UINT32_MAX);
    if (in_error || qp->state == RNIC_QPS_SQE)
        (void)rnic_completer_flush(qp, UINT32_MAX);
    if (in_error)
        (void)rnic_responder_flush(qp, UINT32_MAX);
}

void rnic_qp_release_held(struct rnic_qp *qp) {
    rnic_cq_release(qp->send_cq, true);
    rnic_cq_release(qp->receive_cq, true);
}
