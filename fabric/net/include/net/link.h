/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A point-to-point, full-duplex link between two ports.
 *
 * A frame sent at t begins to leave when the transmitter is free, takes (length + 24 bytes of
 * preamble, FCS and gap, at least 84) / rate, and arrives delay_ns after its last bit left, rounded
 * up to whole nanoseconds; fractions are carried on, so that rates are exact over time. A frame
 * whose backlog ahead of it leaves no room below queue_bytes_max is dropped (drop tail). Frames of
 * one direction arrive in the order sent, except where a fault says otherwise.
 *
 *            set false, fault, port off, switch down
 *      UP ------------------------------------------> DOWN      (up again when no reason is left)
 *
 * Going down loses every frame that is on its way.
 */
#ifndef NET_LINK_H
#define NET_LINK_H

#include <sim/base.h>
#include <sim/object.h>

#include "net/port.h"

#define NET_MTU_BYTES_DEFAULT 4200u
#define NET_MTU_BYTES_MIN 320u /* a CM datagram fits */
#define NET_MTU_BYTES_MAX 9216u
#define NET_RATE_BPS_MAX UINT64_C(1000000000000)
#define NET_WIRE_OVERHEAD_BYTES 24u /* preamble, FCS, inter-frame gap */
#define NET_WIRE_BYTES_MIN 84u      /* of the shortest frame, overhead included */

struct net_link_config {
    uint64_t rate_bps;        /* 1 to NET_RATE_BPS_MAX */
    uint64_t delay_ns;        /* propagation, each way */
    uint64_t queue_bytes_max; /* of each end's transmit queue, wire overhead included */
    uint32_t mtu_bytes;       /* of the IP packet */
    /*
     * Not 0: each frame's delay is a choice (SIM_CHOICE_DELAY, topic "link.jitter", subject the
     * sending port) among 0, 1, 2, 5, 10 ... us up to this. Order is kept.
     */
    uint64_t jitter_max_ns;
};

/* 100 Gb/s, 500 ns, 1 MiB, MTU 4200, no jitter. */
extern const struct net_link_config net_link_config_default;

/*
 * Plugs two unplugged ports together. Named as sim_object_init does. `config` is copied; NULL:
 * the default.
 */
struct net_link *net_link_create(struct sim_world *world, struct sim_object *owner,
                                 const char *label, enum sim_object_naming naming,
                                 struct net_port *a, struct net_port *b,
                                 const struct net_link_config *config);

/* Why a link is down: bits. */
enum net_down {
    NET_DOWN_SET = 1u << 0,    /* net_link_set_up(link, false): a scenario's step */
    NET_DOWN_FAULT = 1u << 1,  /* link.down, link.flap */
    NET_DOWN_PORT = 1u << 2,   /* an owner switched its port off */
    NET_DOWN_SWITCH = 1u << 3, /* a switch at an end is down */
};

void net_link_set_up(struct net_link *link, bool up);
void net_link_set_rate(struct net_link *link, uint64_t rate_bps);
bool net_link_is_up(const struct net_link *link);
uint64_t net_link_rate_bps(const struct net_link *link);
struct sim_object *net_link_object(struct net_link *link);
const struct net_link_config *net_link_config_of(const struct net_link *link);
struct net_port *net_link_port(struct net_link *link, uint32_t side);

#endif
