/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet II, 802.1Q and priority flow control frames. */
#include "wire/eth.h"

#include <string.h>

#include "wire/bytes.h"

#define PFC_OPCODE 0x0101

static const struct wire_mac pfc_dst = {{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};

size_t wire_eth_encode(const struct wire_eth *eth, uint8_t *out) {
    memcpy(out, eth->dst.bytes, 6);
    memcpy(out + 6, eth->src.bytes, 6);
    if (!eth->tagged) {
        wire_put_u16(out + 12, eth->type);
        return WIRE_ETH_HEADER_BYTES;
    }
    wire_put_u16(out + 12, WIRE_ETHERTYPE_VLAN);
    wire_put_u16(out + 14, (uint16_t)((eth->priority & 7u) << 13 | (eth->vlan_id & 0xFFFu)));
    wire_put_u16(out + 16, eth->type);
    return WIRE_ETH_HEADER_BYTES + WIRE_VLAN_TAG_BYTES;
}

enum wire_error wire_eth_decode(const uint8_t *frame, size_t bytes, struct wire_eth *eth,
                                size_t *header_bytes) {
    if (bytes < WIRE_ETH_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    memcpy(eth->dst.bytes, frame, 6);
    memcpy(eth->src.bytes, frame + 6, 6);
    eth->type = wire_get_u16(frame + 12);
    eth->tagged = eth->type == WIRE_ETHERTYPE_VLAN;
    eth->priority = 0;
    eth->vlan_id = 0;
    *header_bytes = WIRE_ETH_HEADER_BYTES;
    if (eth->tagged) {
        if (bytes < WIRE_ETH_HEADER_BYTES + WIRE_VLAN_TAG_BYTES) {
            return WIRE_ERROR_TRUNCATED;
        }
        uint16_t tci = wire_get_u16(frame + 14);
        eth->priority = (uint8_t)(tci >> 13);
        eth->vlan_id = tci & 0xFFF;
        eth->type = wire_get_u16(frame + 16);
        *header_bytes += WIRE_VLAN_TAG_BYTES;
    }
    return WIRE_OK;
}

void wire_pfc_encode(const struct wire_pfc *pfc, uint8_t *out) {
    struct wire_eth eth = {.dst = pfc_dst, .src = pfc->src, .type = WIRE_ETHERTYPE_MAC_CONTROL};
    memset(out, 0, WIRE_PFC_FRAME_BYTES);
    size_t at = wire_eth_encode(&eth, out);
    wire_put_u16(out + at, PFC_OPCODE);
    wire_put_u16(out + at + 2, pfc->enabled);
    for (size_t i = 0; i < WIRE_PFC_CLASS_COUNT; i++) {
        wire_put_u16(out + at + 4 + 2 * i, pfc->quanta[i]);
    }
}

enum wire_error wire_pfc_decode(const uint8_t *frame, size_t bytes, struct wire_pfc *pfc) {
    struct wire_eth eth;
    size_t at;
    enum wire_error error = wire_eth_decode(frame, bytes, &eth, &at);
    if (error != WIRE_OK) {
        return error;
    }
    if (eth.type != WIRE_ETHERTYPE_MAC_CONTROL) {
        return WIRE_ERROR_ETHERTYPE;
    }
    if (bytes < at + 4 + 2 * (size_t)WIRE_PFC_CLASS_COUNT) {
        return WIRE_ERROR_TRUNCATED;
    }
    if (wire_get_u16(frame + at) != PFC_OPCODE) {
        return WIRE_ERROR_OPCODE;
    }
    uint16_t enabled = wire_get_u16(frame + at + 2);
    if (memcmp(eth.dst.bytes, pfc_dst.bytes, sizeof pfc_dst.bytes) != 0 || enabled > 0xFF) {
        return WIRE_ERROR_VALUE;
    }
    pfc->src = eth.src;
    pfc->enabled = (uint8_t)enabled;
    for (size_t i = 0; i < WIRE_PFC_CLASS_COUNT; i++) {
        pfc->quanta[i] = wire_get_u16(frame + at + 4 + 2 * i);
    }
    return WIRE_OK;
}
