/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication management messages of a reliable connection (IBTA 12.6) and the IP CM private data
 * header (annex A11). Pure layout: who sends what when is the connector's business.
 *
 * Private data has a fixed size per message and is zero filled; nobody can tell how much was meant.
 *
 * The starting PSN in a REQ or REP is the one the *receiver* of the message must use for its first
 * request; the sender expects it. Depths cross over likewise.
 */
#ifndef WIRE_CM_H
#define WIRE_CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"
#include "wire/ip.h"
#include "wire/mad.h"
#include "wire/psn.h"

enum wire_cm_kind {
    WIRE_CM_REQ = 0x10,
    WIRE_CM_MRA = 0x11,
    WIRE_CM_REJ = 0x12,
    WIRE_CM_REP = 0x13,
    WIRE_CM_RTU = 0x14,
    WIRE_CM_DREQ = 0x15,
    WIRE_CM_DREP = 0x16
};

#define WIRE_CM_REQ_PRIVATE_BYTES 92
#define WIRE_CM_REQ_CONSUMER_BYTES 56 /* after the IP CM header */
#define WIRE_CM_MRA_PRIVATE_BYTES 222
#define WIRE_CM_REJ_PRIVATE_BYTES 148
#define WIRE_CM_REJ_ARI_BYTES 72
#define WIRE_CM_REP_PRIVATE_BYTES 196
#define WIRE_CM_RTU_PRIVATE_BYTES 224
#define WIRE_CM_DREQ_PRIVATE_BYTES 220
#define WIRE_CM_DREP_PRIVATE_BYTES 224
#define WIRE_CM_IP_HEADER_BYTES 36

/* The message that an MRA or REJ answers. */
enum wire_cm_answered {
    WIRE_CM_ANSWERED_REQ = 0,
    WIRE_CM_ANSWERED_REP = 1,
    WIRE_CM_ANSWERED_OTHER = 2
};

enum wire_cm_reject_reason {
    WIRE_CM_REJ_NO_QP = 1,
    WIRE_CM_REJ_NO_EEC = 2,
    WIRE_CM_REJ_NO_RESOURCES = 3,
    WIRE_CM_REJ_TIMEOUT = 4, /* ARI: the rejecter's CA GUID, 8 bytes */
    WIRE_CM_REJ_UNSUPPORTED = 5,
    WIRE_CM_REJ_INVALID_COMM_ID = 6,
    WIRE_CM_REJ_INVALID_COMM_INSTANCE = 7,
    WIRE_CM_REJ_INVALID_SERVICE_ID = 8, /* nobody listens */
    WIRE_CM_REJ_INVALID_TRANSPORT_TYPE = 9,
    WIRE_CM_REJ_STALE_CONNECTION = 10,
    WIRE_CM_REJ_NO_RDC = 11,
    WIRE_CM_REJ_INVALID_GID = 12, /* ARI: a GID, 16 bytes */
    WIRE_CM_REJ_INVALID_LID = 13,
    WIRE_CM_REJ_INVALID_SL = 14,
    WIRE_CM_REJ_INVALID_TRAFFIC_CLASS = 15,
    WIRE_CM_REJ_INVALID_HOP_LIMIT = 16,
    WIRE_CM_REJ_INVALID_PACKET_RATE = 17,
    WIRE_CM_REJ_REDIRECT_CM = 24,
    WIRE_CM_REJ_REDIRECT_PORT = 25,
    WIRE_CM_REJ_INVALID_MTU = 26,
    WIRE_CM_REJ_INSUFFICIENT_RESPONDER_RESOURCES = 27,
    WIRE_CM_REJ_CONSUMER = 28,
    WIRE_CM_REJ_RNR_RETRY = 29,
    WIRE_CM_REJ_DUPLICATE_COMM_ID = 30,
    WIRE_CM_REJ_CLASS_VERSION = 31,
    WIRE_CM_REJ_FLOW_LABEL = 32,
    WIRE_CM_REJ_ALTERNATE_FLOW_LABEL = 33,
    WIRE_CM_REJ_VENDOR_OPTION = 35
};

/* IBA rate codes of `packet_rate`. */
enum {
    WIRE_CM_RATE_2_5_GBPS = 2,
    WIRE_CM_RATE_10_GBPS = 3,
    WIRE_CM_RATE_30_GBPS = 4,
    WIRE_CM_RATE_5_GBPS = 5,
    WIRE_CM_RATE_20_GBPS = 6,
    WIRE_CM_RATE_40_GBPS = 7,
    WIRE_CM_RATE_60_GBPS = 8,
    WIRE_CM_RATE_80_GBPS = 9,
    WIRE_CM_RATE_120_GBPS = 10
};

/* One path of a REQ (44 bytes). An unused alternate path is all zero. */
struct wire_cm_path {
    uint16_t local_lid; /* 0xFFFF on RoCE with hop limit > 1 */
    uint16_t remote_lid;
    struct wire_ip_addr local_gid;
    struct wire_ip_addr remote_gid;
    uint32_t flow_label; /* 20 bits */
    uint8_t packet_rate; /* 6 bits */
    uint8_t traffic_class;
    uint8_t hop_limit;
    uint8_t sl;                /* 4 bits */
    bool subnet_local;         /* only with hop limit <= 1 */
    uint8_t local_ack_timeout; /* code, 5 bits */
};

/* Transport service type: RC is 0. */
struct wire_cm_req {
    uint64_t service_id;
    uint64_t local_ca_guid;
    uint32_t local_qkey; /* 0 for RC */
    uint32_t local_qpn;
    uint8_t responder_resources; /* inbound reads the sender accepts: NDK IRD */
    uint8_t initiator_depth;     /* outbound reads the sender wants: NDK ORD */
    uint8_t remote_cm_response_timeout;
    uint8_t transport_type;
    bool end_to_end_flow_control;
    struct wire_psn starting_psn;
    uint8_t local_cm_response_timeout;
    uint8_t retry_count; /* 3 bits */
    uint16_t pkey;
    uint8_t path_mtu;        /* code, see wire_mtu_bytes */
    uint8_t rnr_retry_count; /* 3 bits, 7 = forever */
    uint8_t max_cm_retries;  /* 4 bits */
    bool srq;
    struct wire_cm_path primary;
    struct wire_cm_path alternate;
    uint8_t private_data[WIRE_CM_REQ_PRIVATE_BYTES];
};

struct wire_cm_mra {
    uint8_t answered;        /* enum wire_cm_answered */
    uint8_t service_timeout; /* code */
    uint8_t private_data[WIRE_CM_MRA_PRIVATE_BYTES];
};

struct wire_cm_rej {
    uint8_t answered; /* enum wire_cm_answered */
    uint8_t ari_bytes;
    uint16_t reason; /* enum wire_cm_reject_reason, or one it does not name */
    uint8_t ari[WIRE_CM_REJ_ARI_BYTES];
    uint8_t private_data[WIRE_CM_REJ_PRIVATE_BYTES];
};

struct wire_cm_rep {
    uint32_t local_qkey; /* 0 for RC */
    uint32_t local_qpn;
    uint32_t local_eecn; /* 0 for RC */
    struct wire_psn starting_psn;
    uint8_t responder_resources;
    uint8_t initiator_depth;
    uint8_t target_ack_delay; /* code */
    uint8_t failover_accepted;
    bool end_to_end_flow_control;
    uint8_t rnr_retry_count;
    bool srq;
    uint64_t local_ca_guid;
    uint8_t private_data[WIRE_CM_REP_PRIVATE_BYTES];
};

struct wire_cm_rtu {
    uint8_t private_data[WIRE_CM_RTU_PRIVATE_BYTES];
};

struct wire_cm_dreq {
    uint32_t remote_qpn; /* the receiver's own QPN; a mismatch is ignored by the receiver */
    uint8_t private_data[WIRE_CM_DREQ_PRIVATE_BYTES];
};

struct wire_cm_drep {
    uint8_t private_data[WIRE_CM_DREP_PRIVATE_BYTES];
};

struct wire_cm_message {
    enum wire_cm_kind kind;
    uint64_t transaction_id;
    uint32_t local_comm_id;  /* the sender's; 0 in a REJ of a REQ that was never answered */
    uint32_t remote_comm_id; /* 0 in a REQ */
    union {
        struct wire_cm_req req;
        struct wire_cm_mra mra;
        struct wire_cm_rej rej;
        struct wire_cm_rep rep;
        struct wire_cm_rtu rtu;
        struct wire_cm_dreq dreq;
        struct wire_cm_drep drep;
    };
};

/*
 * Writes a whole MAD of WIRE_MAD_BYTES bytes. Fields are cut to their width. The caller zeroes
 * private data it does not use.
 */
void wire_cm_encode(const struct wire_cm_message *message, uint8_t *mad);

/*
 * Reads a whole MAD. Errors: TRUNCATED (bytes is not WIRE_MAD_BYTES), MAD_VERSION, MAD_CLASS,
 * CM_ATTRIBUTE, VALUE (ARI length over 72).
 */
enum wire_error wire_cm_decode(const uint8_t *mad, size_t bytes, struct wire_cm_message *message);

/* "REQ", "MRA", ...; "CM?" for a kind of no message. */
const char *wire_cm_kind_name(enum wire_cm_kind kind);

/* The private data of any message; *bytes is its fixed size. */
const uint8_t *wire_cm_private_data(const struct wire_cm_message *message, size_t *bytes);

/* First 36 bytes of REQ private data: the addresses and the source port of the connection. */
struct wire_cm_ip_header {
    uint16_t src_port;
    struct wire_ip_addr src; /* version by form, mapped when IPv4; both agree */
    struct wire_ip_addr dst;
};

/* Writes WIRE_CM_IP_HEADER_BYTES bytes. */
void wire_cm_ip_header_encode(const struct wire_cm_ip_header *header, uint8_t *out);

/* Errors: TRUNCATED, CM_IP_HEADER (CM version not 0, IP version neither 4 nor 6). */
enum wire_error wire_cm_ip_header_decode(const uint8_t *data, size_t bytes,
                                         struct wire_cm_ip_header *header);

/* Service id of a TCP-space port, 0x000000000106pppp: port 445 is 0x00000000010601BD. */
static inline uint64_t wire_cm_service_id(uint16_t port) {
    return UINT64_C(0x01060000) | port;
}

/* True when `service_id` is of the TCP port space; sets *port. */
static inline bool wire_cm_service_id_port(uint64_t service_id, uint16_t *port) {
    *port = (uint16_t)service_id;
    return service_id >> 16 == 0x0106;
}

#endif
