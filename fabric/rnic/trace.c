/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <sim/memory.h>

#include "device.h"
#include "qp.h"

#include <rnic/device.h>

#define RNIC_TRACE_NAME(suffix, name) name,
const char *const rnic_trace_names[] = {RNIC_TRACE_TYPES(RNIC_TRACE_NAME)};
#undef RNIC_TRACE_NAME

struct sim_fault_point rnic_faults[RNIC_FAULT_COUNT] = {
    [RNIC_FAULT_DOORBELL_LOST] =
        {.name = "rnic.doorbell_lost",
         .layer = "device",
         .about = "A doorbell write does not reach the device; the next one of the queue heals it.",
         .free = true,
         .silent = true},
    [RNIC_FAULT_CQ_OVERRUN] = {.name = "rnic.cq_overrun",
                               .layer = "device",
                               .about = "A completion finds its queue full: an overrun.",
                               .free = true},
    [RNIC_FAULT_CQ_FAIL] = {.name = "rnic.cq_fail",
                            .layer = "device",
                            .about = "A completion queue fails for good when it is written.",
                            .free = true},
    [RNIC_FAULT_SRQ_FAIL] = {.name = "rnic.srq_fail",
                             .layer = "device",
                             .about =
                                 "A shared receive queue fails for good when a QP takes from it.",
                             .free = true},
    [RNIC_FAULT_QP_ERROR] =
        {.name = "rnic.qp_error",
         .layer = "device",
         .about = "A QP goes to the error state by itself when it starts a work request.",
         .free = true},
    [RNIC_FAULT_COMMAND_FAIL] = {.name = "rnic.command_fail",
                                 .layer = "device",
                                 .about =
                                     "A command ends with an internal error and has no effect.",
                                 .free = true},
    [RNIC_FAULT_FIRMWARE_HANG] =
        {.name = "rnic.firmware_hang",
         .layer = "device",
         .about = "The firmware stops answering commands until the device is reset."},
    [RNIC_FAULT_RESET] =
        {.name = "rnic.reset",
         .layer = "device",
         .about = "The device fails fatally: no more DMA or completions until it is reset."},
    [RNIC_FAULT_COMPLETION_DELAY] =
        {.name = "rnic.completion_delay",
         .layer = "device",
         .about = "A completion, and those of its queue behind it, are written late.",
         .parameter = "delay_ns",
         .free = true},
    [RNIC_FAULT_TABLE_FULL] = {.name = "rnic.table_full",
                               .layer = "resource",
                               .about = "Creating an object finds the device's table full.",
                               .free = true},
};

void rnic_init(struct sim_world *world) {
    sim_world_slot_set(world, SIM_SLOT_RNIC, sim_alloc(world, sizeof(struct rnic_devices)));
    rnic_checks_register(world);
    struct sim_fault_point *points[RNIC_FAULT_COUNT];
    for (uint32_t i = 0; i < RNIC_FAULT_COUNT; i++)
        points[i] = &rnic_faults[i];
    sim_trace_register(world, SIM_TRACE_RNIC, rnic_trace_names,
                       (uint16_t)SIM_ARRAY_COUNT(rnic_trace_names));
    sim_fault_register(world, points, RNIC_FAULT_COUNT);
    rnic_qp_machine_register(world);
}
