/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The completer: takes responses and finishes WQEs, strictly in posting order. `head` is the oldest
 * unfinished WQE, `expected` the oldest PSN without an answer.
 *
 *   ACK                 everything up to its PSN is done; not so a READ, whose responses are its
 *                       answer: an ACK beyond an unfinished READ means that they were lost
 *   READ response       everything before the READ is done; its data must come in PSN order
 *   NAK, RNR NAK        everything before its PSN is done; see completer_retry.c
 *   anything else       stale: dropped
 *
 *   FLOWING --sequence NAK--> RESENDING --response missing--> REREADING
 *   FLOWING --response missing--> REREADING            any --progress, timeout--> FLOWING
 */
#include "completer.h"

#include "cq.h"
#include "device.h"
#include "mkey.h"
#include "wqe.h"

void rnic_completer_init(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    *c = (struct rnic_completer){.deadline_ns = SIM_TIME_NEVER};
    rnic_completer_timer_init(qp);
}

void rnic_completer_open(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    c->state = RNIC_COMPLETER_FLOWING;
    c->expected = wire_psn_make(qp->attributes.sq_psn);
    c->retries_left = qp->attributes.retry_count;
    c->rnr_retries_left = qp->attributes.rnr_retry;
    c->reads_finished = 0;
    c->read_psns_finished = 0;
}

static enum rnic_wqe_opcode head_opcode(struct rnic_qp *qp) {
    /* A WQE that failed at its start has left no flight, and `head` is beyond it already. */
    bool is_started = (int32_t)(qp->completer.head - qp->requester.start_index) < 0;
    if (qp->requester.flights != NULL && is_started)
        return rnic_flight_opcode(rnic_flight(qp, qp->completer.head));
    struct rnic_send send;
    (void)rnic_send_fetch(qp, qp->completer.head, &send);
    return send.control.opcode;
}

void rnic_completer_finish(struct rnic_qp *qp, enum rnic_wqe_opcode opcode, uint8_t flags,
                           uint32_t bytes) {
    struct rnic_completer *c = &qp->completer;
    uint32_t index = c->head++;
    rnic_count(qp->device, RNIC_COUNTER_MESSAGES_SENT);
    if ((flags & RNIC_WQE_SIGNALLED) != 0)
        rnic_qp_complete_send(qp, index, opcode, RNIC_CQE_OK, RNIC_SYNDROME_NONE, bytes);
}

void rnic_completer_fail(struct rnic_qp *qp, enum rnic_wqe_opcode opcode,
                         enum rnic_cqe_status status, enum rnic_syndrome syndrome) {
    uint32_t index = qp->completer.head++;
    rnic_qp_complete_send(qp, index, opcode, status, syndrome, 0);
    rnic_completer_tell(qp);
    rnic_qp_fail(qp, syndrome);
}

void rnic_completer_fail_head(struct rnic_qp *qp, enum rnic_cqe_status status,
                              enum rnic_syndrome syndrome) {
    rnic_completer_fail(qp, head_opcode(qp), status, syndrome);
}

void rnic_completer_tell(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    if (qp->sq_finished_record == 0 || c->finished_told == c->head)
        return;
    /* It comes after the CQEs: rnic_cq_release makes good for it. */
    if (rnic_cq_is_holding(qp->send_cq))
        return;
    /* One that failed is made good for by the flush. */
    if (rnic_dma_write(qp->device, qp->sq_finished_record, &c->head, sizeof c->head))
        c->finished_told = c->head;
    else
        rnic_qp_fail(qp, RNIC_SYNDROME_DMA);
}

static void finish_flight(struct rnic_qp *qp, const struct rnic_flight *flight, uint32_t bytes) {
    rnic_completer_finish(qp, rnic_flight_opcode(flight), rnic_flight_flags(flight), bytes);
}

void rnic_completer_advance(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    const struct rnic_requester *r = &qp->requester;
    while (qp->state == RNIC_QPS_RTS && c->head != r->start_index) {
        const struct rnic_flight *flight = rnic_flight(qp, c->head);
        if (rnic_flight_count(flight) != 0)
            break;
        finish_flight(qp, flight, 0);
    }
    rnic_completer_tell(qp);
    if (r->state == RNIC_REQUESTER_FAULT && c->head == r->fault_index)
        rnic_completer_fail_head(qp, r->fault_status, r->fault_syndrome);
}

/* After `expected` moved. */
static void progress(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    if (qp->state != RNIC_QPS_RTS)
        return;
    c->state = RNIC_COMPLETER_FLOWING;
    c->retries_left = qp->attributes.retry_count;
    c->rnr_retries_left = qp->attributes.rnr_retry;
    rnic_completer_timer_restart(qp);
    rnic_completer_advance(qp);
    rnic_requester_wake(qp);
}

/*
 * Finishes what an answer for `through` answers. False when an unfinished READ lies in between:
 * its responses were lost.
 */
static bool acknowledge(struct rnic_qp *qp, struct wire_psn through) {
    struct rnic_completer *c = &qp->completer;
    struct wire_psn before = c->expected;
    bool complete = true;
    while (qp->state == RNIC_QPS_RTS && c->head != qp->requester.start_index) {
        const struct rnic_flight *flight = rnic_flight(qp, c->head);
        uint32_t count = rnic_flight_count(flight);
        if (count != 0) {
            struct wire_psn first = rnic_flight_psn(flight);
            struct wire_psn behind = wire_psn_add(first, count);
            if (wire_psn_before(through, first))
                break;
            complete = rnic_flight_opcode(flight) != RNIC_WQE_READ;
            if (!complete)
                break;
            if (!wire_psn_before(through, c->expected))
                c->expected = wire_psn_before(through, behind) ? wire_psn_next(through) : behind;
            if (!wire_psn_equal(c->expected, behind))
                break;
        }
        finish_flight(qp, flight, 0);
    }
    if (!wire_psn_equal(before, c->expected))
        progress(qp);
    return complete;
}

/* A responder may fail a READ at any of its PSNs. */
static bool is_in_read_at_head(const struct rnic_qp *qp, struct wire_psn psn) {
    const struct rnic_flight *flight = rnic_flight(qp, qp->completer.head);
    return qp->completer.head != qp->requester.start_index &&
           rnic_flight_opcode(flight) == RNIC_WQE_READ &&
           wire_psn_in_range(psn, rnic_flight_psn(flight), rnic_flight_count(flight));
}

static void on_ack(struct rnic_qp *qp, const struct wire_roce_headers *headers) {
    uint8_t syndrome = headers->aeth.syndrome;
    enum wire_aeth_kind kind = wire_aeth_kind(syndrome);
    bool is_ack = kind == WIRE_AETH_ACK;
    struct wire_psn through = is_ack ? headers->psn : wire_psn_sub(headers->psn, 1);
    bool is_error = kind == WIRE_AETH_NAK && syndrome != WIRE_SYNDROME_NAK_PSN_SEQUENCE;
    if (!acknowledge(qp, through) && !(is_error && is_in_read_at_head(qp, headers->psn))) {
        rnic_completer_response_lost(qp);
        return;
    }
    if (is_ack || qp->state != RNIC_QPS_RTS)
        return;
    if (kind == WIRE_AETH_RNR)
        rnic_completer_on_rnr(qp, wire_aeth_value(syndrome));
    else
        rnic_completer_on_nak(qp, syndrome);
}

/* The READ at the head, after everything before PSN `psn` is finished; NULL when there is none. */
static const struct rnic_flight *read_at_head(struct rnic_qp *qp, struct wire_psn psn) {
    struct rnic_completer *c = &qp->completer;
    (void)acknowledge(qp, wire_psn_sub(psn, 1));
    if (qp->state != RNIC_QPS_RTS || c->head == qp->requester.start_index)
        return NULL;
    const struct rnic_flight *flight = rnic_flight(qp, c->head);
    return rnic_flight_opcode(flight) == RNIC_WQE_READ ? flight : NULL;
}

static uint32_t read_rights(const struct rnic_device *device) {
    bool sink = (device->config.cap_flags & RNIC_CAP_READ_SINK_REQUIRED) != 0;
    return RNIC_RIGHT_LOCAL_WRITE | (sink ? (uint32_t)RNIC_RIGHT_READ_SINK : 0);
}

static void read_finish(struct rnic_qp *qp, const struct rnic_flight *flight,
                        const struct rnic_send *send) {
    bool invalidate = (rnic_flight_flags(flight) & RNIC_WQE_LOCAL_INVALIDATE) != 0 &&
                      (qp->device->config.cap_flags & RNIC_CAP_READ_INVALIDATE) != 0;
    qp->completer.reads_finished++;
    qp->completer.read_psns_finished += rnic_flight_count(flight);
    rnic_reads_out_freed(qp);
    if (invalidate && send->sgl.count != 0) {
        enum rnic_syndrome syndrome = rnic_mkey_invalidate(qp, send->sgl.entries[0].lkey, false);
        if (syndrome != RNIC_SYNDROME_NONE) {
            rnic_completer_fail_head(qp, RNIC_CQE_MEMORY_OPERATION, syndrome);
            return;
        }
    }
    finish_flight(qp, flight, send->bytes);
}

/* The response that is due: its data lands. */
static void read_place(struct rnic_qp *qp, const struct rnic_flight *flight,
                       const struct wire_roce_packet *packet) {
    struct rnic_completer *c = &qp->completer;
    uint32_t number = wire_psn_distance(rnic_flight_psn(flight), packet->headers.psn);
    uint64_t offset = (uint64_t)number * qp->mtu_bytes;
    bool last = number + 1 == rnic_flight_count(flight);
    struct rnic_send send;
    enum rnic_syndrome syndrome = rnic_send_fetch(qp, c->head, &send);
    if (syndrome != RNIC_SYNDROME_NONE || send.bytes < offset) {
        rnic_completer_fail_head(qp, RNIC_CQE_LOCAL_OPERATION, RNIC_SYNDROME_WQE);
        return;
    }
    uint64_t want = last ? send.bytes - offset : qp->mtu_bytes;
    bool ends = (wire_roce_opcode_flags[packet->headers.opcode] & WIRE_OP_END) != 0;
    if (packet->payload_bytes != want || ends != last) {
        rnic_completer_fail_head(qp, RNIC_CQE_BAD_RESPONSE, RNIC_SYNDROME_RESPONSE);
        return;
    }
    syndrome = rnic_sgl_scatter(qp->device, &send.sgl, offset, packet->payload,
                                packet->payload_bytes, read_rights(qp->device));
    if (syndrome != RNIC_SYNDROME_NONE) {
        bool dma = syndrome == RNIC_SYNDROME_DMA;
        rnic_completer_fail_head(qp, dma ? RNIC_CQE_LOCAL_FATAL : RNIC_CQE_LOCAL_PROTECTION,
                                 syndrome);
        return;
    }
    c->expected = wire_psn_next(packet->headers.psn);
    if (last)
        read_finish(qp, flight, &send);
    progress(qp);
}

static void on_read_response(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct wire_psn psn = packet->headers.psn;
    const struct rnic_flight *flight = read_at_head(qp, psn);
    if (flight == NULL)
        return;
    struct wire_psn first = rnic_flight_psn(flight);
    struct wire_psn due =
        wire_psn_before(qp->completer.expected, first) ? first : qp->completer.expected;
    if (wire_psn_equal(psn, due))
        read_place(qp, flight, packet);
    else if (wire_psn_after(psn, due))
        rnic_completer_response_lost(qp);
}

static void drop(struct rnic_qp *qp, const struct wire_roce_headers *headers) {
    sim_trace(qp->device->world, RNIC_TRACE_PACKET_DROP, SIM_ACCESS_READ, &qp->device->bus.object,
              qp->object, NULL, RNIC_DROP_STALE,
              (uint64_t)headers->opcode << 24 | headers->psn.value);
}

void rnic_completer_response(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    const struct wire_roce_headers *headers = &packet->headers;
    uint32_t outstanding = wire_psn_distance(qp->completer.expected, qp->requester.highest_psn);
    bool stale = wire_psn_distance(qp->completer.expected, headers->psn) >= outstanding;
    if (qp->state != RNIC_QPS_RTS || stale) {
        drop(qp, headers);
        return;
    }
    if (headers->opcode == WIRE_RC_ACK)
        on_ack(qp, headers);
    else
        on_read_response(qp, packet);
    rnic_completer_tell(qp);
}

bool rnic_completer_flush(struct rnic_qp *qp, uint32_t count_max) {
    struct rnic_completer *c = &qp->completer;
    uint32_t producer = qp->requester.producer;
    while (c->head != producer && count_max != 0 && rnic_device_is_ready(qp->device)) {
        enum rnic_wqe_opcode opcode = head_opcode(qp);
        uint32_t index = c->head++;
        count_max--;
        rnic_qp_complete_send(qp, index, opcode, RNIC_CQE_FLUSHED, RNIC_SYNDROME_NONE, 0);
        if (qp->requester.start_index == index)
            rnic_requester_skip(qp, c->head);
    }
    bool more = c->head != producer && rnic_device_is_ready(qp->device);
    if (!more)
        rnic_requester_skip(qp, producer);
    rnic_completer_tell(qp);
    return more;
}
