/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What faults do to one frame, after it has taken its turn of the transmitter: a lost frame has
 * used the wire too. In this order, each passed in turn, all that fire act:
 *
 *   drop        it does not arrive, and nothing below is asked
 *   corrupt     one bit is flipped behind the Ethernet header; no check of the link's notices
 *   truncate    the end is missing
 *   duplicate   a copy takes the wire behind it, and then delay_ns longer, and meets nothing else
 *   delay       it arrives later; frames behind it do not wait
 *   reorder     it arrives right behind the n-th frame sent after it, or NET_REORDER_HOLD_NS late
 *
 * The link's point is asked before the sending port's.
 */
#include "internal.h"

#define DELAY_DEFAULT_NS (UINT64_C(100) * SIM_NS_PER_US)

static bool fires(const struct net_port *port, const struct net_frame *frame,
                  enum net_alteration alteration, uint64_t *parameter) {
    struct net *net = port->net;
    const char *class_name = net_class_name((enum net_frame_class)frame->class_id);
    struct sim_fault_point *points = net_points;
    *parameter = 0;
    return sim_fault_hit_class(net->world, &points[NET_POINT_LINK_ALTER + (unsigned)alteration],
                               &port->link->object, class_name, parameter) ||
           sim_fault_hit_class(net->world, &points[NET_POINT_FRAME_ALTER + (unsigned)alteration],
                               (struct sim_object *)&port->object, class_name, parameter);
}

static void note(struct net_port *port, struct net_frame *frame, enum net_touch touch,
                 enum net_trace_type type, const char *what, uint64_t value) {
    frame->touched |= (uint16_t)touch;
    sim_trace(port->net->world, (uint16_t)type, SIM_ACCESS_NONE, &port->object, &port->link->object,
              NULL, frame->id, value);
    net_capture_note(port->net, frame, what, NULL, &port->object);
}

static void corrupt(struct net_port *port, struct net_frame *frame, uint64_t parameter) {
    uint64_t first = NET_ETH_BYTES_MIN * 8u;
    uint64_t bits = (uint64_t)frame->length * 8u - first;
    uint64_t bit;
    if (bits == 0)
        return;
    if (parameter != 0)
        bit = (parameter - 1) % ((uint64_t)frame->length * 8u);
    else
        bit = first + sim_hash_mix(sim_seed(port->net->world), frame->id) % bits;
    frame->bytes[bit / 8] ^= (uint8_t)(0x80u >> (bit % 8));
    note(port, frame, NET_TOUCH_CORRUPT, NET_TRACE_FRAME_CORRUPT, "corrupt", bit);
}

static void truncate_frame(struct net_port *port, struct net_frame *frame, uint64_t parameter) {
    uint32_t length =
        parameter != 0 && parameter < frame->length ? (uint32_t)parameter : frame->length / 2;
    frame->length = length < NET_ETH_BYTES_MIN ? NET_ETH_BYTES_MIN : length;
    note(port, frame, NET_TOUCH_TRUNCATE, NET_TRACE_FRAME_TRUNCATE, "truncate", frame->length);
}

static void duplicate(struct net_port *port, struct net_frame *frame, uint64_t delay_ns) {
    note(port, frame, NET_TOUCH_DUPLICATE, NET_TRACE_FRAME_DUPLICATE, "duplicate", delay_ns);
    struct net_frame *copy = net_frame_copy(frame);
    uint64_t left_ns =
        net_port_serialise(port, net_wire_bytes(copy->length), sim_now_ns(port->net->world));
    uint64_t due_ns = left_ns + port->link->config.delay_ns;
    if (due_ns < port->fifo_due_ns)
        due_ns = port->fifo_due_ns;
    if (delay_ns == 0)
        port->fifo_due_ns = due_ns;
    port->statistics.frames_out++;
    port->statistics.bytes_out += copy->length;
    port->net->totals.frames_sent++;
    port->net->totals.bytes_sent += copy->length;
    net_port_start(port, copy, due_ns + delay_ns);
}

static void hold(struct net_port *port, struct net_frame *frame, uint64_t due_ns,
                 uint64_t parameter) {
    frame->overtakes = parameter == 0 ? 1 : (uint32_t)(parameter > 65536 ? 65536 : parameter);
    note(port, frame, NET_TOUCH_REORDER, NET_TRACE_FRAME_REORDER, "reorder", frame->overtakes);
    frame->is_held = true;
    net_port_start(port, frame, due_ns + NET_REORDER_HOLD_NS);
    /* To the end: of two that are overtaken by the same frame the older goes on first. */
    struct net_frame **end = &port->overtaken;
    while (*end != NULL)
        end = &(*end)->next;
    frame->next = NULL;
    *end = frame;
}

void net_disturb(struct net_port *port, struct net_frame *frame, uint64_t due_ns) {
    uint64_t parameter;
    bool is_late = false;
    if (fires(port, frame, NET_ALTER_DROP, &parameter)) {
        net_port_drop(port, frame, NET_DROP_FAULT);
        return;
    }
    if (fires(port, frame, NET_ALTER_CORRUPT, &parameter))
        corrupt(port, frame, parameter);
    if (fires(port, frame, NET_ALTER_TRUNCATE, &parameter))
        truncate_frame(port, frame, parameter);
    if (fires(port, frame, NET_ALTER_DUPLICATE, &parameter))
        duplicate(port, frame, parameter);
    if (fires(port, frame, NET_ALTER_DELAY, &parameter)) {
        uint64_t delay_ns = parameter != 0 ? parameter : DELAY_DEFAULT_NS;
        note(port, frame, NET_TOUCH_DELAY, NET_TRACE_FRAME_DELAY, "delay", delay_ns);
        due_ns += delay_ns;
        is_late = true;
    }
    if (fires(port, frame, NET_ALTER_REORDER, &parameter) && !is_late)
        hold(port, frame, due_ns, parameter);
    else
        net_port_start(port, frame, due_ns);
}

void net_disturb_forget(struct net_port *port, struct net_frame *frame) {
    struct net_frame **at = &port->overtaken;
    while (*at != frame)
        at = &(*at)->next;
    *at = frame->next;
    frame->next = NULL;
    frame->is_held = false;
}

void net_disturb_passed(struct net_port *port, const struct net_frame *sent, uint64_t due_ns) {
    struct sim_world *world = port->net->world;
    struct net_frame *frame = port->overtaken;
    while (frame != NULL) {
        struct net_frame *next = frame->next;
        if (frame != sent && --frame->overtakes == 0) {
            net_disturb_forget(port, frame);
            sim_event_cancel(world, &frame->event);
            sim_event_schedule_at(world, &frame->event, due_ns);
        }
        frame = next;
    }
}
