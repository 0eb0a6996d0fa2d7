/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: handshakes, the graceful end and all others. The machine is drawn in nic.h. */
#include "nic.h"

#include <string.h>
#include <wire/bytes.h>

/* Payload of a CONNECT; of an ACCEPT from GREETING_LIMITS on. */
enum {
    GREETING_FROM = 0,
    GREETING_TO = 16,
    GREETING_FROM_PORT = 32,
    GREETING_TO_PORT = 34,
    GREETING_READS_IN = 36,
    GREETING_READS_OUT = 38,
    GREETING_PRIVATE_BYTES = 40,
    GREETING_PRIVATE = 44,
    GREETING_BYTES = GREETING_PRIVATE + MBX_PRIVATE_BYTES
};

static void state_set(struct mbx_nic *nic, struct mbx_connection *connection,
                      enum mbx_state state) {
    sim_trace(nic->world, nic->events[MBX_TRACE_CONNECTION], SIM_ACCESS_NONE, &nic->bus.object,
              NULL, NULL, connection->state, state);
    connection->state = state;
}

/* ---- Ends ---- */

static void listener_answered(struct mbx_connection *connection) {
    if (connection->listener != NULL)
        connection->listener->unanswered--;
    connection->listener = NULL;
}

struct ending {
    enum mbx_status status;
    bool tells_peer, tells_driver;
    enum mbx_completion_status first; /* of the requests that are flushed */
    const uint8_t *private_data;
    uint32_t private_bytes;
    bool has_private;
    bool has_request;
    uint32_t request; /* the peer's, whose fault it is */
};

static void peer_tell(struct mbx_nic *nic, const struct mbx_connection *connection,
                      const struct ending *ending) {
    uint8_t reset[MBX_RESET_PRIVATE_AT + MBX_PRIVATE_BYTES] = {0};

    reset[0] = ending->status == MBX_REFUSED ? MBX_REFUSED : MBX_ABORTED;
    reset[1] = ending->has_private;
    reset[2] = ending->has_request;
    wire_put_u32(reset + MBX_RESET_REQUEST_AT, ending->request);
    if (ending->private_bytes > 0)
        memcpy(reset + MBX_RESET_PRIVATE_AT, ending->private_data, ending->private_bytes);
    mbx_ghost_reset(nic, connection, reset, MBX_RESET_PRIVATE_AT + ending->private_bytes);
}

static void driver_tell(struct mbx_nic *nic, const struct mbx_connection *connection,
                        enum mbx_state state, const struct ending *ending) {
    struct mbx_event event = {.object = connection->number, .status = ending->status};

    switch (state) {
    case MBX_CONNECTING:
        event.type = MBX_EVENT_REPLY;
        event.body.request.has_private = ending->has_private;
        event.body.request.private_bytes = ending->private_bytes;
        if (ending->private_bytes > 0)
            memcpy(event.body.request.private_data, ending->private_data, ending->private_bytes);
        break;
    case MBX_CONFIRMING:
    case MBX_ACCEPTING:
        event.type = MBX_EVENT_ESTABLISHED;
        break;
    default:
        event.type = connection->wants_disconnect ? MBX_EVENT_DISCONNECTED : MBX_EVENT_LOST;
        break;
    }
    mbx_event_push(nic, &event);
}

/* Out of conversation. A QP that was never connected keeps what was posted to it. */
static void leave(struct mbx_nic *nic, struct mbx_connection *connection,
                  enum mbx_completion_status first) {
    struct mbx_qp *qp = connection->qp;
    bool was_open = connection->state == MBX_OPEN;

    mbx_table_remove(&nic->wires, connection->wire);
    connection->wire = connection->peer_wire = 0;
    mbx_stream_drop(nic, connection);
    mbx_reads_drop(nic, connection);
    sim_event_cancel(nic->world, &connection->deadline);
    listener_answered(connection);
    state_set(nic, connection, connection->state == MBX_CONNECTING ? MBX_IDLE : MBX_ENDED);
    connection->qp = NULL;
    if (qp != NULL) {
        qp->connection = NULL;
        if (was_open)
            mbx_qp_flush(nic, qp, first);
    }
}

static void end(struct mbx_nic *nic, struct mbx_connection *connection,
                const struct ending *ending) {
    enum mbx_state state = connection->state;

    if (connection->wire == 0)
        return;
    sim_trace(nic->world, nic->events[MBX_TRACE_RESET], SIM_ACCESS_NONE, &nic->bus.object, NULL,
              NULL, state, ending->status);
    if (ending->tells_peer)
        peer_tell(nic, connection, ending);
    leave(nic, connection, ending->first);
    if (ending->tells_driver)
        driver_tell(nic, connection, state, ending);
}

void mbx_connection_end(struct mbx_nic *nic, struct mbx_connection *connection,
                        enum mbx_status status, bool tell_peer) {
    end(nic, connection,
        &(struct ending){.status = status,
                         .tells_peer = tell_peer,
                         .tells_driver = true,
                         .first = status == MBX_TIMED_OUT ? MBX_PEER_LOST : MBX_PEER_ABORTED});
}

void mbx_connection_blame(struct mbx_nic *nic, struct mbx_connection *connection,
                          uint32_t request) {
    end(nic, connection,
        &(struct ending){.status = MBX_ABORTED,
                         .tells_peer = true,
                         .tells_driver = true,
                         .first = MBX_FLUSHED,
                         .has_request = true,
                         .request = request});
}

void mbx_on_reset(struct mbx_nic *nic, struct mbx_connection *connection,
                  const struct mbx_packet *packet) {
    struct ending ending = {.status = MBX_ABORTED, .tells_driver = true, .first = MBX_PEER_ABORTED};

    mbx_packet_reply(nic, &packet->mac, MBX_PACKET_RESET_ACK, packet->from, packet->to, 0, NULL, 0);
    if (packet->bytes < MBX_RESET_PRIVATE_AT)
        return;
    if (packet->payload[0] == MBX_REFUSED || connection->state == MBX_CONNECTING)
        ending.status = connection->state == MBX_CONNECTING ? MBX_REFUSED : MBX_ABORTED;
    ending.has_private = packet->payload[1];
    ending.private_data = packet->payload + MBX_RESET_PRIVATE_AT;
    ending.private_bytes = packet->bytes - MBX_RESET_PRIVATE_AT;
    if (ending.private_bytes > MBX_PRIVATE_BYTES)
        ending.private_bytes = MBX_PRIVATE_BYTES;
    if (packet->payload[2] != 0 && connection->state == MBX_OPEN)
        mbx_qp_fail(nic, connection->qp, wire_get_u32(packet->payload + MBX_RESET_REQUEST_AT),
                    MBX_REMOTE);
    end(nic, connection, &ending);
}

static void deadline_deliver(struct sim_world *world, struct sim_event *event) {
    struct mbx_connection *connection = SIM_CONTAINER_OF(event, struct mbx_connection, deadline);

    (void)world;
    mbx_connection_end(connection->nic, connection, MBX_TIMED_OUT, true);
}

static void deadline_set(struct mbx_nic *nic, struct mbx_connection *connection) {
    sim_event_cancel(nic->world, &connection->deadline);
    sim_event_schedule(nic->world, &connection->deadline, mbx_setting(nic, MBX_SETTING_PATIENCE));
}

/* ---- Establishment ---- */

static struct mbx_connection *connection_new(struct mbx_nic *nic) {
    struct mbx_connection *connection = sim_alloc(nic->world, sizeof(*connection));

    connection->nic = nic;
    connection->reads_last = &connection->reads_first;
    mbx_stream_init(connection);
    sim_event_init(&connection->deadline, "deadline", &nic->bus.object, deadline_deliver);
    connection->number = mbx_table_add(nic, &nic->connections, connection);
    if (connection->number != 0)
        return connection;
    sim_free(nic->world, connection, sizeof(*connection));
    return NULL;
}

static void connection_free(struct mbx_nic *nic, struct mbx_connection *connection) {
    mbx_table_remove(&nic->connections, connection->number);
    sim_free(nic->world, connection, sizeof(*connection));
}

enum mbx_status mbx_connection_create(struct mbx_nic *nic, uint32_t *number) {
    struct mbx_connection *connection = connection_new(nic);

    *number = connection != NULL ? connection->number : 0;
    return connection != NULL ? MBX_OK : MBX_NO_RESOURCES;
}

void mbx_connection_close(struct mbx_nic *nic, struct mbx_connection *connection) {
    end(nic, connection,
        &(struct ending){.status = connection->state == MBX_REQUESTED ? MBX_REFUSED : MBX_ABORTED,
                         .tells_peer = true,
                         .first = MBX_FLUSHED});
    connection_free(nic, connection);
}

/* A QP for a connection that is to be; what it holds already waits until it is open. */
static enum mbx_status qp_tie(struct mbx_nic *nic, struct mbx_connection *connection,
                              uint32_t number) {
    struct mbx_qp *qp = mbx_table_find(&nic->qps, number);

    if (qp == NULL)
        return MBX_BAD_OBJECT;
    if (qp->connection != NULL || qp->is_failed || qp->is_silent)
        return MBX_BAD_STATE;
    qp->connection = connection;
    connection->qp = qp;
    return MBX_OK;
}

static void greeting_send(struct mbx_nic *nic, struct mbx_connection *connection,
                          enum mbx_packet_type type, const struct mbx_connect_body *body) {
    uint8_t payload[GREETING_BYTES] = {0};

    memcpy(payload + GREETING_FROM, connection->local.ip, 16);
    memcpy(payload + GREETING_TO, connection->peer.ip, 16);
    wire_put_u16(payload + GREETING_FROM_PORT, connection->local.port);
    wire_put_u16(payload + GREETING_TO_PORT, connection->peer.port);
    wire_put_u16(payload + GREETING_READS_IN, (uint16_t)connection->reads_in);
    wire_put_u16(payload + GREETING_READS_OUT, (uint16_t)connection->reads_out);
    wire_put_u32(payload + GREETING_PRIVATE_BYTES, body->private_bytes);
    memcpy(payload + GREETING_PRIVATE, body->private_data, body->private_bytes);
    mbx_stream_send(nic, connection, type, payload, GREETING_PRIVATE + body->private_bytes);
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Checks what a CONNECT names, and where it leads. */
static enum mbx_status connect_check(struct mbx_nic *nic, struct mbx_connection *connection,
                                     const struct mbx_connect_body *body) {
    struct wire_ip_addr ip = mbx_ip_of(&body->peer);
    struct net_neighbour neighbour;
    enum mbx_status status;

    if (connection->state != MBX_IDLE || body->private_bytes > MBX_PRIVATE_BYTES)
        return MBX_BAD_STATE;
    if (!mbx_is_own(nic, &body->local))
        return MBX_ADDRESS_NOT_OWN;
    connection->holds_port = false; /* of an earlier try */
    connection->local = body->local;
    connection->peer = body->peer;
    status = mbx_port_take(nic, &connection->local);
    if (status != MBX_OK)
        return status;
    if (!net_neighbour_find(&nic->port, &ip, &neighbour) ||
        (neighbour.port == &nic->port && body->is_loopback_off))
        return MBX_UNREACHABLE;
    connection->peer_mac = neighbour.mac;
    return MBX_OK;
}

enum mbx_status mbx_connect(struct mbx_nic *nic, struct mbx_connection *connection,
                            const struct mbx_connect_body *body, uint32_t *port) {
    enum mbx_status status = connect_check(nic, connection, body);

    if (status == MBX_OK)
        status = qp_tie(nic, connection, body->qp);
    if (status != MBX_OK)
        return status;
    connection->wire = mbx_table_add(nic, &nic->wires, connection);
    if (connection->wire == 0) {
        connection->qp->connection = NULL;
        connection->qp = NULL;
        return MBX_NO_RESOURCES;
    }
    connection->holds_port = true;
    connection->busy_retries = body->busy_retries;
    connection->reads_in = least(body->reads_in, MBX_READS_MAX);
    connection->reads_out = least(body->reads_out, MBX_READS_MAX);
    mbx_stream_init(connection);
    state_set(nic, connection, MBX_CONNECTING);
    deadline_set(nic, connection);
    greeting_send(nic, connection, MBX_PACKET_CONNECT, body);
    *port = connection->local.port;
    return MBX_OK;
}

enum mbx_status mbx_accept(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_connect_body *body) {
    enum mbx_status status;

    if (connection->state == MBX_ENDED)
        return MBX_ABORTED;
    if (connection->state != MBX_REQUESTED || body->private_bytes > MBX_PRIVATE_BYTES)
        return MBX_BAD_STATE;
    status = qp_tie(nic, connection, body->qp);
    if (status != MBX_OK)
        return status;
    listener_answered(connection);
    connection->busy_retries = body->busy_retries;
    connection->reads_in = least(body->reads_in, connection->reads_in);
    connection->reads_out = least(body->reads_out, connection->reads_out);
    state_set(nic, connection, MBX_ACCEPTING);
    deadline_set(nic, connection);
    greeting_send(nic, connection, MBX_PACKET_ACCEPT, body);
    return MBX_OK;
}

enum mbx_status mbx_confirm(struct mbx_nic *nic, struct mbx_connection *connection) {
    if (connection->state == MBX_ENDED)
        return MBX_ABORTED;
    if (connection->state != MBX_REPLIED)
        return MBX_BAD_STATE;
    state_set(nic, connection, MBX_CONFIRMING);
    mbx_stream_send(nic, connection, MBX_PACKET_CONFIRM, NULL, 0);
    return MBX_OK;
}

enum mbx_status mbx_reject(struct mbx_nic *nic, struct mbx_connection *connection,
                           const struct mbx_connect_body *body) {
    if (connection->state == MBX_ENDED)
        return MBX_ABORTED;
    if (connection->state != MBX_REQUESTED && connection->state != MBX_REPLIED)
        return MBX_BAD_STATE;
    if (body->private_bytes > MBX_PRIVATE_BYTES)
        return MBX_BAD_COMMAND;
    end(nic, connection,
        &(struct ending){.status = MBX_REFUSED,
                         .tells_peer = true,
                         .has_private = true,
                         .private_data = body->private_data,
                         .private_bytes = body->private_bytes});
    return MBX_OK;
}

/* ---- What the wire brings ---- */

static struct mbx_connection *connection_of_peer(const struct mbx_nic *nic,
                                                 const struct mbx_packet *packet) {
    struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((connection = mbx_table_next(&nic->wires, &slot)) != NULL)
        if (connection->is_passive && connection->peer_wire == packet->from &&
            memcmp(connection->peer_mac.bytes, packet->mac.bytes, sizeof(packet->mac.bytes)) == 0)
            return connection;
    return NULL;
}

/* Who asks anew from an address and port has forgotten what it had there. */
static void forget_forgotten(struct mbx_nic *nic, const struct mbx_address *local,
                             const struct mbx_address *peer) {
    struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((connection = mbx_table_next(&nic->wires, &slot)) != NULL)
        if (connection->is_passive && connection->peer.port == peer->port &&
            connection->local.port == local->port &&
            memcmp(connection->peer.ip, peer->ip, sizeof(peer->ip)) == 0 &&
            memcmp(connection->local.ip, local->ip, sizeof(local->ip)) == 0)
            mbx_connection_end(nic, connection, MBX_ABORTED, false);
}

static bool greeting_decode(const struct mbx_packet *packet, struct mbx_request_body *request) {
    const uint8_t *in = packet->payload;

    memset(request, 0, sizeof(*request));
    if (packet->bytes < GREETING_PRIVATE)
        return false;
    memcpy(request->peer.ip, in + GREETING_FROM, sizeof(request->peer.ip));
    memcpy(request->local.ip, in + GREETING_TO, sizeof(request->local.ip));
    request->peer.port = wire_get_u16(in + GREETING_FROM_PORT);
    request->local.port = wire_get_u16(in + GREETING_TO_PORT);
    request->reads_out = wire_get_u16(in + GREETING_READS_IN);
    request->reads_in = wire_get_u16(in + GREETING_READS_OUT);
    request->private_bytes = wire_get_u32(in + GREETING_PRIVATE_BYTES);
    request->has_private = 1;
    if (request->private_bytes > MBX_PRIVATE_BYTES ||
        request->private_bytes > packet->bytes - (uint32_t)GREETING_PRIVATE)
        return false;
    memcpy(request->private_data, in + GREETING_PRIVATE, request->private_bytes);
    return true;
}

static struct mbx_connection *connection_born(struct mbx_nic *nic, struct mbx_listener *listener,
                                              const struct mbx_packet *packet,
                                              const struct mbx_request_body *request) {
    struct mbx_connection *connection = connection_new(nic);

    if (connection == NULL)
        return NULL;
    connection->wire = mbx_table_add(nic, &nic->wires, connection);
    if (connection->wire == 0) {
        connection_free(nic, connection);
        return NULL;
    }
    connection->state = MBX_REQUESTED;
    connection->is_passive = true;
    connection->listener = listener;
    connection->peer_wire = packet->from;
    connection->peer_mac = packet->mac;
    connection->local = request->local;
    connection->peer = request->peer;
    connection->reads_in = least(request->reads_in, MBX_READS_MAX);
    connection->reads_out = least(request->reads_out, MBX_READS_MAX);
    connection->stream.expected = packet->sequence + 1;
    listener->unanswered++;
    return connection;
}

void mbx_on_connect(struct mbx_nic *nic, const struct mbx_packet *packet) {
    struct mbx_connection *connection = connection_of_peer(nic, packet);
    struct mbx_event event = {.type = MBX_EVENT_REQUEST};
    struct mbx_request_body *request = &event.body.request;
    struct mbx_listener *listener;

    if (connection == NULL && mbx_ghost_find(nic, packet) != NULL) {
        mbx_on_stray(nic, packet);
        return;
    }
    if (connection == NULL) {
        if (!greeting_decode(packet, request))
            return;
        forget_forgotten(nic, &request->local, &request->peer);
        listener = mbx_listener_find(nic, &request->local);
        if (listener != NULL && listener->unanswered < listener->backlog)
            connection = connection_born(nic, listener, packet, request);
        if (connection == NULL) {
            mbx_refuse(nic, packet, MBX_REFUSED);
            return;
        }
        request->reads_in = (uint16_t)connection->reads_in;
        request->reads_out = (uint16_t)connection->reads_out;
        request->listener = listener->number;
        event.object = connection->number;
        mbx_event_push(nic, &event);
    }
    mbx_packet_reply(nic, &packet->mac, MBX_PACKET_ACK, packet->from, connection->wire,
                     connection->stream.expected, NULL, 0);
}

static void on_accept(struct mbx_nic *nic, struct mbx_connection *connection,
                      const struct mbx_packet *packet) {
    struct mbx_event event = {.type = MBX_EVENT_REPLY, .object = connection->number};

    if (connection->state != MBX_CONNECTING || !greeting_decode(packet, &event.body.request))
        return;
    connection->reads_in = least(connection->reads_in, event.body.request.reads_in);
    connection->reads_out = least(connection->reads_out, event.body.request.reads_out);
    event.body.request.reads_in = (uint16_t)connection->reads_in;
    event.body.request.reads_out = (uint16_t)connection->reads_out;
    sim_event_cancel(nic->world, &connection->deadline);
    state_set(nic, connection, MBX_REPLIED);
    mbx_event_push(nic, &event);
}

static void opened(struct mbx_nic *nic, struct mbx_connection *connection) {
    sim_event_cancel(nic->world, &connection->deadline);
    state_set(nic, connection, MBX_OPEN);
    mbx_event_simple(nic, MBX_EVENT_ESTABLISHED, connection->number, MBX_OK);
    mbx_pump(nic, connection);
}

void mbx_on_packet(struct mbx_nic *nic, struct mbx_connection *connection,
                   const struct mbx_packet *packet) {
    switch (packet->type) {
    case MBX_PACKET_ACCEPT:
        on_accept(nic, connection, packet);
        break;
    case MBX_PACKET_CONFIRM:
        if (connection->state == MBX_ACCEPTING)
            opened(nic, connection);
        break;
    case MBX_PACKET_DISCONNECT:
        connection->peer_has_disconnected = true;
        if (!connection->wants_disconnect)
            mbx_event_simple(nic, MBX_EVENT_PEER_DONE, connection->number, MBX_OK);
        mbx_disconnect_step(nic, connection);
        break;
    default:
        break;
    }
}

void mbx_on_acknowledged(struct mbx_nic *nic, struct mbx_connection *connection) {
    if (connection->state == MBX_CONFIRMING &&
        connection->stream.acknowledged == connection->stream.next)
        opened(nic, connection);
    if (connection->qp != NULL)
        mbx_qp_retire(nic, connection->qp);
    if (connection->wire != 0 && connection->state == MBX_OPEN)
        mbx_pump(nic, connection);
}

/* ---- The graceful end ---- */

enum mbx_status mbx_disconnect(struct mbx_nic *nic, struct mbx_connection *connection) {
    if (connection->state == MBX_ENDED)
        return MBX_ABORTED;
    if (connection->state != MBX_OPEN || connection->wants_disconnect)
        return MBX_BAD_STATE;
    connection->wants_disconnect = true;
    deadline_set(nic, connection);
    mbx_disconnect_step(nic, connection);
    return MBX_OK;
}

void mbx_disconnect_step(struct mbx_nic *nic, struct mbx_connection *connection) {
    const struct mbx_qp *qp = connection->qp;
    const struct mbx_stream *stream = &connection->stream;

    if (connection->state != MBX_OPEN || !connection->wants_disconnect)
        return;
    if (!connection->has_disconnected && connection->reads_first == NULL &&
        (qp->is_failed || qp->finished.sent == qp->send_tail)) {
        connection->has_disconnected = true;
        mbx_stream_send(nic, connection, MBX_PACKET_DISCONNECT, NULL, 0);
    }
    if (!connection->has_disconnected || !connection->peer_has_disconnected ||
        stream->acknowledged != stream->next)
        return;
    mbx_ghost_make(nic, connection);
    mbx_packet_reply(nic, &connection->peer_mac, MBX_PACKET_ACK, connection->peer_wire,
                     connection->wire, stream->expected, NULL, 0);
    leave(nic, connection, MBX_FLUSHED);
    mbx_event_simple(nic, MBX_EVENT_DISCONNECTED, connection->number, MBX_OK);
}
