/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link's states. It is up while no reason for being down is left:
 *
 *   SET      a step's wish               FAULT    link.down or link.flap (until its end or healing)
 *   PORT     an end's owner is off       SWITCH   an end's switch is down
 *
 * Each way down begins a new epoch: frames of an older one are lost when they would have arrived.
 */
#include "internal.h"

const struct net_link_config net_link_config_default = {
    .rate_bps = UINT64_C(100000000000),
    .delay_ns = 500,
    .queue_bytes_max = UINT64_C(1) << 20,
    .mtu_bytes = NET_MTU_BYTES_DEFAULT,
    .jitter_max_ns = 0,
};

static void link_tell(struct net_link *link) {
    for (uint32_t side = 0; side < 2; side++) {
        struct net_port *port = link->ports[side];
        if (!sim_event_is_scheduled(&port->link_event))
            sim_event_schedule(link->net->world, &port->link_event, 0);
    }
}

void net_link_down_set(struct net_link *link, uint32_t reason) {
    uint32_t before = link->down;
    link->down |= reason;
    if (before != 0)
        return;
    link->epoch++;
    sim_trace(link->net->world, NET_TRACE_LINK_DOWN, SIM_ACCESS_WRITE, &link->object,
              &link->ports[0]->object, &link->ports[1]->object, reason, 0);
    net_port_stop(link->ports[0]);
    net_port_stop(link->ports[1]);
    link_tell(link);
}

void net_link_down_clear(struct net_link *link, uint32_t reason) {
    uint32_t before = link->down;
    link->down &= ~reason;
    if (before == 0 || link->down != 0)
        return;
    sim_trace(link->net->world, NET_TRACE_LINK_UP, SIM_ACCESS_WRITE, &link->object,
              &link->ports[0]->object, &link->ports[1]->object, 0, 0);
    link_tell(link);
}

void net_link_side_set(struct net_link *link, uint32_t reason, uint32_t side, bool off) {
    uint32_t *sides = reason == NET_DOWN_PORT ? &link->ports_off : &link->switches_off;
    if (off)
        *sides |= 1u << side;
    else
        *sides &= ~(1u << side);
    if (*sides != 0)
        net_link_down_set(link, reason);
    else
        net_link_down_clear(link, reason);
}

static void flap_over(struct sim_world *world, struct sim_event *event) {
    (void)world;
    net_link_down_clear(SIM_CONTAINER_OF(event, struct net_link, flap_event), NET_DOWN_FAULT);
}

void net_link_flap(struct net_link *link, uint64_t down_ns) {
    sim_event_cancel(link->net->world, &link->flap_event);
    net_link_down_set(link, NET_DOWN_FAULT);
    sim_event_schedule(link->net->world, &link->flap_event, down_ns);
}

static void rate_apply(struct net_link *link) {
    uint64_t rate = link->rate_fault_bps != 0 ? link->rate_fault_bps : link->rate_set_bps;
    if (rate == link->rate_bps)
        return;
    net_port_rate_changes(link->ports[0]);
    net_port_rate_changes(link->ports[1]);
    link->rate_bps = rate;
    sim_trace(link->net->world, NET_TRACE_LINK_RATE, SIM_ACCESS_WRITE, &link->object, NULL, NULL,
              rate, 0);
    for (uint32_t side = 0; side < 2; side++) {
        struct net_port *port = link->ports[side];
        if (port->is_sent_wished)
            net_port_sent_when(port, port->sent_backlog_bytes);
    }
}

static uint64_t rate_bound(uint64_t rate_bps) {
    if (rate_bps == 0)
        return 1;
    return rate_bps > NET_RATE_BPS_MAX ? NET_RATE_BPS_MAX : rate_bps;
}

void net_link_set_rate(struct net_link *link, uint64_t rate_bps) {
    link->rate_set_bps = rate_bound(rate_bps);
    rate_apply(link);
}

void net_link_fault_rate(struct net_link *link, uint64_t rate_bps) {
    link->rate_fault_bps = rate_bps != 0 ? rate_bound(rate_bps) : 0;
    rate_apply(link);
}

void net_link_heal(struct net_link *link) {
    sim_event_cancel(link->net->world, &link->flap_event);
    net_link_fault_rate(link, 0);
    net_link_down_clear(link, NET_DOWN_FAULT);
    net_port_resume(link->ports[0]);
    net_port_resume(link->ports[1]);
}

static void link_plug(struct net_link *link, uint32_t side, struct net_port *port,
                      struct net_port *peer) {
    SIM_ASSERT(port->link == NULL && port != peer);
    link->ports[side] = port;
    port->link = link;
    port->side = side;
    port->peer = peer;
    if (port->queue_bytes_max == 0)
        port->queue_bytes_max = link->config.queue_bytes_max;
}

struct net_link *net_link_create(struct sim_world *world, struct sim_object *owner,
                                 const char *label, enum sim_object_naming naming,
                                 struct net_port *a, struct net_port *b,
                                 const struct net_link_config *config) {
    struct net *net = net_of(world);
    struct net_link *link = sim_alloc(world, sizeof *link);
    sim_object_init(world, &link->object, owner, label, naming);
    link->net = net;
    link->config = config != NULL ? *config : net_link_config_default;
    SIM_ASSERT(link->config.rate_bps != 0 && link->config.rate_bps <= NET_RATE_BPS_MAX);
    SIM_ASSERT(link->config.queue_bytes_max <= NET_QUEUE_BYTES_LIMIT);
    SIM_ASSERT(link->config.mtu_bytes >= NET_MTU_BYTES_MIN &&
               link->config.mtu_bytes <= NET_MTU_BYTES_MAX);
    link->rate_set_bps = link->config.rate_bps;
    link->rate_bps = link->config.rate_bps;
    sim_event_init(&link->flap_event, "link.flap", &link->object, flap_over);
    link_plug(link, 0, a, b);
    link_plug(link, 1, b, a);
    if (net->last_link != NULL)
        net->last_link->next = link;
    else
        net->first_link = link;
    net->last_link = link;
    net->is_routed = false;
    for (uint32_t side = 0; side < 2; side++) {
        struct net_port *port = link->ports[side];
        if (port->is_off)
            net_link_side_set(link, NET_DOWN_PORT, side, true);
        if (port->owner_switch != NULL && port->owner_switch->down != 0)
            net_link_side_set(link, NET_DOWN_SWITCH, side, true);
    }
    link_tell(link);
    return link;
}

void net_link_set_up(struct net_link *link, bool up) {
    if (up)
        net_link_down_clear(link, NET_DOWN_SET);
    else
        net_link_down_set(link, NET_DOWN_SET);
}

bool net_link_is_up(const struct net_link *link) {
    return link->down == 0;
}

uint64_t net_link_rate_bps(const struct net_link *link) {
    return link->rate_bps;
}

struct sim_object *net_link_object(struct net_link *link) {
    return &link->object;
}

const struct net_link_config *net_link_config_of(const struct net_link *link) {
    return &link->config;
}

struct net_port *net_link_port(struct net_link *link, uint32_t side) {
    SIM_ASSERT(side < 2);
    return link->ports[side];
}
