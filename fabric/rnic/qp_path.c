/* SPDX-License-Identifier: Apache-2.0 */
/* From an address vector to the bytes below BTH. */
#include <string.h>

#include <wire/timers.h>

#include "device.h"
#include "qp.h"

#define HOP_LIMIT_DEFAULT 64u

enum rnic_status rnic_path_fill(struct rnic_device *device,
                                const struct rnic_address_vector *vector, uint16_t udp_src_port,
                                struct wire_roce_path *path) {
    if (vector->address_index >= device->config.address_count_max)
        return RNIC_STATUS_BAD_PARAMETER;
    const struct rnic_address *source = &device->addresses[vector->address_index];
    if (source->valid == 0)
        return RNIC_STATUS_NO_ROUTE;
    memset(path, 0, sizeof *path);
    memcpy(path->src.bytes, source->ip, sizeof path->src.bytes);
    memcpy(path->dst.bytes, vector->dst_ip, sizeof path->dst.bytes);
    if (wire_ip_addr_is_v4(&path->src) != wire_ip_addr_is_v4(&path->dst))
        return RNIC_STATUS_BAD_PARAMETER;
    memcpy(path->src_mac.bytes, source->mac, sizeof path->src_mac.bytes);
    struct rnic_neighbour neighbour;
    memset(&neighbour, 0, sizeof neighbour);
    memcpy(neighbour.ip, vector->dst_ip, sizeof neighbour.ip);
    if ((vector->flags & RNIC_AV_MAC_GIVEN) != 0) {
        memcpy(neighbour.mac, vector->dst_mac, sizeof neighbour.mac);
        neighbour.vlan_id = vector->vlan_id;
        neighbour.tagged = (vector->flags & RNIC_AV_TAGGED) != 0;
    } else if (!rnic_neighbour_resolve(device, &neighbour)) {
        return RNIC_STATUS_NO_ROUTE;
    }
    memcpy(path->dst_mac.bytes, neighbour.mac, sizeof path->dst_mac.bytes);
    path->tagged = neighbour.tagged != 0;
    path->vlan_id = neighbour.vlan_id;
    path->priority = vector->priority & 7;
    path->udp_src_port = vector->udp_src_port != 0 ? vector->udp_src_port : udp_src_port;
    path->flow_label = vector->flow_label & 0xFFFFF;
    path->dscp = vector->dscp & 0x3F;
    path->ecn = vector->ecn & 3;
    path->hop_limit = vector->hop_limit != 0 ? vector->hop_limit : HOP_LIMIT_DEFAULT;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_qp_path_open(struct rnic_qp *qp,
                                   const struct rnic_qp_attributes *attributes) {
    struct wire_roce_path path;
    uint32_t entropy = qp->number * 31u + attributes->dest_qpn;
    uint16_t port = (uint16_t)(WIRE_UDP_ROCE_SRC_PORT_MIN | (entropy & 0x3FFF));
    enum rnic_status status = rnic_path_fill(qp->device, &attributes->address, port, &path);
    if (status != RNIC_STATUS_OK)
        return status;
    wire_roce_template_init(&qp->templ, &path);
    qp->local_ip = path.src;
    qp->mtu_bytes = wire_mtu_bytes(attributes->path_mtu);
    return RNIC_STATUS_OK;
}
