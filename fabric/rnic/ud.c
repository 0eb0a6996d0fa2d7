/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QP1: datagrams for the connection manager. A send is finished when it has left; a failing one
 * takes the send queue to SQE and is followed by a flush of it. A datagram that finds no receive
 * is dropped.
 */
#include <string.h>

#include <net/frame.h>
#include <wire/udp.h>

#include "device.h"
#include "mkey.h"
#include "wqe.h"

#define DATAGRAM_BYTES_MAX 4096u
#define DATAGRAMS_PER_TURN 8u

static void send_fail(struct rnic_qp *qp, enum rnic_wqe_opcode opcode, enum rnic_cqe_status status,
                      enum rnic_syndrome syndrome) {
    uint32_t index = qp->completer.head++;
    rnic_qp_complete_send(qp, index, opcode, status, syndrome, 0);
    if (qp->state != RNIC_QPS_RTS)
        return;
    rnic_qp_set_state(qp, RNIC_QPS_SQE, syndrome);
    rnic_requester_stop(qp);
    rnic_requester_skip(qp, qp->completer.head);
    rnic_work_add(qp->device, RNIC_WORK_FLUSH, qp->number);
}

static void headers_fill(struct rnic_qp *qp, const struct rnic_wqe_ud *wqe,
                         struct wire_roce_headers *headers) {
    *headers =
        (struct wire_roce_headers){.opcode = WIRE_UD_SEND_ONLY,
                                   .solicited = (wqe->control.flags & RNIC_WQE_SOLICITED) != 0,
                                   .migrated = true,
                                   .pkey = qp->attributes.pkey,
                                   .dst_qpn = wqe->dst_qpn & WIRE_QPN_MASK,
                                   .psn = qp->datagram_psn};
    headers->deth.qkey = wqe->qkey;
    headers->deth.src_qpn = qp->number;
}

/* Sends one datagram. NONE, or why not. */
static enum rnic_syndrome datagram_send(struct rnic_qp *qp, const struct rnic_send *send) {
    struct rnic_wqe_ud wqe;
    memcpy(&wqe, send->entry, RNIC_WQE_UD_DATA_OFFSET);
    if (send->bytes > DATAGRAM_BYTES_MAX)
        return RNIC_SYNDROME_WQE;
    struct wire_roce_path path;
    if (rnic_path_fill(qp->device, &wqe.address, WIRE_UDP_ROCE_SRC_PORT_MIN, &path) !=
        RNIC_STATUS_OK)
        return RNIC_SYNDROME_NO_ROUTE;
    struct wire_roce_template templ;
    wire_roce_template_init(&templ, &path);
    struct wire_roce_headers headers;
    headers_fill(qp, &wqe, &headers);
    size_t length = wire_roce_frame_bytes(&templ, headers.opcode, send->bytes);
    struct net_frame *frame = net_frame_get(qp->device->world, (uint32_t)length);
    size_t at = wire_roce_encode_headers(&templ, &headers, send->bytes, 0, frame->bytes);
    enum rnic_syndrome syndrome = rnic_send_gather(qp, send, 0, frame->bytes + at, send->bytes);
    if (syndrome != RNIC_SYNDROME_NONE) {
        net_frame_put(frame);
        return syndrome;
    }
    qp->datagram_psn = wire_psn_next(qp->datagram_psn);
    rnic_transmit_frame(qp, &templ, &headers, frame, at, send->bytes);
    return RNIC_SYNDROME_NONE;
}

static enum rnic_cqe_status status_of(enum rnic_syndrome syndrome) {
    switch (syndrome) {
    case RNIC_SYNDROME_WQE:
    case RNIC_SYNDROME_NO_ROUTE:
        return RNIC_CQE_LOCAL_OPERATION;
    case RNIC_SYNDROME_DMA:
        return RNIC_CQE_LOCAL_FATAL;
    default:
        return RNIC_CQE_LOCAL_PROTECTION;
    }
}

bool rnic_ud_turn(struct rnic_qp *qp) {
    struct rnic_requester *r = &qp->requester;
    for (uint32_t i = 0; i < DATAGRAMS_PER_TURN && r->state == RNIC_REQUESTER_SENDING; i++) {
        if (r->index == r->producer) {
            r->state = RNIC_REQUESTER_IDLE;
            break;
        }
        struct rnic_send send;
        enum rnic_syndrome syndrome = rnic_send_fetch(qp, r->index, &send);
        sim_trace(qp->device->world, RNIC_TRACE_WQE_START, SIM_ACCESS_READ, qp->object, NULL, NULL,
                  r->index, send.control.opcode);
        if (syndrome == RNIC_SYNDROME_NONE)
            syndrome = datagram_send(qp, &send);
        if (syndrome != RNIC_SYNDROME_NONE) {
            send_fail(qp, send.control.opcode, status_of(syndrome), syndrome);
            break;
        }
        r->index++;
        r->start_index++;
        rnic_completer_finish(qp, send.control.opcode, send.control.flags, 0);
    }
    rnic_completer_tell(qp);
    return r->state == RNIC_REQUESTER_SENDING;
}

static void drop(struct rnic_qp *qp, enum rnic_drop why, const struct wire_roce_headers *headers) {
    if (why == RNIC_DROP_NO_RECEIVE)
        rnic_count(qp->device, RNIC_COUNTER_DATAGRAMS_DROPPED);
    sim_trace(qp->device->world, RNIC_TRACE_PACKET_DROP, SIM_ACCESS_READ, &qp->device->bus.object,
              qp->object, NULL, why, (uint64_t)headers->opcode << 24 | headers->psn.value);
}

/* IPv6 header, or 20 zero bytes and the IPv4 header. */
static void grh_fill(const struct wire_roce_packet *packet, const uint8_t *frame, uint8_t *grh) {
    bool is_v4 = wire_ip_addr_is_v4(&packet->path.src);
    uint32_t skip = is_v4 ? RNIC_GRH_BYTES - WIRE_IPV4_HEADER_BYTES : 0;
    memset(grh, 0, skip);
    memcpy(grh + skip, frame + packet->ip_offset, RNIC_GRH_BYTES - skip);
}

static void cqe_fill(const struct wire_roce_packet *packet, uint32_t index, struct rnic_cqe *cqe) {
    const struct wire_roce_path *path = &packet->path;
    *cqe = (struct rnic_cqe){.wqe_index = index,
                             .byte_count = RNIC_GRH_BYTES + packet->payload_bytes,
                             .opcode = RNIC_CQE_RECV,
                             .flags = RNIC_CQE_FLAG_GRH,
                             .src_qpn = packet->headers.deth.src_qpn,
                             .vlan_id = path->vlan_id};
    cqe->flags |= packet->headers.solicited ? RNIC_CQE_FLAG_SOLICITED : 0;
    cqe->flags |= wire_ip_addr_is_v4(&path->src) ? 0 : RNIC_CQE_FLAG_IPV6;
    cqe->flags |= path->tagged ? RNIC_CQE_FLAG_TAGGED : 0;
    memcpy(cqe->src_mac, path->src_mac.bytes, sizeof cqe->src_mac);
}

void rnic_ud_receive(struct rnic_qp *qp, const struct wire_roce_packet *packet,
                     const uint8_t *frame) {
    struct rnic_responder *r = &qp->responder;
    if (packet->headers.deth.qkey != qp->attributes.qkey) {
        drop(qp, RNIC_DROP_KEY, &packet->headers);
        return;
    }
    enum rnic_syndrome syndrome;
    if (!rnic_responder_take(qp, &syndrome)) {
        drop(qp, RNIC_DROP_NO_RECEIVE, &packet->headers);
        return;
    }
    struct rnic_cqe cqe;
    cqe_fill(packet, r->receive->index, &cqe);
    uint8_t grh[RNIC_GRH_BYTES];
    grh_fill(packet, frame, grh);
    const struct rnic_sgl sgl = {
        .entries = r->receive->sges, .count = r->receive->count, .pdn = qp->pdn};
    enum rnic_cqe_status status = RNIC_CQE_OK;
    if (syndrome == RNIC_SYNDROME_NONE && cqe.byte_count > r->receive->bytes) {
        status = RNIC_CQE_LOCAL_LENGTH;
        syndrome = RNIC_SYNDROME_RECEIVE_TOO_SMALL;
    }
    if (syndrome == RNIC_SYNDROME_NONE)
        syndrome = rnic_sgl_scatter(qp->device, &sgl, 0, grh, sizeof grh, RNIC_RIGHT_LOCAL_WRITE);
    if (syndrome == RNIC_SYNDROME_NONE)
        syndrome = rnic_sgl_scatter(qp->device, &sgl, sizeof grh, packet->payload,
                                    packet->payload_bytes, RNIC_RIGHT_LOCAL_WRITE);
    if (syndrome != RNIC_SYNDROME_NONE) {
        cqe.status = (uint8_t)(status != RNIC_CQE_OK ? status : status_of(syndrome));
        cqe.syndrome = (uint8_t)syndrome;
        cqe.byte_count = 0;
    }
    rnic_responder_put(qp);
    rnic_qp_complete_receive(qp, &cqe);
    if (syndrome != RNIC_SYNDROME_NONE)
        rnic_qp_fail(qp, syndrome);
}
