/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store-and-forward switch: forwards by destination MAC, with one output queue per port (that of
 * the port's link, or of its own size). The table follows from the topology; nothing is learned and
 * nothing is flooded: a frame to a MAC that no port has, or to a group, is dropped.
 */
#ifndef NET_SWITCH_H
#define NET_SWITCH_H

#include <sim/base.h>
#include <sim/object.h>

#include "net/port.h"

#define NET_SWITCH_PORT_COUNT_MAX 64u

struct net_switch_config {
    uint32_t port_count;      /* 1 to NET_SWITCH_PORT_COUNT_MAX */
    uint64_t latency_ns;      /* from the last bit in to the queue out */
    uint64_t queue_bytes_max; /* per output queue; 0: the link's */
};

/* Named as sim_object_init does; its ports are `name`.port0 and so on. */
struct net_switch *net_switch_create(struct sim_world *world, struct sim_object *owner,
                                     const char *label, enum sim_object_naming naming,
                                     const struct net_switch_config *config);
struct net_port *net_switch_port(struct net_switch *sw, uint32_t index);
uint32_t net_switch_port_count(const struct net_switch *sw);
struct sim_object *net_switch_object(struct net_switch *sw);

/* The ports in `mask` and the others no longer reach each other; 0: whole again. */
void net_switch_partition(struct net_switch *sw, uint64_t mask);

/* Down: forwards nothing, and all its links are down. */
void net_switch_set_up(struct net_switch *sw, bool up);
bool net_switch_is_up(const struct net_switch *sw);

/* Sends PFC pause frames for all classes out of every port, again and again, until told to stop. */
void net_switch_pause_storm(struct net_switch *sw, bool on);

#endif
