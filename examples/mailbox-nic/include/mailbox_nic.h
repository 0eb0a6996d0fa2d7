/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver of the mailbox NIC programs: registers, doorbells, the mailbox's commands, events,
 * work entries and completions. Shared by the device model and by the driver; no functions.
 *
 * All fields are little-endian, naturally aligned and without hidden padding. Addresses are DMA
 * addresses of physically contiguous memory. Rings have a power of two of entries; their indices
 * are free-running 32-bit counters. What the device writes carries `sequence`, its index + 1, as
 * its last word: an entry of a zeroed ring is there when its sequence is the one waited for.
 *
 *   CONTROL.ENABLE -> [COMMAND_BASE, EVENT_BASE] -> commands; each is answered by one event, in
 *   order. CONTROL.RESET, or a function-level reset, drops every object without a word.
 *
 * The firmware makes connections by itself: it has its own addresses and neighbours, and answers a
 * CONNECT, ACCEPT, CONFIRM or DISCONNECT at once, and its outcome later by an event of its own.
 */
#ifndef MAILBOX_NIC_H
#define MAILBOX_NIC_H

#include <stdint.h>

#define MBX_VENDOR_ID 0x1DE5u
#define MBX_DEVICE_ID 0x0B0Cu
#define MBX_MAGIC 0x4E58424Du /* "MBXN" */

/* ------------------------------------------------------------------------------- registers -- */

#define MBX_BAR_REGISTERS 0u
#define MBX_BAR_DOORBELLS 1u
#define MBX_BAR_BYTES 0x1000u

/* 32 bits; those marked 64 are accessed whole. */
enum mbx_register {
    MBX_REG_MAGIC = 0x00,
    MBX_REG_CONTROL = 0x04, /* MBX_CONTROL_* */
    MBX_REG_STATUS = 0x08,  /* MBX_STATUS_*, read only */
    MBX_REG_LINK_MBPS = 0x0C,
    MBX_REG_MTU_BYTES = 0x10,    /* of an IP packet on this link */
    MBX_REG_MAC = 0x18,          /* 64: byte 0 in bits 7..0 */
    MBX_REG_COMMAND_BASE = 0x20, /* 64: MBX_COMMAND_COUNT commands */
    MBX_REG_EVENT_BASE = 0x28,   /* 64: MBX_EVENT_COUNT events */
    MBX_REG_COMMAND_TAIL = 0x30, /* write: commands up to this index are there */
    MBX_REG_EVENT_HEAD = 0x34,   /* write: events up to this index are taken; interrupt again */
    MBX_REG_FRAMES_OUT = 0x40,   /* 64, and the next three: since enabled, with layer 2 headers */
    MBX_REG_BYTES_OUT = 0x48,
    MBX_REG_FRAMES_IN = 0x50,
    MBX_REG_BYTES_IN = 0x58,
};

#define MBX_CONTROL_ENABLE 0x1u
#define MBX_CONTROL_RESET 0x2u

#define MBX_STATUS_READY 0x1u
#define MBX_STATUS_LINK 0x2u
#define MBX_STATUS_FATAL 0x4u

/* 64 bits: object number << 32 | index. */
enum mbx_doorbell {
    MBX_DOORBELL_SEND = 0x00,          /* producer of a QP's send ring */
    MBX_DOORBELL_RECEIVE = 0x08,       /* producer of its receive ring */
    MBX_DOORBELL_ARM_ANY = 0x10,       /* an event for a completion of a CQ from index on */
    MBX_DOORBELL_ARM_SOLICITED = 0x18, /* the same, for one that failed or was solicited */
};

/* ------------------------------------------------------------------------------ the mailbox -- */

#define MBX_COMMAND_COUNT 64u
#define MBX_COMMAND_BYTES 256u
#define MBX_PRIVATE_BYTES 144u

enum mbx_opcode {
    MBX_CREATE_PD = 1, /* -> its privileged token */
    MBX_DESTROY_PD,
    MBX_CREATE_CQ,
    MBX_RESIZE_CQ,
    MBX_DESTROY_CQ,
    MBX_CREATE_QP,
    MBX_FLUSH_QP,
    MBX_DESTROY_QP,
    MBX_REGISTER,    /* -> a token */
    MBX_CREATE_FAST, /* -> a token that entries of a QP register */
    MBX_DEREGISTER,  /* object: a token */
    MBX_LISTEN,      /* -> its port */
    MBX_DESTROY_LISTENER,
    MBX_CREATE_CONNECTION,
    MBX_CONNECT, /* -> the local port; then a REPLY */
    MBX_ACCEPT,  /* then ESTABLISHED */
    MBX_CONFIRM, /* then ESTABLISHED */
    MBX_REJECT,
    MBX_DISCONNECT,       /* then DISCONNECTED */
    MBX_CLOSE_CONNECTION, /* no event of the connection follows */
    MBX_OPCODE_COUNT
};

enum mbx_status {
    MBX_OK,
    MBX_BAD_COMMAND,
    MBX_BAD_OBJECT,
    MBX_BAD_STATE,
    MBX_NO_RESOURCES,
    MBX_DMA_ERROR,
    MBX_TOO_SMALL, /* a resized CQ would not hold what is in it */
    MBX_ADDRESS_NOT_OWN,
    MBX_ADDRESS_IN_USE,
    MBX_NO_PORT_LEFT,
    MBX_UNREACHABLE,
    MBX_REFUSED,
    MBX_ABORTED, /* by the peer */
    MBX_TIMED_OUT,
    MBX_DEVICE_GONE, /* never sent: what drivers put in its place */
};

struct mbx_address {
    uint8_t ip[16]; /* an IPv4 one as ::ffff:a.b.c.d */
    uint16_t port;  /* host order */
    uint8_t reserved[6];
};

struct mbx_cq_body {
    uint64_t ring;        /* of struct mbx_completion */
    uint64_t consumer;    /* 32 bits that tell how far the driver has taken entries */
    uint32_t entry_count; /* of the ring */
    uint32_t depth;       /* one completion more is an overrun */
};

struct mbx_qp_body {
    uint64_t cookie; /* stands in every completion */
    uint64_t send_ring;
    uint64_t receive_ring;
    uint64_t progress; /* struct mbx_progress, written by the device */
    uint32_t pd;
    uint32_t send_cq;
    uint32_t receive_cq;
    uint32_t send_count; /* entries of the rings */
    uint32_t receive_count;
    uint32_t reserved;
};

/* How many entries of a QP's rings are finished: their completions, if any, have been written. */
struct mbx_progress {
    uint32_t sent;
    uint32_t received;
};

enum mbx_right {
    MBX_LOCAL_WRITE = 0x1,
    MBX_REMOTE_READ = 0x2,
    MBX_REMOTE_WRITE = 0x4,
    MBX_READ_SINK = 0x8, /* what reads bring may be written, and nothing else */
};

/* REGISTER; of CREATE_FAST pd, rights (what entries may ask for) and page_count (the most). */
struct mbx_region_body {
    uint64_t base; /* what addresses within it are counted from */
    uint64_t length;
    uint64_t pages; /* of a list of 64-bit page addresses; used until the answer */
    uint32_t pd;
    uint32_t rights;
    uint32_t page_count;
    uint32_t reserved;
};

struct mbx_listen_body {
    struct mbx_address local; /* ip 0: all of its family; port 0: any */
    uint32_t backlog;         /* requests that are not answered yet */
    uint32_t reserved;
};

/* CONNECT, ACCEPT (without addresses) and REJECT (private data alone). */
struct mbx_connect_body {
    struct mbx_address local;
    struct mbx_address peer;
    uint32_t qp;
    uint16_t reads_in; /* of the peer, at once */
    uint16_t reads_out;
    uint32_t private_bytes;
    uint8_t is_loopback_off;
    uint8_t busy_retries; /* how often to ask a peer without a receive; 7: for ever */
    uint8_t reserved[2];
    uint8_t private_data[MBX_PRIVATE_BYTES];
};

struct mbx_command {
    uint32_t opcode; /* enum mbx_opcode */
    uint32_t object;
    uint32_t tag; /* comes back */
    uint32_t reserved;
    union {
        struct mbx_cq_body cq;
        struct mbx_qp_body qp;
        struct mbx_region_body region;
        struct mbx_listen_body listen;
        struct mbx_connect_body connect;
        uint8_t bytes[MBX_COMMAND_BYTES - 16];
    } body;
};

/* ------------------------------------------------------------------------------------ events -- */

#define MBX_EVENT_COUNT 64u
#define MBX_EVENT_BYTES 256u

enum mbx_event_type {
    MBX_EVENT_COMMAND = 1, /* object: of CREATE, LISTEN, REGISTER; body.answer */
    MBX_EVENT_CQ,          /* an arm was met */
    MBX_EVENT_CQ_FAILED,
    MBX_EVENT_REQUEST,      /* object: a new connection, of body.request.listener */
    MBX_EVENT_REPLY,        /* status; body.request holds limits and private data of the peer */
    MBX_EVENT_ESTABLISHED,  /* status */
    MBX_EVENT_PEER_DONE,    /* the peer has disconnected */
    MBX_EVENT_DISCONNECTED, /* status; the QP was flushed before */
    MBX_EVENT_LOST,         /* status: why; the QP was flushed before */
    MBX_EVENT_LINK,         /* see STATUS */
    MBX_EVENT_FATAL,
};

struct mbx_request_body {
    struct mbx_address local;
    struct mbx_address peer;
    uint32_t listener;
    uint16_t reads_in; /* what the peer asks for, crossed over: as this side's limits */
    uint16_t reads_out;
    uint32_t private_bytes;
    uint32_t has_private; /* 0: the firmware answered, not the peer's consumer */
    uint8_t private_data[MBX_PRIVATE_BYTES];
};

struct mbx_event {
    uint32_t type; /* enum mbx_event_type */
    uint32_t object;
    uint32_t status;
    uint32_t reserved;
    union {
        struct {
            uint32_t tag;
            uint32_t value;
        } answer;
        struct mbx_request_body request;
        uint8_t bytes[MBX_EVENT_BYTES - 20];
    } body;
    uint32_t sequence;
};

/* ----------------------------------------------------------------------- work, completions -- */

#define MBX_SGE_COUNT_MAX 16u
#define MBX_INLINE_BYTES_MAX 256u
#define MBX_FAST_PAGE_COUNT_MAX 32u
#define MBX_MESSAGE_BYTES_MAX (1u << 30)
#define MBX_READS_MAX 16u

enum mbx_work_opcode {
    MBX_WORK_SEND = 1,
    MBX_WORK_SEND_INVALIDATE,
    MBX_WORK_WRITE,
    MBX_WORK_READ,
    MBX_WORK_FAST_REGISTER,
    MBX_WORK_INVALIDATE,
    MBX_WORK_RECEIVE,            /* in completions */
    MBX_WORK_RECEIVE_INVALIDATE, /* in completions */
};

#define MBX_WORK_SILENT 0x1u /* no completion when it succeeds */
#define MBX_WORK_FENCE 0x2u  /* not before earlier reads are over */
#define MBX_WORK_SOLICIT 0x4u
#define MBX_WORK_INLINE 0x8u /* the payload holds `length` bytes */

/* `token` of the PD's privilege: `address` is a DMA address. */
struct mbx_sge {
    uint64_t address;
    uint32_t length;
    uint32_t token;
};

/* An entry of a send ring or, with cookie and SGEs alone, of a receive ring. */
struct mbx_work {
    uint64_t cookie;
    uint32_t opcode; /* enum mbx_work_opcode */
    uint32_t flags;  /* MBX_WORK_* */
    uint64_t remote_address;
    uint32_t token;  /* the remote one, or the one to invalidate or register */
    uint32_t length; /* of inline data, of a registered region */
    uint64_t base;   /* of a registered region */
    uint32_t sge_count;
    uint32_t rights; /* enum mbx_right, of a registered region */
    uint32_t page_count;
    uint32_t page_offset; /* of its first byte */
    uint32_t reserved[2];
    union {
        struct mbx_sge sge[MBX_SGE_COUNT_MAX];
        uint8_t inline_bytes[MBX_INLINE_BYTES_MAX];
        uint64_t pages[MBX_FAST_PAGE_COUNT_MAX];
    } payload;
};

enum mbx_completion_status {
    MBX_DONE,
    MBX_FLUSHED,
    MBX_LOCAL_ACCESS, /* a token, range or right of ours */
    MBX_LOCAL_STATE,  /* what is to be registered or invalidated is not in that state */
    MBX_TOO_LONG,     /* the message did not fit the receive */
    MBX_REMOTE,       /* the peer refused it */
    MBX_PEER_LOST,
    MBX_PEER_ABORTED,
};

#define MBX_COMPLETION_SOLICITED 0x1u

struct mbx_completion {
    uint64_t cookie;    /* of the work */
    uint64_t qp_cookie; /* of the QP */
    uint32_t status;    /* enum mbx_completion_status */
    uint32_t opcode;    /* enum mbx_work_opcode */
    uint32_t bytes;     /* received */
    uint32_t token;     /* that the peer invalidated */
    uint32_t flags;
    uint32_t reserved[2];
    uint32_t sequence;
};

#endif
