/* SPDX-License-Identifier: Apache-2.0 */
/* The invariant CRC: headers are masked in a copy, the rest is read where it lies. */
#include "wire/icrc.h"

#include <string.h>

#include "wire/crc.h"
#include "wire/ip.h"
#include "wire/roce.h"

/* The register after eight bytes of ones, which stand for the absent LRH. */
#define STATE_AFTER_LRH 0xDEBB20E3u

#define MASKED_BYTES_MAX (WIRE_IPV6_HEADER_BYTES + WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES)

static size_t mask_ipv4(uint8_t *header) {
    header[1] = 0xFF;  /* DSCP, ECN */
    header[8] = 0xFF;  /* TTL */
    header[10] = 0xFF; /* checksum */
    header[11] = 0xFF;
    return WIRE_IPV4_HEADER_BYTES;
}

static size_t mask_ipv6(uint8_t *header) {
    header[0] |= 0x0F; /* traffic class, flow label */
    header[1] = 0xFF;
    header[2] = 0xFF;
    header[3] = 0xFF;
    header[7] = 0xFF; /* hop limit */
    return WIRE_IPV6_HEADER_BYTES;
}

uint32_t wire_icrc(const uint8_t *packet, size_t bytes) {
    uint8_t masked[MASKED_BYTES_MAX];
    size_t at;
    size_t masked_bytes;
    if (packet[0] >> 4 == 4) {
        masked_bytes = WIRE_IPV4_HEADER_BYTES + WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES;
        memcpy(masked, packet, WIRE_IPV4_HEADER_BYTES + WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES);
        at = mask_ipv4(masked);
    } else {
        masked_bytes = WIRE_IPV6_HEADER_BYTES + WIRE_BTH_BYTES;
        if (packet[6] == WIRE_IP_PROTOCOL_UDP) {
            masked_bytes += WIRE_UDP_HEADER_BYTES;
        }
        memcpy(masked, packet, masked_bytes);
        at = mask_ipv6(masked);
    }
    if (masked_bytes - at > WIRE_BTH_BYTES) {
        masked[at + 6] = 0xFF; /* UDP checksum */
        masked[at + 7] = 0xFF;
        at += WIRE_UDP_HEADER_BYTES;
    }
    masked[at + 4] = 0xFF; /* FECN, BECN, reserved */
    uint32_t state = wire_crc32_update(STATE_AFTER_LRH, masked, masked_bytes);
    return ~wire_crc32_update(state, packet + masked_bytes, bytes - masked_bytes);
}
