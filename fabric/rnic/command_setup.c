/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about the device as a whole: bring-up, capabilities, addresses, counters. */
#include "command.h"
#include "device.h"

enum rnic_status rnic_command_init(struct rnic_call *call) {
    struct rnic_firmware *firmware = &call->device->firmware;
    if (firmware->is_init)
        return RNIC_STATUS_BAD_STATE;
    firmware->is_init = true;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_teardown(struct rnic_call *call) {
    struct rnic_census census = rnic_device_census(call->device);
    if (census.qps + census.cqs + census.eqs + census.srqs + census.pds + census.mkeys != 0)
        return RNIC_STATUS_BUSY;
    call->device->firmware.is_init = false;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_query_caps(struct rnic_call *call) {
    const struct rnic_config *c = &call->device->config;
    call->out.caps = (struct rnic_caps){
        .flags = c->cap_flags,
        .qp_count_max = c->qp_count_max,
        .cq_count_max = c->cq_count_max,
        .eq_count_max = c->eq_count_max,
        .srq_count_max = c->srq_count_max,
        .pd_count_max = c->pd_count_max,
        .mkey_count_max = c->mkey_count_max,
        .address_count_max = c->address_count_max,
        .neighbour_count_max = c->neighbour_count_max,
        .sq_entry_count_max = c->sq_entry_count_max,
        .rq_entry_count_max = c->rq_entry_count_max,
        .srq_entry_count_max = c->srq_entry_count_max,
        .cq_entry_count_max = c->cq_entry_count_max,
        .eq_entry_count_max = c->eq_entry_count_max,
        .sge_count_max = c->sge_count_max,
        .read_sge_count_max = c->read_sge_count_max,
        .inline_bytes_max = c->inline_bytes_max,
        .mkey_page_count_max = c->mkey_page_count_max,
        .fast_reg_page_count_max = c->fast_reg_page_count_max,
        .message_bytes_max = c->message_bytes_max,
        .reads_out_max = (uint16_t)c->reads_out_max,
        .reads_in_max = (uint16_t)c->reads_in_max,
        .reads_out_total_max = (uint16_t)c->reads_out_total_max,
        .reads_in_total_max = (uint16_t)c->reads_in_total_max,
        .vector_count = c->vector_count,
        .path_mtu_max = c->path_mtu_max,
        .port_count = 1,
        .ack_delay = c->ack_delay,
        .mkey_bytes_max = (uint64_t)c->mkey_page_count_max * RNIC_PAGE_BYTES,
    };
    return RNIC_STATUS_OK;
}

/* Writes its output itself: it is longer than any other. */
static void wire_counters_fill(struct rnic_device *device) {
    const struct net_port_statistics *port = &device->port.statistics;
    device->counters[rnic_counter_slot(RNIC_COUNTER_WIRE_FRAMES_OUT)] = port->frames_out;
    device->counters[rnic_counter_slot(RNIC_COUNTER_WIRE_BYTES_OUT)] = port->bytes_out;
    device->counters[rnic_counter_slot(RNIC_COUNTER_WIRE_FRAMES_IN)] = port->frames_in;
    device->counters[rnic_counter_slot(RNIC_COUNTER_WIRE_BYTES_IN)] = port->bytes_in;
}

enum rnic_status rnic_command_query_counters(struct rnic_call *call) {
    struct rnic_device *device = call->device;
    wire_counters_fill(device);
    const struct rnic_command *command = call->command;
    if (command->argument[0] >= RNIC_COUNTER_COUNT)
        return RNIC_STATUS_BAD_PARAMETER;
    uint32_t first = (uint32_t)command->argument[0];
    uint32_t fit = command->out_bytes / (uint32_t)sizeof(uint64_t);
    uint32_t count = RNIC_COUNTER_COUNT - first < fit ? RNIC_COUNTER_COUNT - first : fit;
    uint64_t values[RNIC_COUNTER_COUNT];
    for (uint32_t i = 0; i < count; i++)
        values[i] = rnic_device_counter(device, first + i);
    bool written = rnic_dma_write(device, command->out_address, values, count * sizeof values[0]);
    return written ? RNIC_STATUS_OK : RNIC_STATUS_DMA_ERROR;
}

static struct rnic_address *address_at(struct rnic_call *call) {
    uint32_t index = call->command->number;
    return index < call->device->config.address_count_max ? &call->device->addresses[index] : NULL;
}

enum rnic_status rnic_command_set_address(struct rnic_call *call) {
    struct rnic_address *address = address_at(call);
    if (address == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    *address = call->in.address;
    uint32_t mac_bits = 0;
    for (uint32_t i = 0; i < sizeof address->mac; i++)
        mac_bits |= address->mac[i];
    for (uint32_t i = 0; i < sizeof address->mac && mac_bits == 0; i++)
        address->mac[i] = call->device->port.mac.bytes[i];
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_query_address(struct rnic_call *call) {
    const struct rnic_address *address = address_at(call);
    if (address == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    call->out.address = *address;
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_set_neighbour(struct rnic_call *call) {
    return rnic_neighbour_set(call->device, &call->in.neighbour);
}

enum rnic_status rnic_command_resolve_neighbour(struct rnic_call *call) {
    call->out.neighbour = call->in.neighbour;
    bool found = rnic_neighbour_resolve(call->device, &call->out.neighbour);
    return found ? RNIC_STATUS_OK : RNIC_STATUS_NO_ROUTE;
}
