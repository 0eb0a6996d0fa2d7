/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <string.h>

#include "device.h"

#define IN(member) sizeof(((struct rnic_call *)0)->in.member)
#define OUT(member) sizeof(((struct rnic_call *)0)->out.member)

struct entry {
    const char *name;
    enum rnic_status (*run)(struct rnic_call *call);
    uint16_t in_bytes;
    uint16_t out_bytes;
    bool before_init;
};

static enum rnic_status nop(struct rnic_call *call) {
    (void)call;
    return RNIC_STATUS_OK;
}

/* clang-format off */
static const struct entry entries[] = {
    [RNIC_CMD_NOP] = {"NOP", nop, 0, 0, true},
    [RNIC_CMD_INIT] = {"INIT", rnic_command_init, 0, 0, true},
    [RNIC_CMD_TEARDOWN] = {"TEARDOWN", rnic_command_teardown, 0, 0, false},
    [RNIC_CMD_QUERY_CAPS] = {"QUERY_CAPS", rnic_command_query_caps, 0, OUT(caps), true},
    [RNIC_CMD_SET_ADDRESS] = {"SET_ADDRESS", rnic_command_set_address, IN(address), 0, false},
    [RNIC_CMD_QUERY_ADDRESS] =
        {"QUERY_ADDRESS", rnic_command_query_address, 0, OUT(address), true},
    [RNIC_CMD_SET_NEIGHBOUR] =
        {"SET_NEIGHBOUR", rnic_command_set_neighbour, IN(neighbour), 0, false},
    [RNIC_CMD_RESOLVE_NEIGHBOUR] = {"RESOLVE_NEIGHBOUR", rnic_command_resolve_neighbour,
                                    IN(neighbour), OUT(neighbour), true},
    [RNIC_CMD_CREATE_EQ] = {"CREATE_EQ", rnic_command_create_eq, IN(eq_create), 0, false},
    [RNIC_CMD_DESTROY_EQ] = {"DESTROY_EQ", rnic_command_destroy_eq, 0, 0, false},
    [RNIC_CMD_CREATE_CQ] = {"CREATE_CQ", rnic_command_create_cq, IN(cq_create), 0, false},
    [RNIC_CMD_DESTROY_CQ] = {"DESTROY_CQ", rnic_command_destroy_cq, 0, 0, false},
    [RNIC_CMD_RESIZE_CQ] =
        {"RESIZE_CQ", rnic_command_resize_cq, IN(cq_resize), OUT(cq_resized), false},
    [RNIC_CMD_MODERATE_CQ] = {"MODERATE_CQ", rnic_command_moderate_cq, 0, 0, false},
    [RNIC_CMD_QUERY_CQ] = {"QUERY_CQ", rnic_command_query_cq, 0, OUT(cq_info), false},
    [RNIC_CMD_CREATE_PD] = {"CREATE_PD", rnic_command_create_pd, 0, 0, false},
    [RNIC_CMD_DESTROY_PD] = {"DESTROY_PD", rnic_command_destroy_pd, 0, 0, false},
    [RNIC_CMD_CREATE_MKEY] = {"CREATE_MKEY", rnic_command_create_mkey, IN(mkey_create), 0, false},
    [RNIC_CMD_DESTROY_MKEY] = {"DESTROY_MKEY", rnic_command_destroy_mkey, 0, 0, false},
    [RNIC_CMD_QUERY_MKEY] = {"QUERY_MKEY", rnic_command_query_mkey, 0, OUT(mkey_info), false},
    [RNIC_CMD_CREATE_QP] = {"CREATE_QP", rnic_command_create_qp, IN(qp_create), 0, false},
    [RNIC_CMD_DESTROY_QP] = {"DESTROY_QP", rnic_command_destroy_qp, 0, 0, false},
    [RNIC_CMD_MODIFY_QP] = {"MODIFY_QP", rnic_command_modify_qp, IN(qp_attributes), 0, false},
    [RNIC_CMD_QUERY_QP] = {"QUERY_QP", rnic_command_query_qp, 0, OUT(qp_info), false},
    [RNIC_CMD_CREATE_SRQ] = {"CREATE_SRQ", rnic_command_create_srq, IN(srq_create), 0, false},
    [RNIC_CMD_DESTROY_SRQ] = {"DESTROY_SRQ", rnic_command_destroy_srq, 0, 0, false},
    [RNIC_CMD_MODIFY_SRQ] =
        {"MODIFY_SRQ", rnic_command_modify_srq, IN(srq_modify), OUT(srq_info), false},
    [RNIC_CMD_QUERY_SRQ] = {"QUERY_SRQ", rnic_command_query_srq, 0, OUT(srq_info), false},
    [RNIC_CMD_QUERY_COUNTERS] = {"QUERY_COUNTERS", rnic_command_query_counters, 0, 0, true},
};
/* clang-format on */

static const struct entry *find(uint32_t opcode) {
    bool known = opcode < SIM_ARRAY_COUNT(entries) && entries[opcode].run != NULL;
    return known ? &entries[opcode] : NULL;
}

const char *rnic_command_name(uint32_t opcode) {
    const struct entry *entry = find(opcode);
    return entry != NULL ? entry->name : "?";
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static enum rnic_status run(struct rnic_device *device, struct rnic_command *command) {
    const struct entry *entry = find(command->opcode);
    if (entry == NULL)
        return RNIC_STATUS_BAD_OPCODE;
    if (!rnic_device_is_ready(device) || (!entry->before_init && !device->firmware.is_init))
        return RNIC_STATUS_NOT_READY;
    if (rnic_fault_hit(device, RNIC_FAULT_COMMAND_FAIL, &device->bus.object, NULL))
        return RNIC_STATUS_INTERNAL;
    struct rnic_call call;
    memset(&call, 0, sizeof call);
    call.device = device;
    call.command = command;
    uint32_t in_bytes = smaller(command->in_bytes, entry->in_bytes);
    if (entry->in_bytes != 0 && in_bytes == 0)
        return RNIC_STATUS_BAD_PARAMETER;
    if (!rnic_dma_read(device, command->in_address, &call.in, in_bytes))
        return RNIC_STATUS_DMA_ERROR;
    enum rnic_status status = entry->run(&call);
    uint32_t out_bytes = smaller(command->out_bytes, entry->out_bytes);
    if (status == RNIC_STATUS_OK &&
        !rnic_dma_write(device, command->out_address, &call.out, out_bytes))
        return RNIC_STATUS_DMA_ERROR;
    return status;
}

void rnic_command_execute(struct rnic_device *device, struct rnic_command *command) {
    enum rnic_status status = run(device, command);
    command->status = (uint8_t)status;
    sim_trace(device->world, RNIC_TRACE_COMMAND, SIM_ACCESS_WRITE, &device->bus.object, NULL, NULL,
              (uint64_t)command->opcode << 8 | status, command->number);
}
