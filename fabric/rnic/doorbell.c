/* SPDX-License-Identifier: Apache-2.0 */
/* BAR 1. Every doorbell may be lost; the next one of the same queue makes up for it. */
#include "cq.h"
#include "device.h"
#include "eq.h"
#include "qp.h"
#include "srq.h"

static struct sim_object *subject_of(struct rnic_device *device, uint32_t offset,
                                     struct rnic_qp *qp) {
    bool of_qp = offset == RNIC_DOORBELL_SQ || offset == RNIC_DOORBELL_RQ;
    return of_qp && qp != NULL ? qp->object : &device->bus.object;
}

static bool is_lost(struct rnic_device *device, uint32_t offset, struct rnic_qp *qp,
                    uint32_t index) {
    struct sim_object *subject = subject_of(device, offset, qp);
    if (!rnic_fault_hit(device, RNIC_FAULT_DOORBELL_LOST, subject, NULL))
        return false;
    sim_trace(device->world, RNIC_TRACE_DOORBELL_LOST, SIM_ACCESS_WRITE, subject, NULL, NULL,
              offset, index);
    return true;
}

static void dispatch(struct rnic_device *device, uint32_t offset, struct rnic_qp *qp,
                     uint64_t value) {
    uint32_t number = (uint32_t)value & RNIC_DOORBELL_NUMBER_MASK;
    uint32_t command = (uint32_t)value >> RNIC_DOORBELL_COMMAND_SHIFT;
    uint32_t index = (uint32_t)(value >> RNIC_DOORBELL_INDEX_SHIFT);
    switch (offset) {
    case RNIC_DOORBELL_SQ:
        if (qp != NULL)
            rnic_requester_post(qp, index);
        return;
    case RNIC_DOORBELL_RQ:
        if (qp != NULL)
            rnic_responder_post(qp, index);
        return;
    case RNIC_DOORBELL_CQ:
        if (command <= RNIC_ARM_ANY)
            rnic_cq_doorbell(device, number, (enum rnic_arm)command, index);
        return;
    case RNIC_DOORBELL_SRQ:
        rnic_srq_doorbell(device, number, index);
        return;
    case RNIC_DOORBELL_EQ:
        rnic_eq_doorbell(device, number, (command & RNIC_EQ_ARM) != 0, index);
        return;
    default:
        return;
    }
}

void rnic_doorbell(struct rnic_device *device, uint32_t offset, uint64_t value) {
    if (!rnic_device_is_ready(device))
        return;
    uint32_t number = (uint32_t)value & RNIC_DOORBELL_NUMBER_MASK;
    uint32_t index = (uint32_t)(value >> RNIC_DOORBELL_INDEX_SHIFT);
    struct rnic_qp *qp = rnic_qp_find(device, number);
    rnic_count(device, RNIC_COUNTER_DOORBELLS);
    sim_trace(device->world, RNIC_TRACE_DOORBELL, SIM_ACCESS_WRITE, subject_of(device, offset, qp),
              NULL, NULL, offset, index);
    if (rnic_fault_hit(device, RNIC_FAULT_RESET, &device->bus.object, NULL)) {
        rnic_device_fail(device, RNIC_HEALTH_INJECTED);
        return;
    }
    if (!is_lost(device, offset, qp, index))
        dispatch(device, offset, qp, value);
}
