/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that no device of ours would send: put on the wire at a host's port as if its QP had.
 */
#ifndef UNIT_RNIC_INJECT_H
#define UNIT_RNIC_INJECT_H

#include "host.h"

#define INJECT_BYTES_MAX 2048u

/* P_Key, destination and ICRC are right; the payload is zero. */
static inline struct net_frame *packet_make(struct qp *from, struct qp *to,
                                            struct wire_roce_headers headers,
                                            uint32_t payload_bytes) {
    static const uint8_t payload[INJECT_BYTES_MAX];
    struct net_port *port = rnic_device_port(from->host->device);
    struct net_port *peer = rnic_device_port(to->host->device);
    struct wire_roce_path path = {.dst_mac = peer->mac,
                                  .src_mac = port->mac,
                                  .src = *net_port_address_at(port, 0),
                                  .dst = *net_port_address_at(peer, 0),
                                  .udp_src_port = 0xC123,
                                  .hop_limit = 64};
    struct wire_roce_template templ;
    wire_roce_template_init(&templ, &path);
    SIM_ASSERT(payload_bytes <= INJECT_BYTES_MAX);
    headers.pkey = WIRE_PKEY_DEFAULT;
    headers.dst_qpn = to->number;
    size_t length = wire_roce_frame_bytes(&templ, headers.opcode, payload_bytes);
    struct net_frame *frame = net_frame_get(to->host->world, (uint32_t)length);
    frame->length =
        (uint32_t)wire_roce_encode(&templ, &headers, payload, payload_bytes, 0, frame->bytes);
    return frame;
}

static inline void packet_inject(struct qp *from, struct qp *to, struct wire_roce_headers headers,
                                 uint32_t payload_bytes) {
    net_port_send(rnic_device_port(from->host->device),
                  packet_make(from, to, headers, payload_bytes));
}

#endif
