/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requester: works through the send queue and makes request packets of it.
 *
 *            post                          window, fence, reads_out
 *   IDLE ----------> SENDING --------------------------------------> WINDOW FENCE READ_LIMIT
 *    ^                | ^ |                                               |
 *    +-- queue empty -+ | +-- WQE in error --> FAULT                      |
 *                       +---- progress (completer) -----------------------+
 *   any but STOPPED --RNR NAK--> RNR --its timer--> SENDING
 *   any but STOPPED --lost packet, timeout--> SENDING, from the completer's `expected` on
 *
 * Two positions: `start_index` is the first WQE without PSNs, (`index`, `packet`) is what is sent
 * next; the latter goes back on a retry. Both refer to WQEs by place, everything else about a WQE
 * is fetched again when needed. Invariants: head <= index <= start_index <= producer; SENDING means
 * in the transmit list or in its turn.
 */
#include <net/frame.h>

#include "device.h"
#include "mkey.h"
#include "wqe.h"

/* All PSNs that are unacknowledged lie within half the number space (IBTA 9.7.1). */
#define PSN_SPAN_MAX 0x7FFFFFu

static void go(struct rnic_qp *qp) {
    qp->requester.state = RNIC_REQUESTER_SENDING;
    rnic_transmit_want(qp);
}

void rnic_requester_open(struct rnic_qp *qp) {
    struct rnic_requester *r = &qp->requester;
    if (qp->type == RNIC_QP_RC) {
        r->next_psn = wire_psn_make(qp->attributes.sq_psn);
        r->highest_psn = r->next_psn;
        r->since_ack_request = 0;
        r->reads_started = 0;
    }
    r->state = RNIC_REQUESTER_IDLE;
    rnic_requester_start(qp);
}

void rnic_requester_reset(struct rnic_qp *qp) {
    qp->requester =
        (struct rnic_requester){.state = RNIC_REQUESTER_STOPPED, .flights = qp->requester.flights};
    rnic_reads_out_freed(qp);
}

void rnic_requester_stop(struct rnic_qp *qp) {
    qp->requester.state = RNIC_REQUESTER_STOPPED;
    rnic_reads_out_freed(qp);
}

void rnic_requester_post(struct rnic_qp *qp, uint32_t producer) {
    struct rnic_requester *r = &qp->requester;
    enum rnic_post post = rnic_ring_post(&qp->sq, qp->completer.head, r->producer, producer);
    if (post == RNIC_POST_BEYOND)
        rnic_work_add(qp->device, RNIC_WORK_OVERFLOW, qp->number);
    if (post != RNIC_POST_NEW)
        return;
    r->producer = producer;
    bool flushes = qp->state == RNIC_QPS_ERR || qp->state == RNIC_QPS_SQE;
    if (flushes)
        rnic_work_add(qp->device, RNIC_WORK_FLUSH, qp->number);
    else if (r->state == RNIC_REQUESTER_IDLE)
        rnic_work_add(qp->device, RNIC_WORK_SEND, qp->number);
}

void rnic_requester_start(struct rnic_qp *qp) {
    struct rnic_requester *r = &qp->requester;
    if (r->state == RNIC_REQUESTER_IDLE && r->index != r->producer)
        go(qp);
}

void rnic_requester_wake(struct rnic_qp *qp) {
    switch (qp->requester.state) {
    case RNIC_REQUESTER_WINDOW:
    case RNIC_REQUESTER_FENCE:
    case RNIC_REQUESTER_READ_LIMIT:
        go(qp);
        return;
    default:
        return;
    }
}

void rnic_requester_wait(struct rnic_qp *qp) {
    qp->requester.state = RNIC_REQUESTER_RNR;
}

void rnic_requester_skip(struct rnic_qp *qp, uint32_t index) {
    qp->requester.start_index = index;
    qp->requester.index = index;
    qp->requester.packet = 0;
}

/* The send position of the completer's `expected`. */
static void position_at_expected(struct rnic_qp *qp) {
    struct rnic_requester *r = &qp->requester;
    r->index = qp->completer.head;
    r->packet = 0;
    if (r->index == r->start_index)
        return;
    const struct rnic_flight *flight = rnic_flight(qp, r->index);
    if (rnic_flight_count(flight) != 0)
        r->packet = wire_psn_distance(rnic_flight_psn(flight), qp->completer.expected);
}

void rnic_requester_rewind(struct rnic_qp *qp) {
    if (qp->requester.state == RNIC_REQUESTER_STOPPED)
        return;
    position_at_expected(qp);
    /* What is sent again asks for an answer soon. */
    qp->requester.since_ack_request = qp->device->config.ack_interval_packets;
    go(qp);
}

/* Answers may have overtaken a send position that had gone back. */
static void catch_up(struct rnic_qp *qp) {
    struct rnic_requester *r = &qp->requester;
    uint32_t head = qp->completer.head;
    if ((int32_t)(r->index - head) < 0) {
        position_at_expected(qp);
        return;
    }
    if (r->index != head || head == r->start_index)
        return;
    const struct rnic_flight *flight = rnic_flight(qp, head);
    struct wire_psn at = wire_psn_add(rnic_flight_psn(flight), r->packet);
    if (rnic_flight_count(flight) != 0 && wire_psn_before(at, qp->completer.expected))
        position_at_expected(qp);
}

static void fault(struct rnic_qp *qp, enum rnic_cqe_status status, enum rnic_syndrome syndrome) {
    struct rnic_requester *r = &qp->requester;
    r->state = RNIC_REQUESTER_FAULT;
    r->fault_index = r->index;
    r->fault_status =
        (uint8_t)(syndrome == RNIC_SYNDROME_DMA ? RNIC_CQE_LOCAL_FATAL : (uint32_t)status);
    r->fault_syndrome = (uint8_t)syndrome;
}

static uint32_t packets_of(const struct rnic_qp *qp, const struct rnic_send *send) {
    if (send->control.opcode == RNIC_WQE_NOP || send->control.opcode > RNIC_WQE_READ)
        return 0;
    return rnic_packet_count(qp, send->bytes);
}

/* A READ that could not invalidate its sink reads nothing. */
static enum rnic_syndrome sink_check(struct rnic_qp *qp, const struct rnic_send *send) {
    bool invalidates = (send->control.flags & RNIC_WQE_LOCAL_INVALIDATE) != 0 &&
                       (qp->device->config.cap_flags & RNIC_CAP_READ_INVALIDATE) != 0 &&
                       send->sgl.count != 0;
    return invalidates ? rnic_mkey_may_invalidate(qp, send->sgl.entries[0].lkey)
                       : RNIC_SYNDROME_NONE;
}

static enum rnic_syndrome execute_local(struct rnic_qp *qp, const struct rnic_send *send) {
    switch (send->control.opcode) {
    case RNIC_WQE_FAST_REG:
        return rnic_mkey_register(qp, (const void *)send->entry);
    case RNIC_WQE_BIND_MW:
        return rnic_mkey_bind(qp, (const void *)send->entry);
    case RNIC_WQE_LOCAL_INV:
        return rnic_mkey_invalidate(qp, send->control.key, false);
    case RNIC_WQE_READ:
        return sink_check(qp, send);
    default:
        return RNIC_SYNDROME_NONE;
    }
}

/* May the next WQE start? If not, the state says why. */
static bool may_start(struct rnic_qp *qp, const struct rnic_send *send) {
    struct rnic_requester *r = &qp->requester;
    uint32_t reads_out = rnic_qp_reads_out(qp);
    bool is_read = send->control.opcode == RNIC_WQE_READ;
    if ((send->control.flags & RNIC_WQE_FENCE) != 0 && reads_out != 0)
        r->state = RNIC_REQUESTER_FENCE;
    else if (is_read && qp->attributes.reads_out == 0)
        fault(qp, RNIC_CQE_LOCAL_OPERATION, RNIC_SYNDROME_READ_LIMIT);
    else if (is_read && (reads_out >= qp->attributes.reads_out || !rnic_reads_out_fit(qp->device)))
        r->state = RNIC_REQUESTER_READ_LIMIT;
    else if (wire_psn_distance(qp->completer.expected, r->next_psn) + packets_of(qp, send) >
             PSN_SPAN_MAX)
        r->state = RNIC_REQUESTER_WINDOW;
    return r->state == RNIC_REQUESTER_SENDING;
}

/* Gives the WQE at start_index its PSNs, or executes it; false when it may not start. */
static bool start(struct rnic_qp *qp, const struct rnic_send *send, enum rnic_syndrome syndrome) {
    struct rnic_requester *r = &qp->requester;
    if (syndrome != RNIC_SYNDROME_NONE) {
        fault(qp, RNIC_CQE_LOCAL_OPERATION, syndrome);
        return false;
    }
    if (!may_start(qp, send))
        return false;
    if (rnic_fault_hit(qp->device, RNIC_FAULT_QP_ERROR, qp->object, NULL)) {
        rnic_qp_fail(qp, RNIC_SYNDROME_INJECTED);
        return false;
    }
    sim_trace(qp->device->world, RNIC_TRACE_WQE_START, SIM_ACCESS_READ, qp->object, NULL, NULL,
              r->index, send->control.opcode);
    if (qp->device->mkey_closing_count != 0 && !rnic_sgl_may_begin(qp->device, &send->sgl)) {
        fault(qp, RNIC_CQE_LOCAL_PROTECTION, RNIC_SYNDROME_KEY_INVALID);
        return false;
    }
    syndrome = execute_local(qp, send);
    if (syndrome != RNIC_SYNDROME_NONE) {
        fault(qp, RNIC_CQE_MEMORY_OPERATION, syndrome);
        return false;
    }
    uint32_t count = packets_of(qp, send);
    struct rnic_flight *flight = &r->flights[r->index & qp->sq.mask];
    flight->psn_opcode = r->next_psn.value | (uint32_t)send->control.opcode << 24;
    flight->count_flags = count | (uint32_t)send->control.flags << 24;
    r->next_psn = wire_psn_add(r->next_psn, count);
    if (send->control.opcode == RNIC_WQE_READ) {
        r->reads_started++;
        r->read_psns_started += count;
    }
    r->start_index++;
    return true;
}

static uint8_t opcode_of(enum rnic_wqe_opcode wqe, bool first, bool last) {
    static const uint8_t opcodes[RNIC_WQE_OPCODE_COUNT][4] = {
        [RNIC_WQE_SEND] = {WIRE_RC_SEND_MIDDLE, WIRE_RC_SEND_LAST, WIRE_RC_SEND_FIRST,
                           WIRE_RC_SEND_ONLY},
        [RNIC_WQE_SEND_INV] = {WIRE_RC_SEND_MIDDLE, WIRE_RC_SEND_LAST_INV, WIRE_RC_SEND_FIRST,
                               WIRE_RC_SEND_ONLY_INV},
        [RNIC_WQE_WRITE] = {WIRE_RC_WRITE_MIDDLE, WIRE_RC_WRITE_LAST, WIRE_RC_WRITE_FIRST,
                            WIRE_RC_WRITE_ONLY},
        [RNIC_WQE_READ] = {WIRE_RC_READ_REQUEST, WIRE_RC_READ_REQUEST, WIRE_RC_READ_REQUEST,
                           WIRE_RC_READ_REQUEST},
    };
    return opcodes[wqe][(first ? 2 : 0) + (last ? 1 : 0)];
}

/*
 * Request packets that may be on their way. The PSNs of READs that are not finished do not count:
 * nothing but their responses travels.
 */
static uint32_t window(const struct rnic_qp *qp) {
    return qp->device->config.window_packets +
           (qp->requester.read_psns_started - qp->completer.read_psns_finished);
}

/* Within a message every n-th packet asks, its last one always, and the one that fills the window.
 */
static bool wants_ack(struct rnic_qp *qp, struct wire_psn psn, bool last) {
    const struct rnic_config *config = &qp->device->config;
    struct rnic_requester *r = &qp->requester;
    bool fills = wire_psn_distance(qp->completer.expected, psn) + 1 >= window(qp);
    r->since_ack_request++;
    bool wants = last || fills || r->since_ack_request >= config->ack_interval_packets;
    if (wants)
        r->since_ack_request = 0;
    return wants;
}

static void headers_fill(struct rnic_qp *qp, const struct rnic_send *send, uint32_t offset,
                         bool last, struct wire_roce_headers *h) {
    struct rnic_requester *r = &qp->requester;
    const struct rnic_flight *flight = rnic_flight(qp, r->index);
    bool is_read = send->control.opcode == RNIC_WQE_READ;
    h->opcode = opcode_of(send->control.opcode, r->packet == 0, last);
    h->migrated = true;
    h->pkey = qp->attributes.pkey;
    h->dst_qpn = qp->attributes.dest_qpn;
    h->psn = wire_psn_add(rnic_flight_psn(flight), r->packet);
    h->solicited = last && (send->control.flags & RNIC_WQE_SOLICITED) != 0;
    h->ack_request = !is_read && wants_ack(qp, h->psn, last);
    h->reth.address = send->remote_address + offset;
    h->reth.rkey = send->rkey;
    h->reth.bytes = send->bytes - offset;
    h->invalidate_rkey = send->control.key;
}

/* Sends the packet at the send position and moves on; returns payload bytes, for the turn. */
static uint32_t packet_send(struct rnic_qp *qp, const struct rnic_send *send) {
    struct rnic_requester *r = &qp->requester;
    uint32_t count = rnic_flight_count(rnic_flight(qp, r->index));
    uint32_t offset = r->packet * qp->mtu_bytes;
    bool is_read = send->control.opcode == RNIC_WQE_READ;
    bool last = is_read || r->packet + 1 == count;
    uint32_t rest = send->bytes - offset;
    uint32_t bytes = is_read ? 0 : last ? rest : qp->mtu_bytes;
    struct wire_roce_headers headers = {0};
    headers_fill(qp, send, offset, last, &headers);
    struct net_frame *frame = net_frame_get(
        qp->device->world, (uint32_t)wire_roce_frame_bytes(&qp->templ, headers.opcode, bytes));
    size_t at = wire_roce_encode_headers(&qp->templ, &headers, bytes, 0, frame->bytes);
    enum rnic_syndrome syndrome = rnic_send_gather(qp, send, offset, frame->bytes + at, bytes);
    if (syndrome != RNIC_SYNDROME_NONE) {
        net_frame_put(frame);
        fault(qp, RNIC_CQE_LOCAL_PROTECTION, syndrome);
        return 0;
    }
    struct wire_psn psn = headers.psn;
    struct wire_psn behind = wire_psn_add(psn, is_read ? count - r->packet : 1);
    if (wire_psn_before(psn, r->highest_psn))
        rnic_count(qp->device, RNIC_COUNTER_PACKETS_RETRIED);
    if (wire_psn_after(behind, r->highest_psn))
        r->highest_psn = behind;
    rnic_transmit_frame(qp, &qp->templ, &headers, frame, at, bytes);
    r->packet++;
    if (last) {
        r->index++;
        r->packet = 0;
    }
    return bytes;
}

/* The WQE at the send position, started; false when the queue does not go on now. */
static bool prepare(struct rnic_qp *qp, struct rnic_send *send) {
    struct rnic_requester *r = &qp->requester;
    enum rnic_syndrome syndrome = rnic_send_fetch(qp, r->index, send);
    if (r->index == r->start_index)
        return start(qp, send, syndrome);
    const struct rnic_flight *flight = rnic_flight(qp, r->index);
    /* A WQE that the driver changed while it was on its way. */
    if (syndrome == RNIC_SYNDROME_NONE && (packets_of(qp, send) != rnic_flight_count(flight) ||
                                           send->control.opcode != rnic_flight_opcode(flight)))
        syndrome = RNIC_SYNDROME_WQE;
    if (syndrome != RNIC_SYNDROME_NONE)
        fault(qp, RNIC_CQE_LOCAL_OPERATION, syndrome);
    return syndrome == RNIC_SYNDROME_NONE;
}

/* Sends packets of the WQE at the send position. */
static uint32_t message_send(struct rnic_qp *qp, const struct rnic_send *send, uint32_t bytes) {
    struct rnic_requester *r = &qp->requester;
    uint32_t index = r->index;
    uint32_t sent = 0;
    struct wire_psn first = rnic_flight_psn(rnic_flight(qp, index));
    while (r->index == index && sent < bytes && r->state == RNIC_REQUESTER_SENDING) {
        struct wire_psn psn = wire_psn_add(first, r->packet);
        if (wire_psn_distance(qp->completer.expected, psn) >= window(qp)) {
            r->state = RNIC_REQUESTER_WINDOW;
            break;
        }
        sent += packet_send(qp, send) + WIRE_ROCE_HEADER_BYTES_MAX;
    }
    return sent;
}

bool rnic_requester_turn(struct rnic_qp *qp, uint32_t bytes) {
    struct rnic_requester *r = &qp->requester;
    if (r->state != RNIC_REQUESTER_SENDING)
        return false;
    catch_up(qp);
    uint32_t sent = 0;
    while (sent < bytes && r->state == RNIC_REQUESTER_SENDING) {
        if (r->index == r->producer) {
            r->state = RNIC_REQUESTER_IDLE;
            break;
        }
        struct rnic_send send;
        if (!prepare(qp, &send))
            break;
        if (rnic_flight_count(rnic_flight(qp, r->index)) == 0)
            r->index++;
        else
            sent += message_send(qp, &send, bytes - sent);
    }
    if (sent != 0)
        rnic_completer_sent(qp);
    rnic_completer_advance(qp);
    return r->state == RNIC_REQUESTER_SENDING;
}
