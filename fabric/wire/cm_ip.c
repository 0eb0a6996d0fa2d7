/* SPDX-License-Identifier: Apache-2.0 */
/* The IP CM private data header of a REQ (IBTA annex A11). */
#include <string.h>

#include "wire/bytes.h"
#include "wire/cm.h"

#define CM_VERSION 0x00
#define IP_VERSION_4 0x40
#define IP_VERSION_6 0x60
#define SRC_AT 4
#define DST_AT 20

/* An IPv4 address stands in the last four bytes, without the ffff of the mapped form. */
static void put_addr(const struct wire_ip_addr *addr, uint8_t *at) {
    memcpy(at, addr->bytes, sizeof addr->bytes);
    if (wire_ip_addr_is_v4(addr)) {
        memset(at, 0, 12);
    }
}

static struct wire_ip_addr get_addr(const uint8_t *at, uint8_t version) {
    if (version == IP_VERSION_4) {
        return wire_ip_addr_from_v4(wire_get_u32(at + 12));
    }
    struct wire_ip_addr addr;
    memcpy(addr.bytes, at, sizeof addr.bytes);
    return addr;
}

void wire_cm_ip_header_encode(const struct wire_cm_ip_header *header, uint8_t *out) {
    out[0] = CM_VERSION;
    out[1] = wire_ip_addr_is_v4(&header->src) ? IP_VERSION_4 : IP_VERSION_6;
    wire_put_u16(out + 2, header->src_port);
    put_addr(&header->src, out + SRC_AT);
    put_addr(&header->dst, out + DST_AT);
}

enum wire_error wire_cm_ip_header_decode(const uint8_t *data, size_t bytes,
                                         struct wire_cm_ip_header *header) {
    if (bytes < WIRE_CM_IP_HEADER_BYTES) {
        return WIRE_ERROR_TRUNCATED;
    }
    uint8_t version = data[1] & 0xF0;
    if (data[0] != CM_VERSION || (version != IP_VERSION_4 && version != IP_VERSION_6)) {
        return WIRE_ERROR_CM_IP_HEADER;
    }
    header->src_port = wire_get_u16(data + 2);
    header->src = get_addr(data + SRC_AT, version);
    header->dst = get_addr(data + DST_AT, version);
    return WIRE_OK;
}
