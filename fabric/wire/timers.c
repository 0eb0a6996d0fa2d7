/* SPDX-License-Identifier: Apache-2.0 */
/* Codes to values and back (IBTA 9.7.5.2.8, 9.7.6.1.3, 12.7; link MTU from annex A17). */
#include "wire/timers.h"

#include <stddef.h>

#include "wire/ip.h"
#include "wire/roce.h"

#define TIMEOUT_UNIT_NS 4096u
#define CODE_MASK 31u
#define MTU_CODE_MIN 1
#define MTU_CODE_MAX 5

/* In units of 10 us. Code 0 is the longest. */
static const uint32_t rnr_timer_10us[WIRE_TIMER_CODE_COUNT] = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,    32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024,  1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static const uint16_t credits[WIRE_CREDIT_CODE_UNLIMITED] = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

uint64_t wire_cm_timeout_ns(uint8_t code) {
    return (uint64_t)TIMEOUT_UNIT_NS << (code & CODE_MASK);
}

uint8_t wire_cm_timeout_code(uint64_t ns) {
    uint8_t code = 0;
    while (code < CODE_MASK && wire_cm_timeout_ns(code) < ns) {
        code++;
    }
    return code;
}

uint64_t wire_ack_timeout_ns(uint8_t code) {
    return (code & CODE_MASK) == 0 ? 0 : wire_cm_timeout_ns(code);
}

uint8_t wire_ack_timeout_code(uint64_t ns) {
    uint8_t code = wire_cm_timeout_code(ns);
    return code == 0 ? 1 : code;
}

uint64_t wire_rnr_timer_ns(uint8_t code) {
    return (uint64_t)rnr_timer_10us[code & CODE_MASK] * 10000u;
}

uint8_t wire_rnr_timer_code(uint64_t ns) {
    uint8_t code = 1;
    while (code < WIRE_TIMER_CODE_COUNT && wire_rnr_timer_ns(code) < ns) {
        code++;
    }
    return code < WIRE_TIMER_CODE_COUNT ? code : 0;
}

uint32_t wire_credit_count(uint8_t code) {
    code &= CODE_MASK;
    return code == WIRE_CREDIT_CODE_UNLIMITED ? WIRE_CREDIT_UNLIMITED : credits[code];
}

uint32_t wire_mtu_bytes(uint8_t code) {
    return code < MTU_CODE_MIN || code > MTU_CODE_MAX ? 0 : 128u << code;
}

uint8_t wire_mtu_code(uint32_t bytes) {
    for (uint8_t code = MTU_CODE_MIN; code <= MTU_CODE_MAX; code++) {
        if (wire_mtu_bytes(code) == bytes) {
            return code;
        }
    }
    return 0;
}

uint32_t wire_mtu_for_link(uint32_t ip_mtu_bytes, bool is_ipv6) {
    uint32_t headers = (is_ipv6 ? WIRE_IPV6_HEADER_BYTES : WIRE_IPV4_HEADER_BYTES) +
                       WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES + WIRE_RETH_BYTES + WIRE_IMMDT_BYTES +
                       WIRE_ICRC_BYTES;
    for (uint8_t code = MTU_CODE_MAX; code >= MTU_CODE_MIN; code--) {
        if (wire_mtu_bytes(code) + headers <= ip_mtu_bytes) {
            return wire_mtu_bytes(code);
        }
    }
    return 0;
}
