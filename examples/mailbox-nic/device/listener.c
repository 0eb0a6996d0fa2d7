/* SPDX-License-Identifier: Apache-2.0 */
/* Whose an address is, which ports are taken, and who listens where. */
#include "nic.h"

#include <string.h>

#define PORT_LAST 65535u /* of those that are given out, from the last on */
#define PORT_COUNT 16384u

/* ---- Addresses and ports ---- */

struct wire_ip_addr mbx_ip_of(const struct mbx_address *address) {
    struct wire_ip_addr ip;

    memcpy(ip.bytes, address->ip, sizeof(ip.bytes));
    return ip;
}

/* The unspecified address of either family. */
static bool is_wildcard(const struct mbx_address *address) {
    static const uint8_t zero[16];
    struct wire_ip_addr ip = mbx_ip_of(address);

    return wire_ip_addr_is_v4(&ip) ? wire_ip_addr_v4(&ip) == 0
                                   : memcmp(ip.bytes, zero, sizeof(zero)) == 0;
}

static bool is_same_family(const struct mbx_address *a, const struct mbx_address *b) {
    struct wire_ip_addr one = mbx_ip_of(a), other = mbx_ip_of(b);

    return wire_ip_addr_is_v4(&one) == wire_ip_addr_is_v4(&other);
}

static bool is_same_ip(const struct mbx_address *a, const struct mbx_address *b) {
    return memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

bool mbx_is_own(const struct mbx_nic *nic, const struct mbx_address *address) {
    struct wire_ip_addr ip = mbx_ip_of(address);
    const struct wire_ip_addr *own;

    for (uint32_t i = 0; (own = net_port_address_at(&nic->port, i)) != NULL; i++)
        if (wire_ip_addr_equal(own, &ip))
            return true;
    return false;
}

static bool covers(const struct mbx_address *listening, const struct mbx_address *address) {
    return is_same_ip(listening, address) ||
           (is_wildcard(listening) && is_same_family(listening, address));
}

static bool is_port_taken(const struct mbx_nic *nic, const struct mbx_address *address,
                          uint16_t port) {
    const struct mbx_listener *listener;
    const struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((listener = mbx_table_next(&nic->listeners, &slot)) != NULL)
        if (listener->local.port == port &&
            (covers(&listener->local, address) || covers(address, &listener->local)))
            return true;
    for (slot = 0; (connection = mbx_table_next(&nic->connections, &slot)) != NULL;)
        if (connection->holds_port && connection->local.port == port &&
            covers(address, &connection->local))
            return true;
    return false;
}

/* Port 0 becomes a free one. */
enum mbx_status mbx_port_take(struct mbx_nic *nic, struct mbx_address *address) {
    if (address->port != 0)
        return is_port_taken(nic, address, address->port) ? MBX_ADDRESS_IN_USE : MBX_OK;
    for (uint32_t i = 0; i < PORT_COUNT; i++) {
        uint16_t port = (uint16_t)(PORT_LAST - nic->port_next++ % PORT_COUNT);

        if (!is_port_taken(nic, address, port)) {
            address->port = port;
            return MBX_OK;
        }
    }
    return MBX_NO_PORT_LEFT;
}

/* ---- Listeners ---- */

enum mbx_status mbx_listen(struct mbx_nic *nic, const struct mbx_listen_body *body,
                           uint32_t *number, uint32_t *port) {
    struct mbx_address local = body->local;
    struct mbx_listener *listener;
    enum mbx_status status;

    if (!is_wildcard(&local) && !mbx_is_own(nic, &local))
        return MBX_ADDRESS_NOT_OWN;
    status = mbx_port_take(nic, &local);
    if (status != MBX_OK)
        return status;
    listener = sim_alloc(nic->world, sizeof(*listener));
    listener->number = mbx_table_add(nic, &nic->listeners, listener);
    if (listener->number == 0) {
        sim_free(nic->world, listener, sizeof(*listener));
        return MBX_NO_RESOURCES;
    }
    listener->local = local;
    listener->backlog = body->backlog;
    *number = listener->number;
    *port = local.port;
    return MBX_OK;
}

void mbx_listener_destroy(struct mbx_nic *nic, struct mbx_listener *listener) {
    struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((connection = mbx_table_next(&nic->connections, &slot)) != NULL)
        if (connection->listener == listener)
            connection->listener = NULL;
    mbx_table_remove(&nic->listeners, listener->number);
    sim_free(nic->world, listener, sizeof(*listener));
}

struct mbx_listener *mbx_listener_find(const struct mbx_nic *nic, const struct mbx_address *local) {
    struct mbx_listener *listener;
    uint32_t slot = 0;

    while ((listener = mbx_table_next(&nic->listeners, &slot)) != NULL)
        if (listener->local.port == local->port && covers(&listener->local, local))
            return listener;
    return NULL;
}
