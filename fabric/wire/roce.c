/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RoCEv2 frames, both ways. The sender's path is short on purpose: a copy of the template, lengths,
 * a checksum continued from the template's sum, BTH, extended headers.
 */
#include "wire/roce.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/checksum.h"

#define PREFIX_IPV4_BYTES_MAX (14 + 4 + 20 + 8)
#define BTH_SOLICITED 0x80u
#define BTH_MIGRATED 0x40u
#define BTH_PAD_SHIFT 4
#define BTH_VERSION_MASK 0x0Fu
#define BTH_FECN 0x80u
#define BTH_BECN 0x40u
#define BTH_ACK_REQUEST 0x80u

static size_t pad_of(size_t payload_bytes) {
    return (0 - payload_bytes) & 3;
}

static unsigned flag(bool set, unsigned bit) {
    return set ? bit : 0;
}

void wire_roce_template_init(struct wire_roce_template *templ, const struct wire_roce_path *path) {
    bool is_ipv6 = !wire_ip_addr_is_v4(&path->src);
    struct wire_eth eth = {
        .dst = path->dst_mac,
        .src = path->src_mac,
        .tagged = path->tagged,
        .priority = path->priority,
        .vlan_id = path->vlan_id,
        .type = is_ipv6 ? WIRE_ETHERTYPE_IPV6 : WIRE_ETHERTYPE_IPV4,
    };
    struct wire_ip ip = {
        .src = path->src,
        .dst = path->dst,
        .dscp = path->dscp,
        .ecn = path->ecn,
        .hop_limit = path->hop_limit,
        .protocol = WIRE_IP_PROTOCOL_UDP,
        .flow_label = path->flow_label,
    };
    struct wire_udp udp = {.src_port = path->udp_src_port, .dst_port = WIRE_UDP_PORT_ROCE};
    memset(templ, 0, sizeof *templ);
    size_t at = wire_eth_encode(&eth, templ->bytes);
    templ->ip_offset = (uint8_t)at;
    templ->is_ipv6 = is_ipv6;
    at += wire_ip_encode(&ip, templ->bytes + at);
    if (!is_ipv6) {
        uint8_t *header = templ->bytes + templ->ip_offset;
        wire_put_u16(header + 2, 0);
        wire_put_u16(header + 10, 0);
        templ->ip_sum = (uint32_t)wire_checksum_add(0, header, WIRE_IPV4_HEADER_BYTES);
    }
    wire_udp_encode(&udp, templ->bytes + at);
    templ->prefix_bytes = (uint8_t)(at + WIRE_UDP_HEADER_BYTES);
}

static void encode_bth(const struct wire_roce_headers *headers, size_t pad_bytes, uint8_t *at) {
    at[0] = headers->opcode;
    at[1] = (uint8_t)(flag(headers->solicited, BTH_SOLICITED) |
                      flag(headers->migrated, BTH_MIGRATED) | (unsigned)pad_bytes << BTH_PAD_SHIFT);
    wire_put_u16(at + 2, headers->pkey);
    at[4] = (uint8_t)(flag(headers->fecn, BTH_FECN) | flag(headers->becn, BTH_BECN));
    wire_put_u24(at + 5, headers->dst_qpn);
    at[8] = (uint8_t)flag(headers->ack_request, BTH_ACK_REQUEST);
    wire_put_u24(at + 9, headers->psn.value);
}

static uint8_t *encode_extended(const struct wire_roce_headers *headers, uint8_t *at) {
    uint32_t flags = wire_roce_opcode_flags[headers->opcode];
    if ((flags & WIRE_OP_RETH) != 0) {
        wire_put_u64(at, headers->reth.address);
        wire_put_u32(at + 8, headers->reth.rkey);
        wire_put_u32(at + 12, headers->reth.bytes);
        at += WIRE_RETH_BYTES;
    }
    if ((flags & WIRE_OP_AETH) != 0) {
        at[0] = headers->aeth.syndrome;
        wire_put_u24(at + 1, headers->aeth.msn);
        at += WIRE_AETH_BYTES;
    }
    if ((flags & WIRE_OP_DETH) != 0) {
        wire_put_u32(at, headers->deth.qkey);
        at[4] = 0;
        wire_put_u24(at + 5, headers->deth.src_qpn);
        at += WIRE_DETH_BYTES;
    }
    if ((flags & WIRE_OP_IMMDT) != 0) {
        wire_put_u32(at, headers->immediate);
        at += WIRE_IMMDT_BYTES;
    }
    if ((flags & WIRE_OP_IETH) != 0) {
        wire_put_u32(at, headers->invalidate_rkey);
        at += WIRE_IETH_BYTES;
    }
    return at;
}

size_t wire_roce_encode_headers(const struct wire_roce_template *templ,
                                const struct wire_roce_headers *headers, size_t payload_bytes,
                                uint16_t ip_id, uint8_t *frame) {
    size_t pad_bytes = pad_of(payload_bytes);
    size_t udp_bytes = WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES +
                       (size_t)wire_roce_opcode_header_bytes[headers->opcode] + payload_bytes +
                       pad_bytes + WIRE_ICRC_BYTES;
    /* Copies of constant size; no frame is so short that either would overrun it. */
    memcpy(frame, templ->bytes, PREFIX_IPV4_BYTES_MAX);
    if (templ->is_ipv6) {
        memcpy(frame + PREFIX_IPV4_BYTES_MAX, templ->bytes + PREFIX_IPV4_BYTES_MAX,
               WIRE_ROCE_PREFIX_BYTES_MAX - PREFIX_IPV4_BYTES_MAX);
    }
    uint8_t *ip = frame + templ->ip_offset;
    if (templ->is_ipv6) {
        wire_put_u16(ip + 4, (uint16_t)udp_bytes);
    } else {
        uint16_t total_bytes = (uint16_t)(udp_bytes + WIRE_IPV4_HEADER_BYTES);
        wire_put_u16(ip + 2, total_bytes);
        wire_put_u16(ip + 4, ip_id);
        wire_put_u16(ip + 10, wire_checksum_finish((uint64_t)templ->ip_sum + total_bytes + ip_id));
    }
    uint8_t *bth = frame + templ->prefix_bytes;
    wire_put_u16(bth - 4, (uint16_t)udp_bytes);
    encode_bth(headers, pad_bytes, bth);
    return (size_t)(encode_extended(headers, bth + WIRE_BTH_BYTES) - frame);
}

size_t wire_roce_finish(const struct wire_roce_template *templ, uint8_t *frame,
                        size_t payload_offset, size_t payload_bytes) {
    size_t end = payload_offset + payload_bytes;
    for (size_t pad_bytes = pad_of(payload_bytes); pad_bytes > 0; pad_bytes--) {
        frame[end++] = 0;
    }
    const uint8_t *ip = frame + templ->ip_offset;
    wire_icrc_put(frame + end, wire_icrc(ip, end - templ->ip_offset));
    if (templ->is_ipv6) {
        wire_put_u16(frame + templ->prefix_bytes - 2, wire_udp_checksum(ip));
    }
    return end + WIRE_ICRC_BYTES;
}

size_t wire_roce_encode(const struct wire_roce_template *templ,
                        const struct wire_roce_headers *headers, const uint8_t *payload,
                        size_t payload_bytes, uint16_t ip_id, uint8_t *frame) {
    size_t at = wire_roce_encode_headers(templ, headers, payload_bytes, ip_id, frame);
    if (payload_bytes > 0) {
        memcpy(frame + at, payload, payload_bytes);
    }
    return wire_roce_finish(templ, frame, at, payload_bytes);
}

/* Ethernet to UDP. Sets *at to the BTH and *end to the end of the datagram. */
static enum wire_error decode_path(const uint8_t *frame, size_t bytes,
                                   struct wire_roce_packet *packet, size_t *at, size_t *end) {
    struct wire_eth eth;
    struct wire_ip ip;
    struct wire_udp udp;
    size_t ip_bytes;
    enum wire_error error = wire_eth_decode(frame, bytes, &eth, at);
    if (error != WIRE_OK) {
        return error;
    }
    if (eth.type != WIRE_ETHERTYPE_IPV4 && eth.type != WIRE_ETHERTYPE_IPV6) {
        return WIRE_ERROR_ETHERTYPE;
    }
    if (*at < bytes && frame[*at] >> 4 != (eth.type == WIRE_ETHERTYPE_IPV4 ? 4 : 6)) {
        return WIRE_ERROR_IP_VERSION;
    }
    error = wire_ip_decode(frame + *at, bytes - *at, &ip, &ip_bytes);
    if (error != WIRE_OK) {
        return error;
    }
    packet->ip_offset = (uint16_t)*at;
    if (ip.protocol != WIRE_IP_PROTOCOL_UDP) {
        return WIRE_ERROR_PROTOCOL;
    }
    *at += ip_bytes;
    error = wire_udp_decode(frame + *at, ip.payload_bytes, &udp);
    if (error != WIRE_OK) {
        return error;
    }
    if (udp.dst_port != WIRE_UDP_PORT_ROCE) {
        return WIRE_ERROR_UDP_PORT;
    }
    if (udp.bytes != ip.payload_bytes) {
        return WIRE_ERROR_UDP_LENGTH;
    }
    *end = *at + udp.bytes;
    *at += WIRE_UDP_HEADER_BYTES;
    packet->ip_id = ip.id;
    packet->path = (struct wire_roce_path){
        .dst_mac = eth.dst,
        .src_mac = eth.src,
        .src = ip.src,
        .dst = ip.dst,
        .flow_label = ip.flow_label,
        .udp_src_port = udp.src_port,
        .vlan_id = eth.vlan_id,
        .tagged = eth.tagged,
        .priority = eth.priority,
        .dscp = ip.dscp,
        .ecn = ip.ecn,
        .hop_limit = ip.hop_limit,
    };
    return WIRE_OK;
}

static void decode_bth(const uint8_t *at, struct wire_roce_headers *headers) {
    memset(headers, 0, sizeof *headers);
    headers->opcode = at[0];
    headers->solicited = (at[1] & BTH_SOLICITED) != 0;
    headers->migrated = (at[1] & BTH_MIGRATED) != 0;
    headers->pkey = wire_get_u16(at + 2);
    headers->fecn = (at[4] & BTH_FECN) != 0;
    headers->becn = (at[4] & BTH_BECN) != 0;
    headers->dst_qpn = wire_get_u24(at + 5);
    headers->ack_request = (at[8] & BTH_ACK_REQUEST) != 0;
    headers->psn = wire_psn_make(wire_get_u24(at + 9));
}

/* The caller has checked that the headers are all there. */
static const uint8_t *decode_extended(const uint8_t *at, struct wire_roce_headers *headers) {
    uint32_t flags = wire_roce_opcode_flags[headers->opcode];
    if ((flags & WIRE_OP_RETH) != 0) {
        headers->reth.address = wire_get_u64(at);
        headers->reth.rkey = wire_get_u32(at + 8);
        headers->reth.bytes = wire_get_u32(at + 12);
        at += WIRE_RETH_BYTES;
    }
    if ((flags & WIRE_OP_AETH) != 0) {
        headers->aeth.syndrome = at[0];
        headers->aeth.msn = wire_get_u24(at + 1);
        at += WIRE_AETH_BYTES;
    }
    if ((flags & WIRE_OP_DETH) != 0) {
        headers->deth.qkey = wire_get_u32(at);
        headers->deth.src_qpn = wire_get_u24(at + 5);
        at += WIRE_DETH_BYTES;
    }
    if ((flags & WIRE_OP_IMMDT) != 0) {
        headers->immediate = wire_get_u32(at);
        at += WIRE_IMMDT_BYTES;
    }
    if ((flags & WIRE_OP_IETH) != 0) {
        headers->invalidate_rkey = wire_get_u32(at);
        at += WIRE_IETH_BYTES;
    }
    return at;
}

enum wire_error wire_roce_decode(const uint8_t *frame, size_t bytes,
                                 struct wire_roce_packet *packet) {
    size_t at;
    size_t end;
    enum wire_error error = decode_path(frame, bytes, packet, &at, &end);
    if (error != WIRE_OK) {
        return error;
    }
    if (end - at < WIRE_BTH_BYTES + WIRE_ICRC_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    packet->bth_offset = (uint16_t)at;
    if ((frame[at + 1] & BTH_VERSION_MASK) != 0) {
        return WIRE_ERROR_BTH_VERSION;
    }
    uint8_t opcode = frame[at];
    uint32_t flags = wire_roce_opcode_flags[opcode];
    if ((flags & WIRE_OP_KNOWN) == 0) {
        return WIRE_ERROR_OPCODE;
    }
    size_t header_bytes = WIRE_BTH_BYTES + (size_t)wire_roce_opcode_header_bytes[opcode];
    if (end - at < header_bytes + WIRE_ICRC_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    decode_bth(frame + at, &packet->headers);
    packet->payload = decode_extended(frame + at + WIRE_BTH_BYTES, &packet->headers);
    packet->icrc_offset = (uint16_t)(end - WIRE_ICRC_BYTES);
    packet->pad_bytes = frame[at + 1] >> BTH_PAD_SHIFT & 3;
    size_t padded_bytes = packet->icrc_offset - (at + header_bytes);
    if (padded_bytes % 4 != 0 || packet->pad_bytes > padded_bytes) {
        return WIRE_ERROR_PAD;
    }
    packet->payload_bytes = (uint32_t)padded_bytes - packet->pad_bytes;
    return (flags & WIRE_OP_PAYLOAD) == 0 && padded_bytes > 0 ? WIRE_ERROR_PAYLOAD : WIRE_OK;
}

bool wire_roce_check_icrc(const uint8_t *frame, const struct wire_roce_packet *packet) {
    size_t covered_bytes = (size_t)packet->icrc_offset - packet->ip_offset;
    return wire_icrc(frame + packet->ip_offset, covered_bytes) ==
           wire_icrc_get(frame + packet->icrc_offset);
}

bool wire_roce_check_udp(const uint8_t *frame, const struct wire_roce_packet *packet) {
    uint16_t stated = wire_get_u16(frame + packet->bth_offset - 2);
    return stated == 0 || stated == wire_udp_checksum(frame + packet->ip_offset);
}
