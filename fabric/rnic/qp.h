/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context of a queue pair.
 *
 *   RESET --> INIT --> RTR --> RTS          modify (table in qp_states.c)
 *     ^         |       |       |  SQE (GSI: a send failed; modify brings it back to RTS)
 *     |         v       v       v
 *     +------- ERR <---------------         modify, or by itself with a QP_ERROR event
 *
 *   RESET, INIT   receives may be posted; nothing moves
 *   RTR           the responder works
 *   RTS           requester and completer too
 *   ERR           posted work is flushed, send queue first; nothing else moves but the last
 *                 replies of a responder that found a fault
 *
 * The three sub-structures are written by the file of their name alone (completer_retry.c is part
 * of the completer, responder_*.c of the responder, requester_*.c of the requester).
 */
#ifndef RNIC_QP_H
#define RNIC_QP_H

#include <rnic_hw/rnic.h>
#include <sim/event.h>
#include <sim/object.h>
#include <wire/roce.h>

#include <rnic/device.h>

#include "pages.h"
#include "table.h"

struct net_frame;
struct rnic_cq;
struct rnic_mkey;
struct rnic_srq;

/* Why the send queue does or does not move. */
enum rnic_requester_state {
    RNIC_REQUESTER_IDLE,       /* nothing posted that has not been sent */
    RNIC_REQUESTER_SENDING,    /* in the device's transmit list, or about to be */
    RNIC_REQUESTER_WINDOW,     /* window_packets are unacknowledged */
    RNIC_REQUESTER_FENCE,      /* next WQE waits for READs to complete */
    RNIC_REQUESTER_READ_LIMIT, /* next WQE is a READ above reads_out */
    RNIC_REQUESTER_RNR,        /* the peer asked to wait */
    RNIC_REQUESTER_FAULT,      /* next WQE is in error; earlier ones may still complete */
    RNIC_REQUESTER_STOPPED,    /* not in RTS */
};

/* A started WQE: its first PSN and how many it takes; 0 for those that send nothing. */
struct rnic_flight {
    uint32_t psn_opcode;  /* PSN | enum rnic_wqe_opcode << 24 */
    uint32_t count_flags; /* PSNs | RNIC_WQE_* << 24 */
};

struct rnic_requester {
    enum rnic_requester_state state;
    uint32_t producer;           /* posted by the driver */
    uint32_t start_index;        /* next WQE to start; those before have a flight entry */
    uint32_t index;              /* send position: WQE ... */
    uint32_t packet;             /* ... and PSN within it */
    struct wire_psn next_psn;    /* of the next WQE to start */
    struct wire_psn highest_psn; /* one behind the highest ever sent; below it is a retry */
    uint32_t since_ack_request;  /* packets */
    uint32_t reads_started;
    uint32_t read_psns_started;
    struct rnic_flight *flights; /* one per ring entry; NULL for GSI */
    uint32_t fault_index;        /* FAULT: the WQE in error ... */
    uint8_t fault_status;        /* ... enum rnic_cqe_status */
    uint8_t fault_syndrome;
};

enum rnic_completer_state {
    RNIC_COMPLETER_FLOWING,
    RNIC_COMPLETER_RESENDING, /* went back for a sequence NAK; another one is its copy */
    RNIC_COMPLETER_REREADING, /* went back for a lost response; until progress others say it again
                               */
};

struct rnic_completer {
    enum rnic_completer_state state;
    uint32_t head;            /* oldest unfinished WQE */
    struct wire_psn expected; /* oldest unacknowledged PSN */
    uint32_t reads_finished;
    uint32_t read_psns_finished;
    uint32_t finished_told; /* last value written to sq_finished_record */
    uint8_t retries_left;
    uint8_t rnr_retries_left;
    uint64_t deadline_ns;   /* SIM_TIME_NEVER: not running */
    struct sim_event timer; /* may come early and is then put off to the deadline */
};

enum rnic_responder_state {
    RNIC_RESPONDER_READY,
    RNIC_RESPONDER_NAKED, /* sequence or RNR NAK given; silent until the expected PSN comes */
    RNIC_RESPONDER_FAULT, /* found a fault; only the replies that are due still leave */
    RNIC_RESPONDER_DONE,
};

enum rnic_message {
    RNIC_MESSAGE_NONE, /* between messages */
    RNIC_MESSAGE_SEND,
    RNIC_MESSAGE_WRITE,
};

/* A receive that was taken from RQ or SRQ. */
struct rnic_receive {
    struct rnic_sge sges[RNIC_SGE_COUNT_LIMIT];
    uint32_t count;
    uint32_t index;
    uint64_t tag;
    uint64_t bytes; /* room */
};

/* A READ that was accepted: kept for its responses and for duplicates. */
struct rnic_read {
    uint64_t address;
    uint32_t rkey;
    uint32_t bytes;
    uint32_t count; /* PSNs */
    struct wire_psn psn;
    uint32_t msn;
    /* Packets counted from `psn`: where the last request for it began, which is next, its end. */
    uint32_t first;
    uint32_t next; /* equal to `end`: all sent */
    uint32_t end;
    uint32_t stop;  /* bytes from `address` up to where the last request for it ended */
    bool is_repeat; /* asked for again */
};

enum rnic_reply {
    RNIC_REPLY_NONE,
    RNIC_REPLY_ACK, /* of all executed so far */
    RNIC_REPLY_NAK, /* `reply_syndrome` for `reply_psn`: any NAK or RNR NAK */
};

struct rnic_responder {
    enum rnic_responder_state state;
    enum rnic_message message;
    enum rnic_reply reply;
    uint8_t reply_syndrome;
    struct wire_psn reply_psn;
    struct wire_psn expected;
    uint32_t msn;
    bool has_received; /* a first packet came in RTR */
    bool is_serving;   /* counts in reads_in_total_max: responses of a READ are on their way */
    bool is_held;      /* a READ waits until another QP's is over */
    bool is_last_told; /* SRQ: QP_LAST_WQE went out */
    uint64_t placed;   /* bytes of the message placed so far */
    uint64_t address;  /* WRITE */
    uint32_t rkey;     /* WRITE */
    uint32_t bytes;    /* WRITE: of the message */
    uint32_t rq_producer;
    uint32_t rq_consumer;
    uint32_t read_count;          /* remembered, at most reads_in */
    uint32_t read_first;          /* oldest, in `reads` */
    struct rnic_read *reads;      /* NULL before the first */
    struct rnic_receive *receive; /* taken and not completed, or NULL */
};

struct rnic_qp {
    uint32_t number;
    uint32_t pdn;
    struct rnic_device *device;
    struct sim_object *object;
    struct rnic_cq *send_cq;
    struct rnic_cq *receive_cq;
    struct rnic_srq *srq;
    struct rnic_ring sq;
    struct rnic_ring rq;
    uint8_t type;     /* enum rnic_qp_type */
    uint8_t state;    /* enum rnic_qp_state */
    uint8_t syndrome; /* enum rnic_syndrome */
    uint8_t flags;    /* RNIC_QP_FLAG_* */
    bool is_listed;   /* transmit.c */
    uint32_t sq_sge_count_max;
    uint32_t rq_sge_count_max;
    uint32_t read_sge_count_max;
    uint32_t mtu_bytes;
    uint64_t sq_finished_record;
    struct rnic_qp *transmit_next;
    struct rnic_qp_attributes attributes;
    struct wire_ip_addr local_ip;
    struct wire_roce_template templ;
    struct wire_psn datagram_psn; /* GSI */
    struct rnic_requester requester;
    struct rnic_completer completer;
    struct rnic_responder responder;
};

static inline struct rnic_qp *rnic_qp_of_timer(struct sim_event *event) {
    return SIM_CONTAINER_OF(event, struct rnic_qp, completer.timer);
}

/* qp.c: life */
uint64_t rnic_reads_bytes(const struct rnic_device *device); /* of the READs of a responder */
enum rnic_status rnic_qp_create(struct rnic_device *device, const struct rnic_qp_create *create,
                                uint32_t *number);
enum rnic_status rnic_qp_destroy(struct rnic_device *device, uint32_t number);
struct rnic_qp *rnic_qp_find(const struct rnic_device *device, uint32_t number);
void rnic_qp_query(const struct rnic_qp *qp, struct rnic_qp_info *info);
void rnic_qps_reset(struct rnic_device *device);

/* qp_states.c */
enum rnic_status rnic_qp_modify(struct rnic_qp *qp, const struct rnic_qp_attributes *attributes);
void rnic_qp_machine_register(struct sim_world *world);
void rnic_qp_set_state(struct rnic_qp *qp, enum rnic_qp_state state, enum rnic_syndrome syndrome);

/* qp_error.c: to ERR by command, or by itself with a QP_ERROR event; flushed a little later */
void rnic_qp_enter_error(struct rnic_qp *qp, enum rnic_syndrome syndrome);
void rnic_qp_fail(struct rnic_qp *qp, enum rnic_syndrome syndrome);
void rnic_qp_flush(struct rnic_qp *qp);
/* Late completions of its CQs are written now: a command that promises them is about to end. */
void rnic_qp_release_held(struct rnic_qp *qp);
void rnic_qps_fail_with_cq(struct rnic_device *device, struct rnic_cq *cq);
/* The CQ is done with what it held back: records of finished sends follow. */
void rnic_qps_tell_finished(struct rnic_device *device, const struct rnic_cq *cq);
void rnic_qps_fail_with_srq(struct rnic_device *device, const struct rnic_srq *srq);

/* qp_path.c: fills template, local_ip, mtu_bytes from the attributes */
enum rnic_status rnic_qp_path_open(struct rnic_qp *qp, const struct rnic_qp_attributes *attributes);
enum rnic_status rnic_path_fill(struct rnic_device *device,
                                const struct rnic_address_vector *vector, uint16_t udp_src_port,
                                struct wire_roce_path *path);

/* A completion of the SQ; of the RQ or SRQ. */
void rnic_qp_complete_send(struct rnic_qp *qp, uint32_t index, enum rnic_wqe_opcode opcode,
                           enum rnic_cqe_status status, enum rnic_syndrome syndrome,
                           uint32_t bytes);
void rnic_qp_complete_receive(struct rnic_qp *qp, struct rnic_cqe *cqe);

/* requester.c */
void rnic_requester_reset(struct rnic_qp *qp); /* nothing posted, nothing sent */
void rnic_requester_open(struct rnic_qp *qp);  /* RTR -> RTS */
void rnic_requester_stop(struct rnic_qp *qp);  /* leaves RTS */
void rnic_requester_post(struct rnic_qp *qp, uint32_t producer);
void rnic_requester_start(struct rnic_qp *qp);                /* posted work is taken up */
void rnic_requester_wake(struct rnic_qp *qp);                 /* the completer made progress */
void rnic_requester_rewind(struct rnic_qp *qp);               /* to the completer's `expected` */
void rnic_requester_wait(struct rnic_qp *qp);                 /* RNR: until the next rewind */
void rnic_requester_skip(struct rnic_qp *qp, uint32_t index); /* flushed up to `index` */
/* Sends up to `bytes` of payload; true while there is more to send at once. */
bool rnic_requester_turn(struct rnic_qp *qp, uint32_t bytes);

static inline const struct rnic_flight *rnic_flight(const struct rnic_qp *qp, uint32_t index) {
    return &qp->requester.flights[index & qp->sq.mask];
}
static inline struct wire_psn rnic_flight_psn(const struct rnic_flight *flight) {
    return wire_psn_make(flight->psn_opcode);
}
static inline uint32_t rnic_flight_count(const struct rnic_flight *flight) {
    return flight->count_flags & WIRE_PSN_MASK;
}
static inline enum rnic_wqe_opcode rnic_flight_opcode(const struct rnic_flight *flight) {
    return (enum rnic_wqe_opcode)(flight->psn_opcode >> 24);
}
static inline uint8_t rnic_flight_flags(const struct rnic_flight *flight) {
    return (uint8_t)(flight->count_flags >> 24);
}
/* Packets of a message, and PSNs of a READ. */
static inline uint32_t rnic_packet_count(const struct rnic_qp *qp, uint32_t bytes) {
    return bytes == 0 ? 1 : (bytes + qp->mtu_bytes - 1) / qp->mtu_bytes;
}
static inline uint32_t rnic_qp_reads_out(const struct rnic_qp *qp) {
    return qp->requester.reads_started - qp->completer.reads_finished;
}
/* Request packets that were sent and are not acknowledged. */
static inline bool rnic_qp_is_unacknowledged(const struct rnic_qp *qp) {
    return !wire_psn_equal(qp->completer.expected, qp->requester.next_psn);
}

/* reads.c: the limits over all QPs. */
bool rnic_reads_hold(const struct rnic_device *device);
/* False: wait; it is offered again. */
bool rnic_reads_out_fit(const struct rnic_device *device);
/* A READ of this QP is over, or the QP stops. */
void rnic_reads_out_freed(struct rnic_qp *qp);
/* Before each response; false: the READ is held. */
bool rnic_reads_in_begin(struct rnic_qp *qp);
/* The last response has left, or the QP stops. */
void rnic_reads_in_end(struct rnic_qp *qp);

/* completer.c, completer_retry.c */
void rnic_completer_init(struct rnic_qp *qp);
void rnic_completer_open(struct rnic_qp *qp);
void rnic_completer_stop(struct rnic_qp *qp);
void rnic_completer_response(struct rnic_qp *qp, const struct wire_roce_packet *packet);
/* Finishes what needs no answer at the head of the queue; raises a fault that waits there. */
void rnic_completer_advance(struct rnic_qp *qp);
/* A request left now that wants an answer. */
void rnic_completer_sent(struct rnic_qp *qp);
/* At most `count_max` WQEs. False: there are no more. */
bool rnic_completer_flush(struct rnic_qp *qp, uint32_t count_max);
/* The oldest WQE ends: with success; with an error, and the QP with it (GSI: SQE instead). */
void rnic_completer_finish(struct rnic_qp *qp, enum rnic_wqe_opcode opcode, uint8_t flags,
                           uint32_t bytes);
void rnic_completer_fail(struct rnic_qp *qp, enum rnic_wqe_opcode opcode,
                         enum rnic_cqe_status status, enum rnic_syndrome syndrome);
/* Tells the driver how far the queue is finished. */
void rnic_completer_tell(struct rnic_qp *qp);

/* responder.c, responder_execute.c, responder_reply.c */
void rnic_responder_open(struct rnic_qp *qp);  /* INIT -> RTR */
void rnic_responder_close(struct rnic_qp *qp); /* nothing posted, nothing received */
void rnic_responder_stop(struct rnic_qp *qp);
void rnic_responder_post(struct rnic_qp *qp, uint32_t producer);
void rnic_responder_request(struct rnic_qp *qp, const struct wire_roce_packet *packet);
/* As rnic_completer_flush. */
bool rnic_responder_flush(struct rnic_qp *qp, uint32_t count_max);
/* The next receive into `receive`; *syndrome says why one that was taken is unusable. */
bool rnic_responder_take(struct rnic_qp *qp, enum rnic_syndrome *syndrome);
/* It is completed, or will never be. */
void rnic_responder_put(struct rnic_qp *qp);
bool rnic_responder_has_replies(const struct rnic_qp *qp);
/* Sends replies of up to `bytes` of payload; true while there is more. */
bool rnic_responder_turn(struct rnic_qp *qp, uint32_t bytes);

/* responder_reply.c */
void rnic_responder_fault(struct rnic_qp *qp, struct wire_psn psn, uint8_t nak,
                          enum rnic_syndrome syndrome);
void rnic_responder_reply(struct rnic_qp *qp, enum rnic_reply reply, struct wire_psn psn,
                          uint8_t aeth_syndrome);
/* responder_execute.c */
void rnic_responder_execute(struct rnic_qp *qp, const struct wire_roce_packet *packet);

/* ud.c */
bool rnic_ud_turn(struct rnic_qp *qp);
void rnic_ud_receive(struct rnic_qp *qp, const struct wire_roce_packet *packet,
                     const uint8_t *frame);

/* transmit.c */
void rnic_transmit_init(struct rnic_device *device);
void rnic_transmit_reset(struct rnic_device *device);
/* The QP has something to send. */
void rnic_transmit_want(struct rnic_qp *qp);
void rnic_transmit_drop(struct rnic_qp *qp); /* out of the list */
void rnic_transmit_on_sent(struct rnic_device *device);
/*
 * Seals and sends a frame whose headers and payload are in place. One that was begun when the
 * device failed does not leave.
 */
void rnic_transmit_frame(struct rnic_qp *qp, const struct wire_roce_template *templ,
                         const struct wire_roce_headers *headers, struct net_frame *frame,
                         size_t payload_offset, uint32_t payload_bytes);

#endif
