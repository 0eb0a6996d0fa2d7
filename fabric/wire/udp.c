/* SPDX-License-Identifier: Apache-2.0 */
/* UDP headers and their checksum. */
#include "wire/udp.h"

#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/ip.h"

void wire_udp_encode(const struct wire_udp *udp, uint8_t *out) {
    wire_put_u16(out, udp->src_port);
    wire_put_u16(out + 2, udp->dst_port);
    wire_put_u16(out + 4, udp->bytes);
    wire_put_u16(out + 6, udp->checksum);
}

enum wire_error wire_udp_decode(const uint8_t *datagram, size_t bytes, struct wire_udp *udp) {
    if (bytes < WIRE_UDP_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    udp->src_port = wire_get_u16(datagram);
    udp->dst_port = wire_get_u16(datagram + 2);
    udp->bytes = wire_get_u16(datagram + 4);
    udp->checksum = wire_get_u16(datagram + 6);
    if (udp->bytes < WIRE_UDP_HEADER_BYTES || udp->bytes > bytes) {
        return WIRE_ERROR_UDP_LENGTH;
    }
    return WIRE_OK;
}

uint16_t wire_udp_checksum(const uint8_t *ip_header) {
    int is_v4 = ip_header[0] >> 4 == 4;
    const uint8_t *udp = ip_header + (is_v4 ? WIRE_IPV4_HEADER_BYTES : WIRE_IPV6_HEADER_BYTES);
    uint16_t udp_bytes = wire_get_u16(udp + 4);
    uint64_t sum = (uint64_t)udp_bytes + WIRE_IP_PROTOCOL_UDP;
    sum = is_v4 ? wire_checksum_add(sum, ip_header + 12, 8)
                : wire_checksum_add(sum, ip_header + 8, 32);
    sum = wire_checksum_add(sum, udp, udp_bytes);
    /* Leave the checksum field out again. */
    sum += (uint16_t)~wire_get_u16(udp + 6);
    uint16_t checksum = wire_checksum_finish(sum);
    return checksum == 0 ? 0xFFFF : checksum;
}
