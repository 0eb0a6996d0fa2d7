/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ethernet II with at most one 802.1Q tag, and the priority flow control frame (802.1Qbb).
 * Frames carry no FCS.
 */
#ifndef WIRE_ETH_H
#define WIRE_ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define WIRE_ETH_HEADER_BYTES 14
#define WIRE_VLAN_TAG_BYTES 4
#define WIRE_PFC_FRAME_BYTES 60 /* zero padded to the Ethernet minimum */
#define WIRE_PFC_CLASS_COUNT 8

enum {
    WIRE_ETHERTYPE_IPV4 = 0x0800,
    WIRE_ETHERTYPE_VLAN = 0x8100,
    WIRE_ETHERTYPE_IPV6 = 0x86DD,
    WIRE_ETHERTYPE_MAC_CONTROL = 0x8808,
    WIRE_ETHERTYPE_ROCE_V1 = 0x8915
};

struct wire_mac {
    uint8_t bytes[6];
};

struct wire_eth {
    struct wire_mac dst;
    struct wire_mac src;
    bool tagged;      /* an 802.1Q tag is present; the next two are 0 without it */
    uint8_t priority; /* PCP, 0..7 */
    uint16_t vlan_id; /* VID, 0..4095; DEI is sent as 0 */
    uint16_t type;    /* EtherType after the tag */
};

/* Priority flow control: quanta of 512 bit times; class c is addressed when bit c of `enabled` is
 * set. */
struct wire_pfc {
    struct wire_mac src;
    uint8_t enabled;
    uint16_t quanta[WIRE_PFC_CLASS_COUNT];
};

/* Writes 14 or 18 bytes and returns how many. */
size_t wire_eth_encode(const struct wire_eth *eth, uint8_t *out);

/* Sets *header_bytes to where the payload begins. Errors: TRUNCATED. */
enum wire_error wire_eth_decode(const uint8_t *frame, size_t bytes, struct wire_eth *eth,
                                size_t *header_bytes);

/* Writes WIRE_PFC_FRAME_BYTES bytes. */
void wire_pfc_encode(const struct wire_pfc *pfc, uint8_t *out);

/* Errors: TRUNCATED, ETHERTYPE (another type), OPCODE (MAC control, but not PFC), VALUE (address).
 */
enum wire_error wire_pfc_decode(const uint8_t *frame, size_t bytes, struct wire_pfc *pfc);

#endif
