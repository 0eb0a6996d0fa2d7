/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on EQs, CQs and SRQs. */
#include "command.h"
#include "cq.h"
#include "device.h"
#include "eq.h"
#include "srq.h"

enum rnic_status rnic_command_create_eq(struct rnic_call *call) {
    return rnic_eq_create(call->device, &call->in.eq_create, &call->command->number);
}

enum rnic_status rnic_command_destroy_eq(struct rnic_call *call) {
    return rnic_eq_destroy(call->device, call->command->number);
}

enum rnic_status rnic_command_create_cq(struct rnic_call *call) {
    return rnic_cq_create(call->device, &call->in.cq_create, &call->command->number);
}

enum rnic_status rnic_command_destroy_cq(struct rnic_call *call) {
    return rnic_cq_destroy(call->device, call->command->number);
}

enum rnic_status rnic_command_resize_cq(struct rnic_call *call) {
    if ((call->device->config.cap_flags & RNIC_CAP_CQ_RESIZE) == 0)
        return RNIC_STATUS_BAD_OPCODE;
    return rnic_cq_resize(call->device, call->command->number, &call->in.cq_resize,
                          &call->out.cq_resized.producer);
}

enum rnic_status rnic_command_moderate_cq(struct rnic_call *call) {
    if ((call->device->config.cap_flags & RNIC_CAP_CQ_MODERATION) == 0)
        return RNIC_STATUS_BAD_OPCODE;
    return rnic_cq_moderate(call->device, call->command->number, call->command->argument[0]);
}

enum rnic_status rnic_command_query_cq(struct rnic_call *call) {
    const struct rnic_cq *cq = rnic_cq_find(call->device, call->command->number);
    if (cq == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    call->out.cq_info =
        (struct rnic_cq_info){.producer = cq->producer,
                              .consumer = cq->consumer,
                              .entry_count_log2 = rnic_log2(rnic_ring_count(&cq->ring)),
                              .armed = cq->arm,
                              .fault = cq->fault,
                              .moderation = RNIC_MODERATION(cq->moderate_count, cq->moderate_ns)};
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_create_srq(struct rnic_call *call) {
    return rnic_srq_create(call->device, &call->in.srq_create, &call->command->number);
}

enum rnic_status rnic_command_destroy_srq(struct rnic_call *call) {
    return rnic_srq_destroy(call->device, call->command->number);
}

enum rnic_status rnic_command_modify_srq(struct rnic_call *call) {
    enum rnic_status status =
        rnic_srq_modify(call->device, call->command->number, &call->in.srq_modify);
    if (status == RNIC_STATUS_OK)
        status = rnic_srq_query(call->device, call->command->number, &call->out.srq_info);
    return status;
}

enum rnic_status rnic_command_query_srq(struct rnic_call *call) {
    return rnic_srq_query(call->device, call->command->number, &call->out.srq_info);
}
