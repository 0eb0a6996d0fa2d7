/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: requests of the send ring become DATA packets, and those of the peer move bytes and
 * complete receives. A SEND is placed by its offset in the receive; a WRITE brings token and
 * address with each packet; a READ asks, and is answered by the peer with RESPONSEs, which name it.
 */
#include "nic.h"

#include <string.h>
#include <wire/bytes.h>

/* The port's queue is not filled beyond this, so that nothing is lost to it. */
#define BACKLOG_BYTES (128u * 1024u)

enum { DATA_SEND = 1, DATA_SEND_INVALIDATE, DATA_WRITE, DATA_READ, DATA_RESPONSE };
#define DATA_LAST 0x1u
#define DATA_SOLICIT 0x2u

/* MBX_DATA_BYTES of them in front of the message's. */
struct data {
    uint8_t kind, flags;
    uint32_t request; /* index of the initiator's work */
    uint32_t token;
    uint64_t address; /* remote, of the first byte of this packet */
    uint32_t offset;  /* of it in the message */
    uint32_t length;  /* a READ asks for */
    uint8_t *bytes;
    uint32_t byte_count;
};

static void data_encode(const struct data *data, uint8_t *out) {
    memset(out, 0, MBX_DATA_BYTES);
    out[0] = data->kind;
    out[1] = data->flags;
    wire_put_u32(out + 4, data->request);
    wire_put_u32(out + 8, data->token);
    wire_put_u64(out + 12, data->address);
    wire_put_u32(out + 20, data->offset);
    wire_put_u32(out + 24, data->length);
}

static bool data_decode(const struct mbx_packet *packet, struct data *data) {
    const uint8_t *in = packet->payload;

    if (packet->bytes < MBX_DATA_BYTES)
        return false;
    *data = (struct data){.kind = in[0],
                          .flags = in[1],
                          .request = wire_get_u32(in + 4),
                          .token = wire_get_u32(in + 8),
                          .address = wire_get_u64(in + 12),
                          .offset = wire_get_u32(in + 20),
                          .length = wire_get_u32(in + 24),
                          .bytes = (uint8_t *)(uintptr_t)(in + MBX_DATA_BYTES),
                          .byte_count = packet->bytes - MBX_DATA_BYTES};
    return true;
}

bool mbx_is_last(const struct mbx_packet *packet) {
    return packet->type != MBX_PACKET_DATA || packet->bytes < 2 ||
           (packet->payload[1] & DATA_LAST) != 0;
}

/* ---- The peer's reads are answered ---- */

void mbx_reads_drop(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_read *read;

    while ((read = connection->reads_first) != NULL) {
        connection->reads_first = read->next;
        sim_free(nic->world, read, sizeof(*read));
    }
    connection->reads_last = &connection->reads_first;
    connection->reads_count = 0;
}

static void response_send(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_read *read = connection->reads_first;
    uint32_t left = read->bytes - read->offset, most = mbx_payload_max(nic);
    uint32_t count = left < most ? left : most;
    uint8_t payload[MBX_DATA_BYTES + MBX_PAYLOAD_MAX];
    const struct data data = {.kind = DATA_RESPONSE,
                              .flags = count == left ? DATA_LAST : 0,
                              .request = read->request,
                              .offset = read->offset};

    if (!mbx_region_move(nic, connection->qp->pd, read->token, read->address + read->offset,
                         payload + MBX_DATA_BYTES, count, MBX_REMOTE_READ, false)) {
        mbx_connection_blame(nic, connection, read->request);
        return;
    }
    data_encode(&data, payload);
    mbx_stream_send(nic, connection, MBX_PACKET_DATA, payload, MBX_DATA_BYTES + count);
    read->offset += count;
    if (count == left) {
        connection->reads_first = read->next;
        if (connection->reads_first == NULL)
            connection->reads_last = &connection->reads_first;
        connection->reads_count--;
        sim_free(nic->world, read, sizeof(*read));
    }
}

/* ---- Requests of our own are sent ---- */

static struct mbx_sent *sent_of(struct mbx_qp *qp, uint32_t index) {
    return &qp->sent[index & (qp->send_count - 1)];
}

/* It waits for those before it, then everything ends with it; or it is just done. */
static void request_end(struct mbx_nic *nic, struct mbx_qp *qp, uint32_t index,
                        enum mbx_completion_status status) {
    sent_of(qp, index)->is_done = true;
    sent_of(qp, index)->status = status;
    qp->is_stalled = qp->is_stalled || status != MBX_DONE;
    mbx_qp_retire(nic, qp);
}

static bool piece_read(struct mbx_nic *nic, const struct mbx_qp *qp, uint8_t *to, uint32_t count) {
    if ((qp->current.flags & MBX_WORK_INLINE) == 0)
        return mbx_sges_move(nic, qp->pd, &qp->current, qp->current_offset, to, count,
                             MBX_USE_SOURCE);
    memcpy(to, qp->current.payload.inline_bytes + qp->current_offset, count);
    return true;
}

static void piece_send(struct mbx_nic *nic, struct mbx_connection *connection) {
    static const uint8_t kinds[] = {[MBX_WORK_SEND] = DATA_SEND,
                                    [MBX_WORK_SEND_INVALIDATE] = DATA_SEND_INVALIDATE,
                                    [MBX_WORK_WRITE] = DATA_WRITE};
    struct mbx_qp *qp = connection->qp;
    struct mbx_sent *sent = sent_of(qp, qp->send_next - 1);
    uint64_t left = qp->current_bytes - qp->current_offset;
    uint32_t most = mbx_payload_max(nic), count = left < most ? (uint32_t)left : most;
    uint8_t payload[MBX_DATA_BYTES + MBX_PAYLOAD_MAX];
    struct data data = {.kind = kinds[qp->current.opcode],
                        .request = qp->send_next - 1,
                        .token = qp->current.token,
                        .address = qp->current.remote_address + qp->current_offset,
                        .offset = (uint32_t)qp->current_offset};

    if (!piece_read(nic, qp, payload + MBX_DATA_BYTES, count)) {
        qp->is_sending = false;
        request_end(nic, qp, qp->send_next - 1, MBX_LOCAL_ACCESS);
        return;
    }
    if (count == left)
        data.flags = DATA_LAST | ((qp->current.flags & MBX_WORK_SOLICIT) != 0 ? DATA_SOLICIT : 0);
    data_encode(&data, payload);
    sent->last_sequence = connection->stream.next;
    mbx_stream_send(nic, connection, MBX_PACKET_DATA, payload, MBX_DATA_BYTES + count);
    qp->current_offset += count;
    if (count == left) {
        qp->is_sending = false;
        sent->is_all_sent = true;
    }
}

static void read_ask(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_qp *qp = connection->qp;
    uint8_t payload[MBX_DATA_BYTES];
    const struct data data = {.kind = DATA_READ,
                              .flags = DATA_LAST,
                              .request = qp->send_next - 1,
                              .token = qp->current.token,
                              .address = qp->current.remote_address,
                              .length = (uint32_t)mbx_sges_bytes(&qp->current)};

    if (!mbx_sges_allow(nic, qp->pd, &qp->current, MBX_USE_SINK)) {
        request_end(nic, qp, qp->send_next - 1, MBX_LOCAL_ACCESS);
        return;
    }
    qp->reads++;
    data_encode(&data, payload);
    mbx_stream_send(nic, connection, MBX_PACKET_DATA, payload, sizeof(payload));
}

static void work_run(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_qp *qp = connection->qp;
    const struct mbx_work *work = &qp->current;
    uint32_t index = qp->send_next - 1;

    switch (work->opcode) {
    case MBX_WORK_SEND:
    case MBX_WORK_SEND_INVALIDATE:
    case MBX_WORK_WRITE:
        qp->is_sending = true;
        qp->current_offset = 0;
        qp->current_bytes =
            (work->flags & MBX_WORK_INLINE) != 0 ? work->length : mbx_sges_bytes(work);
        break;
    case MBX_WORK_READ:
        read_ask(nic, connection);
        break;
    case MBX_WORK_FAST_REGISTER:
        request_end(nic, qp, index, mbx_region_register(nic, qp->pd, work));
        break;
    case MBX_WORK_INVALIDATE:
        request_end(nic, qp, index,
                    mbx_region_invalidate(nic, qp->pd, work->token) ? MBX_DONE : MBX_LOCAL_STATE);
        break;
    default:
        request_end(nic, qp, index, MBX_LOCAL_STATE);
        break;
    }
}

/* False: there is none, or it has to wait for reads. */
static bool work_begin(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_qp *qp = connection->qp;

    if (qp->is_stalled || qp->send_next == qp->send_tail ||
        !mbx_work_read(nic, qp, qp->send_next, &qp->current))
        return false;
    if (((qp->current.flags & MBX_WORK_FENCE) != 0 && qp->reads > 0) ||
        (qp->current.opcode == MBX_WORK_READ && qp->reads >= connection->reads_out))
        return false;
    *sent_of(qp, qp->send_next) = (struct mbx_sent){
        .cookie = qp->current.cookie, .opcode = qp->current.opcode, .flags = qp->current.flags};
    qp->send_next++;
    work_run(nic, connection);
    return true;
}

static bool is_port_full(struct mbx_nic *nic) {
    if (net_port_backlog_bytes(&nic->port) <= BACKLOG_BYTES)
        return false;
    if (!nic->is_paced) {
        nic->is_paced = true;
        net_port_sent_when(&nic->port, BACKLOG_BYTES / 2);
    }
    return true;
}

void mbx_pump(struct mbx_nic *nic, struct mbx_connection *connection) {
    while (connection->state == MBX_OPEN && !connection->stream.is_busy &&
           connection->stream.kept_count < mbx_setting(nic, MBX_SETTING_WINDOW) &&
           !connection->qp->is_failed && !is_port_full(nic)) {
        if (connection->reads_first != NULL)
            response_send(nic, connection);
        else if (connection->qp->is_sending)
            piece_send(nic, connection);
        else if (!work_begin(nic, connection))
            break;
    }
    mbx_disconnect_step(nic, connection);
}

void mbx_pump_all(struct mbx_nic *nic) {
    struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((connection = mbx_table_next(&nic->wires, &slot)) != NULL)
        mbx_pump(nic, connection);
}

/* ---- What the peer sends ---- */

static enum mbx_taken on_send(struct mbx_nic *nic, struct mbx_connection *connection,
                              const struct data *data) {
    struct mbx_qp *qp = connection->qp;
    bool is_solicited = (data->flags & DATA_SOLICIT) != 0;
    uint32_t token = data->kind == DATA_SEND_INVALIDATE ? data->token : 0;

    if (!mbx_receive_take(nic, qp))
        return nic->is_broken ? MBX_TAKEN_NEVER : MBX_TAKEN_NOT_YET;
    if (data->offset + (uint64_t)data->byte_count > mbx_sges_bytes(&qp->receiving)) {
        mbx_receive_end(nic, qp, MBX_TOO_LONG, false, 0);
        mbx_connection_blame(nic, connection, data->request);
        return MBX_TAKEN;
    }
    if (!mbx_sges_move(nic, qp->pd, &qp->receiving, data->offset, data->bytes, data->byte_count,
                       MBX_USE_RECEIVE)) {
        mbx_receive_end(nic, qp, MBX_LOCAL_ACCESS, false, 0);
        mbx_connection_blame(nic, connection, data->request);
        return MBX_TAKEN;
    }
    qp->receive_offset = data->offset + (uint64_t)data->byte_count;
    if ((data->flags & DATA_LAST) == 0)
        return MBX_TAKEN;
    if (data->kind == DATA_SEND_INVALIDATE && !mbx_region_invalidate(nic, qp->pd, token))
        mbx_connection_blame(nic, connection, data->request);
    else
        mbx_receive_end(nic, qp, MBX_DONE, is_solicited, token);
    return MBX_TAKEN;
}

static void on_write(struct mbx_nic *nic, struct mbx_connection *connection,
                     const struct data *data) {
    if (!mbx_region_move(nic, connection->qp->pd, data->token, data->address, data->bytes,
                         data->byte_count, MBX_REMOTE_WRITE, true))
        mbx_connection_blame(nic, connection, data->request);
}

static void on_read(struct mbx_nic *nic, struct mbx_connection *connection,
                    const struct data *data) {
    struct mbx_read *read;

    if (connection->reads_count >= connection->reads_in) {
        mbx_connection_blame(nic, connection, data->request);
        return;
    }
    read = sim_alloc(nic->world, sizeof(*read));
    read->request = data->request;
    read->token = data->token;
    read->address = data->address;
    read->bytes = data->length;
    *connection->reads_last = read;
    connection->reads_last = &read->next;
    connection->reads_count++;
}

static void on_response(struct mbx_nic *nic, struct mbx_connection *connection,
                        const struct data *data) {
    struct mbx_qp *qp = connection->qp;
    struct mbx_sent *sent = sent_of(qp, data->request);
    struct mbx_work work;

    if (data->request - qp->finished.sent >= qp->send_next - qp->finished.sent ||
        sent->opcode != MBX_WORK_READ || sent->is_done)
        return;
    if (!mbx_work_read(nic, qp, data->request, &work))
        return;
    if (!mbx_sges_move(nic, qp->pd, &work, data->offset, data->bytes, data->byte_count,
                       MBX_USE_SINK)) {
        request_end(nic, qp, data->request, MBX_LOCAL_ACCESS);
    } else if ((data->flags & DATA_LAST) != 0) {
        qp->reads--;
        request_end(nic, qp, data->request, MBX_DONE);
    }
}

enum mbx_taken mbx_on_data(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_packet *packet) {
    struct data data;

    if (connection->state != MBX_OPEN || connection->qp->is_failed || !data_decode(packet, &data))
        return MBX_TAKEN_NEVER;
    switch (data.kind) {
    case DATA_SEND:
    case DATA_SEND_INVALIDATE:
        return on_send(nic, connection, &data);
    case DATA_WRITE:
        on_write(nic, connection, &data);
        break;
    case DATA_READ:
        on_read(nic, connection, &data);
        break;
    case DATA_RESPONSE:
        on_response(nic, connection, &data);
        break;
    default:
        return MBX_TAKEN_NEVER;
    }
    return MBX_TAKEN;
}
