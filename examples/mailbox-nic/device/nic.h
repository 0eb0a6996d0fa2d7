/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mailbox NIC, as a model: a bus interface (nic.c), firmware that executes commands one at a
 * time (command.c), objects found by number (table.c), memory (memory.c), queues (queue.c), and
 * connections, each a reliable stream of packets (stream.c) on which handshakes (connection.c) and
 * messages (message.c) go.
 *
 *   driver -- mailbox, doorbells --> command.c, nic.c -> message.c -> stream.c -> port
 *   port -> stream.c -> connection.c, message.c -> queue.c -- DMA, events --> driver
 *
 * Everything happens in events of the world or within a register access; nothing waits.
 */
#ifndef MBX_NIC_H
#define MBX_NIC_H

#include <device/device.h>
#include <mailbox_nic.h>

/* ---- Objects by number: a number is not used again before its generation comes round ---- */

struct mbx_table {
    struct mbx_slot {
        void *object;
        uint32_t generation;
    } * slots;
    uint32_t capacity;
    uint32_t generation; /* of new slots */
};

struct mbx_nic;

#define MBX_COMMAND_NS 1000u /* of firmware, each */
#define MBX_TABLE_MAX 4096u  /* objects of a kind */

/* The number, never 0; 0: the table is full. */
uint32_t mbx_table_add(struct mbx_nic *nic, struct mbx_table *table, void *object);
void *mbx_table_find(const struct mbx_table *table, uint32_t number);
void mbx_table_remove(struct mbx_table *table, uint32_t number);
/* The next object at or after *slot, NULL after the last. */
void *mbx_table_next(const struct mbx_table *table, uint32_t *slot);
void mbx_table_clear(struct mbx_nic *nic, struct mbx_table *table, uint32_t generation);

/* ---- The device ---- */

/* Payload of a RESET: status, whether there is private data and a request; the request; both. */
#define MBX_RESET_REQUEST_AT 4u
#define MBX_RESET_PRIVATE_AT 8u

struct mbx_waiting_event {
    struct mbx_waiting_event *next;
    struct mbx_event event;
};

/* What is left of a connection: it answers for it while its peer may still ask. */
struct mbx_ghost {
    struct mbx_nic *nic;
    uint32_t wire;
    uint32_t peer_wire;
    struct wire_mac peer_mac;
    bool is_reset;     /* ended by our RESET, else gracefully */
    uint32_t received; /* as acknowledgment */
    uint32_t tries;
    uint32_t bytes;
    uint8_t reset[MBX_RESET_PRIVATE_AT + MBX_PRIVATE_BYTES]; /* its payload */
    struct sim_event timer;
};
#define MBX_GHOST_COUNT 128u

struct mbx_nic {
    struct sim_world *world;
    struct sim_bus_device bus;
    struct net_port port;
    const uint16_t *events; /* numbers of trace records */
    const struct device_value *settings;

    uint32_t status; /* MBX_STATUS_* */
    bool is_broken;  /* a DMA error: FATAL with the next event */
    uint64_t frames_out_base, bytes_out_base, frames_in_base, bytes_in_base;

    uint64_t command_base;
    uint32_t command_tail, command_head;
    struct sim_event firmware; /* the next command is executed */
    uint64_t event_base;
    uint32_t event_tail, event_head;
    bool is_interrupt_armed;
    struct mbx_waiting_event *waiting_first, **waiting_last; /* for room in the ring */

    struct mbx_table pds, cqs, qps, regions, listeners, connections;
    struct mbx_table wires; /* connections again, by the number that packets carry */
    struct mbx_ghost ghosts[MBX_GHOST_COUNT];
    uint32_t ghost_next;
    uint32_t port_next;

    struct net_frame *loop_first, **loop_last; /* to itself */
    struct sim_event loop;
    struct sim_event engine; /* rung QPs are served */
    struct mbx_qp *rung_first, **rung_last;
    bool is_paced; /* the port's queue is to empty first */
};

enum mbx_trace { MBX_TRACE_COMMAND, MBX_TRACE_CONNECTION, MBX_TRACE_RESET, MBX_TRACE_COUNT };
enum mbx_setting {
    MBX_SETTING_WINDOW,
    MBX_SETTING_PAYLOAD,
    MBX_SETTING_RETRY,
    MBX_SETTING_RETRIES,
    MBX_SETTING_BUSY,
    MBX_SETTING_PATIENCE,
    MBX_SETTING_COUNT
};

/* nic.c */
extern struct sim_fault_point mbx_fault_command, mbx_fault_fatal;
static inline uint64_t mbx_setting(const struct mbx_nic *nic, enum mbx_setting which) {
    return nic->settings[which].number;
}
void mbx_event_push(struct mbx_nic *nic, const struct mbx_event *event);
void mbx_event_simple(struct mbx_nic *nic, enum mbx_event_type type, uint32_t object,
                      enum mbx_status status);
/* A DMA error, or what cannot be: the device stops and says so. */
void mbx_fatal(struct mbx_nic *nic);
bool mbx_dma_read(struct mbx_nic *nic, uint64_t address, void *to, uint64_t bytes);
bool mbx_dma_write(struct mbx_nic *nic, uint64_t address, const void *from, uint64_t bytes);
void mbx_frame_send(struct mbx_nic *nic, struct net_frame *frame, const struct wire_mac *to);

/* command.c */
void mbx_firmware_step(struct sim_world *world, struct sim_event *event);
void mbx_drop_all(struct mbx_nic *nic);

/* ---- Memory ---- */

struct mbx_pd {
    uint32_t number;
    uint32_t privileged_token;
};

struct mbx_region {
    uint32_t token; /* its number */
    uint32_t pd;
    uint64_t base, length;
    uint64_t *pages;
    uint32_t page_count; /* there is room for */
    uint32_t page_offset;
    uint32_t rights;
    uint32_t rights_max; /* of a fast one */
    bool is_fast;
    bool is_valid;
};

enum mbx_use { MBX_USE_SOURCE, MBX_USE_RECEIVE, MBX_USE_SINK };

/* memory.c. Nothing is moved unless all of it may be. */
bool mbx_region_move(struct mbx_nic *nic, uint32_t pd, uint32_t token, uint64_t address,
                     void *bytes, uint64_t count, uint32_t right, bool is_write);
/* Bytes of a list of SGEs, from `offset` on. */
bool mbx_sges_move(struct mbx_nic *nic, uint32_t pd, const struct mbx_work *work, uint64_t offset,
                   void *bytes, uint64_t count, enum mbx_use use);
/* All of them may be used so. */
bool mbx_sges_allow(struct mbx_nic *nic, uint32_t pd, const struct mbx_work *work,
                    enum mbx_use use);
uint64_t mbx_sges_bytes(const struct mbx_work *work);
enum mbx_status mbx_region_create(struct mbx_nic *nic, const struct mbx_region_body *body,
                                  bool is_fast, uint32_t *token);
bool mbx_region_destroy(struct mbx_nic *nic, uint32_t token);
enum mbx_completion_status mbx_region_register(struct mbx_nic *nic, uint32_t pd,
                                               const struct mbx_work *work);
bool mbx_region_invalidate(struct mbx_nic *nic, uint32_t pd, uint32_t token);

/* ---- Queues ---- */

struct mbx_cq {
    uint32_t number;
    uint64_t ring, consumer;
    uint32_t entry_count, depth;
    uint32_t produced, consumed; /* consumed: as last read */
    uint32_t solicited;          /* index after the last one that is */
    bool is_armed, is_armed_solicited, has_failed, has_solicited;
    uint32_t arm_index;
    uint32_t qp_count;
};

/* A request of the send ring that has begun. */
struct mbx_sent {
    uint64_t cookie;
    uint32_t opcode;
    uint32_t flags;
    uint32_t last_sequence; /* of its packets, once all are sent */
    bool is_all_sent, is_done;
    enum mbx_completion_status status; /* once is_done; it waits for those before it */
};

struct mbx_qp {
    uint32_t number, pd;
    uint64_t cookie;
    struct mbx_cq *send_cq, *receive_cq;
    uint64_t send_ring, receive_ring, progress;
    uint32_t send_count, receive_count;
    uint32_t send_tail, receive_tail; /* as rung */
    uint32_t send_next;               /* to begin */
    struct mbx_progress finished;
    struct mbx_sent *sent;   /* send_count of them */
    struct mbx_work current; /* being sent, when is_sending; its index is send_next - 1 */
    bool is_sending;
    uint64_t current_offset, current_bytes;
    uint32_t reads;            /* under way */
    struct mbx_work receiving; /* at finished.received, when is_receiving */
    bool is_receiving;
    uint64_t receive_offset;
    bool is_failed;  /* everything is flushed */
    bool is_stalled; /* a request has failed, and waits for those before it */
    bool is_silent;  /* a CQ failed: nothing is reported any more */
    bool is_rung;
    struct mbx_qp *rung_next;
    struct mbx_connection *connection;
};

/* queue.c */
enum mbx_status mbx_cq_create(struct mbx_nic *nic, const struct mbx_cq_body *body,
                              uint32_t *number);
bool mbx_work_read(struct mbx_nic *nic, const struct mbx_qp *qp, uint32_t index,
                   struct mbx_work *work);
enum mbx_status mbx_cq_resize(struct mbx_nic *nic, struct mbx_cq *cq,
                              const struct mbx_cq_body *body);
void mbx_cq_destroy(struct mbx_nic *nic, struct mbx_cq *cq);
void mbx_cq_arm(struct mbx_nic *nic, uint32_t number, uint32_t index, bool is_solicited);
enum mbx_status mbx_qp_create(struct mbx_nic *nic, const struct mbx_qp_body *body,
                              uint32_t *number);
void mbx_qp_destroy(struct mbx_nic *nic, struct mbx_qp *qp);
void mbx_qp_ring(struct mbx_nic *nic, uint32_t number, uint32_t index, bool is_send);
/* Cancels everything; the oldest initiator request tells `first` of it. */
void mbx_qp_flush(struct mbx_nic *nic, struct mbx_qp *qp, enum mbx_completion_status first);
/* Requests at the head of the send ring that are done have their completions. */
void mbx_qp_retire(struct mbx_nic *nic, struct mbx_qp *qp);
/* The request that was begun at `index` ends so; those before it are over, or cancelled. */
void mbx_qp_fail(struct mbx_nic *nic, struct mbx_qp *qp, uint32_t index,
                 enum mbx_completion_status status);
/* False: no receive is there. */
bool mbx_receive_take(struct mbx_nic *nic, struct mbx_qp *qp);
void mbx_receive_end(struct mbx_nic *nic, struct mbx_qp *qp, enum mbx_completion_status status,
                     bool is_solicited, uint32_t token);

/* ---- Streams of packets ---- */

enum mbx_packet_type {
    MBX_PACKET_CONNECT = 1, /* these five are kept until they are acknowledged */
    MBX_PACKET_ACCEPT,
    MBX_PACKET_CONFIRM,
    MBX_PACKET_DATA,
    MBX_PACKET_DISCONNECT,
    MBX_PACKET_ACK,
    MBX_PACKET_GAP,  /* an ACK of a receiver that misses what follows */
    MBX_PACKET_BUSY, /* an ACK of a receiver that has no receive for what follows */
    MBX_PACKET_RESET,
    MBX_PACKET_RESET_ACK,
    MBX_PACKET_TYPE_COUNT
};

/* Offsets in a frame, numbers in network order. */
#define MBX_ETHERTYPE 0x88B5u /* local experimental, IEEE 802 */
#define MBX_PACKET_AT 14u
#define MBX_PACKET_BYTES 24u

struct mbx_packet {
    uint8_t type;
    uint16_t bytes; /* of the payload */
    uint32_t to;    /* the receiver's wire number, 0 in a first CONNECT */
    uint32_t from;
    uint32_t sequence;
    uint32_t acknowledged; /* all before it were received */
    struct wire_mac mac;   /* of the sender */
    const uint8_t *payload;
};

/* A packet that is kept until it is acknowledged. */
struct mbx_kept {
    struct mbx_kept *next;
    uint32_t sequence;
    uint8_t type;
    uint16_t bytes;
    uint8_t payload[];
};

struct mbx_stream {
    uint32_t next;         /* sequence to send */
    uint32_t acknowledged; /* by the peer */
    uint32_t expected;     /* from the peer */
    struct mbx_kept *kept_first, **kept_last;
    uint32_t kept_count;
    uint32_t unsaid; /* packets received since the last acknowledgment */
    bool is_gap_told;
    bool is_busy; /* the peer is */
    uint32_t tries;
    uint32_t busy_tries;
    struct sim_event timer;
};

/* stream.c */
void mbx_on_frame(void *context, struct net_frame *frame);
void mbx_loop_deliver(struct sim_world *world, struct sim_event *event);
void mbx_stream_init(struct mbx_connection *connection);
void mbx_stream_drop(struct mbx_nic *nic, struct mbx_connection *connection);
void mbx_reads_drop(struct mbx_nic *nic, struct mbx_connection *connection);
void mbx_stream_send(struct mbx_nic *nic, struct mbx_connection *connection,
                     enum mbx_packet_type type, const void *payload, uint32_t bytes);
/* One that is not kept. */
void mbx_packet_reply(struct mbx_nic *nic, const struct wire_mac *to, enum mbx_packet_type type,
                      uint32_t to_wire, uint32_t from_wire, uint32_t acknowledged,
                      const void *payload, uint32_t bytes);
/* Bytes of a message that fit into a packet. */
uint32_t mbx_payload_max(const struct mbx_nic *nic);
#define MBX_PAYLOAD_MAX 8192u
#define MBX_DATA_BYTES 28u /* of the header of a DATA packet's payload */

/* ---- Connections ---- */

/*
 *   Idle --CONNECT--> Connecting --peer's ACCEPT--> Replied --CONFIRM--> Confirming --ack--> Open
 *   Requested --ACCEPT--> Accepting --peer's CONFIRM--> Open
 *   Open --both sides have disconnected--> Ended
 *   anything --RESET, by either side, or silence--> Ended; a Connecting one is Idle again
 */
enum mbx_state {
    MBX_IDLE,
    MBX_CONNECTING,
    MBX_REPLIED,
    MBX_CONFIRMING,
    MBX_REQUESTED,
    MBX_ACCEPTING,
    MBX_OPEN,
    MBX_ENDED,
    MBX_STATE_COUNT
};

struct mbx_read {
    struct mbx_read *next;
    uint32_t request;
    uint32_t token;
    uint64_t address;
    uint32_t bytes, offset;
};

struct mbx_connection {
    struct mbx_nic *nic;
    uint32_t number;
    uint32_t wire, peer_wire; /* 0: not in conversation; not known */
    enum mbx_state state;
    struct mbx_address local, peer;
    struct wire_mac peer_mac;
    struct mbx_listener *listener; /* of a passive one, until it is answered */
    struct mbx_qp *qp;
    uint32_t reads_in, reads_out;
    uint32_t busy_retries;
    bool holds_port; /* an active one, until it is closed */
    bool is_passive;
    bool wants_disconnect, has_disconnected, peer_has_disconnected;
    struct mbx_stream stream;
    struct sim_event deadline;                  /* of the peer's consumer */
    struct mbx_read *reads_first, **reads_last; /* of the peer, to be answered */
    uint32_t reads_count;
};

struct mbx_listener {
    uint32_t number;
    struct mbx_address local;
    uint32_t backlog, unanswered;
};

/* listener.c */
struct wire_ip_addr mbx_ip_of(const struct mbx_address *address);
bool mbx_is_own(const struct mbx_nic *nic, const struct mbx_address *address);
/* Port 0 becomes a free one. */
enum mbx_status mbx_port_take(struct mbx_nic *nic, struct mbx_address *address);
/* Who listens on it, NULL: nobody. */
struct mbx_listener *mbx_listener_find(const struct mbx_nic *nic, const struct mbx_address *local);
enum mbx_status mbx_listen(struct mbx_nic *nic, const struct mbx_listen_body *body,
                           uint32_t *number, uint32_t *port);
void mbx_listener_destroy(struct mbx_nic *nic, struct mbx_listener *listener);

/* connection.c. Commands of the driver. */
enum mbx_status mbx_connection_create(struct mbx_nic *nic, uint32_t *number);
enum mbx_status mbx_connect(struct mbx_nic *nic, struct mbx_connection *connection,
                            const struct mbx_connect_body *body, uint32_t *port);
enum mbx_status mbx_accept(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_connect_body *body);
enum mbx_status mbx_confirm(struct mbx_nic *nic, struct mbx_connection *connection);
enum mbx_status mbx_reject(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_connect_body *body);
enum mbx_status mbx_disconnect(struct mbx_nic *nic, struct mbx_connection *connection);
void mbx_connection_close(struct mbx_nic *nic, struct mbx_connection *connection);
/* What the wire brings. */
void mbx_on_connect(struct mbx_nic *nic, const struct mbx_packet *packet);
void mbx_on_packet(struct mbx_nic *nic, struct mbx_connection *connection,
                   const struct mbx_packet *packet);
void mbx_on_acknowledged(struct mbx_nic *nic, struct mbx_connection *connection);
void mbx_on_reset(struct mbx_nic *nic, struct mbx_connection *connection,
                  const struct mbx_packet *packet);
/* The driver hears `status` in the event that fits the state; the peer is told unless it knows. */
void mbx_connection_end(struct mbx_nic *nic, struct mbx_connection *connection,
                        enum mbx_status status, bool tell_peer);
/* The same because of a request of the peer's that cannot be done. */
void mbx_connection_blame(struct mbx_nic *nic, struct mbx_connection *connection, uint32_t request);
/* Sends the notice when it is time; ends when both have sent theirs. */
void mbx_disconnect_step(struct mbx_nic *nic, struct mbx_connection *connection);

/* ghost.c */
void mbx_ghost_timer(struct sim_world *world, struct sim_event *event);
struct mbx_ghost *mbx_ghost_make(struct mbx_nic *nic, const struct mbx_connection *connection);
/* One that sends this RESET, and again until it is heard. */
void mbx_ghost_reset(struct mbx_nic *nic, const struct mbx_connection *connection,
                     const uint8_t *reset, uint32_t bytes);
/* Of the sender of a packet, NULL: none. */
struct mbx_ghost *mbx_ghost_find(struct mbx_nic *nic, const struct mbx_packet *packet);
/* A packet for nobody, or for somebody who is gone. */
void mbx_on_stray(struct mbx_nic *nic, const struct mbx_packet *packet);
void mbx_refuse(struct mbx_nic *nic, const struct mbx_packet *packet, enum mbx_status status);

/* message.c */
void mbx_pump(struct mbx_nic *nic, struct mbx_connection *connection);
void mbx_pump_all(struct mbx_nic *nic);
enum mbx_taken { MBX_TAKEN, MBX_TAKEN_NOT_YET, MBX_TAKEN_NEVER };
enum mbx_taken mbx_on_data(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_packet *packet);
bool mbx_is_last(const struct mbx_packet *packet);

#endif
