/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 (RFC 791) without options, IPv6 (RFC 8200) without extension headers. */
#include "wire/ip.h"

#include "wire/checksum.h"

#define IPV4_DONT_FRAGMENT 0x4000u
#define IPV4_MORE_OR_OFFSET 0x3FFFu

static size_t encode_v4(const struct wire_ip *ip, uint8_t *out) {
    out[0] = 0x45;
    out[1] = (uint8_t)(ip->dscp << 2 | (ip->ecn & 3));
    wire_put_u16(out + 2, (uint16_t)(ip->payload_bytes + WIRE_IPV4_HEADER_BYTES));
    wire_put_u16(out + 4, ip->id);
    wire_put_u16(out + 6, IPV4_DONT_FRAGMENT);
    out[8] = ip->hop_limit;
    out[9] = ip->protocol;
    wire_put_u16(out + 10, 0);
    memcpy(out + 12, ip->src.bytes + 12, 4);
    memcpy(out + 16, ip->dst.bytes + 12, 4);
    wire_put_u16(out + 10, wire_checksum(out, WIRE_IPV4_HEADER_BYTES));
    return WIRE_IPV4_HEADER_BYTES;
}

size_t wire_ip_encode(const struct wire_ip *ip, uint8_t *out) {
    if (wire_ip_addr_is_v4(&ip->src)) {
        return encode_v4(ip, out);
    }
    uint32_t traffic_class = (uint32_t)(ip->dscp << 2 | (ip->ecn & 3)) & 0xFF;
    wire_put_u32(out, 6u << 28 | traffic_class << 20 | (ip->flow_label & 0xFFFFFu));
    wire_put_u16(out + 4, ip->payload_bytes);
    out[6] = ip->protocol;
    out[7] = ip->hop_limit;
    memcpy(out + 8, ip->src.bytes, 16);
    memcpy(out + 24, ip->dst.bytes, 16);
    return WIRE_IPV6_HEADER_BYTES;
}

static enum wire_error decode_v4(const uint8_t *packet, size_t bytes, struct wire_ip *ip) {
    if (bytes < WIRE_IPV4_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    uint16_t total = wire_get_u16(packet + 2);
    if (packet[0] != 0x45 || total < WIRE_IPV4_HEADER_BYTES) {
        return WIRE_ERROR_IP_HEADER;
    }
    if (total > bytes) {
        return WIRE_ERROR_TRUNCATED;
    }
    if (wire_checksum(packet, WIRE_IPV4_HEADER_BYTES) != 0) {
        return WIRE_ERROR_IP_CHECKSUM;
    }
    if ((wire_get_u16(packet + 6) & IPV4_MORE_OR_OFFSET) != 0) {
        return WIRE_ERROR_IP_FRAGMENT;
    }
    ip->src = wire_ip_addr_from_v4(wire_get_u32(packet + 12));
    ip->dst = wire_ip_addr_from_v4(wire_get_u32(packet + 16));
    ip->dscp = packet[1] >> 2;
    ip->ecn = packet[1] & 3;
    ip->hop_limit = packet[8];
    ip->protocol = packet[9];
    ip->id = wire_get_u16(packet + 4);
    ip->flow_label = 0;
    ip->payload_bytes = (uint16_t)(total - WIRE_IPV4_HEADER_BYTES);
    return WIRE_OK;
}

static enum wire_error decode_v6(const uint8_t *packet, size_t bytes, struct wire_ip *ip) {
    if (bytes < WIRE_IPV6_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    ip->payload_bytes = wire_get_u16(packet + 4);
    if (ip->payload_bytes > bytes - WIRE_IPV6_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    uint32_t first = wire_get_u32(packet);
    memcpy(ip->src.bytes, packet + 8, 16);
    memcpy(ip->dst.bytes, packet + 24, 16);
    ip->dscp = (uint8_t)(first >> 22 & 0x3F);
    ip->ecn = (uint8_t)(first >> 20 & 3);
    ip->hop_limit = packet[7];
    ip->protocol = packet[6];
    ip->id = 0;
    ip->flow_label = first & 0xFFFFFu;
    return WIRE_OK;
}

enum wire_error wire_ip_decode(const uint8_t *packet, size_t bytes, struct wire_ip *ip,
                               size_t *header_bytes) {
    if (bytes < 1) {
        return WIRE_ERROR_TRUNCATED;
    }
    switch (packet[0] >> 4) {
    case 4:
        *header_bytes = WIRE_IPV4_HEADER_BYTES;
        return decode_v4(packet, bytes, ip);
    case 6:
        *header_bytes = WIRE_IPV6_HEADER_BYTES;
        return decode_v6(packet, bytes, ip);
    default:
        return WIRE_ERROR_IP_VERSION;
    }
}
