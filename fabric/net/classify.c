/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame is, from its bytes: Ethernet [802.1Q] / IPv4 or IPv6 / UDP 4791 / BTH / DETH / MAD.
 * This is not a decoder: nothing is judged, and whatever does not look like RoCEv2 is "other".
 */
#include "internal.h"

#include <wire/bytes.h>
#include <wire/cm.h>
#include <wire/roce.h>

#define NO_OPCODE 0xFFu
#define PFC_OPCODE 0x0101u
#define MAD_CLASS_OFFSET 1u
#define MAD_ATTRIBUTE_OFFSET 16u

static const uint8_t class_of_opcode[0x18] = {
    [WIRE_RC_SEND_FIRST] = NET_CLASS_SEND,
    [WIRE_RC_SEND_MIDDLE] = NET_CLASS_SEND,
    [WIRE_RC_SEND_LAST] = NET_CLASS_SEND,
    [WIRE_RC_SEND_LAST_IMM] = NET_CLASS_SEND,
    [WIRE_RC_SEND_ONLY] = NET_CLASS_SEND,
    [WIRE_RC_SEND_ONLY_IMM] = NET_CLASS_SEND,
    [WIRE_RC_WRITE_FIRST] = NET_CLASS_WRITE,
    [WIRE_RC_WRITE_MIDDLE] = NET_CLASS_WRITE,
    [WIRE_RC_WRITE_LAST] = NET_CLASS_WRITE,
    [WIRE_RC_WRITE_LAST_IMM] = NET_CLASS_WRITE,
    [WIRE_RC_WRITE_ONLY] = NET_CLASS_WRITE,
    [WIRE_RC_WRITE_ONLY_IMM] = NET_CLASS_WRITE,
    [WIRE_RC_READ_REQUEST] = NET_CLASS_READ,
    [WIRE_RC_READ_RESPONSE_FIRST] = NET_CLASS_READ_RESPONSE,
    [WIRE_RC_READ_RESPONSE_MIDDLE] = NET_CLASS_READ_RESPONSE,
    [WIRE_RC_READ_RESPONSE_LAST] = NET_CLASS_READ_RESPONSE,
    [WIRE_RC_READ_RESPONSE_ONLY] = NET_CLASS_READ_RESPONSE,
    [WIRE_RC_ACK] = NET_CLASS_ACK,
    [WIRE_RC_SEND_LAST_INV] = NET_CLASS_SEND,
    [WIRE_RC_SEND_ONLY_INV] = NET_CLASS_SEND,
};

/* From WIRE_CM_REQ on, in the order of the attribute ids. */
static const uint8_t class_of_cm[] = {NET_CLASS_CM_REQ, NET_CLASS_CM_MRA, NET_CLASS_CM_REJ,
                                      NET_CLASS_CM_REP, NET_CLASS_CM_RTU, NET_CLASS_CM_DREQ,
                                      NET_CLASS_CM_DREP};

/* Offset of the BTH, 0 when there is none. */
static uint32_t bth_offset(const uint8_t *bytes, uint32_t length) {
    uint32_t at = 12;
    uint32_t udp;
    if (length < 14 + WIRE_IPV4_HEADER_BYTES + WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES)
        return 0;
    if (wire_get_u16(bytes + at) == WIRE_ETHERTYPE_VLAN)
        at += WIRE_VLAN_TAG_BYTES;
    uint16_t type = wire_get_u16(bytes + at);
    at += 2;
    if (type == WIRE_ETHERTYPE_IPV4 && bytes[at] == 0x45 && bytes[at + 9] == WIRE_IP_PROTOCOL_UDP)
        udp = at + WIRE_IPV4_HEADER_BYTES;
    else if (type == WIRE_ETHERTYPE_IPV6 && bytes[at + 6] == WIRE_IP_PROTOCOL_UDP)
        udp = at + WIRE_IPV6_HEADER_BYTES;
    else
        return 0;
    if (length < udp + WIRE_UDP_HEADER_BYTES + WIRE_BTH_BYTES ||
        wire_get_u16(bytes + udp + 2) != WIRE_UDP_PORT_ROCE)
        return 0;
    return udp + WIRE_UDP_HEADER_BYTES;
}

/* Of the IP header before the BTH: the upper three bits of the traffic class. */
static uint8_t priority_of(const uint8_t *bytes, uint32_t bth_at) {
    const uint8_t *header = bytes + bth_at - WIRE_UDP_HEADER_BYTES;
    const uint8_t *v4 = header - WIRE_IPV4_HEADER_BYTES;
    const uint8_t *v6 = header - WIRE_IPV6_HEADER_BYTES;
    bool is_v4 = wire_get_u16(v4 - 2) == WIRE_ETHERTYPE_IPV4 && v4[0] == 0x45;
    return is_v4 ? v4[1] >> 5 : (v6[0] & 0xF) >> 1;
}

static enum net_frame_class classify_ack(const uint8_t *aeth, uint32_t left) {
    if (left < WIRE_AETH_BYTES)
        return NET_CLASS_ACK;
    switch (wire_aeth_kind(aeth[0])) {
    case WIRE_AETH_RNR:
        return NET_CLASS_RNR;
    case WIRE_AETH_NAK:
        return NET_CLASS_NAK;
    default:
        return NET_CLASS_ACK;
    }
}

static enum net_frame_class classify_datagram(const uint8_t *deth, uint32_t left,
                                              uint32_t dst_qpn) {
    const uint8_t *mad = deth + WIRE_DETH_BYTES;
    if (dst_qpn != WIRE_MAD_QPN)
        return NET_CLASS_OTHER;
    if (left < WIRE_DETH_BYTES + WIRE_MAD_HEADER_BYTES ||
        mad[MAD_CLASS_OFFSET] != WIRE_MAD_CLASS_CM)
        return NET_CLASS_CM_OTHER;
    unsigned attribute = wire_get_u16(mad + MAD_ATTRIBUTE_OFFSET);
    if (attribute < WIRE_CM_REQ || attribute > WIRE_CM_DREP)
        return NET_CLASS_CM_OTHER;
    return (enum net_frame_class)class_of_cm[attribute - WIRE_CM_REQ];
}

static enum net_frame_class classify_bth(const uint8_t *bth, uint32_t left, uint32_t dst_qpn) {
    uint8_t opcode = bth[0];
    const uint8_t *behind = bth + WIRE_BTH_BYTES;
    left -= WIRE_BTH_BYTES;
    switch (opcode) {
    case WIRE_RC_ACK:
        return classify_ack(behind, left);
    case WIRE_UD_SEND_ONLY:
    case WIRE_UD_SEND_ONLY_IMM:
        return classify_datagram(behind, left, dst_qpn);
    case WIRE_CNP:
        return NET_CLASS_CNP;
    default:
        return opcode < SIM_ARRAY_COUNT(class_of_opcode)
                   ? (enum net_frame_class)class_of_opcode[opcode]
                   : NET_CLASS_OTHER;
    }
}

struct net_frame_kind net_frame_classify(const uint8_t *bytes, uint32_t length) {
    struct net_frame_kind kind = {.class_id = NET_CLASS_OTHER, .opcode = NO_OPCODE};
    uint32_t at = bth_offset(bytes, length);
    if (SIM_LIKELY(at != 0)) {
        const uint8_t *bth = bytes + at;
        kind.opcode = bth[0];
        kind.priority = priority_of(bytes, at);
        kind.dst_qpn = wire_get_u24(bth + 5);
        kind.psn = wire_get_u24(bth + 9);
        kind.class_id = classify_bth(bth, length - at, kind.dst_qpn);
    } else if (length >= 16 && wire_get_u16(bytes + 12) == WIRE_ETHERTYPE_MAC_CONTROL &&
               wire_get_u16(bytes + 14) == PFC_OPCODE) {
        kind.class_id = NET_CLASS_PFC;
    }
    return kind;
}
