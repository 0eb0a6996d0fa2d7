# SPDX-License-Identifier: Apache-2.0
# Bugs of the hardware: the built-in device as a device-model module, with one block replaced.
# Included by CMakeLists.txt, which then has the names in device_variants.
set(device_variants device-arm-late device-queue-arm-late device-post-unflushed)

get_target_property(rnic_sources fabric_rnic SOURCES)
list(TRANSFORM rnic_sources PREPEND "${PROJECT_SOURCE_DIR}/fabric/rnic/")
ndksim_add_driver(rnic-module DEVICE
  SOURCES ${rnic_sources} "${PROJECT_SOURCE_DIR}/fabric/rnic/module.c"
  INCLUDE "${PROJECT_SOURCE_DIR}/fabric/rnic" "${PROJECT_SOURCE_DIR}/fabric/rnic/include"
  LINK fabric_device fabric_rnic_hw)
target_compile_definitions(rnic-module PRIVATE SIM_ROOM=SIM_ROOM_RNIC)

# An arm of a queue that has what it asks for already waits for the next entry.
ndksim_add_variant(device-arm-late BASE rnic-module FILE fabric/rnic/cq.c
  OLD [==[
    if (is_satisfied(cq))
        rnic_work_add(device, RNIC_WORK_CQ, number);
]==]
  NEW [==[
]==])

# An arm of an event queue that came behind an event waits for the next one.
ndksim_add_variant(device-queue-arm-late BASE rnic-module FILE fabric/rnic/eq.c
  OLD [==[
    if (eq->armed && eq->producer != eq->consumer)
        rnic_work_add(device, RNIC_WORK_EQ, number);
]==]
  NEW [==[
]==])

# What is posted to a QP in error is left to a flush that may have passed.
ndksim_add_variant(device-post-unflushed BASE rnic-module FILE fabric/rnic/requester.c
  OLD [==[
    if (flushes)
        rnic_work_add(qp->device, RNIC_WORK_FLUSH, qp->number);
    else if (r->state == RNIC_REQUESTER_IDLE)
]==]
  NEW [==[
    if (!flushes && r->state == RNIC_REQUESTER_IDLE)
]==])
