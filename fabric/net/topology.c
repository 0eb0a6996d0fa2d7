/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wiring: addresses, and the ways between ports. Routes are shortest in links, ties going to
 * the port with the smaller birth number; they are worked out when they are first needed after a
 * change of the wiring, and never look at whether links are up.
 */
#include "internal.h"

#include "net/fault.h"

#include <string.h>

#include <wire/bytes.h>

static const char *const trace_names[NET_TRACE_END - NET_TRACE_SENT] = {
    "tx.other",      "tx.cm.req",     "tx.cm.mra",        "tx.cm.rej",      "tx.cm.rep",
    "tx.cm.rtu",     "tx.cm.dreq",    "tx.cm.drep",       "tx.cm.other",    "tx.send",
    "tx.write",      "tx.read",       "tx.read.response", "tx.ack",         "tx.nak",
    "tx.rnr",        "tx.cnp",        "tx.pfc",           "frame.drop",     "frame.duplicate",
    "frame.reorder", "frame.corrupt", "frame.delay",      "frame.truncate", "link.up",
    "link.down",     "link.rate",     "switch.up",        "switch.down",    "switch.partition",
    "switch.pause",  "port.paused",   "port.resumed",
};

void net_init(struct sim_world *world) {
    SIM_ASSERT(sim_world_slot(world, SIM_SLOT_NET) == NULL);
    struct net *net = sim_alloc(world, sizeof *net);
    net->world = world;
    sim_world_slot_set(world, SIM_SLOT_NET, net);
    sim_trace_register(world, NET_TRACE_SENT, trace_names, SIM_ARRAY_COUNT(trace_names));
    net_fault_register(world);
    net_checks_register(world);
}

bool net_port_address_add(struct net_port *port, const struct wire_ip_addr *address) {
    struct net_address **end = &port->addresses;
    if (net_port_by_address(port->net->world, address) != NULL)
        return false;
    while (*end != NULL)
        end = &(*end)->next;
    *end = sim_alloc(port->net->world, sizeof **end);
    (*end)->address = *address;
    return true;
}

uint32_t net_port_address_count(const struct net_port *port) {
    uint32_t count = 0;
    for (const struct net_address *a = port->addresses; a != NULL; a = a->next)
        count++;
    return count;
}

const struct wire_ip_addr *net_port_address_at(const struct net_port *port, uint32_t index) {
    const struct net_address *a = port->addresses;
    while (a != NULL && index-- != 0)
        a = a->next;
    return a != NULL ? &a->address : NULL;
}

static bool has_address(const struct net_port *port, const struct wire_ip_addr *address) {
    for (const struct net_address *a = port->addresses; a != NULL; a = a->next)
        if (wire_ip_addr_equal(&a->address, address))
            return true;
    return false;
}

struct net_port *net_port_by_address(const struct sim_world *world,
                                     const struct wire_ip_addr *address) {
    for (struct net_port *p = net_of(world)->first_port; p != NULL; p = p->next)
        if (has_address(p, address))
            return p;
    return NULL;
}

struct net_port *net_port_by_mac(const struct sim_world *world, const struct wire_mac *mac) {
    for (struct net_port *p = net_of(world)->first_port; p != NULL; p = p->next)
        if (memcmp(&p->mac, mac, sizeof *mac) == 0)
            return p;
    return NULL;
}

const struct net_totals *net_totals(const struct sim_world *world) {
    return &net_of(world)->totals;
}

struct net_port *net_port_next(const struct sim_world *world, const struct net_port *port) {
    return port != NULL ? port->next : net_of(world)->first_port;
}

static uint32_t mac_slot(const struct net *net, const uint8_t *mac) {
    uint64_t value = (uint64_t)wire_get_u32(mac) << 16 | wire_get_u16(mac + 4);
    return (uint32_t)sim_hash_mix(0, value) & net->by_mac_mask;
}

struct net_port *net_mac_find(const struct net *net, const uint8_t *mac) {
    uint32_t slot = mac_slot(net, mac);
    struct net_port *port;
    while ((port = net->by_mac[slot]) != NULL) {
        if (memcmp(port->mac.bytes, mac, sizeof port->mac.bytes) == 0)
            return port;
        slot = (slot + 1) & net->by_mac_mask;
    }
    return NULL;
}

static void macs_build(struct net *net) {
    uint32_t size = 8;
    while (size < 2 * net->port_count)
        size *= 2;
    if (net->by_mac != NULL)
        sim_free(net->world, net->by_mac, (net->by_mac_mask + 1) * sizeof *net->by_mac);
    net->by_mac = sim_alloc(net->world, size * sizeof *net->by_mac);
    net->by_mac_mask = size - 1;
    for (struct net_port *p = net->first_port; p != NULL; p = p->next) {
        uint32_t slot = mac_slot(net, p->mac.bytes);
        while (net->by_mac[slot] != NULL)
            slot = (slot + 1) & net->by_mac_mask;
        net->by_mac[slot] = p;
    }
}

struct search {
    struct net_switch **queue; /* room for every switch */
    uint32_t head;
    uint32_t tail;
};

/* The search for ways to `to` comes to a port: a switch seen for the first time learns its way. */
static void search_reach(struct search *search, const struct net_port *to,
                         const struct net_port *entry) {
    struct net_switch *sw = entry != NULL ? entry->owner_switch : NULL;
    if (sw == NULL || sw->out_of_serial[to->serial] != NET_NO_ROUTE)
        return;
    sw->out_of_serial[to->serial] = (uint8_t)entry->switch_index;
    search->queue[search->tail++] = sw;
}

/* Spreads from one device port over the switches, nearest first. */
static void route_spread(struct search *search, const struct net_port *to) {
    search->head = 0;
    search->tail = 0;
    search_reach(search, to, to->peer);
    while (search->head != search->tail) {
        const struct net_switch *sw = search->queue[search->head++];
        for (uint32_t i = 0; i < sw->config.port_count; i++)
            search_reach(search, to, sw->ports[i].peer);
    }
}

void net_routes_build(struct net *net) {
    struct sim_world *world = net->world;
    uint32_t switch_count = 0;
    macs_build(net);
    for (struct net_switch *sw = net->first_switch; sw != NULL; sw = sw->next) {
        switch_count++;
        if (sw->out_of_serial != NULL)
            sim_free(world, sw->out_of_serial, sw->route_count);
        sw->out_of_serial = sim_alloc(world, net->port_count);
        sw->route_count = net->port_count;
        memset(sw->out_of_serial, NET_NO_ROUTE, net->port_count);
    }
    if (switch_count != 0) {
        uint64_t bytes = switch_count * sizeof(struct net_switch *);
        struct search search = {.queue = sim_alloc(world, bytes)};
        for (const struct net_port *p = net->first_port; p != NULL; p = p->next)
            if (p->owner_switch == NULL)
                route_spread(&search, p);
        sim_free(world, search.queue, bytes);
    }
    net->is_routed = true;
}

bool net_neighbour_find(const struct net_port *from, const struct wire_ip_addr *address,
                        struct net_neighbour *neighbour) {
    struct net *net = from->net;
    struct net_port *to = net_port_by_address(net->world, address);
    const struct net_port *at = from;
    if (to == NULL)
        return false;
    if (!net->is_routed)
        net_routes_build(net);
    *neighbour =
        (struct net_neighbour){.port = to, .mac = to->mac, .mtu_bytes = net_port_mtu_bytes(from)};
    while (at != to) {
        if (at->link == NULL)
            return false;
        const struct net_link_config *config = &at->link->config;
        if (config->mtu_bytes < neighbour->mtu_bytes)
            neighbour->mtu_bytes = config->mtu_bytes;
        neighbour->delay_ns += config->delay_ns;
        neighbour->hops++;
        at = at->peer;
        if (at == to)
            break;
        const struct net_switch *sw = at->owner_switch;
        if (sw == NULL || sw->out_of_serial[to->serial] == NET_NO_ROUTE)
            return false;
        neighbour->delay_ns += sw->config.latency_ns;
        at = &sw->ports[sw->out_of_serial[to->serial]];
    }
    return true;
}

void net_heal(struct sim_world *world) {
    struct net *net = net_of(world);
    for (struct net_switch *sw = net->first_switch; sw != NULL; sw = sw->next) {
        net_switch_wish_storm(sw, NET_WISH_FAULT, false);
        net_switch_wish_cut(sw, NET_WISH_FAULT, 0);
        net_switch_wish_down(sw, NET_WISH_FAULT, false);
    }
    for (struct net_link *link = net->first_link; link != NULL; link = link->next)
        net_link_heal(link);
}
