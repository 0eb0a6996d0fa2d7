/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of packets. Those of five types are numbered, kept until the peer has acknowledged them,
 * and taken by the peer in order and once; so that loss, duplication, reordering and corruption are
 * dealt with here, and what is above sees none of it.
 *
 *   sender    kept packets [acknowledged, next); all of them again when the timer runs out, when
 *             the receiver says GAP, or some time after it said BUSY
 *   receiver  takes `expected` only; says what it has with the last packet of a message, after
 *             every eighth, and whenever an old one comes again
 */
#include "nic.h"

#include <string.h>
#include <wire/bytes.h>
#include <wire/crc.h>

#define ACKNOWLEDGE_EVERY 8u
#define MTU_BYTES_LEAST 320u /* of any link; an unplugged port has none */

/* Offsets in the header of a packet. */
enum { AT_TYPE = 0, AT_BYTES = 2, AT_TO = 4, AT_FROM = 8, AT_SEQUENCE = 12, AT_ACKNOWLEDGED = 16 };
#define AT_CRC 20u

static bool is_kept_type(uint8_t type) {
    return type >= MBX_PACKET_CONNECT && type <= MBX_PACKET_DISCONNECT;
}

uint32_t mbx_payload_max(const struct mbx_nic *nic) {
    uint32_t mtu = net_port_mtu_bytes(&nic->port);
    uint32_t wish = (uint32_t)mbx_setting(nic, MBX_SETTING_PAYLOAD);
    uint32_t room = (mtu != 0 ? mtu : MTU_BYTES_LEAST) - MBX_PACKET_BYTES - MBX_DATA_BYTES;

    return wish < room ? wish : room;
}

/* ---- Sending ---- */

static void packet_send(struct mbx_nic *nic, const struct mbx_packet *packet,
                        const struct wire_mac *to) {
    uint32_t bytes = MBX_PACKET_AT + MBX_PACKET_BYTES + packet->bytes;
    struct net_frame *frame = net_frame_get(nic->world, bytes);
    uint8_t *header = frame->bytes + MBX_PACKET_AT;

    frame->length = bytes;
    memset(header, 0, MBX_PACKET_BYTES);
    header[AT_TYPE] = packet->type;
    wire_put_u16(header + AT_BYTES, packet->bytes);
    wire_put_u32(header + AT_TO, packet->to);
    wire_put_u32(header + AT_FROM, packet->from);
    wire_put_u32(header + AT_SEQUENCE, packet->sequence);
    wire_put_u32(header + AT_ACKNOWLEDGED, packet->acknowledged);
    if (packet->bytes > 0)
        memcpy(header + MBX_PACKET_BYTES, packet->payload, packet->bytes);
    wire_put_u32(header + AT_CRC, wire_crc32(header, MBX_PACKET_BYTES + packet->bytes));
    mbx_frame_send(nic, frame, to);
}

void mbx_packet_reply(struct mbx_nic *nic, const struct wire_mac *to, enum mbx_packet_type type,
                      uint32_t to_wire, uint32_t from_wire, uint32_t acknowledged,
                      const void *payload, uint32_t bytes) {
    const struct mbx_packet packet = {.type = (uint8_t)type,
                                      .bytes = (uint16_t)bytes,
                                      .to = to_wire,
                                      .from = from_wire,
                                      .acknowledged = acknowledged,
                                      .payload = payload};

    packet_send(nic, &packet, to);
}

static void acknowledge(struct mbx_nic *nic, struct mbx_connection *connection,
                        enum mbx_packet_type type) {
    connection->stream.unsaid = 0;
    mbx_packet_reply(nic, &connection->peer_mac, type, connection->peer_wire, connection->wire,
                     connection->stream.expected, NULL, 0);
}

static void kept_send(struct mbx_nic *nic, struct mbx_connection *connection,
                      const struct mbx_kept *kept) {
    const struct mbx_packet packet = {.type = kept->type,
                                      .bytes = kept->bytes,
                                      .to = connection->peer_wire,
                                      .from = connection->wire,
                                      .sequence = kept->sequence,
                                      .acknowledged = connection->stream.expected,
                                      .payload = kept->payload};

    connection->stream.unsaid = 0;
    packet_send(nic, &packet, &connection->peer_mac);
}

static void timer_set(struct mbx_nic *nic, struct mbx_stream *stream) {
    sim_event_cancel(nic->world, &stream->timer);
    if (stream->kept_first != NULL)
        sim_event_schedule(nic->world, &stream->timer,
                           mbx_setting(nic, MBX_SETTING_RETRY) << stream->tries);
}

void mbx_stream_send(struct mbx_nic *nic, struct mbx_connection *connection,
                     enum mbx_packet_type type, const void *payload, uint32_t bytes) {
    struct mbx_stream *stream = &connection->stream;
    struct mbx_kept *kept = sim_alloc(nic->world, sizeof(*kept) + bytes);

    kept->sequence = stream->next++;
    kept->type = (uint8_t)type;
    kept->bytes = (uint16_t)bytes;
    if (bytes > 0)
        memcpy(kept->payload, payload, bytes);
    *stream->kept_last = kept;
    stream->kept_last = &kept->next;
    stream->kept_count++;
    if (!stream->is_busy)
        kept_send(nic, connection, kept);
    if (!sim_event_is_scheduled(&stream->timer))
        timer_set(nic, stream);
}

static void send_again(struct mbx_nic *nic, struct mbx_connection *connection) {
    for (const struct mbx_kept *kept = connection->stream.kept_first; kept != NULL;
         kept = kept->next)
        kept_send(nic, connection, kept);
    timer_set(nic, &connection->stream);
}

static void timer_deliver(struct sim_world *world, struct sim_event *event) {
    struct mbx_stream *stream = SIM_CONTAINER_OF(event, struct mbx_stream, timer);
    struct mbx_connection *connection = SIM_CONTAINER_OF(stream, struct mbx_connection, stream);
    struct mbx_nic *nic = connection->nic;

    (void)world;
    if (!stream->is_busy && ++stream->tries > mbx_setting(nic, MBX_SETTING_RETRIES)) {
        mbx_connection_end(nic, connection, MBX_TIMED_OUT, true);
        return;
    }
    stream->is_busy = false;
    send_again(nic, connection);
}

/* ---- Its life ---- */

void mbx_stream_init(struct mbx_connection *connection) {
    struct mbx_stream *stream = &connection->stream;

    memset(stream, 0, sizeof(*stream));
    stream->kept_last = &stream->kept_first;
    sim_event_init(&stream->timer, "retry", &connection->nic->bus.object, timer_deliver);
}

static void kept_drop_first(struct mbx_nic *nic, struct mbx_stream *stream) {
    struct mbx_kept *kept = stream->kept_first;

    stream->kept_first = kept->next;
    if (stream->kept_first == NULL)
        stream->kept_last = &stream->kept_first;
    stream->kept_count--;
    sim_free(nic->world, kept, sizeof(*kept) + kept->bytes);
}

void mbx_stream_drop(struct mbx_nic *nic, struct mbx_connection *connection) {
    while (connection->stream.kept_first != NULL)
        kept_drop_first(nic, &connection->stream);
    sim_event_cancel(nic->world, &connection->stream.timer);
}

/* ---- Receiving ---- */

static void on_acknowledged(struct mbx_nic *nic, struct mbx_connection *connection,
                            uint32_t acknowledged) {
    struct mbx_stream *stream = &connection->stream;

    if ((int32_t)(acknowledged - stream->acknowledged) <= 0 ||
        (int32_t)(acknowledged - stream->next) > 0)
        return;
    while (stream->kept_first != NULL && (int32_t)(acknowledged - stream->kept_first->sequence) > 0)
        kept_drop_first(nic, stream);
    stream->acknowledged = acknowledged;
    stream->tries = stream->busy_tries = 0;
    stream->is_busy = false;
    timer_set(nic, stream);
    mbx_on_acknowledged(nic, connection);
}

/* The peer has no receive: everything again a little later, as often as was agreed. */
static void on_busy(struct mbx_nic *nic, struct mbx_connection *connection) {
    struct mbx_stream *stream = &connection->stream;

    if (stream->is_busy || stream->kept_first == NULL)
        return;
    if (connection->busy_retries < 7 && stream->busy_tries++ >= connection->busy_retries) {
        mbx_qp_flush(nic, connection->qp, MBX_REMOTE);
        mbx_connection_end(nic, connection, MBX_ABORTED, true);
        return;
    }
    stream->is_busy = true;
    sim_event_cancel(nic->world, &stream->timer);
    sim_event_schedule(nic->world, &stream->timer, mbx_setting(nic, MBX_SETTING_BUSY));
}

/* The one that is waited for. What comes of it may end the connection. */
static void take(struct mbx_nic *nic, struct mbx_connection *connection,
                 const struct mbx_packet *packet) {
    struct mbx_stream *stream = &connection->stream;
    enum mbx_taken taken = MBX_TAKEN;

    if (packet->type == MBX_PACKET_DATA)
        taken = mbx_on_data(nic, connection, packet);
    if (connection->wire == 0 || taken == MBX_TAKEN_NEVER)
        return;
    if (taken == MBX_TAKEN_NOT_YET) {
        stream->is_gap_told = true; /* what follows is not missed */
        acknowledge(nic, connection, MBX_PACKET_BUSY);
        return;
    }
    stream->expected++;
    stream->unsaid++;
    stream->is_gap_told = false;
    if (packet->type != MBX_PACKET_DATA)
        mbx_on_packet(nic, connection, packet);
    else
        mbx_pump(nic, connection);
    if (connection->wire != 0 && stream->unsaid > 0 &&
        (mbx_is_last(packet) || stream->unsaid >= ACKNOWLEDGE_EVERY))
        acknowledge(nic, connection, MBX_PACKET_ACK);
}

static void on_numbered(struct mbx_nic *nic, struct mbx_connection *connection,
                        const struct mbx_packet *packet) {
    struct mbx_stream *stream = &connection->stream;
    int32_t ahead = (int32_t)(packet->sequence - stream->expected);

    if (ahead == 0) {
        take(nic, connection, packet);
    } else if (ahead < 0) {
        acknowledge(nic, connection, MBX_PACKET_ACK);
    } else if (!stream->is_gap_told) {
        stream->is_gap_told = true;
        acknowledge(nic, connection, MBX_PACKET_GAP);
    }
}

static void on_connected_packet(struct mbx_nic *nic, struct mbx_connection *connection,
                                const struct mbx_packet *packet) {
    if (connection->peer_wire == 0)
        connection->peer_wire = packet->from;
    on_acknowledged(nic, connection, packet->acknowledged);
    if (connection->wire == 0)
        return;
    switch (packet->type) {
    case MBX_PACKET_GAP:
        if (!connection->stream.is_busy)
            send_again(nic, connection);
        break;
    case MBX_PACKET_BUSY:
        on_busy(nic, connection);
        break;
    case MBX_PACKET_RESET:
        mbx_on_reset(nic, connection, packet);
        break;
    default:
        if (is_kept_type(packet->type))
            on_numbered(nic, connection, packet);
        break;
    }
}

static void on_packet(struct mbx_nic *nic, const struct mbx_packet *packet) {
    struct mbx_connection *connection = mbx_table_find(&nic->wires, packet->to);
    bool is_of_it =
        connection != NULL &&
        memcmp(connection->peer_mac.bytes, packet->mac.bytes, sizeof(packet->mac.bytes)) == 0 &&
        (connection->peer_wire == 0 || packet->from == connection->peer_wire ||
         (packet->type == MBX_PACKET_RESET && packet->from == 0));

    if (packet->type == MBX_PACKET_CONNECT && packet->to == 0)
        mbx_on_connect(nic, packet);
    else if (is_of_it)
        on_connected_packet(nic, connection, packet);
    else
        mbx_on_stray(nic, packet);
}

/* False: damaged, or not of this protocol. */
static bool decode(const struct net_frame *frame, struct mbx_packet *packet) {
    uint8_t header[MBX_PACKET_BYTES];
    uint32_t crc;

    if (frame->length < MBX_PACKET_AT + MBX_PACKET_BYTES ||
        wire_get_u16(frame->bytes + 12) != MBX_ETHERTYPE)
        return false;
    memcpy(header, frame->bytes + MBX_PACKET_AT, sizeof(header));
    memcpy(packet->mac.bytes, frame->bytes + 6, sizeof(packet->mac.bytes));
    packet->type = header[AT_TYPE];
    packet->bytes = wire_get_u16(header + AT_BYTES);
    packet->to = wire_get_u32(header + AT_TO);
    packet->from = wire_get_u32(header + AT_FROM);
    packet->sequence = wire_get_u32(header + AT_SEQUENCE);
    packet->acknowledged = wire_get_u32(header + AT_ACKNOWLEDGED);
    packet->payload = frame->bytes + MBX_PACKET_AT + MBX_PACKET_BYTES;
    if (packet->bytes > frame->length - MBX_PACKET_AT - MBX_PACKET_BYTES)
        return false;
    crc = wire_get_u32(header + AT_CRC);
    wire_put_u32(header + AT_CRC, 0);
    return ~wire_crc32_update(wire_crc32_update(0xFFFFFFFFu, header, sizeof(header)),
                              packet->payload, packet->bytes) == crc;
}

void mbx_on_frame(void *context, struct net_frame *frame) {
    struct mbx_nic *nic = context;
    struct mbx_packet packet;

    if ((nic->status & MBX_STATUS_READY) != 0 && decode(frame, &packet))
        on_packet(nic, &packet);
    net_frame_put(frame);
}

void mbx_loop_deliver(struct sim_world *world, struct sim_event *event) {
    struct mbx_nic *nic = SIM_CONTAINER_OF(event, struct mbx_nic, loop);
    struct net_frame *frame = nic->loop_first;

    nic->loop_first = frame->next;
    if (nic->loop_first == NULL)
        nic->loop_last = &nic->loop_first;
    else
        sim_event_schedule(world, &nic->loop, 500);
    mbx_on_frame(nic, frame);
}
