/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a frame to the QP it is for. Structure first, then content (ICRC), then whether the QP takes
 * it: state, P_Key, and that it comes from the peer the QP is connected to.
 */
#include <string.h>

#include <net/frame.h>
#include <wire/roce.h>

#include "device.h"
#include "qp.h"

static void drop(struct rnic_device *device, struct rnic_qp *qp, enum rnic_drop why,
                 const struct wire_roce_packet *packet) {
    uint64_t what = 0;
    if (packet != NULL)
        what = (uint64_t)packet->headers.opcode << 24 | packet->headers.psn.value;
    if (why == RNIC_DROP_BAD_FRAME || why == RNIC_DROP_ICRC)
        rnic_count(device, RNIC_COUNTER_FRAMES_BAD);
    else
        rnic_count(device, RNIC_COUNTER_FRAMES_NO_QP);
    sim_trace(device->world, RNIC_TRACE_PACKET_DROP, SIM_ACCESS_READ, &device->bus.object,
              qp == NULL ? NULL : qp->object, NULL, why, what);
}

static bool is_of_connection(const struct rnic_qp *qp, const struct wire_roce_path *path) {
    return memcmp(path->src.bytes, qp->attributes.address.dst_ip, sizeof path->src.bytes) == 0 &&
           wire_ip_addr_equal(&path->dst, &qp->local_ip);
}

/* P_Keys match in their low 15 bits, and one side at least is a full member (IBTA 10.9.3). */
static bool pkey_matches(uint16_t a, uint16_t b) {
    return ((a ^ b) & 0x7FFF) == 0 && ((a | b) & 0x8000) != 0;
}

static void to_datagram_qp(struct rnic_qp *qp, const struct wire_roce_packet *packet,
                           const uint8_t *frame) {
    bool receives =
        qp->state == RNIC_QPS_RTR || qp->state == RNIC_QPS_RTS || qp->state == RNIC_QPS_SQE;
    if (packet->headers.opcode != WIRE_UD_SEND_ONLY || !receives)
        drop(qp->device, qp, RNIC_DROP_STATE, packet);
    else
        rnic_ud_receive(qp, packet, frame);
}

static void to_connected_qp(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    uint32_t flags = wire_roce_opcode_flags[packet->headers.opcode];
    bool receives = qp->state == RNIC_QPS_RTR || qp->state == RNIC_QPS_RTS;
    if ((flags & WIRE_OP_RC) == 0 || !receives)
        drop(qp->device, qp, RNIC_DROP_STATE, packet);
    else if (!is_of_connection(qp, &packet->path))
        drop(qp->device, qp, RNIC_DROP_ADDRESS, packet);
    else if ((flags & WIRE_OP_RESPONSE) != 0)
        rnic_completer_response(qp, packet);
    else
        rnic_responder_request(qp, packet);
}

static void packet_deliver(struct rnic_device *device, const struct wire_roce_packet *packet,
                           const uint8_t *frame) {
    struct rnic_qp *qp = rnic_qp_find(device, packet->headers.dst_qpn);
    rnic_count(device, RNIC_COUNTER_RECEIVED_BY_OPCODE + packet->headers.opcode);
    if (qp == NULL) {
        drop(device, NULL, RNIC_DROP_NO_QP, packet);
        return;
    }
    if (!pkey_matches(packet->headers.pkey, qp->attributes.pkey)) {
        drop(device, qp, RNIC_DROP_KEY, packet);
        return;
    }
    sim_trace(device->world, RNIC_TRACE_PACKET_RECEIVE, SIM_ACCESS_READ, qp->object, NULL, NULL,
              (uint64_t)packet->headers.opcode << 24 | packet->headers.psn.value,
              packet->payload_bytes);
    if (qp->type == RNIC_QP_GSI)
        to_datagram_qp(qp, packet, frame);
    else
        to_connected_qp(qp, packet);
}

void rnic_receive_frame(struct rnic_device *device, struct net_frame *frame) {
    struct wire_roce_packet packet;
    rnic_count(device, RNIC_COUNTER_FRAMES_RECEIVED);
    rnic_count_by(device, RNIC_COUNTER_BYTES_RECEIVED, frame->length);
    if (!rnic_device_is_ready(device))
        drop(device, NULL, RNIC_DROP_DISABLED, NULL);
    else if (wire_roce_decode(frame->bytes, frame->length, &packet) != WIRE_OK)
        drop(device, NULL, RNIC_DROP_BAD_FRAME, NULL);
    else if (!wire_roce_check_icrc(frame->bytes, &packet))
        drop(device, NULL, RNIC_DROP_ICRC, &packet);
    else
        packet_deliver(device, &packet, frame->bytes);
    net_frame_put(frame);
}
