/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source addresses and neighbours. Both tables belong to the driver; what the topology knows stands
 * behind them, so that a driver that sets nothing has the port's addresses and finds every peer.
 */
#include <string.h>

#include <net/topology.h>
#include <sim/memory.h>

#include "device.h"

#define NEIGHBOURS_FIRST 4u

void rnic_addresses_init(struct rnic_device *device) {
    const struct rnic_config *config = &device->config;
    device->addresses =
        sim_alloc(device->world, config->address_count_max * sizeof *device->addresses);
}

void rnic_addresses_reset(struct rnic_device *device) {
    const struct rnic_config *config = &device->config;
    memset(device->addresses, 0, config->address_count_max * sizeof *device->addresses);
    if (device->neighbour_capacity != 0)
        memset(device->neighbours, 0, device->neighbour_capacity * sizeof *device->neighbours);
}

void rnic_addresses_load(struct rnic_device *device) {
    const struct wire_ip_addr *ip;
    for (uint32_t i = 0; i < device->config.address_count_max; i++) {
        ip = net_port_address_at(&device->port, i);
        if (ip == NULL)
            return;
        struct rnic_address *address = &device->addresses[i];
        memcpy(address->ip, ip->bytes, sizeof address->ip);
        memcpy(address->mac, device->port.mac.bytes, sizeof address->mac);
        address->valid = 1;
    }
}

static struct rnic_neighbour *neighbour_find(struct rnic_device *device, const uint8_t *ip) {
    for (uint32_t i = 0; i < device->neighbour_capacity; i++) {
        struct rnic_neighbour *entry = &device->neighbours[i];
        if (entry->valid != 0 && memcmp(entry->ip, ip, sizeof entry->ip) == 0)
            return entry;
    }
    return NULL;
}

/* NULL: as many as there may be. */
static struct rnic_neighbour *neighbour_new(struct rnic_device *device) {
    uint32_t old = device->neighbour_capacity;
    uint32_t most = device->config.neighbour_count_max;
    for (uint32_t i = 0; i < old; i++)
        if (device->neighbours[i].valid == 0)
            return &device->neighbours[i];
    if (old == most)
        return NULL;
    uint32_t capacity = old == 0 ? NEIGHBOURS_FIRST : 2 * old;
    capacity = capacity < most ? capacity : most;
    struct rnic_neighbour *grown = sim_alloc(device->world, capacity * sizeof *grown);
    if (old != 0)
        memcpy(grown, device->neighbours, old * sizeof *grown);
    sim_free(device->world, device->neighbours, old * sizeof *grown);
    device->neighbours = grown;
    device->neighbour_capacity = capacity;
    return &grown[old];
}

enum rnic_status rnic_neighbour_set(struct rnic_device *device,
                                    const struct rnic_neighbour *neighbour) {
    struct rnic_neighbour *entry = neighbour_find(device, neighbour->ip);
    if (neighbour->valid == 0) {
        if (entry != NULL)
            entry->valid = 0;
        return RNIC_STATUS_OK;
    }
    if (entry == NULL)
        entry = neighbour_new(device);
    if (entry == NULL)
        return RNIC_STATUS_NO_RESOURCES;
    *entry = *neighbour;
    return RNIC_STATUS_OK;
}

bool rnic_neighbour_resolve(struct rnic_device *device, struct rnic_neighbour *neighbour) {
    const struct rnic_neighbour *entry = neighbour_find(device, neighbour->ip);
    if (entry != NULL) {
        *neighbour = *entry;
        return true;
    }
    struct wire_ip_addr ip;
    struct net_neighbour found;
    memcpy(ip.bytes, neighbour->ip, sizeof ip.bytes);
    if (!net_neighbour_find(&device->port, &ip, &found))
        return false;
    memcpy(neighbour->mac, found.mac.bytes, sizeof neighbour->mac);
    neighbour->valid = 1;
    return true;
}
