/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of net share: the state behind SIM_SLOT_NET, links, switches, and the calls that
 * cross files.
 *
 *   transmit.c  the way of a frame from a port to its peer: queue, times, pause, delivery
 *   disturb.c   what faults do to one frame
 *   fault.c     the points, plans of state faults and their timers, healing
 *   link.c switch.c topology.c   states, forwarding, routes
 *   capture.c   taps and comments; pcapng.c the file format
 */
#ifndef NET_INTERNAL_H
#define NET_INTERNAL_H

#include <sim/choice.h>
#include <sim/event.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/object.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "net/capture.h"
#include "net/frame.h"
#include "net/link.h"
#include "net/names.h"
#include "net/port.h"
#include "net/switch.h"
#include "net/topology.h"

#define NET_POOL_COUNT 5u
#define NET_NO_ROUTE 0xFFu
/* A frame held back by a reorder fault goes on after so long when nobody overtakes it. */
#define NET_REORDER_HOLD_NS (UINT64_C(100) * SIM_NS_PER_US)
#define NET_QUEUE_BYTES_LIMIT (UINT64_C(1) << 30)
#define NET_ETH_BYTES_MIN 14u

/* Points in the order of the table; the frame and link ones come first and stay together. */
enum net_alteration {
    NET_ALTER_DROP,
    NET_ALTER_DUPLICATE,
    NET_ALTER_REORDER,
    NET_ALTER_CORRUPT,
    NET_ALTER_DELAY,
    NET_ALTER_TRUNCATE,
    NET_ALTER_COUNT,
};
enum net_point {
    NET_POINT_LINK_ALTER = 0,
    NET_POINT_FRAME_ALTER = NET_ALTER_COUNT,
    NET_POINT_LINK_DOWN = 2 * NET_ALTER_COUNT,
    NET_POINT_LINK_FLAP,
    NET_POINT_LINK_RATE,
    NET_POINT_SWITCH_DOWN,
    NET_POINT_SWITCH_PARTITION,
    NET_POINT_SWITCH_PAUSE_STORM,
    NET_POINT_COUNT,
};

struct net_address {
    struct net_address *next;
    struct wire_ip_addr address;
};

struct net_link {
    struct sim_object object;
    struct net *net;
    struct net_link *next; /* in birth order */
    struct net_port *ports[2];
    struct net_link_config config;
    uint64_t rate_bps;       /* that counts */
    uint64_t rate_set_bps;   /* of the configuration or a step */
    uint64_t rate_fault_bps; /* 0: none */
    uint32_t down;           /* enum net_down; 0: up */
    uint32_t ports_off;      /* bit per side */
    uint32_t switches_off;   /* bit per side */
    uint32_t epoch;          /* counts the times it went down */
    struct sim_event flap_event;
};

/* Who wants a switch's state: bits. */
enum net_wish {
    NET_WISH_SET,
    NET_WISH_FAULT,
    NET_WISH_COUNT,
};

struct net_switch {
    struct sim_object object;
    struct net *net;
    struct net_switch *next;
    struct net_switch_config config;
    struct net_port *ports; /* [config.port_count] */
    uint8_t *out_of_serial; /* [route_count]: port index towards a port, or NET_NO_ROUTE */
    uint32_t route_count;
    uint64_t cut[NET_WISH_COUNT];
    uint32_t down;  /* bits 1 << enum net_wish */
    uint32_t storm; /* same */
    struct sim_event storm_event;
};

struct net {
    struct sim_world *world;
    struct net_frame *pool[NET_POOL_COUNT];
    uint64_t frame_serial;
    uint64_t frame_live_count;
    uint64_t frame_made_count; /* live or in the pool */
    struct net_port *first_port;
    struct net_port *last_port;
    uint32_t port_count;
    struct net_link *first_link;
    struct net_link *last_link;
    struct net_switch *first_switch;
    struct net_switch *last_switch;
    /* Routes: built on demand after the wiring changed. */
    bool is_routed;
    struct net_port **by_mac; /* open addressing; NULL: free */
    uint32_t by_mac_mask;
    uint32_t polled_points; /* state faults that passing frames may fire: bits of enum net_point */
    size_t armed_plan_count;
    struct net_capture *captures; /* host memory */
    struct net_totals totals;
};

static inline struct net *net_of(const struct sim_world *world) {
    struct net *net = sim_world_slot(world, SIM_SLOT_NET);
    SIM_ASSERT(net != NULL);
    return net;
}

extern struct sim_fault_point net_points[NET_POINT_COUNT];

/* Nothing that a frame on a link may meet is planned: one look at 16 flags. */
bool net_fault_is_quiet(const struct net *net);
void net_fault_register(struct sim_world *world);
/* Lets a frame fire state faults. */
void net_fault_poll_link(struct net_link *link, enum net_frame_class class_id);
void net_fault_poll_switch(struct net_switch *sw, enum net_frame_class class_id);

/* transmit.c */
void net_frame_deliver(struct sim_world *world, struct sim_event *event);
void net_port_forward(struct net_port *port, struct net_frame *frame, uint64_t ready_ns);
void net_port_drop(struct net_port *port, struct net_frame *frame, enum net_drop cause);
/* Time at which the last bit of `wire_bytes` more has left, the transmitter's turn taken. */
uint64_t net_port_serialise(struct net_port *port, uint64_t wire_bytes, uint64_t ready_ns);
uint64_t net_wire_bytes(uint32_t length);
/* When no more than `bytes` are queued, pauses apart; in the past when that is so already. */
uint64_t net_port_low_ns(const struct net_port *port, uint64_t bytes);
/* Called while the link still has its old rate. */
void net_port_rate_changes(struct net_port *port);
void net_port_start(struct net_port *port, struct net_frame *frame, uint64_t due_ns);
/* Link went down: forgets queue and pause. */
void net_port_stop(struct net_port *port);
void net_port_resume(struct net_port *port);

/* disturb.c: takes over a frame whose arrival without faults is due at due_ns. */
void net_disturb(struct net_port *port, struct net_frame *frame, uint64_t due_ns);
/* `sent` has been launched (it may be gone): those that wait to be overtaken count it. */
void net_disturb_passed(struct net_port *port, const struct net_frame *sent, uint64_t due_ns);
void net_disturb_forget(struct net_port *port, struct net_frame *frame);

/* link.c */
void net_link_down_set(struct net_link *link, uint32_t reason);
void net_link_down_clear(struct net_link *link, uint32_t reason);
void net_link_side_set(struct net_link *link, uint32_t reason, uint32_t side, bool off);
void net_link_fault_rate(struct net_link *link, uint64_t rate_bps);
void net_link_flap(struct net_link *link, uint64_t down_ns);
void net_link_heal(struct net_link *link);

/* switch.c */
void net_switch_wish_down(struct net_switch *sw, enum net_wish who, bool down);
void net_switch_wish_cut(struct net_switch *sw, enum net_wish who, uint64_t mask);
void net_switch_wish_storm(struct net_switch *sw, enum net_wish who, bool on);

/* check.c */
void net_checks_register(struct sim_world *world);

/* topology.c */
void net_routes_build(struct net *net);
struct net_port *net_mac_find(const struct net *net, const uint8_t *mac);

/* capture.c */
void net_tap_frame(const struct net_port *port, const struct net_frame *frame, uint32_t points);
void net_capture_note_slow(struct net *net, const struct net_frame *frame, const char *what,
                           const char *detail, const struct sim_object *where);
/* Adds "what: detail at where" to the frame's last packet of each capture. */
static inline void net_capture_note(struct net *net, const struct net_frame *frame,
                                    const char *what, const char *detail,
                                    const struct sim_object *where) {
    if (SIM_UNLIKELY(net->captures != NULL))
        net_capture_note_slow(net, frame, what, detail, where);
}

#endif
