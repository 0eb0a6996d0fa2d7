/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retries. One timer per QP: the acknowledgement timeout, 4.096 us * 2^timeout from the last
 * request sent or the last progress, or the wait that an RNR NAK asked for. It is lazy: restarting
 * moves the deadline only, an event that comes early is put off. It runs in RTS only: a QP may
 * leave that state in the midst of a turn of its requester, after packets of that turn have left.
 *
 * The transport budget (timeouts, sequence NAKs, lost responses) and the RNR budget are each full
 * again after progress. With n retries the (n + 1)-th failure in a row ends the QP.
 */
#include "completer.h"

#include <wire/timers.h>

#include "device.h"

static void timer_set(struct rnic_qp *qp, uint64_t deadline_ns) {
    struct rnic_completer *c = &qp->completer;
    c->deadline_ns = deadline_ns;
    if (sim_event_is_scheduled(&c->timer) && c->timer.due_ns <= deadline_ns &&
        deadline_ns != SIM_TIME_NEVER)
        return;
    sim_event_cancel(qp->device->world, &c->timer);
    if (deadline_ns != SIM_TIME_NEVER)
        sim_event_schedule_at(qp->device->world, &c->timer, deadline_ns);
}

static uint64_t ack_deadline_ns(const struct rnic_qp *qp) {
    uint64_t timeout_ns = wire_ack_timeout_ns(qp->attributes.timeout);
    if (qp->state != RNIC_QPS_RTS || timeout_ns == 0 || !rnic_qp_is_unacknowledged(qp))
        return SIM_TIME_NEVER;
    return rnic_now_ns(qp->device) + timeout_ns;
}

void rnic_completer_timer_restart(struct rnic_qp *qp) {
    if (qp->requester.state != RNIC_REQUESTER_RNR)
        timer_set(qp, ack_deadline_ns(qp));
}

void rnic_completer_sent(struct rnic_qp *qp) {
    rnic_completer_timer_restart(qp);
}

void rnic_completer_stop(struct rnic_qp *qp) {
    timer_set(qp, SIM_TIME_NEVER);
}

static void retry(struct rnic_qp *qp, enum rnic_trace_type why) {
    struct rnic_completer *c = &qp->completer;
    sim_trace(qp->device->world, (uint16_t)why, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              c->expected.value, c->retries_left);
    if (c->retries_left == 0) {
        rnic_completer_fail_head(qp, RNIC_CQE_RETRY_EXCEEDED, RNIC_SYNDROME_RETRY);
        return;
    }
    c->retries_left--;
    timer_set(qp, ack_deadline_ns(qp));
    rnic_requester_rewind(qp);
}

void rnic_completer_response_lost(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    if (qp->state != RNIC_QPS_RTS || c->state == RNIC_COMPLETER_REREADING ||
        qp->requester.state == RNIC_REQUESTER_RNR)
        return;
    c->state = RNIC_COMPLETER_REREADING;
    retry(qp, RNIC_TRACE_RETRY);
}

/*
 * A responder gives one NAK for a gap and is silent until it is closed, so a second one without
 * progress in between is a copy made on the way. It must not cost a retry.
 */
static void on_sequence_nak(struct rnic_qp *qp) {
    struct rnic_completer *c = &qp->completer;
    rnic_count(qp->device, RNIC_COUNTER_NAKS_RECEIVED);
    if (c->state != RNIC_COMPLETER_FLOWING || qp->requester.state == RNIC_REQUESTER_RNR)
        return;
    c->state = RNIC_COMPLETER_RESENDING;
    retry(qp, RNIC_TRACE_RETRY);
}

void rnic_completer_on_rnr(struct rnic_qp *qp, uint8_t timer_code) {
    struct rnic_completer *c = &qp->completer;
    rnic_count(qp->device, RNIC_COUNTER_RNR_NAKS_RECEIVED);
    if (qp->requester.state == RNIC_REQUESTER_RNR)
        return;
    if (qp->attributes.rnr_retry != WIRE_RNR_RETRY_FOREVER && c->rnr_retries_left-- == 0) {
        rnic_completer_fail_head(qp, RNIC_CQE_RNR_EXCEEDED, RNIC_SYNDROME_RNR_RETRY);
        return;
    }
    uint64_t wait_ns = wire_rnr_timer_ns(timer_code);
    sim_trace(qp->device->world, RNIC_TRACE_RNR_WAIT, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              c->expected.value, wait_ns);
    rnic_requester_wait(qp);
    timer_set(qp, rnic_now_ns(qp->device) + wait_ns);
}

void rnic_completer_on_nak(struct rnic_qp *qp, uint8_t syndrome) {
    if (syndrome == WIRE_SYNDROME_NAK_PSN_SEQUENCE) {
        on_sequence_nak(qp);
        return;
    }
    rnic_count(qp->device, RNIC_COUNTER_ERROR_NAKS_RECEIVED);
    switch (syndrome) {
    case WIRE_SYNDROME_NAK_INVALID_REQUEST:
        rnic_completer_fail_head(qp, RNIC_CQE_REMOTE_INVALID, RNIC_SYNDROME_NAK_INVALID);
        return;
    case WIRE_SYNDROME_NAK_REMOTE_ACCESS:
        rnic_completer_fail_head(qp, RNIC_CQE_REMOTE_ACCESS, RNIC_SYNDROME_NAK_ACCESS);
        return;
    case WIRE_SYNDROME_NAK_REMOTE_OPERATION:
        rnic_completer_fail_head(qp, RNIC_CQE_REMOTE_OPERATION, RNIC_SYNDROME_NAK_OPERATION);
        return;
    default:
        rnic_completer_fail_head(qp, RNIC_CQE_BAD_RESPONSE, RNIC_SYNDROME_RESPONSE);
        return;
    }
}

static void timer_deliver(struct sim_world *world, struct sim_event *event) {
    struct rnic_qp *qp = rnic_qp_of_timer(event);
    struct rnic_completer *c = &qp->completer;
    if (!rnic_device_is_ready(qp->device) || qp->state != RNIC_QPS_RTS)
        return;
    if (sim_now_ns(world) < c->deadline_ns) {
        sim_event_schedule_at(world, event, c->deadline_ns);
        return;
    }
    c->deadline_ns = SIM_TIME_NEVER;
    if (qp->requester.state == RNIC_REQUESTER_RNR) {
        timer_set(qp, ack_deadline_ns(qp));
        rnic_requester_rewind(qp);
        return;
    }
    rnic_count(qp->device, RNIC_COUNTER_TIMEOUTS);
    c->state = RNIC_COMPLETER_FLOWING;
    retry(qp, RNIC_TRACE_ACK_TIMEOUT);
}

void rnic_completer_timer_init(struct rnic_qp *qp) {
    sim_event_init(&qp->completer.timer, "qp.timer", qp->object, timer_deliver);
}
