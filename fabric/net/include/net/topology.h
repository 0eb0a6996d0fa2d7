/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is plugged into what, and who is reachable from where. Neighbours come from here: there are
 * no ARP or ND frames. The fabric is one layer-2 domain per connected set of ports; an address is
 * reachable when its port is connected, whether links are up or not.
 */
#ifndef NET_TOPOLOGY_H
#define NET_TOPOLOGY_H

#include <sim/base.h>
#include <wire/eth.h>
#include <wire/ip.h>

#include "net/port.h"

/* Once per world, at set-up, before anything else of net: registers trace names and faults. */
void net_init(struct sim_world *world);

/*
 * Frames of the run so far: those that owners of ports sent, and copies that faults made of them.
 * Each counts once, however many links it crosses, and also where its own port refused it. What is
 * lost was sent before: dropped anywhere, for any cause.
 */
struct net_totals {
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t frames_lost;
};
const struct net_totals *net_totals(const struct sim_world *world);

/* Gives a device port an address. False when a port of the world has it already. */
bool net_port_address_add(struct net_port *port, const struct wire_ip_addr *address);
uint32_t net_port_address_count(const struct net_port *port);
/* In the order added. NULL beyond the count. */
const struct wire_ip_addr *net_port_address_at(const struct net_port *port, uint32_t index);

/* NULL when no port has the address or MAC. */
struct net_port *net_port_by_address(const struct sim_world *world,
                                     const struct wire_ip_addr *address);
struct net_port *net_port_by_mac(const struct sim_world *world, const struct wire_mac *mac);
/* In birth order, switch ports included; NULL after the last. Start with NULL. */
struct net_port *net_port_next(const struct sim_world *world, const struct net_port *port);

/* The way to an address. */
struct net_neighbour {
    struct net_port *port; /* that has it; `from` itself for an own address */
    struct wire_mac mac;
    uint32_t mtu_bytes; /* smallest of the way, IP bytes */
    uint32_t hops;      /* links crossed; 0: own address */
    uint64_t delay_ns;  /* propagation and switch latency of the way, without serialisation */
};

/* False when it is not reachable from `from`. Looks at the wiring only, never at states. */
bool net_neighbour_find(const struct net_port *from, const struct wire_ip_addr *address,
                        struct net_neighbour *neighbour);

#endif
