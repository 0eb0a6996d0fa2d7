/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier's own structures, all in the PRIVATE region.
 *
 *   client        a consumer driver that opened adapters
 *   shadow        what is known of one NDK object; found by the object's address, kept to the end
 *   subscription  an event callback that a consumer gave, with its context
 *   request       a call that may pend, from the call until its one answer
 *   work          a posted work request, from the post until its one result
 *
 *   shadow:  UNBORN -handed over-> OPEN -close called-> CLOSING -close completed-> CLOSED
 *
 * Modelling (names, records, schedule points, contexts put in and taken out) is the same with
 * judging on and off; only looking and finding depend on it.
 */
#ifndef VRF_WORLD_H
#define VRF_WORLD_H

#include <ndkpi.h>
#include <ntstatus.h>

#include <krn/driver.h>
#include <krn/ndk.h>
#include <sim/cpu.h>
#include <sim/memory.h>
#include <sim/object.h>
#include <sim/path.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "functions.h"
#include "place.h"
#include "slab.h"

#define VRF_SITE_FRAMES 8u
#define VRF_WORK_FRAMES 2u
#define VRF_WORK_BUFFERS 4u
#define VRF_RELIED_COUNT 4u
#define VRF_ADDRESS_BYTES 28u

/* A watcher's own memory of an object or the world; see vrf_note in watch.h. */
struct vrf_note {
    struct vrf_note *next;
    const void *key;
    uint64_t data[];
};

struct vrf_client {
    struct krn_driver *driver; /* NULL: the program itself */
    struct krn_node *node;
    struct sim_object *owner;  /* of the names of what it makes */
    uint32_t unanswered_count; /* connectors born of its listeners that wait for an answer */
    uint32_t connecting_count; /* its pending connects */
    bool is_unloaded;          /* its DriverUnload returned */
    struct vrf_client *next;
};

enum vrf_phase { VRF_UNBORN, VRF_OPEN, VRF_CLOSING, VRF_CLOSED };

/* What waits between a post and its result, in posting order. */
struct vrf_queue {
    struct vrf_shadow *owner; /* QP or SRQ */
    struct vrf_shadow *cq;    /* NULL for an SRQ */
    struct vrf_work *first;
    struct vrf_work *last;
    struct vrf_queue *next_of_cq;
    uint32_t count;
    uint32_t signalled_count; /* of those that must give a result */
    uint32_t depth;           /* as created */
    uint32_t posted_count;    /* ever */
};

struct vrf_qp_part {
    struct vrf_queue *initiator;
    struct vrf_queue *receive;
    void *context;
    bool is_flushing;
};

struct vrf_cq_part {
    struct vrf_subscription *event;
    struct vrf_queue *queues;
    uint32_t depth;             /* while it is resized, the lower one */
    uint32_t resized_depth;     /* as asked for last */
    uint32_t outstanding_count; /* works whose result would come here */
    uint32_t orphan_count;      /* of those, signalled ones whose QP's close completed */
    uint32_t polls_running;
    uint32_t armed_type;
    bool is_armed;
    uint64_t armed_ns;
    uint64_t notified_ns; /* 0: never */
    bool is_drained;      /* a poll since the last notification began found fewer than asked for */
    bool may_overrun;     /* more was outstanding than fits, or it reported a failure */
    bool is_shared;       /* receives of an SRQ complete here */
};

struct vrf_connector_part {
    struct vrf_subscription *event;
    uint8_t address[VRF_ADDRESS_BYTES]; /* connect: the destination */
    bool is_offered;                    /* born of a listener */
    bool is_unanswered;                 /* ... and neither accepted nor rejected */
    bool is_accepted;                   /* its accept succeeded */
    uint64_t accept_called_ns;          /* 0: never */
};

struct vrf_listener_part {
    struct vrf_subscription *event;
    uint8_t address[VRF_ADDRESS_BYTES];
};

struct vrf_srq_part {
    struct vrf_subscription *event;
    bool has_failed; /* it reported so */
    struct vrf_queue *receive;
};

struct vrf_adapter_part {
    struct krn_adapter *adapter;
    uint16_t version_major;
    uint16_t version_minor;
};

struct vrf_pd_part {
    uint32_t privileged_token; /* 0: never asked for */
};

struct vrf_shadow {
    struct vrf_slot slot;
    struct sim_object object; /* id 0 while unborn */
    const void *pointer;      /* the NDK object; never dereferenced but at hand-over */
    const void *dispatch;     /* the provider's table */
    struct vrf_client *client;
    struct vrf_shadow *adapter;                  /* itself for an adapter */
    struct vrf_shadow *parent;                   /* NULL for an adapter */
    struct vrf_shadow *relied[VRF_RELIED_COUNT]; /* other antecedents */
    struct vrf_shadow *next;                     /* in birth order */
    struct vrf_shadow *live_previous;            /* in birth order, of those that are not closed */
    struct vrf_shadow *live_next;
    struct vrf_request *closing; /* its pending close */
    struct vrf_note *notes;
    uint64_t closed_ns;
    uint16_t passed[2];      /* by side: 1 + the first rule about it that was broken and let pass */
    uint32_t request_count;  /* pending, its close not among them */
    uint32_t callback_count; /* running, its close completion not among them */
    uint32_t call_count;     /* of its functions, running; counted while judging */
    struct vrf_call *calls;  /* those, the last one first */
    uint8_t type;            /* NDK_OBJECT_TYPE */
    uint8_t phase;           /* enum vrf_phase */
    struct sim_kept_site made;
    struct sim_kept_site closed;
    union {
        struct vrf_adapter_part adapter;
        struct vrf_connector_part connector;
        struct vrf_cq_part cq;
        struct vrf_listener_part listener;
        struct vrf_pd_part pd;
        struct vrf_qp_part qp;
        struct vrf_srq_part srq;
    } part;
};

struct vrf_subscription {
    struct vrf_slot slot;
    struct vrf_shadow *shadow;
    void (*routine)(void);
    void *context;
    struct vrf_place place;
};

/* How a request or work ended, kept while its record is. */
enum vrf_ending { VRF_OWED, VRF_ANSWERED, VRF_FAILED_INLINE, VRF_DONE_INLINE };

struct vrf_request {
    struct vrf_slot slot;
    struct vrf_request *previous;
    struct vrf_request *next;
    struct vrf_shadow *shadow;      /* its first argument */
    struct vrf_shadow *born;        /* create: what will come of it; connect, accept: NULL */
    struct vrf_shadow *tied;        /* connect, accept: the QP */
    struct vrf_subscription *event; /* the callback that came with it, or NULL */
    void (*routine)(void);
    void *context;
    struct vrf_place place;     /* of the context */
    struct vrf_place out_place; /* of an answer's slot that is filled when it completes */
    void *out_before;           /* create: what the out pointer held at the call */
    struct sim_kept_site site;
    uint32_t serial;
    int32_t status; /* of the answer */
    uint16_t function;
    uint8_t ending;      /* enum vrf_ending */
    bool is_in_call;     /* the provider's function has not returned */
    bool is_in_callback; /* the completion runs */
    bool is_counted;     /* in shadow->request_count */
};

struct vrf_work {
    struct vrf_slot slot;
    struct vrf_queue *queue;
    struct vrf_work *previous;
    struct vrf_work *next;
    void *context;
    struct sim_kept_site site;
    const void *buffers[VRF_WORK_BUFFERS]; /* live pool or stack when posted */
    struct vrf_piece *pieces;              /* of its buffers, last first; owned.h */
    uint32_t serial;
    uint32_t flags;
    uint16_t function;
    uint8_t ending; /* enum vrf_ending */
    uint8_t buffer_count;
    bool is_in_call;
};

/* What vrf_find_begin was asked for last, until it is handed in. */
struct vrf_begun {
    struct vrf_shadow *shadow;
    uint16_t rule;
    uint8_t side;
};

#define VRF_LOST_COUNT 3u

/* A watch on frames that are lost in one of the ways. */
struct vrf_lost {
    struct sim_watch watch;
    struct vrf_world *verifier;
};

struct vrf_world {
    struct sim_world *world;
    bool is_judging;
    bool is_waiting; /* what is found now is that something never came */
    uint32_t serial; /* of the last request or work */
    struct vrf_slab shadows;
    struct vrf_slab subscriptions;
    struct vrf_slab requests;
    struct vrf_slab works;
    struct vrf_shadow **table; /* by the object's address; open addressing */
    uint32_t table_bits;
    uint32_t table_count;
    struct vrf_client *clients; /* in order of their first open */
    struct vrf_shadow *shadow_first;
    struct vrf_shadow *shadow_last;
    struct vrf_shadow *live_first; /* those that are not closed: few, however many there were */
    struct vrf_shadow *live_last;
    struct vrf_request *request_first; /* not answered yet, or still in their call */
    struct vrf_request *request_last;
    struct vrf_note *notes;
    struct sim_watch wait_watch;
    struct vrf_lost lost[VRF_LOST_COUNT];
    uint64_t lost_ns; /* when the wire lost a frame last; 0: never */
    struct vrf_owned *owned;
    struct vrf_begun begun;
    struct vrf_call *told_first; /* running calls with buffers of a size that they were told */
};

/* Its machine went down: neither side can be held to anything any more. */
static inline bool vrf_is_off(const struct vrf_shadow *shadow) {
    const struct krn_node *node = shadow->client != NULL ? shadow->client->node : NULL;

    return node != NULL && krn_node_is_off(node);
}

static inline struct vrf_world *vrf_world_of(const struct sim_world *world) {
    return sim_world_slot(world, SIM_SLOT_VERIFIER);
}
static inline struct vrf_world *vrf_active(void) {
    return vrf_world_of(sim_world_active());
}

#endif
