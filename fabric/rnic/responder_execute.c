/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes the request packet that is due. Checks come in the order of IBTA 9.7.4.1: opcode
 * sequence, length, rights of the QP, resources, key; then the bytes move. Any failure is a reply
 * and, but for RNR, the end of the QP; nothing that was refused touches memory.
 */
#include <string.h>

#include <sim/memory.h>

#include "device.h"
#include "mkey.h"
#include "qp.h"

/* The packet is done; what it asked for is answered. */
static void executed(struct rnic_qp *qp, const struct wire_roce_packet *packet, bool ends) {
    struct rnic_responder *r = &qp->responder;
    r->expected = wire_psn_next(r->expected);
    if (ends) {
        r->msn = (r->msn + 1) & WIRE_PSN_MASK;
        r->message = RNIC_MESSAGE_NONE;
    }
    if (packet->headers.ack_request)
        rnic_responder_reply(qp, RNIC_REPLY_ACK, r->expected, WIRE_SYNDROME_ACK);
}

static void refuse(struct rnic_qp *qp, const struct wire_roce_packet *packet, uint8_t nak,
                   enum rnic_syndrome syndrome) {
    rnic_responder_fault(qp, packet->headers.psn, nak, syndrome);
}

/* The receive in hand ends with an error; the peer hears NAK. */
static void refuse_receive(struct rnic_qp *qp, const struct wire_roce_packet *packet, uint8_t nak,
                           enum rnic_cqe_status status, enum rnic_syndrome syndrome) {
    struct rnic_responder *r = &qp->responder;
    struct rnic_cqe cqe = {.wqe_index = r->receive->index,
                           .tag = r->receive->tag,
                           .opcode = RNIC_CQE_RECV,
                           .status = (uint8_t)status,
                           .syndrome = (uint8_t)syndrome};
    rnic_responder_put(qp);
    rnic_qp_complete_receive(qp, &cqe);
    refuse(qp, packet, nak, syndrome);
}

static void not_ready(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    r->state = RNIC_RESPONDER_NAKED;
    uint8_t code = qp->attributes.min_rnr_timer & 0x1F;
    sim_trace(qp->device->world, RNIC_TRACE_RNR_NAK, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              r->expected.value, code);
    rnic_responder_reply(qp, RNIC_REPLY_NAK, r->expected, (uint8_t)(WIRE_SYNDROME_RNR | code));
}

/* Begins a SEND: takes a receive. False: answered already. */
static bool send_begin(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    enum rnic_syndrome syndrome;
    if (!rnic_responder_take(qp, &syndrome)) {
        /* Unless the SRQ has just failed, and this QP with it. */
        if (qp->state != RNIC_QPS_ERR)
            not_ready(qp);
        return false;
    }
    if (syndrome != RNIC_SYNDROME_NONE) {
        bool dma = syndrome == RNIC_SYNDROME_DMA;
        refuse_receive(qp, packet, WIRE_SYNDROME_NAK_REMOTE_OPERATION,
                       dma ? RNIC_CQE_LOCAL_FATAL : RNIC_CQE_LOCAL_OPERATION, syndrome);
        return false;
    }
    if (qp->device->mkey_closing_count != 0) {
        const struct rnic_sgl sgl = {.entries = r->receive->sges, .count = r->receive->count};
        if (!rnic_sgl_may_begin(qp->device, &sgl)) {
            refuse_receive(qp, packet, WIRE_SYNDROME_NAK_REMOTE_OPERATION,
                           RNIC_CQE_LOCAL_PROTECTION, RNIC_SYNDROME_KEY_INVALID);
            return false;
        }
    }
    r->message = RNIC_MESSAGE_SEND;
    r->placed = 0;
    return true;
}

static void send_end(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    const struct wire_roce_headers *headers = &packet->headers;
    bool invalidates = (wire_roce_opcode_flags[headers->opcode] & WIRE_OP_IETH) != 0;
    /* Before the completion: who sees it must find the key dead. A refusal flushes the receive. */
    if (invalidates &&
        rnic_mkey_invalidate(qp, headers->invalidate_rkey, true) != RNIC_SYNDROME_NONE) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_REMOTE_ACCESS, RNIC_SYNDROME_INVALIDATE);
        return;
    }
    struct rnic_cqe cqe = {.wqe_index = r->receive->index,
                           .tag = r->receive->tag,
                           .byte_count = (uint32_t)r->placed,
                           .key = invalidates ? headers->invalidate_rkey : 0,
                           .opcode = invalidates ? RNIC_CQE_RECV_INV : RNIC_CQE_RECV,
                           .flags = headers->solicited ? RNIC_CQE_FLAG_SOLICITED : 0};
    rnic_responder_put(qp);
    executed(qp, packet, true);
    rnic_qp_complete_receive(qp, &cqe);
}

static void send_execute(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    uint32_t flags = wire_roce_opcode_flags[packet->headers.opcode];
    if ((flags & WIRE_OP_START) != 0 && !send_begin(qp, packet))
        return;
    if (r->placed + packet->payload_bytes > r->receive->bytes) {
        refuse_receive(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_CQE_LOCAL_LENGTH,
                       RNIC_SYNDROME_RECEIVE_TOO_SMALL);
        return;
    }
    const struct rnic_sgl sgl = {
        .entries = r->receive->sges, .count = r->receive->count, .pdn = qp->pdn};
    enum rnic_syndrome syndrome = rnic_sgl_scatter(qp->device, &sgl, r->placed, packet->payload,
                                                   packet->payload_bytes, RNIC_RIGHT_LOCAL_WRITE);
    if (syndrome != RNIC_SYNDROME_NONE) {
        bool dma = syndrome == RNIC_SYNDROME_DMA;
        refuse_receive(qp, packet, WIRE_SYNDROME_NAK_REMOTE_OPERATION,
                       dma ? RNIC_CQE_LOCAL_FATAL : RNIC_CQE_LOCAL_PROTECTION, syndrome);
        return;
    }
    r->placed += packet->payload_bytes;
    if ((flags & WIRE_OP_END) != 0)
        send_end(qp, packet);
    else
        executed(qp, packet, false);
}

static enum rnic_syndrome remote_check(struct rnic_qp *qp, uint64_t address, uint64_t bytes,
                                       uint32_t rkey, uint32_t rights, bool begins,
                                       struct rnic_mapping *mapping) {
    const struct rnic_access access = {.address = address,
                                       .bytes = bytes,
                                       .key = rkey,
                                       .pdn = qp->pdn,
                                       .qpn = qp->number,
                                       .rights = rights,
                                       .begins = begins};
    return rnic_mkey_check_remote(qp->device, &access, mapping);
}

/* Begins a WRITE. A message of no bytes needs no key (IBTA 9.7.4.1.5). */
static bool write_begin(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    const struct wire_roce_headers *headers = &packet->headers;
    if ((qp->attributes.rights & RNIC_RIGHT_REMOTE_WRITE) == 0) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_QP_RIGHTS);
        return false;
    }
    struct rnic_mapping mapping;
    enum rnic_syndrome syndrome = RNIC_SYNDROME_NONE;
    if (headers->reth.bytes > qp->device->config.message_bytes_max) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_PACKET_LENGTH);
        return false;
    }
    if (headers->reth.bytes != 0)
        syndrome = remote_check(qp, headers->reth.address, headers->reth.bytes, headers->reth.rkey,
                                RNIC_RIGHT_REMOTE_WRITE, true, &mapping);
    if (syndrome != RNIC_SYNDROME_NONE) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_REMOTE_ACCESS, syndrome);
        return false;
    }
    r->message = RNIC_MESSAGE_WRITE;
    r->placed = 0;
    r->address = headers->reth.address;
    r->rkey = headers->reth.rkey;
    r->bytes = headers->reth.bytes;
    return true;
}

static void write_execute(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    uint32_t flags = wire_roce_opcode_flags[packet->headers.opcode];
    if ((flags & WIRE_OP_START) != 0 && !write_begin(qp, packet))
        return;
    bool ends = (flags & WIRE_OP_END) != 0;
    uint64_t behind = r->placed + packet->payload_bytes;
    if (ends ? behind != r->bytes : behind >= r->bytes) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_PACKET_LENGTH);
        return;
    }
    struct rnic_mapping mapping;
    enum rnic_syndrome syndrome = RNIC_SYNDROME_NONE;
    if (packet->payload_bytes != 0)
        syndrome = remote_check(qp, r->address + r->placed, packet->payload_bytes, r->rkey,
                                RNIC_RIGHT_REMOTE_WRITE, false, &mapping);
    if (syndrome != RNIC_SYNDROME_NONE) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_REMOTE_ACCESS, syndrome);
        return;
    }
    if (packet->payload_bytes != 0 &&
        !rnic_mapping_write(qp->device, &mapping, packet->payload, packet->payload_bytes)) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_REMOTE_OPERATION, RNIC_SYNDROME_DMA);
        return;
    }
    r->placed = behind;
    executed(qp, packet, ends);
}

/*
 * A slot for one more READ: a free one, or the oldest if its responses have all left. One that is
 * being answered again may go: a peer that keeps to the limit has it complete if it asks for more.
 */
static struct rnic_read *read_slot(struct rnic_qp *qp) {
    struct rnic_responder *r = &qp->responder;
    uint32_t limit = qp->attributes.reads_in;
    if (r->reads == NULL)
        r->reads = sim_alloc(qp->device->world, rnic_reads_bytes(qp->device));
    if (r->read_count < limit)
        return &r->reads[(r->read_first + r->read_count++) % limit];
    struct rnic_read *oldest = &r->reads[r->read_first];
    if (limit == 0 || (oldest->next != oldest->end && !oldest->is_repeat))
        return NULL;
    r->read_first = (r->read_first + 1) % limit;
    return oldest;
}

static void read_execute(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    struct rnic_responder *r = &qp->responder;
    const struct wire_roce_headers *headers = &packet->headers;
    if ((qp->attributes.rights & RNIC_RIGHT_REMOTE_READ) == 0) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_QP_RIGHTS);
        return;
    }
    if (headers->reth.bytes > qp->device->config.message_bytes_max) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_PACKET_LENGTH);
        return;
    }
    struct rnic_mapping mapping;
    enum rnic_syndrome syndrome = RNIC_SYNDROME_NONE;
    if (headers->reth.bytes != 0)
        syndrome = remote_check(qp, headers->reth.address, headers->reth.bytes, headers->reth.rkey,
                                RNIC_RIGHT_REMOTE_READ, true, &mapping);
    struct rnic_read *read = syndrome == RNIC_SYNDROME_NONE ? read_slot(qp) : NULL;
    if (syndrome != RNIC_SYNDROME_NONE) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_REMOTE_ACCESS, syndrome);
        return;
    }
    if (read == NULL) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_READ_LIMIT);
        return;
    }
    uint32_t bytes = headers->reth.bytes;
    r->msn = (r->msn + 1) & WIRE_PSN_MASK;
    *read = (struct rnic_read){.address = headers->reth.address,
                               .rkey = headers->reth.rkey,
                               .bytes = bytes,
                               .count = rnic_packet_count(qp, bytes),
                               .psn = headers->psn,
                               .msn = r->msn};
    read->end = read->count;
    read->stop = bytes;
    r->expected = wire_psn_add(r->expected, read->count);
    /* Its responses answer for all that came before. */
    r->reply = RNIC_REPLY_NONE;
    rnic_transmit_want(qp);
}

static bool sequence_is_legal(enum rnic_message message, uint32_t flags) {
    if ((flags & WIRE_OP_START) != 0)
        return message == RNIC_MESSAGE_NONE;
    return message == ((flags & WIRE_OP_SEND) != 0 ? RNIC_MESSAGE_SEND : RNIC_MESSAGE_WRITE);
}

void rnic_responder_execute(struct rnic_qp *qp, const struct wire_roce_packet *packet) {
    uint8_t opcode = packet->headers.opcode;
    uint32_t flags = wire_roce_opcode_flags[opcode];
    if (!sequence_is_legal(qp->responder.message, flags) || (flags & WIRE_OP_IMMDT) != 0) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_OPCODE_SEQUENCE);
        return;
    }
    if (!wire_roce_payload_fits(opcode, packet->payload_bytes, qp->mtu_bytes)) {
        refuse(qp, packet, WIRE_SYNDROME_NAK_INVALID_REQUEST, RNIC_SYNDROME_PACKET_LENGTH);
        return;
    }
    if ((flags & WIRE_OP_READ) != 0)
        read_execute(qp, packet);
    else if ((flags & WIRE_OP_WRITE) != 0)
        write_execute(qp, packet);
    else
        send_execute(qp, packet);
}
