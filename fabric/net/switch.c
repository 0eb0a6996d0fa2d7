/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch: a frame that came in whole is put into the queue of its way out, latency_ns later. Its
 * times are known at once, so that costs no event. Two parties may wish for a state, steps and
 * faults; it is down, cut or storming while either wants it.
 */
#include "internal.h"

#include <wire/bytes.h>

static bool is_cut(const struct net_switch *sw, uint32_t in, uint32_t out) {
    for (unsigned who = 0; who < NET_WISH_COUNT; who++)
        if (((sw->cut[who] >> in ^ sw->cut[who] >> out) & 1u) != 0)
            return true;
    return false;
}

static void switch_on_frame(void *context, struct net_frame *frame) {
    struct net_port *in = context;
    struct net_switch *sw = in->owner_switch;
    struct net *net = sw->net;
    if (SIM_UNLIKELY(net->polled_points != 0))
        net_fault_poll_switch(sw, (enum net_frame_class)frame->class_id);
    if (SIM_UNLIKELY(sw->down != 0)) {
        net_port_drop(in, frame, NET_DROP_SWITCH_DOWN);
        return;
    }
    if (SIM_UNLIKELY(!net->is_routed))
        net_routes_build(net);
    const struct net_port *to = net_mac_find(net, frame->bytes);
    uint8_t out = to != NULL ? sw->out_of_serial[to->serial] : NET_NO_ROUTE;
    if (SIM_UNLIKELY(out == NET_NO_ROUTE || out == in->switch_index)) {
        net_port_drop(in, frame, NET_DROP_UNKNOWN);
        return;
    }
    if (SIM_UNLIKELY((sw->cut[NET_WISH_SET] | sw->cut[NET_WISH_FAULT]) != 0) &&
        is_cut(sw, in->switch_index, out)) {
        net_port_drop(in, frame, NET_DROP_PARTITION);
        return;
    }
    net_port_forward(&sw->ports[out], frame, sim_now_ns(net->world) + sw->config.latency_ns);
}

static const struct net_port_ops switch_ops = {.on_frame = switch_on_frame};

/* One round of pause frames; returns the shortest time that one of them pauses for. */
static uint64_t storm_round(struct net_switch *sw) {
    uint64_t pause_min_ns = SIM_NS_PER_MS;
    for (uint32_t i = 0; i < sw->config.port_count; i++) {
        struct net_port *port = &sw->ports[i];
        if (!net_port_is_up(port))
            continue;
        struct wire_pfc pfc = {.src = port->mac, .enabled = 0xFF};
        for (unsigned c = 0; c < WIRE_PFC_CLASS_COUNT; c++)
            pfc.quanta[c] = 0xFFFF;
        struct net_frame *frame = net_frame_get(sw->net->world, WIRE_PFC_FRAME_BYTES);
        wire_pfc_encode(&pfc, frame->bytes);
        frame->length = WIRE_PFC_FRAME_BYTES;
        net_port_send(port, frame);
        uint64_t pause_ns = UINT64_C(0xFFFF) * 512u * SIM_NS_PER_S / port->link->rate_bps;
        if (pause_ns < pause_min_ns)
            pause_min_ns = pause_ns;
    }
    return pause_min_ns;
}

static void storm_go_on(struct sim_world *world, struct sim_event *event) {
    struct net_switch *sw = SIM_CONTAINER_OF(event, struct net_switch, storm_event);
    /* Half: the next pause frame must be there before the pause is over. */
    sim_event_schedule(world, event, storm_round(sw) / 2);
}

void net_switch_wish_storm(struct net_switch *sw, enum net_wish who, bool on) {
    struct sim_world *world = sw->net->world;
    uint32_t before = sw->storm;
    sw->storm = on ? before | 1u << who : before & ~(1u << who);
    if ((before != 0) == (sw->storm != 0))
        return;
    sim_trace(world, NET_TRACE_SWITCH_PAUSE, SIM_ACCESS_WRITE, &sw->object, NULL, NULL,
              sw->storm != 0, 0);
    sim_event_cancel(world, &sw->storm_event);
    if (sw->storm != 0)
        sim_event_schedule(world, &sw->storm_event, 0);
}

void net_switch_wish_down(struct net_switch *sw, enum net_wish who, bool down) {
    uint32_t before = sw->down;
    sw->down = down ? before | 1u << who : before & ~(1u << who);
    if ((before != 0) == (sw->down != 0))
        return;
    sim_trace(sw->net->world, sw->down != 0 ? NET_TRACE_SWITCH_DOWN : NET_TRACE_SWITCH_UP,
              SIM_ACCESS_WRITE, &sw->object, NULL, NULL, 0, 0);
    for (uint32_t i = 0; i < sw->config.port_count; i++) {
        struct net_port *port = &sw->ports[i];
        if (port->link != NULL)
            net_link_side_set(port->link, NET_DOWN_SWITCH, port->side, sw->down != 0);
    }
}

void net_switch_wish_cut(struct net_switch *sw, enum net_wish who, uint64_t mask) {
    if (sw->cut[who] == mask)
        return;
    sw->cut[who] = mask;
    sim_trace(sw->net->world, NET_TRACE_SWITCH_PARTITION, SIM_ACCESS_WRITE, &sw->object, NULL, NULL,
              mask, 0);
}

struct net_switch *net_switch_create(struct sim_world *world, struct sim_object *owner,
                                     const char *label, enum sim_object_naming naming,
                                     const struct net_switch_config *config) {
    struct net *net = net_of(world);
    struct net_switch *sw = sim_alloc(world, sizeof *sw);
    SIM_ASSERT(config->port_count != 0 && config->port_count <= NET_SWITCH_PORT_COUNT_MAX);
    SIM_ASSERT(config->queue_bytes_max <= NET_QUEUE_BYTES_LIMIT);
    sim_object_init(world, &sw->object, owner, label, naming);
    sw->net = net;
    sw->config = *config;
    sw->ports = sim_alloc(world, config->port_count * sizeof *sw->ports);
    for (uint32_t i = 0; i < config->port_count; i++) {
        struct net_port *port = &sw->ports[i];
        net_port_init(world, port, &sw->object, NULL, &switch_ops, port);
        port->owner_switch = sw;
        port->switch_index = i;
        port->queue_bytes_max = config->queue_bytes_max;
    }
    sim_event_init(&sw->storm_event, "switch.storm", &sw->object, storm_go_on);
    if (net->last_switch != NULL)
        net->last_switch->next = sw;
    else
        net->first_switch = sw;
    net->last_switch = sw;
    return sw;
}

struct net_port *net_switch_port(struct net_switch *sw, uint32_t index) {
    SIM_ASSERT(index < sw->config.port_count);
    return &sw->ports[index];
}

uint32_t net_switch_port_count(const struct net_switch *sw) {
    return sw->config.port_count;
}

struct sim_object *net_switch_object(struct net_switch *sw) {
    return &sw->object;
}

void net_switch_partition(struct net_switch *sw, uint64_t mask) {
    net_switch_wish_cut(sw, NET_WISH_SET, mask);
}

void net_switch_set_up(struct net_switch *sw, bool up) {
    net_switch_wish_down(sw, NET_WISH_SET, !up);
}

bool net_switch_is_up(const struct net_switch *sw) {
    return sw->down == 0;
}

void net_switch_pause_storm(struct net_switch *sw, bool on) {
    net_switch_wish_storm(sw, NET_WISH_SET, on);
}
