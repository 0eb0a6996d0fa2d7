/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues and the two rings of a QP. */
#include "nic.h"

#include <string.h>

/* ---- Completion queues ---- */

enum mbx_status mbx_cq_create(struct mbx_nic *nic, const struct mbx_cq_body *body,
                              uint32_t *number) {
    struct mbx_cq *cq = sim_alloc(nic->world, sizeof(*cq));

    cq->number = mbx_table_add(nic, &nic->cqs, cq);
    if (cq->number == 0) {
        sim_free(nic->world, cq, sizeof(*cq));
        return MBX_NO_RESOURCES;
    }
    cq->ring = body->ring;
    cq->consumer = body->consumer;
    cq->entry_count = body->entry_count;
    cq->depth = body->depth;
    *number = cq->number;
    return MBX_OK;
}

void mbx_cq_destroy(struct mbx_nic *nic, struct mbx_cq *cq) {
    mbx_table_remove(&nic->cqs, cq->number);
    sim_free(nic->world, cq, sizeof(*cq));
}

static uint64_t entry_address(uint64_t ring, uint32_t entry_count, uint32_t index) {
    return ring + (uint64_t)(index & (entry_count - 1)) * sizeof(struct mbx_completion);
}

static bool consumer_read(struct mbx_nic *nic, struct mbx_cq *cq) {
    return mbx_dma_read(nic, cq->consumer, &cq->consumed, sizeof(cq->consumed));
}

/* Entries that are not taken yet move to the new ring; their indices stay. */
enum mbx_status mbx_cq_resize(struct mbx_nic *nic, struct mbx_cq *cq,
                              const struct mbx_cq_body *body) {
    struct mbx_completion entry;

    if (!consumer_read(nic, cq))
        return MBX_DMA_ERROR;
    if (cq->produced - cq->consumed > body->depth)
        return MBX_TOO_SMALL;
    for (uint32_t i = cq->consumed; i != cq->produced; i++) {
        if (!mbx_dma_read(nic, entry_address(cq->ring, cq->entry_count, i), &entry,
                          sizeof(entry)) ||
            !mbx_dma_write(nic, entry_address(body->ring, body->entry_count, i), &entry,
                           sizeof(entry)))
            return MBX_DMA_ERROR;
    }
    cq->ring = body->ring;
    cq->consumer = body->consumer;
    cq->entry_count = body->entry_count;
    cq->depth = body->depth;
    return MBX_OK;
}

/* One event for an arm that is met. */
static void cq_tell(struct mbx_nic *nic, struct mbx_cq *cq) {
    bool is_met = cq->is_armed && (int32_t)(cq->produced - cq->arm_index) > 0;

    if (cq->is_armed_solicited && cq->has_solicited && (int32_t)(cq->solicited - cq->arm_index) > 0)
        is_met = true;
    if (is_met) {
        cq->is_armed = cq->is_armed_solicited = false;
        mbx_event_simple(nic, MBX_EVENT_CQ, cq->number, MBX_OK);
    }
}

void mbx_cq_arm(struct mbx_nic *nic, uint32_t number, uint32_t index, bool is_solicited) {
    struct mbx_cq *cq = mbx_table_find(&nic->cqs, number);

    if (cq == NULL || cq->has_failed)
        return;
    cq->arm_index = index;
    if (is_solicited)
        cq->is_armed_solicited = true;
    else
        cq->is_armed = true;
    cq_tell(nic, cq);
}

/* Its QPs report nothing any more; their connections end. */
static void cq_fail(struct mbx_nic *nic, struct mbx_cq *cq) {
    uint32_t slot = 0;
    struct mbx_qp *qp;

    cq->has_failed = true;
    while ((qp = mbx_table_next(&nic->qps, &slot)) != NULL)
        if (qp->send_cq == cq || qp->receive_cq == cq) {
            qp->is_silent = true;
            if (qp->connection != NULL)
                mbx_connection_end(nic, qp->connection, MBX_ABORTED, true);
            mbx_qp_flush(nic, qp, MBX_FLUSHED);
        }
    mbx_event_simple(nic, MBX_EVENT_CQ_FAILED, cq->number, MBX_OK);
}

static void cq_put(struct mbx_nic *nic, struct mbx_cq *cq, struct mbx_completion *entry) {
    if (cq->has_failed)
        return;
    if (cq->produced - cq->consumed >= cq->depth)
        consumer_read(nic, cq);
    if (cq->produced - cq->consumed >= cq->depth) {
        cq_fail(nic, cq);
        return;
    }
    entry->sequence = cq->produced + 1;
    mbx_dma_write(nic, entry_address(cq->ring, cq->entry_count, cq->produced), entry,
                  sizeof(*entry));
    cq->produced++;
    if (entry->status != MBX_DONE || (entry->flags & MBX_COMPLETION_SOLICITED) != 0) {
        cq->solicited = cq->produced;
        cq->has_solicited = true;
    }
    cq_tell(nic, cq);
}

/* ---- QPs ---- */

enum mbx_status mbx_qp_create(struct mbx_nic *nic, const struct mbx_qp_body *body,
                              uint32_t *number) {
    struct mbx_cq *send_cq = mbx_table_find(&nic->cqs, body->send_cq);
    struct mbx_cq *receive_cq = mbx_table_find(&nic->cqs, body->receive_cq);
    struct mbx_qp *qp;

    if (send_cq == NULL || receive_cq == NULL || mbx_table_find(&nic->pds, body->pd) == NULL)
        return MBX_BAD_OBJECT;
    qp = sim_alloc(nic->world, sizeof(*qp));
    qp->number = mbx_table_add(nic, &nic->qps, qp);
    if (qp->number == 0) {
        sim_free(nic->world, qp, sizeof(*qp));
        return MBX_NO_RESOURCES;
    }
    qp->pd = body->pd;
    qp->cookie = body->cookie;
    qp->send_cq = send_cq;
    qp->receive_cq = receive_cq;
    qp->send_ring = body->send_ring;
    qp->receive_ring = body->receive_ring;
    qp->progress = body->progress;
    qp->send_count = body->send_count;
    qp->receive_count = body->receive_count;
    qp->sent = sim_alloc(nic->world, qp->send_count * sizeof(*qp->sent));
    qp->is_silent = send_cq->has_failed || receive_cq->has_failed;
    *number = qp->number;
    return MBX_OK;
}

/* Taken out of the list of those that were rung, which is short. */
static void unring(struct mbx_nic *nic, struct mbx_qp *qp) {
    struct mbx_qp **link = &nic->rung_first;

    while (*link != NULL && *link != qp)
        link = &(*link)->rung_next;
    if (*link == NULL)
        return;
    *link = qp->rung_next;
    if (nic->rung_last == &qp->rung_next)
        nic->rung_last = link;
}

void mbx_qp_destroy(struct mbx_nic *nic, struct mbx_qp *qp) {
    SIM_ASSERT(qp->connection == NULL);
    mbx_qp_flush(nic, qp, MBX_FLUSHED);
    unring(nic, qp);
    mbx_table_remove(&nic->qps, qp->number);
    sim_free(nic->world, qp->sent, qp->send_count * sizeof(*qp->sent));
    sim_free(nic->world, qp, sizeof(*qp));
}

void mbx_qp_ring(struct mbx_nic *nic, uint32_t number, uint32_t index, bool is_send) {
    struct mbx_qp *qp = mbx_table_find(&nic->qps, number);
    uint32_t *tail;

    if (qp == NULL)
        return;
    /* Two doorbells may pass each other on their way: the later index is the true one. */
    tail = is_send ? &qp->send_tail : &qp->receive_tail;
    if ((int32_t)(index - *tail) > 0)
        *tail = index;
    if (qp->is_rung)
        return;
    qp->is_rung = true;
    qp->rung_next = NULL;
    *nic->rung_last = qp;
    nic->rung_last = &qp->rung_next;
    if (!sim_event_is_scheduled(&nic->engine))
        sim_event_schedule(nic->world, &nic->engine, 200);
}

static void progress_write(struct mbx_nic *nic, struct mbx_qp *qp) {
    mbx_dma_write(nic, qp->progress, &qp->finished, sizeof(qp->finished));
}

static uint64_t work_address(uint64_t ring, uint32_t count, uint32_t index) {
    return ring + (uint64_t)(index & (count - 1)) * sizeof(struct mbx_work);
}

static void send_complete(struct mbx_nic *nic, struct mbx_qp *qp,
                          enum mbx_completion_status status) {
    const struct mbx_sent *sent = &qp->sent[qp->finished.sent & (qp->send_count - 1)];
    struct mbx_completion entry = {
        .cookie = sent->cookie, .qp_cookie = qp->cookie, .status = status, .opcode = sent->opcode};

    /* First, so that whatever the completion leads to finds the queue as it is. */
    qp->finished.sent++;
    if (!qp->is_silent && (status != MBX_DONE || (sent->flags & MBX_WORK_SILENT) == 0))
        cq_put(nic, qp->send_cq, &entry);
    progress_write(nic, qp);
}

/* The oldest request has failed of itself: everything behind it, and the connection, ends. */
static void qp_break(struct mbx_nic *nic, struct mbx_qp *qp) {
    if (qp->is_failed)
        return;
    mbx_qp_flush(nic, qp, MBX_FLUSHED);
    if (qp->connection != NULL)
        mbx_connection_end(nic, qp->connection, MBX_ABORTED, true);
}

void mbx_qp_retire(struct mbx_nic *nic, struct mbx_qp *qp) {
    const struct mbx_connection *connection = qp->connection;

    while (qp->finished.sent != qp->send_next) {
        const struct mbx_sent *sent = &qp->sent[qp->finished.sent & (qp->send_count - 1)];
        bool is_acknowledged = sent->opcode != MBX_WORK_READ && sent->is_all_sent &&
                               connection != NULL &&
                               (int32_t)(connection->stream.acknowledged - sent->last_sequence) > 0;

        if (!sent->is_done && !is_acknowledged)
            return;
        if (sent->status != MBX_DONE) {
            qp_break(nic, qp);
            return;
        }
        send_complete(nic, qp, MBX_DONE);
    }
}

bool mbx_work_read(struct mbx_nic *nic, const struct mbx_qp *qp, uint32_t index,
                   struct mbx_work *work) {
    return mbx_dma_read(nic, work_address(qp->send_ring, qp->send_count, index), work,
                        sizeof(*work));
}

/* Requests that were never begun are looked up, so that their completions name them. */
static void begin_unsent(struct mbx_nic *nic, struct mbx_qp *qp) {
    struct mbx_sent *sent = &qp->sent[qp->send_next & (qp->send_count - 1)];
    struct mbx_work work;

    memset(&work, 0, sizeof(work));
    mbx_dma_read(nic, work_address(qp->send_ring, qp->send_count, qp->send_next), &work,
                 offsetof(struct mbx_work, remote_address));
    *sent = (struct mbx_sent){.cookie = work.cookie, .opcode = work.opcode};
    qp->send_next++;
}

static void receives_flush(struct mbx_nic *nic, struct mbx_qp *qp) {
    while (qp->finished.received != qp->receive_tail && mbx_receive_take(nic, qp))
        mbx_receive_end(nic, qp, MBX_FLUSHED, false, 0);
}

void mbx_qp_flush(struct mbx_nic *nic, struct mbx_qp *qp, enum mbx_completion_status first) {
    qp->is_failed = true; /* first: what retires may have failed of itself */
    mbx_qp_retire(nic, qp);
    qp->is_sending = false;
    qp->reads = 0;
    while (qp->finished.sent != qp->send_tail) {
        const struct mbx_sent *sent = &qp->sent[qp->finished.sent & (qp->send_count - 1)];

        if (qp->finished.sent == qp->send_next)
            begin_unsent(nic, qp);
        if (sent->is_done) {
            send_complete(nic, qp, sent->status);
        } else {
            send_complete(nic, qp, first);
            first = MBX_FLUSHED;
        }
    }
    receives_flush(nic, qp);
}

void mbx_qp_fail(struct mbx_nic *nic, struct mbx_qp *qp, uint32_t index,
                 enum mbx_completion_status status) {
    mbx_qp_retire(nic, qp);
    while ((int32_t)(index - qp->finished.sent) > 0 && qp->finished.sent != qp->send_next)
        send_complete(nic, qp, MBX_FLUSHED);
    mbx_qp_flush(nic, qp, status);
}

/* ---- Receives ---- */

bool mbx_receive_take(struct mbx_nic *nic, struct mbx_qp *qp) {
    if (qp->is_receiving)
        return true;
    if (qp->finished.received == qp->receive_tail)
        return false;
    qp->is_receiving =
        mbx_dma_read(nic, work_address(qp->receive_ring, qp->receive_count, qp->finished.received),
                     &qp->receiving, sizeof(qp->receiving));
    qp->receive_offset = 0;
    return qp->is_receiving;
}

void mbx_receive_end(struct mbx_nic *nic, struct mbx_qp *qp, enum mbx_completion_status status,
                     bool is_solicited, uint32_t token) {
    struct mbx_completion entry = {.cookie = qp->receiving.cookie,
                                   .qp_cookie = qp->cookie,
                                   .status = status,
                                   .opcode =
                                       token != 0 ? MBX_WORK_RECEIVE_INVALIDATE : MBX_WORK_RECEIVE,
                                   .bytes = status == MBX_DONE ? (uint32_t)qp->receive_offset : 0,
                                   .token = token,
                                   .flags = is_solicited ? MBX_COMPLETION_SOLICITED : 0};

    qp->is_receiving = false;
    qp->finished.received++;
    if (!qp->is_silent)
        cq_put(nic, qp->receive_cq, &entry);
    progress_write(nic, qp);
}
