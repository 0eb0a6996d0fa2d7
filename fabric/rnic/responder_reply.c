/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the responder sends back, in PSN order: responses of accepted READs, oldest first, then the
 * one reply that is due. Acknowledgements are cumulative, so a later one replaces an earlier one
 * that has not left yet; a NAK acknowledges what lies before it.
 */
#include <net/frame.h>

#include "device.h"
#include "mkey.h"
#include "qp.h"

void rnic_responder_reply(struct rnic_qp *qp, enum rnic_reply reply, struct wire_psn psn,
                          uint8_t aeth_syndrome) {
    struct rnic_responder *r = &qp->responder;
    r->reply = reply;
    r->reply_psn = psn;
    r->reply_syndrome = aeth_syndrome;
    rnic_transmit_want(qp);
}

void rnic_responder_fault(struct rnic_qp *qp, struct wire_psn psn, uint8_t nak,
                          enum rnic_syndrome syndrome) {
    qp->responder.state = RNIC_RESPONDER_FAULT;
    rnic_responder_reply(qp, RNIC_REPLY_NAK, psn, nak);
    rnic_qp_fail(qp, syndrome);
}

static struct rnic_read *read_due(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    uint32_t slot = r->read_first;
    for (uint32_t i = 0; i < r->read_count; i++) {
        if (r->reads[slot].next != r->reads[slot].end)
            return &r->reads[slot];
        slot = slot + 1 == qp->attributes.reads_in ? 0 : slot + 1;
    }
    return NULL;
}

bool rnic_responder_has_replies(const struct rnic_qp *qp) {
    const struct rnic_responder *r = &qp->responder;
    bool works = r->state != RNIC_RESPONDER_DONE && !r->is_held;
    return works && (r->reply != RNIC_REPLY_NONE || read_due((struct rnic_qp *)qp) != NULL);
}

static void headers_init(const struct rnic_qp *qp, uint8_t opcode, struct wire_psn psn,
                         uint8_t syndrome, uint32_t msn, struct wire_roce_headers *headers) {
    *headers = (struct wire_roce_headers){.opcode = opcode,
                                          .migrated = true,
                                          .pkey = qp->attributes.pkey,
                                          .dst_qpn = qp->attributes.dest_qpn,
                                          .psn = psn};
    headers->aeth.syndrome = syndrome;
    headers->aeth.msn = msn;
}

static struct net_frame *frame_begin(struct rnic_qp *qp, const struct wire_roce_headers *headers,
                                     uint32_t bytes, size_t *at) {
    size_t length = wire_roce_frame_bytes(&qp->templ, headers->opcode, bytes);
    struct net_frame *frame = net_frame_get(qp->device->world, (uint32_t)length);
    *at = wire_roce_encode_headers(&qp->templ, headers, bytes, 0, frame->bytes);
    return frame;
}

/* No response can be made any more: the request fails with a NAK in its place. */
static void read_refuse(struct rnic_qp *qp, struct wire_psn psn, uint8_t nak,
                        enum rnic_syndrome syndrome) {
    struct rnic_responder *r = &qp->responder;
    r->read_count = 0;
    rnic_responder_fault(qp, psn, nak, syndrome);
}

static uint8_t response_opcode(bool first, bool last) {
    if (first)
        return last ? WIRE_RC_READ_RESPONSE_ONLY : WIRE_RC_READ_RESPONSE_FIRST;
    return last ? WIRE_RC_READ_RESPONSE_LAST : WIRE_RC_READ_RESPONSE_MIDDLE;
}

/* Sends the next response of a READ; returns payload bytes. */
static uint32_t response_send(struct rnic_qp *qp, struct rnic_read *read) {
    uint32_t offset = read->next * qp->mtu_bytes;
    bool last = read->next + 1 == read->end;
    uint32_t rest = read->stop - offset;
    uint32_t bytes = rest < qp->mtu_bytes ? rest : qp->mtu_bytes;
    struct wire_psn psn = wire_psn_add(read->psn, read->next);
    const struct rnic_access access = {.address = read->address + offset,
                                       .bytes = bytes,
                                       .key = read->rkey,
                                       .pdn = qp->pdn,
                                       .qpn = qp->number,
                                       .rights = RNIC_RIGHT_REMOTE_READ};
    struct rnic_mapping mapping;
    enum rnic_syndrome syndrome = RNIC_SYNDROME_NONE;
    if (bytes != 0)
        syndrome = rnic_mkey_check_remote(qp->device, &access, &mapping);
    if (syndrome != RNIC_SYNDROME_NONE) {
        read_refuse(qp, psn, WIRE_SYNDROME_NAK_REMOTE_ACCESS, syndrome);
        return 0;
    }
    struct wire_roce_headers headers;
    headers_init(qp, response_opcode(read->next == read->first, last), psn, WIRE_SYNDROME_ACK,
                 read->msn, &headers);
    size_t at;
    struct net_frame *frame = frame_begin(qp, &headers, bytes, &at);
    if (bytes != 0 && !rnic_mapping_read(qp->device, &mapping, frame->bytes + at, bytes)) {
        net_frame_put(frame);
        read_refuse(qp, psn, WIRE_SYNDROME_NAK_REMOTE_OPERATION, RNIC_SYNDROME_DMA);
        return 0;
    }
    read->next++;
    rnic_transmit_frame(qp, &qp->templ, &headers, frame, at, bytes);
    return bytes;
}

static void count_reply(struct rnic_qp *qp, uint8_t syndrome) {
    enum wire_aeth_kind kind = wire_aeth_kind(syndrome);
    if (kind == WIRE_AETH_ACK)
        rnic_count(qp->device, RNIC_COUNTER_ACKS_SENT);
    else if (kind == WIRE_AETH_RNR)
        rnic_count(qp->device, RNIC_COUNTER_RNR_NAKS_SENT);
    else if (syndrome == WIRE_SYNDROME_NAK_PSN_SEQUENCE)
        rnic_count(qp->device, RNIC_COUNTER_NAKS_SENT);
    else
        rnic_count(qp->device, RNIC_COUNTER_ERROR_NAKS_SENT);
}

static void reply_send(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    bool is_ack = r->reply == RNIC_REPLY_ACK;
    uint8_t syndrome = is_ack ? WIRE_SYNDROME_ACK : r->reply_syndrome;
    struct wire_psn psn = is_ack ? wire_psn_sub(r->expected, 1) : r->reply_psn;
    r->reply = RNIC_REPLY_NONE;
    count_reply(qp, syndrome);
    if (wire_aeth_kind(syndrome) == WIRE_AETH_NAK)
        sim_trace(qp->device->world, RNIC_TRACE_NAK, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
                  psn.value, syndrome);
    struct wire_roce_headers headers;
    headers_init(qp, WIRE_RC_ACK, psn, syndrome, r->msn, &headers);
    size_t at;
    struct net_frame *frame = frame_begin(qp, &headers, 0, &at);
    rnic_transmit_frame(qp, &qp->templ, &headers, frame, at, 0);
    if (r->state == RNIC_RESPONDER_FAULT)
        r->state = RNIC_RESPONDER_DONE;
}

bool rnic_responder_turn(struct rnic_qp *qp, uint32_t bytes) {
    if (qp->responder.state == RNIC_RESPONDER_DONE)
        return false;
    uint32_t sent = 0;
    struct rnic_read *read;
    while ((read = read_due(qp)) != NULL && sent < bytes && rnic_reads_in_begin(qp)) {
        sent += response_send(qp, read) + WIRE_ROCE_HEADER_BYTES_MAX;
        if (read->next == read->end)
            rnic_reads_in_end(qp);
    }
    if (read == NULL && qp->responder.reply != RNIC_REPLY_NONE)
        reply_send(qp);
    return rnic_responder_has_replies(qp);
}
