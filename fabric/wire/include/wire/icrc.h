/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariant CRC (IBTA 7.8.1, RoCEv2 annex A17): CRC-32 over the packet from the IP header on,
 * fields that routers change counted as ones. Neither Ethernet header nor VLAN tag is covered.
 */
#ifndef WIRE_ICRC_H
#define WIRE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_ICRC_BYTES 4

/*
 * `packet` begins at the IPv4 or IPv6 header, or at the GRH of RoCE v1 (next header 0x1B, no UDP);
 * `bytes` ends before the ICRC and is at least the size of all headers up to and with the BTH. The
 * length fields inside the headers must already count the ICRC.
 */
uint32_t wire_icrc(const uint8_t *packet, size_t bytes);

/* On the wire the ICRC's least significant byte comes first, unlike every other field. */
static inline void wire_icrc_put(uint8_t *at, uint32_t icrc) {
    at[0] = (uint8_t)icrc;
    at[1] = (uint8_t)(icrc >> 8);
    at[2] = (uint8_t)(icrc >> 16);
    at[3] = (uint8_t)(icrc >> 24);
}

static inline uint32_t wire_icrc_get(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

#endif
