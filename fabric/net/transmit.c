/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a frame from a port to its peer.
 *
 *   net_port_send       judge what it is, count, trace, tap
 *   port_transmit       link there and up? short enough? paused?    -> dropped, or held
 *   port_launch         room in the queue? turn of the transmitter, arrival time
 *   net_port_start      the one event of this traversal             (or net_disturb in between)
 *   net_frame_deliver   still the same life of the link? pause frame? else the owner's
 *
 * The transmit queue is the time until `busy_ns`: what stands in it is what can be sent in that
 * time; what was queued before the rate changed leaves at its old rate, until `old_busy_ns`. While
 * the peer has paused the port, frames wait in a list and take the way from port_launch on at its
 * end.
 */
#include "internal.h"

#define BITS_NS (UINT64_C(8) * SIM_NS_PER_S) /* bytes * BITS_NS / rate_bps = ns */
#define PFC_QUANTUM_BITS UINT64_C(512)

uint64_t net_wire_bytes(uint32_t length) {
    uint64_t bytes = (uint64_t)length + NET_WIRE_OVERHEAD_BYTES;
    return bytes < NET_WIRE_BYTES_MIN ? NET_WIRE_BYTES_MIN : bytes;
}

uint64_t net_port_serialise(struct net_port *port, uint64_t wire_bytes, uint64_t ready_ns) {
    uint64_t rate = port->link->rate_bps;
    if (port->busy_ns < ready_ns) {
        port->busy_ns = ready_ns;
        port->busy_part = 0;
    }
    uint64_t total = wire_bytes * BITS_NS + port->busy_part;
    port->busy_ns += total / rate;
    port->busy_part = total % rate;
    return port->busy_ns + (port->busy_part != 0);
}

/* What leaves in [from_ns, to_ns). No overflow: queues are below NET_QUEUE_BYTES_LIMIT. */
static uint64_t bytes_between(uint64_t from_ns, uint64_t to_ns, uint64_t rate_bps) {
    return from_ns < to_ns ? (to_ns - from_ns) * rate_bps / BITS_NS : 0;
}

static uint64_t queued_bytes(const struct net_port *port, uint64_t at_ns) {
    if (port->busy_ns <= at_ns)
        return 0;
    uint64_t rate = port->link->rate_bps;
    if (SIM_LIKELY(port->old_busy_ns <= at_ns))
        return bytes_between(at_ns, port->busy_ns, rate);
    return bytes_between(at_ns, port->old_busy_ns, port->old_rate_bps) +
           bytes_between(port->old_busy_ns, port->busy_ns, rate);
}

uint64_t net_port_low_ns(const struct net_port *port, uint64_t bytes) {
    uint64_t rate = port->link->rate_bps;
    uint64_t young = bytes_between(port->old_busy_ns, port->busy_ns, rate);
    if (port->old_busy_ns == 0 || bytes <= young)
        return port->busy_ns - (bytes < young ? bytes : young) * BITS_NS / rate;
    uint64_t old = (bytes - young) * BITS_NS / port->old_rate_bps;
    return port->old_busy_ns > old ? port->old_busy_ns - old : 0;
}

void net_port_rate_changes(struct net_port *port) {
    uint64_t now_ns = sim_now_ns(port->net->world);
    uint64_t queued = queued_bytes(port, now_ns);
    /* The fraction was one of the old rate. */
    port->busy_ns += port->busy_part != 0;
    port->busy_part = 0;
    port->old_busy_ns = 0;
    if (queued == 0)
        return;
    port->old_busy_ns = port->busy_ns;
    port->old_rate_bps = queued * BITS_NS / (port->busy_ns - now_ns);
    if (port->old_rate_bps == 0)
        port->old_rate_bps = 1;
}

uint64_t net_port_backlog_bytes(const struct net_port *port) {
    if (port->link == NULL)
        return 0;
    return port->held_bytes + queued_bytes(port, sim_now_ns(port->net->world));
}

void net_port_drop(struct net_port *port, struct net_frame *frame, enum net_drop cause) {
    struct net *net = port->net;
    port->statistics.drops[cause]++;
    net->totals.frames_lost++;
    frame->touched |= NET_TOUCH_DROP;
    sim_trace(net->world, NET_TRACE_FRAME_DROP, SIM_ACCESS_NONE, &port->object,
              port->link != NULL ? &port->link->object : NULL, NULL, frame->id, (uint64_t)cause);
    net_capture_note(net, frame, "drop", net_drop_name(cause), &port->object);
    net_frame_put(frame);
}

void net_port_start(struct net_port *port, struct net_frame *frame, uint64_t due_ns) {
    frame->from = port;
    frame->to = port->peer;
    frame->epoch = port->link->epoch;
    frame->event.subject = &port->peer->object;
    sim_event_schedule_at(port->net->world, &frame->event, due_ns);
}

/* Jitter: the delays there are, smallest first. */
static const struct jitter {
    uint64_t delay_ns;
    const char *label;
} jitters[] = {
    {0, "0"},           {1000, "+1us"},     {2000, "+2us"},    {5000, "+5us"},
    {10000, "+10us"},   {20000, "+20us"},   {50000, "+50us"},  {100000, "+100us"},
    {200000, "+200us"}, {500000, "+500us"}, {1000000, "+1ms"},
};

static uint64_t jitter_choose(struct net_port *port) {
    struct sim_option options[SIM_ARRAY_COUNT(jitters)];
    uint32_t count = 0;
    while (count < SIM_ARRAY_COUNT(jitters) &&
           jitters[count].delay_ns <= port->link->config.jitter_max_ns) {
        options[count] = (struct sim_option){.actor_id = port->object.id,
                                             .object_id = port->link->object.id,
                                             .label = jitters[count].label};
        count++;
    }
    const struct sim_choice choice = {.kind = SIM_CHOICE_DELAY,
                                      .topic = "link.jitter",
                                      .subject = &port->object,
                                      .options = options,
                                      .option_count = count};
    return jitters[sim_choose(port->net->world, &choice)].delay_ns;
}

static uint64_t arrival(struct net_port *port, uint64_t left_ns) {
    struct net_link *link = port->link;
    uint64_t due_ns = left_ns + link->config.delay_ns;
    if (SIM_UNLIKELY(link->config.jitter_max_ns != 0))
        due_ns += jitter_choose(port);
    if (due_ns < port->fifo_due_ns)
        due_ns = port->fifo_due_ns;
    port->fifo_due_ns = due_ns;
    return due_ns;
}

/* Pause frames go past the queue, and are no subject of frame faults. */
static void launch_pause(struct net_port *port, struct net_frame *frame, uint64_t ready_ns) {
    uint64_t bits_ns = net_wire_bytes(frame->length) * BITS_NS;
    uint64_t rate = port->link->rate_bps;
    net_port_start(port, frame,
                   ready_ns + (bits_ns + rate - 1) / rate + port->link->config.delay_ns);
}

static void port_launch(struct net_port *port, struct net_frame *frame, uint64_t ready_ns) {
    uint64_t wire_bytes = net_wire_bytes(frame->length);
    uint64_t queued = queued_bytes(port, ready_ns);
    if (SIM_UNLIKELY(queued != 0 && queued + wire_bytes > port->queue_bytes_max)) {
        net_port_drop(port, frame, NET_DROP_QUEUE);
        return;
    }
    port->statistics.frames_out++;
    port->statistics.bytes_out += frame->length;
    uint64_t due_ns = arrival(port, net_port_serialise(port, wire_bytes, ready_ns));
    if (SIM_LIKELY(net_fault_is_quiet(port->net)))
        net_port_start(port, frame, due_ns);
    else
        net_disturb(port, frame, due_ns);
    if (SIM_UNLIKELY(port->overtaken != NULL))
        net_disturb_passed(port, frame, due_ns);
}

static void port_hold(struct net_port *port, struct net_frame *frame, uint64_t ready_ns) {
    uint64_t wire_bytes = net_wire_bytes(frame->length);
    if (port->held_bytes + queued_bytes(port, ready_ns) + wire_bytes > port->queue_bytes_max) {
        net_port_drop(port, frame, NET_DROP_QUEUE);
        return;
    }
    frame->next = NULL;
    *port->held_last = frame;
    port->held_last = &frame->next;
    port->held_bytes += wire_bytes;
}

static uint32_t packet_bytes(const struct net_frame *frame) {
    bool tagged = frame->bytes[12] == WIRE_ETHERTYPE_VLAN >> 8 && frame->bytes[13] == 0;
    return frame->length - WIRE_ETH_HEADER_BYTES - (tagged ? WIRE_VLAN_TAG_BYTES : 0u);
}

static void port_transmit(struct net_port *port, struct net_frame *frame, uint64_t ready_ns) {
    struct net_link *link = port->link;
    if (SIM_UNLIKELY(link == NULL)) {
        net_port_drop(port, frame, NET_DROP_NO_LINK);
        return;
    }
    if (SIM_UNLIKELY(port->net->polled_points != 0))
        net_fault_poll_link(link, (enum net_frame_class)frame->class_id);
    if (SIM_UNLIKELY(link->down != 0))
        net_port_drop(port, frame, NET_DROP_DOWN);
    else if (SIM_UNLIKELY(packet_bytes(frame) > link->config.mtu_bytes))
        net_port_drop(port, frame, NET_DROP_MTU);
    else if (SIM_UNLIKELY(frame->class_id == NET_CLASS_PFC))
        launch_pause(port, frame, ready_ns);
    else if (SIM_UNLIKELY(port->is_paused))
        port_hold(port, frame, ready_ns);
    else
        port_launch(port, frame, ready_ns);
}

void net_port_send(struct net_port *port, struct net_frame *frame) {
    struct net *net = port->net;
    SIM_ASSERT(!frame->is_pooled && frame->length >= NET_ETH_BYTES_MIN &&
               frame->length <= frame->capacity);
    struct net_frame_kind kind = net_frame_classify(frame->bytes, frame->length);
    frame->class_id = (uint8_t)kind.class_id;
    frame->opcode = kind.opcode;
    frame->dst_qpn = kind.dst_qpn;
    frame->psn = kind.psn;
    frame->sent_ns = sim_now_ns(net->world);
    net->totals.frames_sent++;
    net->totals.bytes_sent += frame->length;
    port->statistics.class_out[kind.class_id]++;
    port->statistics.priority_out[kind.priority]++;
    port->statistics.opcode_out[net_opcode_slot(kind.opcode)]++;
    sim_trace(net->world, (uint16_t)(NET_TRACE_SENT + (unsigned)kind.class_id), SIM_ACCESS_WRITE,
              &port->object, port->peer != NULL ? &port->peer->object : NULL, NULL, frame->id,
              net_trace_packet(frame->length, kind.dst_qpn, kind.psn));
    if (SIM_UNLIKELY(port->taps != NULL))
        net_tap_frame(port, frame, NET_TAP_ORIGIN | NET_TAP_SEND);
    port_transmit(port, frame, frame->sent_ns);
}

void net_port_forward(struct net_port *port, struct net_frame *frame, uint64_t ready_ns) {
    if (SIM_UNLIKELY(port->taps != NULL))
        net_tap_frame(port, frame, NET_TAP_SEND);
    port_transmit(port, frame, ready_ns);
}

static void pause_take(struct net_port *port, const struct net_frame *frame) {
    struct net *net = port->net;
    struct wire_pfc pfc;
    uint64_t quanta = 0;
    port->statistics.pauses_in++;
    if (wire_pfc_decode(frame->bytes, frame->length, &pfc) != WIRE_OK)
        return;
    for (unsigned c = 0; c < WIRE_PFC_CLASS_COUNT; c++)
        if ((pfc.enabled >> c & 1u) != 0 && pfc.quanta[c] > quanta)
            quanta = pfc.quanta[c];
    if (quanta == 0) {
        net_port_resume(port);
        return;
    }
    uint64_t pause_ns = quanta * PFC_QUANTUM_BITS * SIM_NS_PER_S / port->link->rate_bps;
    port->paused_until_ns = sim_now_ns(net->world) + pause_ns;
    if (!port->is_paused)
        sim_trace(net->world, NET_TRACE_PORT_PAUSED, SIM_ACCESS_NONE, &port->object, NULL, NULL,
                  port->paused_until_ns, 0);
    port->is_paused = true;
    sim_event_cancel(net->world, &port->pause_event);
    sim_event_schedule_at(net->world, &port->pause_event, port->paused_until_ns);
}

void net_frame_deliver(struct sim_world *world, struct sim_event *event) {
    struct net_frame *frame = SIM_CONTAINER_OF(event, struct net_frame, event);
    struct net_port *from = frame->from;
    struct net_port *to = frame->to;
    (void)world;
    if (SIM_UNLIKELY(frame->is_held))
        net_disturb_forget(from, frame);
    if (SIM_UNLIKELY(frame->epoch != from->link->epoch)) {
        net_port_drop(from, frame, NET_DROP_DOWN);
        return;
    }
    to->statistics.frames_in++;
    to->statistics.bytes_in += frame->length;
    if (SIM_UNLIKELY(to->taps != NULL))
        net_tap_frame(to, frame, NET_TAP_RECEIVE);
    if (SIM_UNLIKELY(frame->class_id == NET_CLASS_PFC)) {
        pause_take(to, frame);
        net_frame_put(frame);
        return;
    }
    to->ops->on_frame(to->context, frame);
}

/* The frames that a pause has held back; the port keeps none. */
static struct net_frame *held_take(struct net_port *port) {
    struct net_frame *first = port->held_first;
    port->held_first = NULL;
    port->held_last = &port->held_first;
    port->held_bytes = 0;
    return first;
}

void net_port_resume(struct net_port *port) {
    struct net *net = port->net;
    if (!port->is_paused)
        return;
    uint64_t now_ns = sim_now_ns(net->world);
    sim_event_cancel(net->world, &port->pause_event);
    port->is_paused = false;
    sim_trace(net->world, NET_TRACE_PORT_RESUMED, SIM_ACCESS_NONE, &port->object, NULL, NULL, 0, 0);
    struct net_frame *frame = held_take(port);
    while (frame != NULL) {
        struct net_frame *next = frame->next;
        frame->next = NULL;
        port_launch(port, frame, now_ns);
        frame = next;
    }
    if (port->is_sent_wished)
        net_port_sent_when(port, port->sent_backlog_bytes);
}

void net_port_stop(struct net_port *port) {
    struct net *net = port->net;
    struct net_frame *frame = held_take(port);
    port->busy_ns = 0;
    port->busy_part = 0;
    port->old_busy_ns = 0;
    port->fifo_due_ns = 0;
    port->is_paused = false;
    sim_event_cancel(net->world, &port->pause_event);
    while (frame != NULL) {
        struct net_frame *next = frame->next;
        frame->next = NULL;
        net_port_drop(port, frame, NET_DROP_DOWN);
        frame = next;
    }
    if (port->is_sent_wished)
        net_port_sent_when(port, port->sent_backlog_bytes);
}
