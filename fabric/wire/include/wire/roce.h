/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RoCEv2 packets: Ethernet [802.1Q] / IPv4 or IPv6 / UDP 4791 / BTH / extended headers / payload /
 * pad / ICRC.
 *
 * Sending, per packet: wire_roce_encode_headers from a template that was built once per path, the
 * caller copies the payload behind it, wire_roce_finish pads and seals. Receiving: wire_roce_decode
 * reads and judges the structure, wire_roce_check_icrc the content.
 */
#ifndef WIRE_ROCE_H
#define WIRE_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"
#include "wire/eth.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/psn.h"
#include "wire/udp.h"

#define WIRE_BTH_BYTES 12
#define WIRE_RETH_BYTES 16
#define WIRE_AETH_BYTES 4
#define WIRE_IMMDT_BYTES 4
#define WIRE_IETH_BYTES 4
#define WIRE_DETH_BYTES 8
#define WIRE_CNP_PAYLOAD_BYTES 16 /* all zero */
#define WIRE_PKEY_DEFAULT 0xFFFF
#define WIRE_QPN_MASK 0x00FFFFFFu

/* Ethernet, tag, IPv6, UDP. */
#define WIRE_ROCE_PREFIX_BYTES_MAX (14 + 4 + 40 + 8)
/* Everything before the payload of the packet with the longest headers (WRITE only immediate). */
#define WIRE_ROCE_HEADER_BYTES_MAX (WIRE_ROCE_PREFIX_BYTES_MAX + 12 + 16 + 4)
/* A buffer that holds any frame of path MTU 4096. */
#define WIRE_ROCE_FRAME_BYTES_MAX (WIRE_ROCE_HEADER_BYTES_MAX + 4096 + 4)

enum wire_roce_opcode {
    WIRE_RC_SEND_FIRST = 0x00,
    WIRE_RC_SEND_MIDDLE = 0x01,
    WIRE_RC_SEND_LAST = 0x02,
    WIRE_RC_SEND_LAST_IMM = 0x03,
    WIRE_RC_SEND_ONLY = 0x04,
    WIRE_RC_SEND_ONLY_IMM = 0x05,
    WIRE_RC_WRITE_FIRST = 0x06,
    WIRE_RC_WRITE_MIDDLE = 0x07,
    WIRE_RC_WRITE_LAST = 0x08,
    WIRE_RC_WRITE_LAST_IMM = 0x09,
    WIRE_RC_WRITE_ONLY = 0x0A,
    WIRE_RC_WRITE_ONLY_IMM = 0x0B,
    WIRE_RC_READ_REQUEST = 0x0C,
    WIRE_RC_READ_RESPONSE_FIRST = 0x0D,
    WIRE_RC_READ_RESPONSE_MIDDLE = 0x0E,
    WIRE_RC_READ_RESPONSE_LAST = 0x0F,
    WIRE_RC_READ_RESPONSE_ONLY = 0x10,
    WIRE_RC_ACK = 0x11,
    WIRE_RC_SEND_LAST_INV = 0x16,
    WIRE_RC_SEND_ONLY_INV = 0x17,
    WIRE_UD_SEND_ONLY = 0x64,
    WIRE_UD_SEND_ONLY_IMM = 0x65,
    WIRE_CNP = 0x81
};

/* What an opcode is and carries. Exactly one of FIRST, MIDDLE, LAST, ONLY per known opcode. */
enum wire_roce_opcode_flag {
    WIRE_OP_KNOWN = 1u << 0,
    WIRE_OP_FIRST = 1u << 1,
    WIRE_OP_MIDDLE = 1u << 2,
    WIRE_OP_LAST = 1u << 3,
    WIRE_OP_ONLY = 1u << 4,
    WIRE_OP_SEND = 1u << 5,
    WIRE_OP_WRITE = 1u << 6,
    WIRE_OP_READ = 1u << 7,     /* the request and its responses */
    WIRE_OP_REQUEST = 1u << 8,  /* goes to a responder and takes a PSN of the requester's */
    WIRE_OP_RESPONSE = 1u << 9, /* goes to a requester: ACK and READ responses */
    WIRE_OP_RETH = 1u << 10,    /* headers, in the order they follow BTH */
    WIRE_OP_AETH = 1u << 11,
    WIRE_OP_DETH = 1u << 12,
    WIRE_OP_IMMDT = 1u << 13,
    WIRE_OP_IETH = 1u << 14,
    WIRE_OP_PAYLOAD = 1u << 15,  /* may carry payload at all */
    WIRE_OP_CONSUMES = 1u << 16, /* completes a posted receive at the responder */
    WIRE_OP_RC = 1u << 17,
    WIRE_OP_UD = 1u << 18,
    WIRE_OP_CNP = 1u << 19
};

#define WIRE_OP_START (WIRE_OP_FIRST | WIRE_OP_ONLY)
#define WIRE_OP_END (WIRE_OP_LAST | WIRE_OP_ONLY)

/* Indexed by the whole opcode byte; 0 for an opcode that is not carried here. */
extern const uint32_t wire_roce_opcode_flags[256];

/* Bytes of the extended headers after BTH. */
extern const uint8_t wire_roce_opcode_header_bytes[256];

/* "SEND_ONLY", "READ_RESPONSE_FIRST", ...; "OPCODE?" for an unknown one. */
const char *wire_roce_opcode_name(uint8_t opcode);

/*
 * May a packet of this opcode carry that much payload on a path MTU? First and middle: exactly the
 * MTU; last: 1 to MTU; only: 0 to MTU; no payload: 0. IBTA 9.7.4.1.
 */
bool wire_roce_payload_fits(uint8_t opcode, size_t payload_bytes, size_t mtu_bytes);

/* AETH syndrome: kind in bits 6..5, value in bits 4..0. */
enum wire_aeth_kind {
    WIRE_AETH_ACK = 0,
    WIRE_AETH_RNR = 1,
    WIRE_AETH_RESERVED = 2,
    WIRE_AETH_NAK = 3
};

enum wire_aeth_syndrome {
    WIRE_SYNDROME_ACK = 0x1F, /* no end-to-end credit limit */
    WIRE_SYNDROME_RNR = 0x20, /* | timer code */
    WIRE_SYNDROME_NAK_PSN_SEQUENCE = 0x60,
    WIRE_SYNDROME_NAK_INVALID_REQUEST = 0x61,
    WIRE_SYNDROME_NAK_REMOTE_ACCESS = 0x62,
    WIRE_SYNDROME_NAK_REMOTE_OPERATION = 0x63,
    WIRE_SYNDROME_NAK_INVALID_RD = 0x64
};

/* With bit 7 set, which is 0 in all that is defined, a syndrome is RESERVED too. */
static inline enum wire_aeth_kind wire_aeth_kind(uint8_t syndrome) {
    return syndrome < 0x80 ? (enum wire_aeth_kind)(syndrome >> 5) : WIRE_AETH_RESERVED;
}

static inline uint8_t wire_aeth_value(uint8_t syndrome) {
    return syndrome & 0x1F;
}

/* Everything below BTH, the same for all packets that one QP sends. */
struct wire_roce_path {
    struct wire_mac dst_mac;
    struct wire_mac src_mac;
    struct wire_ip_addr src;
    struct wire_ip_addr dst; /* same version as src */
    uint32_t flow_label;     /* IPv6, 20 bits */
    uint16_t udp_src_port;
    uint16_t vlan_id;
    bool tagged;
    uint8_t priority;  /* PCP when tagged */
    uint8_t dscp;      /* 0..63 */
    uint8_t ecn;       /* WIRE_ECN_* */
    uint8_t hop_limit; /* TTL */
};

/* BTH and extended headers: what changes from packet to packet. */
struct wire_roce_headers {
    uint8_t opcode;
    bool solicited;
    bool migrated; /* MigReq; 1 in practice */
    bool fecn;
    bool becn;
    bool ack_request;
    uint16_t pkey;
    uint32_t dst_qpn;
    struct wire_psn psn;
    /* Only those that the opcode names are encoded; the others are 0 after decoding. */
    struct {
        uint64_t address;
        uint32_t rkey;
        uint32_t bytes; /* of the whole message */
    } reth;
    struct {
        uint8_t syndrome;
        uint32_t msn; /* 24 bits */
    } aeth;
    struct {
        uint32_t qkey;
        uint32_t src_qpn;
    } deth;
    uint32_t immediate;
    uint32_t invalidate_rkey;
};

/* A decoded view. `payload` points into the frame and lives as long as it. */
struct wire_roce_packet {
    struct wire_roce_path path;
    struct wire_roce_headers headers;
    const uint8_t *payload;
    uint32_t payload_bytes; /* without pad */
    uint16_t ip_id;         /* IPv4 */
    uint16_t ip_offset;     /* in the frame */
    uint16_t bth_offset;
    uint16_t icrc_offset;
    uint8_t pad_bytes;
};

/* Ethernet to UDP of one path, ready to be copied. Pure data: may be copied, kept, overwritten. */
struct wire_roce_template {
    uint8_t bytes[WIRE_ROCE_PREFIX_BYTES_MAX];
    uint8_t prefix_bytes; /* used bytes: where BTH goes */
    uint8_t ip_offset;    /* 14 or 18 */
    bool is_ipv6;
    uint32_t ip_sum; /* IPv4 header summed without total length and id */
};

void wire_roce_template_init(struct wire_roce_template *templ, const struct wire_roce_path *path);

/* Bytes before the payload. */
static inline size_t wire_roce_header_bytes(const struct wire_roce_template *templ,
                                            uint8_t opcode) {
    return (size_t)templ->prefix_bytes + WIRE_BTH_BYTES + wire_roce_opcode_header_bytes[opcode];
}

/* Bytes of the whole frame, pad and ICRC included, FCS not. */
static inline size_t wire_roce_frame_bytes(const struct wire_roce_template *templ, uint8_t opcode,
                                           size_t payload_bytes) {
    return wire_roce_header_bytes(templ, opcode) + ((payload_bytes + 3) & ~(size_t)3) +
           WIRE_ICRC_BYTES;
}

/*
 * Writes all headers, lengths and IPv4 header checksum included, for a payload of that size
 * (at most 4096), and returns wire_roce_header_bytes: where the payload goes. The opcode must be a
 * known one. `ip_id` is the IPv4 identification (0 is fine with DF set).
 */
size_t wire_roce_encode_headers(const struct wire_roce_template *templ,
                                const struct wire_roce_headers *headers, size_t payload_bytes,
                                uint16_t ip_id, uint8_t *frame);

/*
 * With headers and payload in place: writes pad, ICRC and (IPv6) the UDP checksum; returns the
 * length of the frame. `payload_offset` and `payload_bytes` as in wire_roce_encode_headers.
 */
size_t wire_roce_finish(const struct wire_roce_template *templ, uint8_t *frame,
                        size_t payload_offset, size_t payload_bytes);

/*
 * The two above and the copy between them, for senders that have the payload at hand (payload may
 * be NULL when payload_bytes is 0).
 */
size_t wire_roce_encode(const struct wire_roce_template *templ,
                        const struct wire_roce_headers *headers, const uint8_t *payload,
                        size_t payload_bytes, uint16_t ip_id, uint8_t *frame);

/*
 * Reads a frame of `bytes` bytes. Judges lengths, versions, IPv4 header checksum, port, opcode,
 * pad; not the path MTU, the ICRC, the UDP checksum. Bytes behind the IP packet are ignored.
 * On an error *packet is partly written.
 */
enum wire_error wire_roce_decode(const uint8_t *frame, size_t bytes,
                                 struct wire_roce_packet *packet);

/* True when the ICRC of a frame that was decoded into *packet is right. */
bool wire_roce_check_icrc(const uint8_t *frame, const struct wire_roce_packet *packet);

/* True when the UDP checksum is right or absent (0). A device may leave this out; ICRC is stronger.
 */
bool wire_roce_check_udp(const uint8_t *frame, const struct wire_roce_packet *packet);

#endif
