/* SPDX-License-Identifier: Apache-2.0 */
/* UDP (RFC 768), and its checksum over the pseudo header of either IP version. */
#ifndef WIRE_UDP_H
#define WIRE_UDP_H

#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define WIRE_UDP_HEADER_BYTES 8
#define WIRE_UDP_PORT_ROCE 4791
#define WIRE_UDP_ROCE_SRC_PORT_MIN 0xC000 /* usual range of the flow entropy: 0xC000-0xFFFF */

struct wire_udp {
    uint16_t src_port;
    uint16_t dst_port;
    uint16_t bytes;    /* header and payload */
    uint16_t checksum; /* 0: none */
};

/* Writes 8 bytes. */
void wire_udp_encode(const struct wire_udp *udp, uint8_t *out);

/* Errors: TRUNCATED, UDP_LENGTH (below 8, or more than `bytes`). */
enum wire_error wire_udp_decode(const uint8_t *datagram, size_t bytes, struct wire_udp *udp);

/*
 * Checksum of the datagram that follows the IP header at `ip_header`, UDP length and IP version
 * taken from the headers; its checksum field is counted as zero. Never 0 (RFC 768: 0xFFFF then).
 * The caller vouches for the lengths.
 */
uint16_t wire_udp_checksum(const uint8_t *ip_header);

#endif
