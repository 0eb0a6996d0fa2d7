/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace types of sim itself: X(suffix, name).
 */
#ifndef SIM_RECORD_TYPES_H
#define SIM_RECORD_TYPES_H

#include <sim/trace.h>

#define SIM_RECORD_TYPES(X)                                                                        \
    X(FAULT_FIRE, "fault.fire")                                                                    \
    X(FAULT_ENABLE, "fault.enable")                                                                \
    X(TASK_CREATE, "task.create")                                                                  \
    X(TASK_EXIT, "task.exit")                                                                      \
    X(TASK_WAIT, "task.wait")                                                                      \
    X(TASK_WAKE, "task.wake")                                                                      \
    X(TASK_SPIN, "task.spin")                                                                      \
    X(TASK_MOVE, "task.move")                                                                      \
    X(BUS_READ, "bus.read")                                                                        \
    X(BUS_WRITE, "bus.write")                                                                      \
    X(BUS_INTERRUPT, "bus.interrupt")                                                              \
    X(BUS_DMA_ERROR, "bus.dma_error")                                                              \
    X(BUS_RESET, "bus.reset")                                                                      \
    X(BUS_REMOVED, "bus.removed")                                                                  \
    X(BUS_INSERTED, "bus.inserted")                                                                \
    X(BUS_POWER, "bus.power")

#define SIM_RECORD_TYPE(suffix, name) SIM_RECORD_##suffix,
enum sim_record_type {
    SIM_RECORD_FIRST = SIM_TRACE_SIM, /* type 0 is never used by a record */
    SIM_RECORD_TYPES(SIM_RECORD_TYPE) SIM_RECORD_END,
};
#undef SIM_RECORD_TYPE

#endif
