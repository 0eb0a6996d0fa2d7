/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CM messages (IBTA 12.6.5 to 12.6.11). Offsets are those within the 232 bytes of MAD data; fields
 * that share a byte are written where the byte is.
 */
#include "wire/cm.h"

#include <string.h>

#include "wire/bytes.h"

#define MAD_BASE_VERSION 1
#define CM_CLASS_VERSION 2

/* Where private data begins. */
#define REQ_PRIVATE_AT 140
#define MRA_PRIVATE_AT 10
#define REJ_ARI_AT 12
#define REJ_PRIVATE_AT 84
#define REP_PRIVATE_AT 36
#define RTU_PRIVATE_AT 8
#define DREQ_PRIVATE_AT 12
#define DREP_PRIVATE_AT 8

#define REQ_PRIMARY_PATH_AT 52
#define REQ_ALTERNATE_PATH_AT 96

static uint8_t bits(unsigned value, unsigned width, unsigned shift) {
    return (uint8_t)((value & ((1u << width) - 1)) << shift);
}

static uint8_t get_bits(uint8_t byte, unsigned width, unsigned shift) {
    return (uint8_t)(byte >> shift & ((1u << width) - 1));
}

static void encode_path(const struct wire_cm_path *path, uint8_t *at) {
    wire_put_u16(at, path->local_lid);
    wire_put_u16(at + 2, path->remote_lid);
    memcpy(at + 4, path->local_gid.bytes, 16);
    memcpy(at + 20, path->remote_gid.bytes, 16);
    wire_put_u32(at + 36, (path->flow_label & 0xFFFFFu) << 12 | bits(path->packet_rate, 6, 0));
    at[40] = path->traffic_class;
    at[41] = path->hop_limit;
    at[42] = bits(path->sl, 4, 4) | bits(path->subnet_local, 1, 3);
    at[43] = bits(path->local_ack_timeout, 5, 3);
}

static void decode_path(const uint8_t *at, struct wire_cm_path *path) {
    path->local_lid = wire_get_u16(at);
    path->remote_lid = wire_get_u16(at + 2);
    memcpy(path->local_gid.bytes, at + 4, 16);
    memcpy(path->remote_gid.bytes, at + 20, 16);
    uint32_t word = wire_get_u32(at + 36);
    path->flow_label = word >> 12;
    path->packet_rate = word & 0x3F;
    path->traffic_class = at[40];
    path->hop_limit = at[41];
    path->sl = get_bits(at[42], 4, 4);
    path->subnet_local = get_bits(at[42], 1, 3);
    path->local_ack_timeout = get_bits(at[43], 5, 3);
}

static void encode_req(const struct wire_cm_req *req, uint8_t *at) {
    wire_put_u64(at + 8, req->service_id);
    wire_put_u64(at + 16, req->local_ca_guid);
    wire_put_u32(at + 28, req->local_qkey);
    wire_put_u24(at + 32, req->local_qpn);
    at[35] = req->responder_resources;
    at[39] = req->initiator_depth;
    at[43] = bits(req->remote_cm_response_timeout, 5, 3) | bits(req->transport_type, 2, 1) |
             bits(req->end_to_end_flow_control, 1, 0);
    wire_put_u24(at + 44, req->starting_psn.value);
    at[47] = bits(req->local_cm_response_timeout, 5, 3) | bits(req->retry_count, 3, 0);
    wire_put_u16(at + 48, req->pkey);
    at[50] = bits(req->path_mtu, 4, 4) | bits(req->rnr_retry_count, 3, 0);
    at[51] = bits(req->max_cm_retries, 4, 4) | bits(req->srq, 1, 3);
    encode_path(&req->primary, at + REQ_PRIMARY_PATH_AT);
    encode_path(&req->alternate, at + REQ_ALTERNATE_PATH_AT);
    memcpy(at + REQ_PRIVATE_AT, req->private_data, sizeof req->private_data);
}

static void decode_req(const uint8_t *at, struct wire_cm_req *req) {
    req->service_id = wire_get_u64(at + 8);
    req->local_ca_guid = wire_get_u64(at + 16);
    req->local_qkey = wire_get_u32(at + 28);
    req->local_qpn = wire_get_u24(at + 32);
    req->responder_resources = at[35];
    req->initiator_depth = at[39];
    req->remote_cm_response_timeout = get_bits(at[43], 5, 3);
    req->transport_type = get_bits(at[43], 2, 1);
    req->end_to_end_flow_control = get_bits(at[43], 1, 0);
    req->starting_psn = wire_psn_make(wire_get_u24(at + 44));
    req->local_cm_response_timeout = get_bits(at[47], 5, 3);
    req->retry_count = get_bits(at[47], 3, 0);
    req->pkey = wire_get_u16(at + 48);
    req->path_mtu = get_bits(at[50], 4, 4);
    req->rnr_retry_count = get_bits(at[50], 3, 0);
    req->max_cm_retries = get_bits(at[51], 4, 4);
    req->srq = get_bits(at[51], 1, 3);
    decode_path(at + REQ_PRIMARY_PATH_AT, &req->primary);
    decode_path(at + REQ_ALTERNATE_PATH_AT, &req->alternate);
    memcpy(req->private_data, at + REQ_PRIVATE_AT, sizeof req->private_data);
}

static void encode_mra(const struct wire_cm_mra *mra, uint8_t *at) {
    at[8] = bits(mra->answered, 2, 6);
    at[9] = bits(mra->service_timeout, 5, 3);
    memcpy(at + MRA_PRIVATE_AT, mra->private_data, sizeof mra->private_data);
}

static void decode_mra(const uint8_t *at, struct wire_cm_mra *mra) {
    mra->answered = get_bits(at[8], 2, 6);
    mra->service_timeout = get_bits(at[9], 5, 3);
    memcpy(mra->private_data, at + MRA_PRIVATE_AT, sizeof mra->private_data);
}

static void encode_rej(const struct wire_cm_rej *rej, uint8_t *at) {
    at[8] = bits(rej->answered, 2, 6);
    at[9] = bits(rej->ari_bytes, 7, 1);
    wire_put_u16(at + 10, rej->reason);
    memcpy(at + REJ_ARI_AT, rej->ari, sizeof rej->ari);
    memcpy(at + REJ_PRIVATE_AT, rej->private_data, sizeof rej->private_data);
}

static enum wire_error decode_rej(const uint8_t *at, struct wire_cm_rej *rej) {
    rej->answered = get_bits(at[8], 2, 6);
    rej->ari_bytes = get_bits(at[9], 7, 1);
    rej->reason = wire_get_u16(at + 10);
    memcpy(rej->ari, at + REJ_ARI_AT, sizeof rej->ari);
    memcpy(rej->private_data, at + REJ_PRIVATE_AT, sizeof rej->private_data);
    return rej->ari_bytes > WIRE_CM_REJ_ARI_BYTES ? WIRE_ERROR_VALUE : WIRE_OK;
}

static void encode_rep(const struct wire_cm_rep *rep, uint8_t *at) {
    wire_put_u32(at + 8, rep->local_qkey);
    wire_put_u24(at + 12, rep->local_qpn);
    wire_put_u24(at + 16, rep->local_eecn);
    wire_put_u24(at + 20, rep->starting_psn.value);
    at[24] = rep->responder_resources;
    at[25] = rep->initiator_depth;
    at[26] = bits(rep->target_ack_delay, 5, 3) | bits(rep->failover_accepted, 2, 1) |
             bits(rep->end_to_end_flow_control, 1, 0);
    at[27] = bits(rep->rnr_retry_count, 3, 5) | bits(rep->srq, 1, 4);
    wire_put_u64(at + 28, rep->local_ca_guid);
    memcpy(at + REP_PRIVATE_AT, rep->private_data, sizeof rep->private_data);
}

static void decode_rep(const uint8_t *at, struct wire_cm_rep *rep) {
    rep->local_qkey = wire_get_u32(at + 8);
    rep->local_qpn = wire_get_u24(at + 12);
    rep->local_eecn = wire_get_u24(at + 16);
    rep->starting_psn = wire_psn_make(wire_get_u24(at + 20));
    rep->responder_resources = at[24];
    rep->initiator_depth = at[25];
    rep->target_ack_delay = get_bits(at[26], 5, 3);
    rep->failover_accepted = get_bits(at[26], 2, 1);
    rep->end_to_end_flow_control = get_bits(at[26], 1, 0);
    rep->rnr_retry_count = get_bits(at[27], 3, 5);
    rep->srq = get_bits(at[27], 1, 4);
    rep->local_ca_guid = wire_get_u64(at + 28);
    memcpy(rep->private_data, at + REP_PRIVATE_AT, sizeof rep->private_data);
}

void wire_cm_encode(const struct wire_cm_message *message, uint8_t *mad) {
    struct wire_mad header = {
        .base_version = MAD_BASE_VERSION,
        .mgmt_class = WIRE_MAD_CLASS_CM,
        .class_version = CM_CLASS_VERSION,
        .method = WIRE_MAD_METHOD_SEND,
        .transaction_id = message->transaction_id,
        .attribute_id = (uint16_t)message->kind,
    };
    uint8_t *at = mad + WIRE_MAD_HEADER_BYTES;
    memset(mad, 0, WIRE_MAD_BYTES);
    wire_mad_encode(&header, mad);
    wire_put_u32(at, message->local_comm_id);
    if (message->kind != WIRE_CM_REQ) {
        wire_put_u32(at + 4, message->remote_comm_id);
    }
    switch (message->kind) {
    case WIRE_CM_REQ:
        encode_req(&message->req, at);
        break;
    case WIRE_CM_MRA:
        encode_mra(&message->mra, at);
        break;
    case WIRE_CM_REJ:
        encode_rej(&message->rej, at);
        break;
    case WIRE_CM_REP:
        encode_rep(&message->rep, at);
        break;
    case WIRE_CM_RTU:
        memcpy(at + RTU_PRIVATE_AT, message->rtu.private_data, WIRE_CM_RTU_PRIVATE_BYTES);
        break;
    case WIRE_CM_DREQ:
        wire_put_u24(at + 8, message->dreq.remote_qpn);
        memcpy(at + DREQ_PRIVATE_AT, message->dreq.private_data, WIRE_CM_DREQ_PRIVATE_BYTES);
        break;
    case WIRE_CM_DREP:
        memcpy(at + DREP_PRIVATE_AT, message->drep.private_data, WIRE_CM_DREP_PRIVATE_BYTES);
        break;
    }
}

static enum wire_error decode_header(const uint8_t *mad, size_t bytes,
                                     struct wire_cm_message *message) {
    struct wire_mad header;
    enum wire_error error = wire_mad_decode(mad, bytes, &header);
    if (error != WIRE_OK) {
        return error;
    }
    if (header.base_version != MAD_BASE_VERSION) {
        return WIRE_ERROR_MAD_VERSION;
    }
    if (header.mgmt_class != WIRE_MAD_CLASS_CM || header.method != WIRE_MAD_METHOD_SEND) {
        return WIRE_ERROR_MAD_CLASS;
    }
    if (header.class_version != CM_CLASS_VERSION) {
        return WIRE_ERROR_MAD_VERSION;
    }
    if (header.attribute_id < WIRE_CM_REQ || header.attribute_id > WIRE_CM_DREP) {
        return WIRE_ERROR_CM_ATTRIBUTE;
    }
    message->kind = (enum wire_cm_kind)header.attribute_id;
    message->transaction_id = header.transaction_id;
    return WIRE_OK;
}

enum wire_error wire_cm_decode(const uint8_t *mad, size_t bytes, struct wire_cm_message *message) {
    enum wire_error error = decode_header(mad, bytes, message);
    if (error != WIRE_OK) {
        return error;
    }
    const uint8_t *at = mad + WIRE_MAD_HEADER_BYTES;
    message->local_comm_id = wire_get_u32(at);
    message->remote_comm_id = message->kind == WIRE_CM_REQ ? 0 : wire_get_u32(at + 4);
    switch (message->kind) {
    case WIRE_CM_REQ:
        decode_req(at, &message->req);
        break;
    case WIRE_CM_MRA:
        decode_mra(at, &message->mra);
        break;
    case WIRE_CM_REJ:
        return decode_rej(at, &message->rej);
    case WIRE_CM_REP:
        decode_rep(at, &message->rep);
        break;
    case WIRE_CM_RTU:
        memcpy(message->rtu.private_data, at + RTU_PRIVATE_AT, WIRE_CM_RTU_PRIVATE_BYTES);
        break;
    case WIRE_CM_DREQ:
        message->dreq.remote_qpn = wire_get_u24(at + 8);
        memcpy(message->dreq.private_data, at + DREQ_PRIVATE_AT, WIRE_CM_DREQ_PRIVATE_BYTES);
        break;
    case WIRE_CM_DREP:
        memcpy(message->drep.private_data, at + DREP_PRIVATE_AT, WIRE_CM_DREP_PRIVATE_BYTES);
        break;
    }
    return WIRE_OK;
}

const char *wire_cm_kind_name(enum wire_cm_kind kind) {
    static const char *const names[] = {"REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP"};
    unsigned index = (unsigned)kind - WIRE_CM_REQ;
    return index < sizeof names / sizeof names[0] ? names[index] : "CM?";
}

const uint8_t *wire_cm_private_data(const struct wire_cm_message *message, size_t *bytes) {
    switch (message->kind) {
    case WIRE_CM_REQ:
        *bytes = WIRE_CM_REQ_PRIVATE_BYTES;
        return message->req.private_data;
    case WIRE_CM_MRA:
        *bytes = WIRE_CM_MRA_PRIVATE_BYTES;
        return message->mra.private_data;
    case WIRE_CM_REJ:
        *bytes = WIRE_CM_REJ_PRIVATE_BYTES;
        return message->rej.private_data;
    case WIRE_CM_REP:
        *bytes = WIRE_CM_REP_PRIVATE_BYTES;
        return message->rep.private_data;
    case WIRE_CM_RTU:
        *bytes = WIRE_CM_RTU_PRIVATE_BYTES;
        return message->rtu.private_data;
    case WIRE_CM_DREQ:
        *bytes = WIRE_CM_DREQ_PRIVATE_BYTES;
        return message->dreq.private_data;
    case WIRE_CM_DREP:
        *bytes = WIRE_CM_DREP_PRIVATE_BYTES;
        return message->drep.private_data;
    }
    *bytes = 0;
    return NULL;
}
