/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IPv4 without options and IPv6 without extension headers: all that RoCEv2 uses.
 *
 * An address is always 16 bytes, an IPv4 one in its mapped form ::ffff:a.b.c.d. That is also the
 * GID form of the CM messages, so one value serves QP contexts, packets and CM alike.
 */
#ifndef WIRE_IP_H
#define WIRE_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/error.h"

#define WIRE_IPV4_HEADER_BYTES 20
#define WIRE_IPV6_HEADER_BYTES 40
#define WIRE_IP_PROTOCOL_UDP 17

enum { WIRE_ECN_NOT_ECT = 0, WIRE_ECN_ECT1 = 1, WIRE_ECN_ECT0 = 2, WIRE_ECN_CE = 3 };

struct wire_ip_addr {
    uint8_t bytes[16]; /* network order */
};

/* 0x0A000001 is 10.0.0.1. */
static inline struct wire_ip_addr wire_ip_addr_from_v4(uint32_t address) {
    struct wire_ip_addr addr = {{[10] = 0xFF, [11] = 0xFF}};
    wire_put_u32(addr.bytes + 12, address);
    return addr;
}

static inline bool wire_ip_addr_is_v4(const struct wire_ip_addr *addr) {
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    return memcmp(addr->bytes, mapped, sizeof mapped) == 0;
}

/* Meaningful for an IPv4 address only. */
static inline uint32_t wire_ip_addr_v4(const struct wire_ip_addr *addr) {
    return wire_get_u32(addr->bytes + 12);
}

static inline bool wire_ip_addr_equal(const struct wire_ip_addr *a, const struct wire_ip_addr *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* The version is that of both addresses, which must agree. */
struct wire_ip {
    struct wire_ip_addr src;
    struct wire_ip_addr dst;
    uint8_t dscp;           /* 0..63 */
    uint8_t ecn;            /* WIRE_ECN_* */
    uint8_t hop_limit;      /* IPv4: TTL */
    uint8_t protocol;       /* IPv6: next header */
    uint16_t id;            /* IPv4 only; DF is always set */
    uint32_t flow_label;    /* IPv6 only, 20 bits */
    uint16_t payload_bytes; /* what follows the IP header */
};

/* Writes 20 or 40 bytes, IPv4 with its checksum, and returns how many. */
size_t wire_ip_encode(const struct wire_ip *ip, uint8_t *out);

/*
 * Reads the header at `packet` according to its version nibble; *header_bytes is 20 or 40.
 * `bytes` may exceed the packet (Ethernet padding). Errors: TRUNCATED, IP_VERSION, IP_HEADER,
 * IP_FRAGMENT, IP_CHECKSUM.
 */
enum wire_error wire_ip_decode(const uint8_t *packet, size_t bytes, struct wire_ip *ip,
                               size_t *header_bytes);

#endif
