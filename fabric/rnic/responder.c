/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The responder: judges each request packet by its PSN (IBTA 9.7.3, 9.7.4) and hands the one that
 * is due to responder_execute.c. Replies leave in turn, see responder_reply.c.
 *
 *            PSN ahead: one NAK; no receive: RNR NAK
 *   READY ---------------------------------------------> NAKED --expected PSN comes--> READY
 *     |  \                                                 |
 *     |   +-- protocol or access error: FAULT (QP: ERR) <--+
 *     +-- QP leaves RTR and RTS: DONE                FAULT --last reply has left--> DONE
 *
 *   ahead of expected    dropped; in READY one NAK "sequence" that names the expected PSN
 *   expected             executed
 *   behind, SEND, WRITE  not executed again; acknowledged again
 *   behind, READ         its responses are sent again when a remembered READ covers it
 */
#include <string.h>

#include <sim/memory.h>

#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"
#include "srq.h"
#include "wqe.h"

void rnic_responder_open(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    r->state = RNIC_RESPONDER_READY;
    r->expected = wire_psn_make(qp->attributes.rq_psn);
}

void rnic_responder_close(struct rnic_qp *qp) {
    rnic_responder_put(qp);
    rnic_reads_in_end(qp);
    qp->responder =
        (struct rnic_responder){.state = RNIC_RESPONDER_DONE, .reads = qp->responder.reads};
}

void rnic_responder_stop(struct rnic_qp *qp) {
    rnic_reads_in_end(qp);
    if (qp->responder.state != RNIC_RESPONDER_FAULT)
        qp->responder.state = RNIC_RESPONDER_DONE;
}

void rnic_responder_post(struct rnic_qp *qp, uint32_t producer) {
    struct rnic_responder *r = &qp->responder;
    enum rnic_post post = RNIC_POST_BEYOND;
    if (qp->srq == NULL)
        post = rnic_ring_post(&qp->rq, r->rq_consumer, r->rq_producer, producer);
    if (post == RNIC_POST_BEYOND)
        rnic_work_add(qp->device, RNIC_WORK_OVERFLOW, qp->number);
    if (post != RNIC_POST_NEW)
        return;
    r->rq_producer = producer;
    if (qp->state == RNIC_QPS_ERR)
        rnic_work_add(qp->device, RNIC_WORK_FLUSH, qp->number);
}

bool rnic_responder_take(struct rnic_qp *qp, enum rnic_syndrome *syndrome) {
    struct rnic_responder *r = &qp->responder;
    if (qp->srq == NULL && r->rq_consumer == r->rq_producer)
        return false;
    r->receive = sim_alloc(qp->device->world, sizeof *r->receive);
    if (qp->srq == NULL) {
        *syndrome = rnic_receive_fetch(qp->device, &qp->rq, r->rq_consumer++, qp->rq_sge_count_max,
                                       r->receive);
    } else if (!rnic_srq_take(qp->srq, syndrome, r->receive)) {
        rnic_responder_put(qp);
    }
    return r->receive != NULL;
}

void rnic_responder_put(struct rnic_qp *qp) {
    sim_free(qp->device->world, qp->responder.receive, sizeof *qp->responder.receive);
    qp->responder.receive = NULL;
}

static void ahead(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    rnic_count(qp->device, RNIC_COUNTER_OUT_OF_SEQUENCE);
    if (r->state != RNIC_RESPONDER_READY)
        return;
    r->state = RNIC_RESPONDER_NAKED;
    rnic_responder_reply(qp, RNIC_REPLY_NAK, r->expected, WIRE_SYNDROME_NAK_PSN_SEQUENCE);
}

/* A remembered READ that this request repeats, wholly or from some packet on. */
static struct rnic_read *read_find(struct rnic_qp *qp, const struct wire_roce_headers *headers,
                                   uint32_t *from) {
    struct rnic_responder *r = &qp->responder;
    for (uint32_t i = 0; i < r->read_count; i++) {
        uint32_t slot = (r->read_first + i) % qp->attributes.reads_in;
        struct rnic_read *read = &r->reads[slot];
        *from = wire_psn_distance(read->psn, headers->psn);
        uint64_t offset = (uint64_t)*from * qp->mtu_bytes;
        if (*from < read->count && headers->reth.rkey == read->rkey &&
            headers->reth.address == read->address + offset &&
            headers->reth.bytes <= read->bytes - offset)
            return read;
    }
    return NULL;
}

static void read_again(struct rnic_qp *qp, const struct wire_roce_headers *headers) {
    uint32_t from = 0;
    struct rnic_read *read = read_find(qp, headers, &from);
    if (read == NULL) {
        sim_trace(qp->device->world, RNIC_TRACE_PACKET_DROP, SIM_ACCESS_READ,
                  &qp->device->bus.object, qp->object, NULL, RNIC_DROP_DUPLICATE,
                  (uint64_t)headers->opcode << 24 | headers->psn.value);
        return;
    }
    read->first = from;
    read->next = from;
    read->end = from + rnic_packet_count(qp, headers->reth.bytes);
    read->stop = from * qp->mtu_bytes + headers->reth.bytes;
    read->is_repeat = true;
    rnic_transmit_want(qp);
}

static void behind(struct rnic_qp *qp, const struct wire_roce_headers *headers) {
    struct rnic_responder *r = &qp->responder;
    rnic_count(qp->device, RNIC_COUNTER_DUPLICATES);
    sim_trace(qp->device->world, RNIC_TRACE_DUPLICATE, SIM_ACCESS_READ, qp->object, NULL, NULL,
              headers->psn.value, r->expected.value);
    if (headers->opcode == WIRE_RC_READ_REQUEST)
        read_again(qp, headers);
    else if (r->reply == RNIC_REPLY_NONE)
        rnic_responder_reply(qp, RNIC_REPLY_ACK, r->expected, WIRE_SYNDROME_ACK);
}

static void established(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    bool tell = qp->state == RNIC_QPS_RTR && !r->has_received;
    r->has_received = true;
    const struct rnic_event event = {.number = qp->number, .type = RNIC_EVENT_QP_COMM_EST};
    if (tell)
        rnic_event_post(qp->device, &event);
}

void rnic_responder_request(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    if (r->state != RNIC_RESPONDER_READY && r->state != RNIC_RESPONDER_NAKED)
        return;
    int32_t distance = wire_psn_diff(packet->headers.psn, r->expected);
    if (distance > 0) {
        ahead(qp);
        return;
    }
    if (distance < 0) {
        behind(qp, &packet->headers);
        return;
    }
    r->state = RNIC_RESPONDER_READY;
    if (r->reply == RNIC_REPLY_NAK)
        r->reply = RNIC_REPLY_NONE;
    established(qp);
    rnic_responder_execute(qp, packet);
}

static void flush_one(struct rnic_qp *qp, uint32_t index, uint64_t tag) {
    struct rnic_cqe cqe = {
        .wqe_index = index, .tag = tag, .opcode = RNIC_CQE_RECV, .status = RNIC_CQE_FLUSHED};
    rnic_qp_complete_receive(qp, &cqe);
}

bool rnic_responder_flush(struct rnic_qp *qp, uint32_t count_max) {
    struct rnic_responder *r = &qp->responder;
    if (r->receive != NULL && count_max != 0) {
        struct rnic_receive taken = *r->receive;
        rnic_responder_put(qp);
        count_max--;
        flush_one(qp, taken.index, taken.tag);
    }
    for (; qp->srq == NULL && r->rq_consumer != r->rq_producer && count_max != 0; count_max--)
        flush_one(qp, r->rq_consumer++, 0);
    if (qp->srq == NULL || r->is_last_told)
        return qp->srq == NULL && r->rq_consumer != r->rq_producer;
    r->is_last_told = true;
    const struct rnic_event event = {.number = qp->number, .type = RNIC_EVENT_QP_LAST_WQE};
    rnic_event_post(qp->device, &event);
    return false;
}
