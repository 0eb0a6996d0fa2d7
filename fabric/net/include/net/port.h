/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port: where a device or a switch meets a link. Embedded in its owner.
 *
 *   owner -- net_port_send --> [transmit queue, serialisation] -- link --> peer's on_frame
 *
 * The transmit queue is arithmetic, not a list: a frame's times are known when it is sent, so a
 * link traversal is one event. Only a port paused by its peer (PFC) holds frames in a list.
 *
 * Callbacks run in the scheduler (never in a task, never inside a call of the owner's); they may
 * send, and may not wait.
 */
#ifndef NET_PORT_H
#define NET_PORT_H

#include <sim/base.h>
#include <sim/event.h>
#include <sim/object.h>
#include <wire/eth.h>
#include <wire/ip.h>

#include "net/frame.h"
#include "net/names.h"

struct net;
struct net_link;
struct net_switch;
struct net_tap;

struct net_port_ops {
    /* A frame has arrived whole (store and forward); the receiver owns it now. */
    void (*on_frame)(void *context, struct net_frame *frame);
    /* The link came up or went down. May be NULL. */
    void (*on_link)(void *context, bool up);
    /* What net_port_sent_when asked for. May be NULL when that is not used. */
    void (*on_sent)(void *context);
};

/* One number per opcode that fabric/wire carries, then one for all others. */
#define NET_OPCODE_SLOT_COUNT 28u
#define NET_PRIORITY_COUNT 8u

struct net_port_statistics {
    uint64_t frames_out; /* handed to the link, dropped ones not */
    uint64_t bytes_out;
    uint64_t frames_in;
    uint64_t bytes_in;
    uint64_t opcode_out[NET_OPCODE_SLOT_COUNT]; /* made here and sent, before any fault or drop */
    uint64_t class_out[NET_CLASS_COUNT];        /* same, by class */
    uint64_t priority_out[NET_PRIORITY_COUNT];  /* same, by class selector */
    uint64_t drops[NET_DROP_COUNT];             /* of frames on their way out of this port */
    uint64_t pauses_in;                         /* PFC frames that arrived */
};

struct net_port {
    struct sim_object object;
    struct wire_mac mac;
    struct net_port_statistics statistics;
    /* net's own from here on. */
    struct net *net;
    const struct net_port_ops *ops;
    void *context;
    struct net_port *next; /* all ports, in birth order */
    struct net_port *peer; /* other end of the link; NULL: unplugged */
    struct net_link *link;
    struct net_switch *owner_switch; /* NULL for a device's port */
    struct net_tap *taps;
    struct net_address *addresses;
    uint32_t serial; /* from 0, in birth order */
    uint32_t side;   /* of the link: 0 or 1 */
    uint32_t switch_index;
    bool is_off;
    bool up_told;
    bool is_paused;
    bool is_sent_wished;
    /* The transmitter: idle from busy_ns + busy_part / rate_bps ns on. */
    uint64_t busy_ns;
    uint64_t busy_part;
    uint64_t old_busy_ns; /* what was queued at the last change of rate has left; 0: it has */
    uint64_t old_rate_bps;
    uint64_t fifo_due_ns; /* no frame overtakes that was not told to */
    uint64_t queue_bytes_max;
    uint64_t paused_until_ns;
    struct net_frame *held_first; /* while paused */
    struct net_frame **held_last;
    uint64_t held_bytes;
    struct net_frame *overtaken; /* held back by link.reorder */
    struct sim_event pause_event;
    struct sim_event link_event;
    struct sim_event sent_event;
    uint64_t sent_backlog_bytes;
};

/*
 * Prepares `port`, named `owner`.portN. `mac` may be NULL: then it gets a locally administered one
 * that no other port of the world has. The port lives as long as the world.
 */
void net_port_init(struct sim_world *world, struct net_port *port, struct sim_object *owner,
                   const struct wire_mac *mac, const struct net_port_ops *ops, void *context);

/*
 * Sends a frame; ownership passes, whatever becomes of it. What does not fit into the transmit
 * queue, or is longer than the link's MTU, or finds the link down, is dropped and counted.
 */
void net_port_send(struct net_port *port, struct net_frame *frame);

/* Bytes sent and not yet begun or finished leaving, the wire's own overhead included. */
uint64_t net_port_backlog_bytes(const struct net_port *port);

/*
 * Pacing: one on_sent call as soon as the backlog is at most `backlog_bytes` (when it is already:
 * from the event queue, at the present time). Asking again replaces the earlier wish. A sender that
 * keeps its backlog below the link's queue limit never loses a frame to it.
 */
void net_port_sent_when(struct net_port *port, uint64_t backlog_bytes);

/* True when plugged in and the link, both its ports and their switches are up. */
bool net_port_is_up(const struct net_port *port);

/* The owner switches its port off or on (reset, removal); the link goes down or up with it. */
void net_port_enable(struct net_port *port, bool on);

/* Bytes of IP packet that the port's link carries; 0 when unplugged. */
uint32_t net_port_mtu_bytes(const struct net_port *port);
/* 0 when unplugged. */
uint64_t net_port_rate_bps(const struct net_port *port);

/* A frame of another format than given here is sent under the slot of all others. */
uint32_t net_opcode_slot(uint8_t opcode);
/* The opcode of a slot below NET_OPCODE_SLOT_COUNT - 1. */
uint8_t net_opcode_of_slot(uint32_t slot);

/*
 * Writes the statistics of every port as JSON: one object with a member per port, keyed by its
 * name, in birth order; counts that are 0 are left out of the inner objects (opcode_out and
 * priority_out have decimal keys). Calls `put` piecewise.
 */
void net_statistics_write(const struct sim_world *world, void (*put)(void *context, const char *),
                          void *context);

#endif
