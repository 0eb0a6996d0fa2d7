/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The send side of the port. QPs with something to send wait in a list and have their turn one
 * after the other; a turn sends replies first, then requests. At most burst_bytes are handed to the
 * port ahead of the wire, so that an acknowledgement never waits long behind bulk data; as many are
 * on their way back to the device itself.
 *
 *   IDLE --want--> SCHEDULED --event--> turns --list empty--> IDLE
 *                                             --port full---> BACKLOG --on_sent--> turns
 *                                             --loopback full--> LOOPBACK --arrivals--> turns
 *                                             --port down---> SCHEDULED, paced: frames are lost
 *                                             --device fails-> IDLE
 */
#include <string.h>

#include <net/frame.h>

#include "device.h"
#include "qp.h"

#define TURN_BYTES 8192u
#define DOWN_PACE_NS 2000u

static void schedule(struct rnic_device *device, uint64_t delay_ns) {
    device->transmit.state = RNIC_TRANSMIT_SCHEDULED;
    sim_event_schedule(device->world, &device->transmit.event, delay_ns);
}

static void append(struct rnic_transmit *transmit, struct rnic_qp *qp) {
    qp->is_listed = true;
    qp->transmit_next = NULL;
    if (transmit->last == NULL)
        transmit->first = qp;
    else
        transmit->last->transmit_next = qp;
    transmit->last = qp;
}

void rnic_transmit_want(struct rnic_qp *qp) {
    struct rnic_device *device = qp->device;
    if (!qp->is_listed)
        append(&device->transmit, qp);
    if (device->transmit.state == RNIC_TRANSMIT_IDLE)
        schedule(device, device->config.latency.transmit_ns);
}

static struct rnic_qp *take_first(struct rnic_transmit *transmit) {
    struct rnic_qp *qp = transmit->first;
    transmit->first = qp->transmit_next;
    if (transmit->first == NULL)
        transmit->last = NULL;
    qp->is_listed = false;
    return qp;
}

void rnic_transmit_drop(struct rnic_qp *qp) {
    if (!qp->is_listed)
        return;
    struct rnic_transmit *transmit = &qp->device->transmit;
    struct rnic_qp *before = NULL;
    for (struct rnic_qp *at = transmit->first; at != qp; at = at->transmit_next)
        before = at;
    if (before == NULL)
        transmit->first = qp->transmit_next;
    else
        before->transmit_next = qp->transmit_next;
    if (transmit->last == qp)
        transmit->last = before;
    qp->is_listed = false;
}

/* True while the QP has more to send at once. */
static bool turn(struct rnic_qp *qp) {
    if (qp->type == RNIC_QP_GSI)
        return rnic_ud_turn(qp);
    bool replies = rnic_responder_turn(qp, TURN_BYTES);
    bool requests = rnic_requester_turn(qp, TURN_BYTES);
    return replies || requests;
}

static void turns(struct rnic_device *device) {
    struct rnic_transmit *transmit = &device->transmit;
    uint32_t burst_bytes = device->config.burst_bytes;
    bool is_up = net_port_is_up(&device->port);
    transmit->state = RNIC_TRANSMIT_SCHEDULED; /* nobody schedules from inside */
    for (uint32_t given = 0; transmit->first != NULL && rnic_device_is_ready(device);
         given += TURN_BYTES) {
        if (transmit->loop_bytes >= burst_bytes)
            break;
        if (is_up ? net_port_backlog_bytes(&device->port) >= burst_bytes : given >= burst_bytes)
            break;
        struct rnic_qp *qp = take_first(transmit);
        if (turn(qp) && !qp->is_listed)
            append(transmit, qp);
    }
    if (transmit->first == NULL || !rnic_device_is_ready(device)) {
        transmit->state = RNIC_TRANSMIT_IDLE;
    } else if (transmit->loop_bytes >= burst_bytes) {
        transmit->state = RNIC_TRANSMIT_LOOPBACK;
    } else if (is_up) {
        transmit->state = RNIC_TRANSMIT_BACKLOG;
        net_port_sent_when(&device->port, burst_bytes / 2);
    } else {
        schedule(device, DOWN_PACE_NS);
    }
}

void rnic_transmit_on_sent(struct rnic_device *device) {
    if (device->transmit.state == RNIC_TRANSMIT_BACKLOG)
        turns(device);
}

static void transmit_deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    turns(SIM_CONTAINER_OF(event, struct rnic_device, transmit.event));
}

static void loop_deliver(struct sim_world *world, struct sim_event *event) {
    struct rnic_device *device = SIM_CONTAINER_OF(event, struct rnic_device, transmit.loop_event);
    struct rnic_transmit *transmit = &device->transmit;
    uint64_t latency_ns = device->config.latency.loopback_ns;
    while (transmit->loop_first != NULL &&
           transmit->loop_first->sent_ns + latency_ns <= sim_now_ns(world)) {
        struct net_frame *frame = transmit->loop_first;
        transmit->loop_first = frame->next;
        transmit->loop_bytes -= frame->length;
        rnic_receive_frame(device, frame);
    }
    if (transmit->loop_first != NULL)
        sim_event_schedule_at(world, event, transmit->loop_first->sent_ns + latency_ns);
    if (transmit->state == RNIC_TRANSMIT_LOOPBACK &&
        transmit->loop_bytes <= device->config.burst_bytes / 2)
        turns(device);
}

static void loop_send(struct rnic_device *device, struct net_frame *frame) {
    struct rnic_transmit *transmit = &device->transmit;
    frame->sent_ns = rnic_now_ns(device);
    frame->next = NULL;
    if (transmit->loop_first == NULL)
        transmit->loop_first = frame;
    else
        transmit->loop_last->next = frame;
    transmit->loop_last = frame;
    transmit->loop_bytes += frame->length;
    if (!sim_event_is_scheduled(&transmit->loop_event))
        sim_event_schedule(device->world, &transmit->loop_event,
                           device->config.latency.loopback_ns);
}

void rnic_transmit_init(struct rnic_device *device) {
    sim_event_init(&device->transmit.event, "transmit", &device->bus.object, transmit_deliver);
    sim_event_init(&device->transmit.loop_event, "loopback", &device->bus.object, loop_deliver);
}

/* The QPs are gone by now. */
void rnic_transmit_reset(struct rnic_device *device) {
    struct rnic_transmit *transmit = &device->transmit;
    SIM_ASSERT(transmit->first == NULL);
    sim_event_cancel(device->world, &transmit->event);
    sim_event_cancel(device->world, &transmit->loop_event);
    transmit->state = RNIC_TRANSMIT_IDLE;
    transmit->loop_bytes = 0;
    while (transmit->loop_first != NULL) {
        struct net_frame *frame = transmit->loop_first;
        transmit->loop_first = frame->next;
        net_frame_put(frame);
    }
}

void rnic_transmit_frame(struct rnic_qp *qp, const struct wire_roce_template *templ,
                         const struct wire_roce_headers *headers, struct net_frame *frame,
                         size_t payload_offset, uint32_t payload_bytes) {
    struct rnic_device *device = qp->device;
    if (!rnic_device_is_ready(device)) {
        net_frame_put(frame);
        return;
    }
    frame->length = (uint32_t)wire_roce_finish(templ, frame->bytes, payload_offset, payload_bytes);
    rnic_count(device, RNIC_COUNTER_FRAMES_SENT);
    rnic_count_by(device, RNIC_COUNTER_BYTES_SENT, frame->length);
    rnic_count(device, RNIC_COUNTER_SENT_BY_OPCODE + headers->opcode);
    sim_trace(device->world, RNIC_TRACE_PACKET_SEND, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              (uint64_t)headers->opcode << 24 | headers->psn.value, payload_bytes);
    if (memcmp(templ->bytes, device->port.mac.bytes, sizeof device->port.mac.bytes) == 0)
        loop_send(device, frame);
    else
        net_port_send(&device->port, frame);
}
