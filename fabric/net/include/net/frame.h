/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame: Ethernet bytes without FCS in a pooled buffer of the PRIVATE region. It has one owner at
 * a time and no references: whoever holds it sends it (net_port_send takes it), hands it on, or
 * puts it back. Receivers may change the bytes in place; nobody else sees them.
 */
#ifndef NET_FRAME_H
#define NET_FRAME_H

#include <sim/base.h>
#include <sim/event.h>

#include "net/names.h"

struct net;
struct net_port;

/* Longest frame: 9,216 bytes of IP packet and a tagged Ethernet header. */
#define NET_FRAME_BYTES_MAX (9216u + 18u)

/* Which fault touched a frame: bits of net_frame.touched. */
enum net_touch {
    NET_TOUCH_DROP = 1u << 0,
    NET_TOUCH_DUPLICATE = 1u << 1, /* on the copy; the original is marked too */
    NET_TOUCH_REORDER = 1u << 2,
    NET_TOUCH_CORRUPT = 1u << 3,
    NET_TOUCH_DELAY = 1u << 4,
    NET_TOUCH_TRUNCATE = 1u << 5,
};

struct net_frame {
    struct net_frame *next; /* the owner's, for its lists */
    uint32_t length;        /* bytes in use */
    uint32_t capacity;
    uint64_t id;      /* serial in the world, from 1; a duplicate has its own */
    uint64_t sent_ns; /* when it was first sent */
    uint16_t touched; /* enum net_touch */
    /* From here on: filled by the first net_port_send. */
    uint8_t class_id; /* enum net_frame_class */
    uint8_t opcode;   /* of the BTH; 0xFF without one */
    uint32_t dst_qpn;
    uint32_t psn;
    /* net's own. */
    uint8_t pool;
    bool is_pooled;     /* nobody's */
    bool is_held;       /* in its sender's list of those to be overtaken */
    uint32_t overtakes; /* frames still to be let past */
    uint32_t epoch;
    struct net *net;
    struct net_port *from; /* of the current link */
    struct net_port *to;
    struct sim_event event;
    uint8_t bytes[];
};

/*
 * A frame with room for at least `bytes` (at most NET_FRAME_BYTES_MAX), length 0, contents
 * undefined. Never NULL. net_init must have been called.
 */
struct net_frame *net_frame_get(struct sim_world *world, uint32_t bytes);

/* Gives a frame back. It must not be on its way. */
void net_frame_put(struct net_frame *frame);

/* A copy with an id of its own: bytes, length, touched, classification. */
struct net_frame *net_frame_copy(const struct net_frame *frame);

/* Frames taken and not yet given back, those on their way included; 0 at the end of a clean run. */
uint64_t net_frame_live_count(const struct sim_world *world);

/* What the bytes are, whatever their length; never reads past it. */
struct net_frame_kind {
    enum net_frame_class class_id;
    uint8_t opcode;   /* 0xFF without a BTH */
    uint8_t priority; /* of its IP header: the class selector, 0..7; 0 without a BTH */
    uint32_t dst_qpn;
    uint32_t psn;
};
struct net_frame_kind net_frame_classify(const uint8_t *bytes, uint32_t length);

#endif
