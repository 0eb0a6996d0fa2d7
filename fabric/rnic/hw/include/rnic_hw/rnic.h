/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver of the simulated RNIC programs: register offsets, doorbells, and the layouts of
 * commands, work queue entries, completions and events. No functions, no policy.
 *
 * All multi-byte fields are little-endian; all structures are naturally aligned and without hidden
 * padding. Reserved fields are written as 0 and not interpreted. Addresses that the device follows
 * are DMA addresses. Rings have a power of two of entries; their indices are free-running 32-bit
 * counters, and entry `index & (count - 1)` is meant.
 *
 * Bring-up, in order:
 *   1  CONTROL.ENABLE, wait for STATUS.READY (a few microseconds; FIRMWARE_STATE tells more)
 *   2  commands, either through the mailbox (address, GO; answered inside the GO write) or through
 *      the command ring (base, size, doorbell; answered later with an EQE)
 *   3  INIT, QUERY_CAPS, CREATE_EQ for the async events, then objects
 * CONTROL.RESET (or a function-level reset) drops every object at once without completions; the
 * device is then as before step 1.
 *
 * Later issues may append fields to a command's mailbox structures: the device takes shorter
 * structures as zero-extended and ignores what lies beyond those it knows.
 */
#ifndef RNIC_HW_RNIC_H
#define RNIC_HW_RNIC_H

#include <stdint.h>

#define RNIC_VENDOR_ID 0x1DE5u
#define RNIC_DEVICE_ID 0x0001u
#define RNIC_MAGIC 0x43494E52u /* "RNIC" */
#define RNIC_INTERFACE_MAJOR 1u
#define RNIC_INTERFACE_MINOR 0u

/* ------------------------------------------------------------------------------------ BAR 0 -- */

#define RNIC_BAR_REGISTERS 0u
#define RNIC_BAR_REGISTERS_BYTES 0x2000u

/* 32-bit registers unless said otherwise; a 64-bit one may be accessed whole or in halves. */
enum rnic_register {
    RNIC_REG_MAGIC = 0x000,
    RNIC_REG_INTERFACE_VERSION = 0x004, /* major << 16 | minor */
    RNIC_REG_FIRMWARE_VERSION = 0x008,  /* major << 16 | minor */
    RNIC_REG_CAP_SIZES_0 = 0x010,       /* log2 of QPs | CQs << 8 | MKEYs << 16 | EQs << 24 */
    RNIC_REG_CAP_SIZES_1 = 0x014,       /* log2 of SRQs | PDs << 8 | vectors << 16 | addrs << 24 */
    RNIC_REG_CONTROL = 0x020,           /* RNIC_CONTROL_* */
    RNIC_REG_STATUS = 0x024,            /* RNIC_STATUS_*, read only */
    RNIC_REG_FIRMWARE_STATE = 0x028,    /* enum rnic_firmware_state, read only */
    RNIC_REG_HEALTH_SYNDROME = 0x02C,   /* enum rnic_health, read only */
    RNIC_REG_HEALTH_COUNTER = 0x030,    /* +1 each ms while firmware runs; stands still when hung */
    RNIC_REG_RING_BASE = 0x040,         /* 64 bits: DMA address of the command ring, 64-aligned */
    RNIC_REG_RING_SIZE_LOG2 = 0x048,    /* entries; at most RNIC_COMMAND_RING_LOG2_MAX */
    RNIC_REG_RING_DOORBELL = 0x04C,     /* producer index */
    RNIC_REG_RING_CONSUMER = 0x050,     /* read only: commands finished */
    RNIC_REG_MAILBOX_ADDRESS = 0x060,   /* 64 bits: DMA address of one struct rnic_command */
    RNIC_REG_MAILBOX_GO = 0x068,        /* write 1: execute now, finished when the write returns */
    RNIC_REG_MAILBOX_STATUS = 0x06C,    /* enum rnic_status of the last GO, read only */
    RNIC_REG_LINK_STATE = 0x080,        /* 1: up */
    RNIC_REG_LINK_RATE_MBPS = 0x084,
    RNIC_REG_LINK_MTU = 0x088,  /* largest IP packet in bytes */
    RNIC_REG_MAC_0 = 0x090,     /* bytes 0..3 of the permanent MAC, byte 0 in bits 7..0 */
    RNIC_REG_MAC_1 = 0x094,     /* bytes 4..5 */
    RNIC_REG_CLOCK_NS = 0x0A0,  /* 64 bits, free running */
    RNIC_REG_CAUSE_ALL = 0x100, /* 64 bits: vectors with a cause that is not cleared, read only */
    RNIC_REG_REPEAT_US = 0x108, /* see below; 0 after reset: messages are never repeated */
    RNIC_REG_VECTORS = 0x1000,  /* vector v at RNIC_REG_VECTORS + v * RNIC_VECTOR_STRIDE */
};

/*
 * Per vector, MSI-X like. A message that meets the mask is kept pending and sent on unmask. With
 * REPEAT_US set, one whose cause still stands after so many microseconds is sent again, each time
 * after twice the time, RNIC_REPEAT_COUNT_MAX times at most: messages may be lost on their way.
 */
#define RNIC_REPEAT_COUNT_MAX 7u
#define RNIC_REPEAT_US_MAX 1000000u
#define RNIC_VECTOR_STRIDE 16u
#define RNIC_VECTOR_MASK 0u    /* 1: masked. All vectors are unmasked after enable */
#define RNIC_VECTOR_PENDING 4u /* read only */
#define RNIC_VECTOR_CAUSE 8u   /* RNIC_CAUSE_*; write 1 to clear */
#define RNIC_VECTOR_COUNT_MAX 64u

#define RNIC_CAUSE_EQ 0x1u    /* an armed EQ of this vector has entries; arming one clears it */
#define RNIC_CAUSE_FATAL 0x2u /* vector 0: STATUS.FATAL came up */

#define RNIC_CONTROL_ENABLE 0x1u
#define RNIC_CONTROL_RESET 0x2u /* clears itself */

#define RNIC_STATUS_READY 0x1u
#define RNIC_STATUS_FATAL 0x2u /* only a reset helps; no more DMA, no more completions */

enum rnic_firmware_state {
    RNIC_FIRMWARE_OFF = 0,
    RNIC_FIRMWARE_BOOTING = 1,
    RNIC_FIRMWARE_RUNNING = 2,
    RNIC_FIRMWARE_HUNG = 3, /* commands are not answered; data path goes on */
    RNIC_FIRMWARE_FATAL = 4,
};

enum rnic_health {
    RNIC_HEALTH_GOOD = 0,
    RNIC_HEALTH_EQ_OVERRUN = 1,
    RNIC_HEALTH_EQ_DMA = 2,
    RNIC_HEALTH_COMMAND_DMA = 3,
    RNIC_HEALTH_INJECTED = 4,     /* fault point rnic.reset */
    RNIC_HEALTH_COMMAND_RING = 5, /* producer beyond the ring */
};

/* ------------------------------------------------------------------------- BAR 1: doorbells -- */

/*
 * 64-bit writes only, read as 0. Every page of the BAR shows the same doorbells, so that a driver
 * may use one per CPU. Value: number in bits 23..0, command in bits 31..24, index in bits 63..32.
 * A doorbell is taken up a little later; writing never runs the queue inside the write. One that
 * was overtaken by a newer one of its queue is void; a producer beyond the ring fails QP or SRQ.
 */
#define RNIC_BAR_DOORBELLS 1u
#define RNIC_BAR_DOORBELLS_BYTES 0x10000u
#define RNIC_DOORBELL_PAGE_BYTES 0x1000u

enum rnic_doorbell {
    RNIC_DOORBELL_SQ = 0x00,  /* number QPN, index: producer */
    RNIC_DOORBELL_RQ = 0x08,  /* number QPN, index: producer */
    RNIC_DOORBELL_CQ = 0x10,  /* number CQN, command enum rnic_arm, index: see below */
    RNIC_DOORBELL_SRQ = 0x18, /* number SRQN, index: producer */
    RNIC_DOORBELL_EQ = 0x20,  /* number EQN, command RNIC_EQ_ARM or 0, index: consumer */
};

#define RNIC_DOORBELL_NUMBER_MASK 0x00FFFFFFu
#define RNIC_DOORBELL_COMMAND_SHIFT 24u
#define RNIC_DOORBELL_INDEX_SHIFT 32u
#define RNIC_DOORBELL_VALUE(number, command, index)                                                \
    (((uint64_t)(number)&RNIC_DOORBELL_NUMBER_MASK) |                                              \
     (uint64_t)(uint8_t)(command) << RNIC_DOORBELL_COMMAND_SHIFT |                                 \
     (uint64_t)(uint32_t)(index) << RNIC_DOORBELL_INDEX_SHIFT)

/*
 * CQ arming. The index is a position in the CQ: the arm is satisfied by a completion at or after
 * it, also by one that is there already. A driver gives its consumer index for "not yet polled", or
 * the producer index of the last CQ event for "arrived since the last notification". A satisfied
 * arm gives one EQE (after moderation) and is gone. A second arm before the first is satisfied
 * combines: the stronger wins, in the order ERRORS < SOLICITED < ANY.
 * With RNIC_ARM_NONE the index is the consumer index and frees the entries before it; the other
 * commands do not free entries.
 */
enum rnic_arm {
    RNIC_ARM_NONE = 0,
    RNIC_ARM_ERRORS = 1,    /* CQ failures only; those are reported armed or not */
    RNIC_ARM_SOLICITED = 2, /* solicited receive completions, and every completion with an error */
    RNIC_ARM_ANY = 3,
};
#define RNIC_EQ_ARM 1u

/* -------------------------------------------------------------------------------- commands -- */

#define RNIC_COMMAND_RING_LOG2_MAX 8u
#define RNIC_COMMAND_BYTES 64u

enum rnic_opcode_command {
    RNIC_CMD_NOP = 0x00,
    RNIC_CMD_INIT = 0x01,
    RNIC_CMD_TEARDOWN = 0x02,   /* refused with BUSY while objects stand */
    RNIC_CMD_QUERY_CAPS = 0x03, /* out: rnic_caps */

    RNIC_CMD_SET_ADDRESS = 0x10,       /* number: index; in: rnic_address */
    RNIC_CMD_QUERY_ADDRESS = 0x11,     /* number: index; out: rnic_address */
    RNIC_CMD_SET_NEIGHBOUR = 0x12,     /* in: rnic_neighbour; adds or replaces by IP */
    RNIC_CMD_RESOLVE_NEIGHBOUR = 0x13, /* in: rnic_neighbour.ip; out: rnic_neighbour; NO_ROUTE */

    RNIC_CMD_CREATE_EQ = 0x20, /* in: rnic_eq_create; number: EQN. So for all creates */
    RNIC_CMD_DESTROY_EQ = 0x21,
    RNIC_CMD_CREATE_CQ = 0x22, /* in: rnic_cq_create */
    RNIC_CMD_DESTROY_CQ = 0x23,
    RNIC_CMD_RESIZE_CQ = 0x24,   /* in: rnic_cq_resize; out: rnic_cq_resized */
    RNIC_CMD_MODERATE_CQ = 0x25, /* argument[0]: rnic_moderation packed, see below */
    RNIC_CMD_QUERY_CQ = 0x26,    /* out: rnic_cq_info */

    RNIC_CMD_CREATE_PD = 0x30, /* number: PDN; argument[0] out: privileged lkey */
    RNIC_CMD_DESTROY_PD = 0x31,
    RNIC_CMD_CREATE_MKEY = 0x32, /* in: rnic_mkey_create; argument[0] out: key (lkey = rkey) */
    /*
     * number: key >> 8; BUSY while windows are bound to it. argument[0] nonzero: a region's
     * accesses that are under way may end, none begins any more; IN_USE until then: ask again.
     */
    RNIC_CMD_DESTROY_MKEY = 0x33,
    RNIC_CMD_QUERY_MKEY = 0x34, /* number: key >> 8; out: rnic_mkey_info */

    RNIC_CMD_CREATE_QP = 0x40, /* in: rnic_qp_create */
    RNIC_CMD_DESTROY_QP = 0x41,
    RNIC_CMD_MODIFY_QP = 0x42, /* in: rnic_qp_attributes */
    RNIC_CMD_QUERY_QP = 0x43,  /* out: rnic_qp_info */

    RNIC_CMD_CREATE_SRQ = 0x50, /* in: rnic_srq_create */
    RNIC_CMD_DESTROY_SRQ = 0x51,
    RNIC_CMD_MODIFY_SRQ = 0x52, /* in: rnic_srq_modify; out: rnic_srq_info, may be absent */
    RNIC_CMD_QUERY_SRQ = 0x53,  /* out: rnic_srq_info */

    /* argument[0]: first counter; out: as many uint64_t as fit, up to RNIC_COUNTER_COUNT */
    RNIC_CMD_QUERY_COUNTERS = 0x60,
};

/*
 * 64 bytes, 64-aligned, in the ring or anywhere for the mailbox. The device writes `number` and
 * `argument` results, then `status`, then `done`. A destroy leaves no DMA, completion or event of
 * that object behind, though entries written earlier stay in their rings.
 */
struct rnic_command {
    uint16_t opcode;      /* enum rnic_opcode_command */
    uint8_t status;       /* out: enum rnic_status */
    uint8_t done;         /* the driver writes 0, the device 1 */
    uint32_t number;      /* object the command is about; out: number of the object made */
    uint64_t in_address;  /* input structure; in_bytes may be 0 for commands without one */
    uint64_t out_address; /* output structure, cut to out_bytes */
    uint32_t in_bytes;
    uint32_t out_bytes;
    uint64_t argument[3];
    uint32_t tag; /* the driver's, given back in the EQE */
    uint32_t reserved;
};

enum rnic_status {
    RNIC_STATUS_OK = 0,
    RNIC_STATUS_BAD_OPCODE = 1,
    RNIC_STATUS_BAD_PARAMETER = 2,
    RNIC_STATUS_BAD_NUMBER = 3,   /* no such object */
    RNIC_STATUS_BAD_STATE = 4,    /* illegal QP transition, attribute missing or not allowed */
    RNIC_STATUS_BUSY = 5,         /* object is used by another */
    RNIC_STATUS_NO_RESOURCES = 6, /* table full */
    RNIC_STATUS_LIMIT = 7,        /* above a capability */
    RNIC_STATUS_NO_ROUTE = 8,     /* no neighbour entry, or an unset source address */
    RNIC_STATUS_DMA_ERROR = 9,    /* a mailbox or page list could not be read or written */
    RNIC_STATUS_NOT_READY = 10,   /* before INIT, or FATAL */
    RNIC_STATUS_INTERNAL = 11,    /* fault point rnic.command_fail */
    RNIC_STATUS_TIMEOUT = 12,     /* mailbox only: firmware hung */
    RNIC_STATUS_IN_USE = 13,      /* ends by itself; ask again */
};

#define RNIC_PAGE_SHIFT 12u
#define RNIC_PAGE_BYTES 4096u
#define RNIC_PAGE_LIST_COUNT 512u /* addresses in one list page */

/*
 * Memory that need not be contiguous in DMA space.
 *   depth 0   `address` is the first page itself; the pages are contiguous
 *   depth 1   `address` is a list: up to 512 addresses (uint64_t) of pages; it may lie anywhere
 *   depth 2   `address` is a list of up to 512 such lists
 * The device reads the lists while the command runs and keeps its own copy. A ring of a page or
 * less may also lie anywhere within one page (depth 0, one page), aligned to RNIC_RING_ALIGN.
 */
#define RNIC_RING_ALIGN 64u
struct rnic_pages {
    uint64_t address;
    uint32_t page_count;
    uint8_t depth;
    uint8_t reserved[3];
};

enum rnic_cap_flag {
    RNIC_CAP_SRQ = 1u << 0,
    RNIC_CAP_CQ_RESIZE = 1u << 1,
    RNIC_CAP_CQ_MODERATION = 1u << 2,
    RNIC_CAP_MW_TYPE_1 = 1u << 3,
    RNIC_CAP_MW_TYPE_2 = 1u << 4,
    RNIC_CAP_READ_INVALIDATE = 1u << 5,    /* RNIC_WQE_LOCAL_INVALIDATE on READ */
    RNIC_CAP_READ_SINK_REQUIRED = 1u << 6, /* READ targets need RNIC_RIGHT_READ_SINK */
    RNIC_CAP_IN_ORDER_DMA = 1u << 7,
    RNIC_CAP_IPV6 = 1u << 8,
};

struct rnic_caps {
    uint32_t flags; /* RNIC_CAP_* */
    uint32_t qp_count_max;
    uint32_t cq_count_max;
    uint32_t eq_count_max;
    uint32_t srq_count_max;
    uint32_t pd_count_max;
    uint32_t mkey_count_max;
    uint32_t address_count_max;
    uint32_t neighbour_count_max;
    uint32_t sq_entry_count_max; /* per QP */
    uint32_t rq_entry_count_max;
    uint32_t srq_entry_count_max;
    uint32_t cq_entry_count_max;
    uint32_t eq_entry_count_max;
    uint32_t sge_count_max;      /* per WQE, send and receive */
    uint32_t read_sge_count_max; /* per READ */
    uint32_t inline_bytes_max;
    uint32_t mkey_page_count_max;
    uint32_t fast_reg_page_count_max;
    uint32_t message_bytes_max;
    uint16_t reads_out_max;       /* per QP: as requester */
    uint16_t reads_in_max;        /* per QP: as responder */
    uint16_t reads_out_total_max; /* over all QPs, 0: no limit of its own */
    uint16_t reads_in_total_max;  /* the same: answered at one time */
    uint32_t vector_count;
    uint8_t path_mtu_max; /* code 1..5 */
    uint8_t port_count;
    uint8_t ack_delay; /* code of the time this device may take to acknowledge */
    uint8_t reserved;
    uint64_t mkey_bytes_max;
};

/* IPv4 addresses are in mapped form, ::ffff:a.b.c.d. Entries that came with the device are set. */
struct rnic_address {
    uint8_t ip[16];
    uint8_t mac[6]; /* all zero on set: the permanent one */
    uint16_t vlan_id;
    uint8_t valid; /* 0 on set: clears the entry */
    uint8_t tagged;
    uint8_t reserved[6];
};

struct rnic_neighbour {
    uint8_t ip[16];
    uint8_t mac[6];
    uint16_t vlan_id;
    uint8_t valid; /* 0 on set: removes the entry */
    uint8_t tagged;
    uint8_t reserved[6];
};

/* ------------------------------------------------------------------------------ event queue -- */

struct rnic_eq_create {
    struct rnic_pages pages;
    uint32_t entry_count_log2;
    uint32_t vector;
    /*
     * Bit n: event type n of objects that do not name an EQ comes here; of several EQs that want a
     * type the youngest gets it.
     */
    uint64_t event_mask;
};

enum rnic_event_type {
    RNIC_EVENT_COMMAND_DONE = 1, /* number: ring index, data[0]: tag, status */
    RNIC_EVENT_CQ = 2,           /* number: CQN, data[0]: CQ producer index. To the CQ's own EQ */
    RNIC_EVENT_CQ_ERROR = 3,     /* number: CQN, status: enum rnic_cq_fault. To the CQ's own EQ */
    RNIC_EVENT_QP_ERROR = 4,    /* number: QPN, status: enum rnic_syndrome. QP went to ERR itself */
    RNIC_EVENT_QP_LAST_WQE = 5, /* number: QPN: in ERR, takes no more from its SRQ */
    RNIC_EVENT_QP_COMM_EST = 6, /* number: QPN: first packet in RTR */
    RNIC_EVENT_SRQ_LIMIT = 7,   /* number: SRQN, data[0]: entries left */
    RNIC_EVENT_SRQ_ERROR = 8,   /* number: SRQN. It gives no more; its QPs go to ERR, in silence */
    RNIC_EVENT_PORT_UP = 9,
    RNIC_EVENT_PORT_DOWN = 10,
    RNIC_EVENT_DEVICE_FATAL = 11, /* status: enum rnic_health */
    RNIC_EVENT_TYPE_COUNT = 12,
};

enum rnic_cq_fault {
    RNIC_CQ_FAULT_NONE = 0,
    RNIC_CQ_FAULT_OVERRUN = 1,
    RNIC_CQ_FAULT_DMA = 2,
    RNIC_CQ_FAULT_INJECTED = 3,
};

/*
 * 32 bytes. `phase` is 1 on the first pass over the ring, 0 on the second, and so on; a zeroed ring
 * is empty. An EQ that is armed sends one interrupt when it has entries at or after the consumer
 * index of the arming doorbell, and is then disarmed. The driver sizes it: an overrun is fatal.
 */
#define RNIC_EQE_BYTES 16u
struct rnic_eqe {
    uint32_t number;
    uint8_t type; /* enum rnic_event_type */
    uint8_t status;
    uint8_t reserved;
    uint8_t phase;
    uint32_t data[2];
};

/* ------------------------------------------------------------------------- completion queue -- */

struct rnic_cq_create {
    struct rnic_pages pages;
    uint32_t entry_count_log2;
    uint32_t eqn;
    /*
     * DMA address of a uint32_t in which the driver keeps its consumer index; the device reads it
     * when the ring looks full. 0: only RNIC_ARM_NONE doorbells tell.
     */
    uint64_t consumer_record;
    uint32_t entry_limit; /* entries that fit, at most those of the ring; 0: all of them */
    uint32_t reserved;
};

/*
 * Resize: entries not yet consumed are copied to the new ring, at the same indices, with the phase
 * of the new ring; the device prepares the other entries. LIMIT when they do not fit. Which are
 * consumed is told by the command or by the consumer record, whichever is newer.
 */
struct rnic_cq_resize {
    struct rnic_pages pages;
    uint32_t entry_count_log2;
    uint32_t consumer;    /* driver's consumer index */
    uint32_t entry_limit; /* as on creation */
    uint32_t reserved;
};
struct rnic_cq_resized {
    uint32_t producer;
    uint32_t reserved;
};

/*
 * MODERATE_CQ argument[0]: count in bits 31..0, period in ns in bits 63..32; either 0: off. A
 * completion with an error is not held back. With an unbounded period, a CQ that is full is told of
 * whatever the count.
 */
#define RNIC_MODERATION(count, period_ns)                                                          \
    ((uint64_t)(uint32_t)(count) | (uint64_t)(uint32_t)(period_ns) << 32)
#define RNIC_MODERATION_UNBOUNDED 0xFFFFFFFFu

struct rnic_cq_info {
    uint32_t producer;
    uint32_t consumer; /* as far as the device knows */
    uint32_t entry_count_log2;
    uint8_t armed; /* enum rnic_arm */
    uint8_t fault; /* enum rnic_cq_fault */
    uint16_t reserved;
    uint64_t moderation;
};

enum rnic_cqe_opcode {
    RNIC_CQE_SEND = 0, /* SEND and SEND_INV alike */
    RNIC_CQE_WRITE = 1,
    RNIC_CQE_READ = 2,
    RNIC_CQE_LOCAL_INV = 3,
    RNIC_CQE_FAST_REG = 4,
    RNIC_CQE_BIND_MW = 5,
    RNIC_CQE_NOP = 6,
    RNIC_CQE_RECV = 16,
    RNIC_CQE_RECV_INV = 17, /* `key` is the rkey that was invalidated */
};
#define RNIC_CQE_IS_RECEIVE(opcode) ((opcode) >= 16)

enum rnic_cqe_status {
    RNIC_CQE_OK = 0,
    RNIC_CQE_LOCAL_LENGTH = 1,     /* receive too small, or a message too long */
    RNIC_CQE_LOCAL_OPERATION = 2,  /* a WQE that makes no sense */
    RNIC_CQE_LOCAL_PROTECTION = 3, /* lkey, bounds, rights, PD of a local buffer */
    RNIC_CQE_MEMORY_OPERATION = 4, /* FAST_REG, LOCAL_INV, BIND_MW refused */
    RNIC_CQE_BAD_RESPONSE = 5,     /* the peer answered against the protocol */
    RNIC_CQE_REMOTE_INVALID = 6,   /* NAK invalid request */
    RNIC_CQE_REMOTE_ACCESS = 7,    /* NAK remote access error; at the responder: not used */
    RNIC_CQE_REMOTE_OPERATION = 8, /* NAK remote operational error */
    RNIC_CQE_RETRY_EXCEEDED = 9,
    RNIC_CQE_RNR_EXCEEDED = 10,
    RNIC_CQE_FLUSHED = 11,
    RNIC_CQE_LOCAL_FATAL = 12, /* DMA error on a ring or buffer */
    RNIC_CQE_STATUS_COUNT = 13,
};

/* Finer cause of an error; for logs and for QP_ERROR events. */
enum rnic_syndrome {
    RNIC_SYNDROME_NONE = 0,
    RNIC_SYNDROME_KEY_INVALID = 1, /* unknown index, wrong variant, or not in a usable state */
    RNIC_SYNDROME_KEY_BOUNDS = 2,
    RNIC_SYNDROME_KEY_RIGHTS = 3,
    RNIC_SYNDROME_KEY_PD = 4,
    RNIC_SYNDROME_KEY_BUSY = 5, /* a window is bound, or the key is not of the kind asked for */
    RNIC_SYNDROME_DMA = 6,
    RNIC_SYNDROME_WQE = 7, /* opcode, SGE count, stride, length */
    RNIC_SYNDROME_RECEIVE_TOO_SMALL = 8,
    RNIC_SYNDROME_OPCODE_SEQUENCE = 9, /* request out of order within a message */
    RNIC_SYNDROME_PACKET_LENGTH = 10,
    RNIC_SYNDROME_QP_RIGHTS = 11,  /* access not allowed on this QP */
    RNIC_SYNDROME_READ_LIMIT = 12, /* more inbound reads than max_reads_in */
    RNIC_SYNDROME_NAK_INVALID = 13,
    RNIC_SYNDROME_NAK_ACCESS = 14,
    RNIC_SYNDROME_NAK_OPERATION = 15,
    RNIC_SYNDROME_RETRY = 16,
    RNIC_SYNDROME_RNR_RETRY = 17,
    RNIC_SYNDROME_RESPONSE = 18,   /* unexpected response */
    RNIC_SYNDROME_CQ = 19,         /* the completion queue failed */
    RNIC_SYNDROME_INJECTED = 20,   /* fault point rnic.qp_error */
    RNIC_SYNDROME_INVALIDATE = 21, /* SEND_INV named a key that cannot be invalidated */
    RNIC_SYNDROME_SRQ = 22,
    RNIC_SYNDROME_NO_ROUTE = 23, /* UD: destination unknown */
    RNIC_SYNDROME_COUNT = 24,
};

#define RNIC_CQE_FLAG_SOLICITED 0x01u
#define RNIC_CQE_FLAG_GRH 0x02u  /* UD: 40 bytes of GRH lie before the payload */
#define RNIC_CQE_FLAG_IPV6 0x04u /* UD */
#define RNIC_CQE_FLAG_TAGGED 0x08u
#define RNIC_CQE_FLAG_SRQ 0x10u /* wqe_index is of the SRQ `srqn` */

/*
 * 64 bytes, `phase` as in the EQE, written last. Completions of one queue come in posting order.
 * With an SRQ, wqe_index is the SRQ entry that was taken.
 */
#define RNIC_CQE_BYTES 64u
struct rnic_cqe {
    uint32_t qpn;
    uint32_t wqe_index;  /* free-running index of the WQE */
    uint32_t byte_count; /* receives: bytes placed (UD: with GRH); READ: bytes read; else 0 */
    uint32_t key;        /* RECV_INV: the key; else 0 */
    uint32_t srqn;
    uint8_t opcode;     /* enum rnic_cqe_opcode */
    uint8_t status;     /* enum rnic_cqe_status */
    uint8_t syndrome;   /* enum rnic_syndrome */
    uint8_t flags;      /* RNIC_CQE_FLAG_* */
    uint32_t src_qpn;   /* UD receive */
    uint16_t vlan_id;   /* UD receive, when tagged */
    uint8_t src_mac[6]; /* UD receive */
    uint8_t reserved0[4];
    uint64_t tag; /* receives: the WQE's */
    uint8_t reserved1[15];
    uint8_t phase;
};

/* --------------------------------------------------------------------- protection, keys ------ */

/* A key is index << 8 | variant. An index is not given out again before all 2^24 were. */
#define RNIC_KEY_INDEX(key) ((uint32_t)(key) >> 8)
#define RNIC_KEY_VARIANT(key) ((uint8_t)(key))
#define RNIC_KEY_NONE 0u

enum rnic_right {
    RNIC_RIGHT_LOCAL_WRITE = 1u << 0, /* local read always holds */
    RNIC_RIGHT_REMOTE_READ = 1u << 1,
    RNIC_RIGHT_REMOTE_WRITE = 1u << 2, /* demands LOCAL_WRITE (of the region, for a window) */
    RNIC_RIGHT_BIND = 1u << 3,         /* windows may be bound to the region */
    RNIC_RIGHT_READ_SINK = 1u << 4,
};

enum rnic_mkey_kind {
    RNIC_MKEY_REGION = 1,     /* registered now, by page list */
    RNIC_MKEY_FAST_REG = 2,   /* empty until a FAST_REG WQE; pages.page_count: its limit */
    RNIC_MKEY_WINDOW_1 = 3,   /* rebinds as often as it likes; not invalidated */
    RNIC_MKEY_WINDOW_2 = 4,   /* must be invalidated before the next bind; belongs to its QP */
    RNIC_MKEY_PRIVILEGED = 5, /* made with the PD: SGE addresses are DMA addresses; no READ_SINK */
};

/*
 * REGION: [base, base + length) is mapped to the pages; the first byte lies at base modulo 4096 of
 * the first page. The key of a FAST_REG or WINDOW_2 is unusable until registered or bound.
 */
struct rnic_mkey_create {
    struct rnic_pages pages;
    uint64_t base;
    uint64_t length;
    uint32_t pdn;
    uint32_t rights;       /* RNIC_RIGHT_* */
    uint8_t kind;          /* enum rnic_mkey_kind */
    uint8_t remote_enable; /* FAST_REG: remote rights may be registered at all */
    uint8_t reserved[6];
};

enum rnic_mkey_state {
    RNIC_MKEY_FREE = 0, /* FAST_REG or window without memory, or invalidated */
    RNIC_MKEY_VALID = 1,
    RNIC_MKEY_CLOSING = 2, /* REGION: what is under way may end */
};

struct rnic_mkey_info {
    uint64_t base;
    uint64_t length;
    uint32_t key;
    uint32_t pdn;
    uint32_t rights;
    uint32_t bound_count; /* windows bound to a region */
    uint8_t kind;
    uint8_t state;
    uint8_t reserved[6];
};

/* --------------------------------------------------------------------------------- QP, SRQ -- */

enum rnic_qp_type {
    RNIC_QP_RC = 0,
    RNIC_QP_GSI = 1, /* QP1, UD; one at a time; number is 1 */
};

enum rnic_qp_state {
    RNIC_QPS_RESET = 0,
    RNIC_QPS_INIT = 1,
    RNIC_QPS_RTR = 2,
    RNIC_QPS_RTS = 3,
    RNIC_QPS_SQD = 4, /* reserved */
    RNIC_QPS_SQE = 5, /* UD only: send queue in error */
    RNIC_QPS_ERR = 6,
    RNIC_QPS_COUNT = 7,
};

/*
 * A QP with an SRQ answers a message that finds the SRQ empty with RNR NAK, as often as it comes.
 * Only the requester counts: to have messages held until a receive is posted, the peer of such a QP
 * sets RNR_RETRY to 7 (the SRQ bit and the RNR retry count of the CM's REQ and REP tell it).
 */
#define RNIC_QP_FLAG_SRQ 0x1u
/* The order of a flush: send queue first, unless one of these is set. */
#define RNIC_QP_FLAG_FLUSH_RECEIVES_FIRST 0x2u
#define RNIC_QP_FLAG_FLUSH_IN_TURN 0x4u /* a send, a receive, and so on */

struct rnic_qp_create {
    struct rnic_pages sq_pages;
    struct rnic_pages rq_pages; /* unused with an SRQ */
    uint32_t type;              /* enum rnic_qp_type */
    uint32_t flags;             /* RNIC_QP_FLAG_* */
    uint32_t pdn;
    uint32_t send_cqn;
    uint32_t receive_cqn;
    uint32_t srqn;
    uint8_t sq_entry_count_log2;
    uint8_t rq_entry_count_log2;
    uint8_t sq_stride_log2; /* bytes per entry: 6..10 */
    uint8_t rq_stride_log2; /* 4..10 */
    uint32_t sq_sge_count_max;
    uint32_t rq_sge_count_max;
    uint32_t read_sge_count_max;
    /*
     * DMA address of a uint32_t to which the device writes the number of SQ entries finished so
     * far (free running), silent ones included, whenever it changes; after the entries' CQEs. 0:
     * not wanted.
     */
    uint64_t sq_finished_record;
};

/* Where packets go. With MAC_GIVEN unset the device takes MAC and VLAN from its neighbour table. */
#define RNIC_AV_MAC_GIVEN 0x01u
#define RNIC_AV_TAGGED 0x02u /* vlan_id and priority count; only with MAC_GIVEN */
struct rnic_address_vector {
    uint8_t dst_ip[16];
    uint8_t dst_mac[6];
    uint16_t vlan_id;
    uint8_t flags;
    uint8_t address_index; /* source address table */
    uint8_t hop_limit;     /* 0: 64 */
    uint8_t dscp;
    uint8_t ecn;
    uint8_t priority;
    uint16_t udp_src_port; /* 0: made from the QP numbers */
    uint32_t flow_label;
    uint32_t reserved;
};

enum rnic_qp_attribute {
    RNIC_ATTR_STATE = 1u << 0,
    RNIC_ATTR_RIGHTS = 1u << 1, /* which remote accesses this QP lets in */
    RNIC_ATTR_PKEY = 1u << 2,
    RNIC_ATTR_QKEY = 1u << 3,
    RNIC_ATTR_ADDRESS = 1u << 4,
    RNIC_ATTR_PATH_MTU = 1u << 5,
    RNIC_ATTR_DEST_QPN = 1u << 6,
    RNIC_ATTR_RQ_PSN = 1u << 7,
    RNIC_ATTR_READS_IN = 1u << 8,
    RNIC_ATTR_MIN_RNR_TIMER = 1u << 9,
    RNIC_ATTR_SQ_PSN = 1u << 10,
    RNIC_ATTR_TIMEOUT = 1u << 11,
    RNIC_ATTR_RETRY_COUNT = 1u << 12,
    RNIC_ATTR_RNR_RETRY = 1u << 13,
    RNIC_ATTR_READS_OUT = 1u << 14,
    RNIC_ATTR_CURRENT_STATE = 1u << 15, /* refuse unless the QP is in `current_state` */
};

/*
 * Legal transitions and attributes ("+" required, others allowed):
 *   RESET -> INIT   RC: +RIGHTS, PKEY                 GSI: +QKEY, PKEY
 *   INIT  -> INIT   RC: RIGHTS, PKEY                  GSI: QKEY, PKEY
 *   INIT  -> RTR    RC: +ADDRESS +PATH_MTU +DEST_QPN +RQ_PSN +READS_IN +MIN_RNR_TIMER,
 *                       RIGHTS, PKEY                  GSI: QKEY, PKEY
 *   RTR   -> RTS    RC: +SQ_PSN +TIMEOUT +RETRY_COUNT +RNR_RETRY +READS_OUT,
 *                       RIGHTS, MIN_RNR_TIMER         GSI: +SQ_PSN, QKEY
 *   RTS   -> RTS    RC: RIGHTS, MIN_RNR_TIMER         GSI: QKEY
 *   SQE   -> RTS                                      GSI: QKEY
 *   any   -> ERR    none. The SQ, then the RQ are flushed in posting order; when the command has
 *                   finished their completions stand in the CQs
 *   any   -> RESET  none. Both queues are emptied without completions, indices are 0 again
 * Receives may be posted from RESET on; they are taken from RTR on, flushed in ERR.
 */
struct rnic_qp_attributes {
    uint32_t mask;         /* RNIC_ATTR_* */
    uint8_t state;         /* enum rnic_qp_state */
    uint8_t current_state; /* with RNIC_ATTR_CURRENT_STATE */
    uint8_t path_mtu;      /* code 1..5 */
    uint8_t rights;        /* RNIC_RIGHT_REMOTE_*, RNIC_RIGHT_BIND */
    uint32_t dest_qpn;
    uint32_t sq_psn; /* first PSN that this QP sends */
    uint32_t rq_psn; /* first PSN that it expects */
    uint32_t qkey;
    uint16_t pkey;
    uint8_t reads_out;
    uint8_t reads_in;
    uint8_t min_rnr_timer; /* code that this QP's RNR NAKs carry */
    uint8_t timeout;       /* code: 4.096 us * 2^timeout, 0: never */
    uint8_t retry_count;   /* 0..7 */
    uint8_t rnr_retry;     /* 0..6, 7: for ever */
    struct rnic_address_vector address;
};

struct rnic_qp_info {
    struct rnic_qp_attributes attributes; /* mask: those ever set; sq_psn, rq_psn: the next ones */
    uint8_t state;
    uint8_t syndrome; /* why it went to ERR or SQE by itself */
    uint16_t reserved;
    uint32_t sq_producer;
    uint32_t sq_consumer; /* next WQE to start */
    uint32_t sq_finished;
    uint32_t rq_producer;
    uint32_t rq_consumer;
    uint32_t msn; /* as responder */
    uint32_t reads_out_now;
};

struct rnic_srq_create {
    struct rnic_pages pages;
    uint32_t pdn;
    uint32_t limit; /* 0: not armed. At creation: fires on the step from limit to below */
    uint8_t entry_count_log2;
    uint8_t stride_log2; /* 4..10 */
    uint8_t reserved[2];
    uint32_t sge_count_max;
};

/*
 * Arms the limit and moves to a larger or smaller ring. An armed limit fires on the step from limit
 * to below; one that is armed by modify when fewer are left already fires at once.
 */
#define RNIC_SRQ_MODIFY_LIMIT 0x1u
#define RNIC_SRQ_MODIFY_RING 0x2u /* the driver has copied the entries not yet taken */
struct rnic_srq_modify {
    struct rnic_pages pages;
    uint32_t flags;
    uint32_t limit;
    uint8_t entry_count_log2;
    uint8_t reserved[7];
};

struct rnic_srq_info {
    uint32_t producer;
    uint32_t consumer; /* entries taken by QPs */
    uint32_t limit;    /* 0: not armed */
    uint32_t reserved;
};

/* ---------------------------------------------------------------------- work queue entries -- */

enum rnic_wqe_opcode {
    RNIC_WQE_NOP = 0,
    RNIC_WQE_SEND = 1,
    RNIC_WQE_SEND_INV = 2, /* `key`: the peer's rkey to invalidate */
    RNIC_WQE_WRITE = 3,
    RNIC_WQE_READ = 4,
    RNIC_WQE_LOCAL_INV = 5, /* `key` */
    RNIC_WQE_FAST_REG = 6,
    RNIC_WQE_BIND_MW = 7,
    RNIC_WQE_OPCODE_COUNT = 8,
};

#define RNIC_WQE_SIGNALLED 0x01u        /* a CQE on success; an error always gives one */
#define RNIC_WQE_SOLICITED 0x02u        /* SEND, SEND_INV */
#define RNIC_WQE_FENCE 0x04u            /* start after all earlier READs have completed */
#define RNIC_WQE_INLINE 0x08u           /* SEND, WRITE: data in the WQE instead of SGEs */
#define RNIC_WQE_LOCAL_INVALIDATE 0x10u /* READ: invalidate the first SGE's key on success */

struct rnic_sge {
    uint64_t address; /* virtual address of the key's region; DMA address for a privileged key */
    uint32_t bytes;
    uint32_t lkey;
};

/* Every SQ WQE begins so. Each entry takes one slot of the QP's stride. */
struct rnic_wqe_control {
    uint8_t opcode; /* enum rnic_wqe_opcode */
    uint8_t flags;  /* RNIC_WQE_* */
    uint16_t sge_count;
    uint32_t inline_bytes; /* with RNIC_WQE_INLINE */
    uint32_t key;          /* SEND_INV, LOCAL_INV */
    uint32_t index;        /* the WQE's own free-running index; the device checks it */
};

/* SEND, SEND_INV, WRITE, READ on RC. SGEs, or inline bytes, follow at RNIC_WQE_DATA_OFFSET. */
#define RNIC_WQE_DATA_OFFSET 32u
struct rnic_wqe_transfer {
    struct rnic_wqe_control control;
    uint64_t remote_address; /* WRITE, READ */
    uint32_t rkey;
    uint32_t reserved;
    struct rnic_sge sge[2]; /* as many as the stride holds */
};

/* SEND on QP1. SGEs, or inline bytes, follow at RNIC_WQE_UD_DATA_OFFSET; stride at least 128. */
#define RNIC_WQE_UD_DATA_OFFSET 64u
struct rnic_wqe_ud {
    struct rnic_wqe_control control;
    struct rnic_address_vector address;
    uint32_t dst_qpn;
    uint32_t qkey;
    struct rnic_sge sge[4];
};

/*
 * FAST_REG. The driver picks the variant of the new key, so that it can tell it at once. The pages
 * are `page_list_bytes / 8` addresses at `page_list`, a DMA address (it may cross pages only if
 * they are contiguous); it must stay until the WQE has completed.
 */
struct rnic_wqe_fast_reg {
    struct rnic_wqe_control control; /* key: the new key, index as created */
    uint64_t base;
    uint64_t length;
    uint64_t page_list;
    uint32_t page_count;
    uint32_t rights; /* RNIC_RIGHT_* */
    uint8_t reserved[16];
};

/* BIND_MW. Length 0 unbinds a type 1 window. */
struct rnic_wqe_bind {
    struct rnic_wqe_control control; /* key: the window's new key, index as created */
    uint64_t base;
    uint64_t length;
    uint32_t region_key;
    uint32_t rights; /* RNIC_RIGHT_REMOTE_* */
    uint8_t reserved[24];
};

/* RQ and SRQ entries: a count and SGEs; the stride holds as many as (stride - 16) / 16. */
#define RNIC_RECEIVE_DATA_OFFSET 16u
struct rnic_wqe_receive {
    uint32_t sge_count;
    uint32_t index; /* the WQE's own free-running index; the device checks it */
    uint64_t tag;   /* the driver's, given back in the completion; not on a flush from the RQ */
    struct rnic_sge sge[1]; /* as many as the stride holds */
};

#define RNIC_GRH_BYTES 40u /* IPv6 header; or 20 zero bytes and an IPv4 header */

/* --------------------------------------------------------------------------------- counters -- */

enum rnic_counter {
    RNIC_COUNTER_FRAMES_SENT,
    RNIC_COUNTER_BYTES_SENT,
    RNIC_COUNTER_FRAMES_RECEIVED,
    RNIC_COUNTER_BYTES_RECEIVED,
    RNIC_COUNTER_FRAMES_BAD,      /* undecodable or wrong ICRC */
    RNIC_COUNTER_FRAMES_NO_QP,    /* no such QP, or not in a state that receives */
    RNIC_COUNTER_PACKETS_RETRIED, /* request packets sent again */
    RNIC_COUNTER_TIMEOUTS,
    RNIC_COUNTER_NAKS_SENT, /* PSN sequence error */
    RNIC_COUNTER_NAKS_RECEIVED,
    RNIC_COUNTER_RNR_NAKS_SENT,
    RNIC_COUNTER_RNR_NAKS_RECEIVED,
    RNIC_COUNTER_ERROR_NAKS_SENT, /* invalid request, access, operation */
    RNIC_COUNTER_ERROR_NAKS_RECEIVED,
    RNIC_COUNTER_DUPLICATES,      /* duplicate requests answered or dropped */
    RNIC_COUNTER_OUT_OF_SEQUENCE, /* packets ahead of the expected PSN */
    RNIC_COUNTER_ACKS_SENT,
    RNIC_COUNTER_CQES,
    RNIC_COUNTER_EQES,
    RNIC_COUNTER_INTERRUPTS,
    RNIC_COUNTER_DATAGRAMS_DROPPED, /* UD without a receive */
    RNIC_COUNTER_MESSAGES_SENT,     /* WQEs that completed with success */
    RNIC_COUNTER_MESSAGES_RECEIVED, /* receives that completed with success */
    RNIC_COUNTER_DOORBELLS,
    /* What the port really carried: neither loopback nor what found the link down. */
    RNIC_COUNTER_WIRE_FRAMES_OUT,
    RNIC_COUNTER_WIRE_BYTES_OUT,
    RNIC_COUNTER_WIRE_FRAMES_IN,
    RNIC_COUNTER_WIRE_BYTES_IN,
    RNIC_COUNTER_SENT_BY_OPCODE, /* 256 counters, by BTH opcode */
    RNIC_COUNTER_RECEIVED_BY_OPCODE = RNIC_COUNTER_SENT_BY_OPCODE + 256,
    RNIC_COUNTER_COUNT = RNIC_COUNTER_RECEIVED_BY_OPCODE + 256,
};

#endif
