/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ghosts: what is left of connections. One that ended by our RESET repeats it until the peer has
 * said RESET_ACK; any of them answers the peer's late packets as the connection would have.
 */
#include "nic.h"

#include <string.h>

void mbx_ghost_timer(struct sim_world *world, struct sim_event *event) {
    struct mbx_ghost *ghost = SIM_CONTAINER_OF(event, struct mbx_ghost, timer);
    struct mbx_nic *nic = ghost->nic;

    mbx_packet_reply(nic, &ghost->peer_mac, MBX_PACKET_RESET, ghost->peer_wire, ghost->wire,
                     ghost->received, ghost->reset, ghost->bytes);
    if (ghost->tries < mbx_setting(nic, MBX_SETTING_RETRIES))
        sim_event_schedule(world, &ghost->timer,
                           mbx_setting(nic, MBX_SETTING_RETRY) << ghost->tries++);
}

struct mbx_ghost *mbx_ghost_make(struct mbx_nic *nic, const struct mbx_connection *connection) {
    struct mbx_ghost *ghost = &nic->ghosts[nic->ghost_next++ % MBX_GHOST_COUNT];

    sim_event_cancel(nic->world, &ghost->timer);
    ghost->wire = connection->wire;
    ghost->peer_wire = connection->peer_wire;
    ghost->peer_mac = connection->peer_mac;
    ghost->received = connection->stream.expected;
    ghost->is_reset = false;
    ghost->tries = 0;
    ghost->bytes = 0;
    return ghost;
}

/* The oldest are forgotten first; a peer that is never heard knows nobody to tell. */
void mbx_ghost_reset(struct mbx_nic *nic, const struct mbx_connection *connection,
                     const uint8_t *reset, uint32_t bytes) {
    struct mbx_ghost *ghost = mbx_ghost_make(nic, connection);

    ghost->is_reset = true;
    ghost->bytes = bytes;
    memcpy(ghost->reset, reset, bytes);
    mbx_ghost_timer(nic->world, &ghost->timer);
}

struct mbx_ghost *mbx_ghost_find(struct mbx_nic *nic, const struct mbx_packet *packet) {
    for (uint32_t i = 0; i < MBX_GHOST_COUNT; i++) {
        struct mbx_ghost *ghost = &nic->ghosts[i];
        bool is_it = packet->to != 0 ? ghost->wire == packet->to : ghost->peer_wire == packet->from;

        if (ghost->wire != 0 && is_it &&
            memcmp(ghost->peer_mac.bytes, packet->mac.bytes, sizeof(packet->mac.bytes)) == 0)
            return ghost;
    }
    return NULL;
}

void mbx_refuse(struct mbx_nic *nic, const struct mbx_packet *packet, enum mbx_status status) {
    const uint8_t reset[MBX_RESET_PRIVATE_AT] = {(uint8_t)status};

    mbx_packet_reply(nic, &packet->mac, MBX_PACKET_RESET, packet->from, packet->to, 0, reset,
                     sizeof(reset));
}

void mbx_on_stray(struct mbx_nic *nic, const struct mbx_packet *packet) {
    struct mbx_ghost *ghost = mbx_ghost_find(nic, packet);

    if (packet->type == MBX_PACKET_RESET) {
        mbx_packet_reply(nic, &packet->mac, MBX_PACKET_RESET_ACK, packet->from, packet->to, 0, NULL,
                         0);
    } else if (packet->type == MBX_PACKET_RESET_ACK) {
        if (ghost != NULL)
            sim_event_cancel(nic->world, &ghost->timer);
    } else if (packet->type > MBX_PACKET_DISCONNECT) {
        return; /* asks for nothing */
    } else if (ghost == NULL) {
        mbx_refuse(nic, packet, MBX_ABORTED);
    } else if (ghost->is_reset) {
        mbx_packet_reply(nic, &packet->mac, MBX_PACKET_RESET, packet->from, ghost->wire,
                         ghost->received, ghost->reset, ghost->bytes);
    } else {
        mbx_packet_reply(nic, &packet->mac, MBX_PACKET_ACK, packet->from, ghost->wire,
                         ghost->received, NULL, 0);
    }
}
