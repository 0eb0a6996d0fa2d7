/* SPDX-License-Identifier: Apache-2.0 */
/* Resource faults: a kernel service answers that it has nothing left. */
#include "fault_points.h"

#define POINT(variable, its_name, sentence)                                                        \
    struct sim_fault_point variable = {                                                            \
        .name = its_name, .layer = "resource", .about = sentence, .free = true}

POINT(krn_fault_pool, "pool.fail", "A pool or lookaside allocation returns NULL.");
POINT(krn_fault_mdl, "mdl.fail", "IoAllocateMdl or MmAllocatePagesForMdlEx returns NULL.");
POINT(krn_fault_map, "map.fail", "MmMapLockedPagesSpecifyCache or a BAR mapping fails.");
/* Planned only: many drivers lock kernel memory without a guard. */
struct sim_fault_point krn_fault_lock = {
    .name = "mdl.lock_fail",
    .layer = "resource",
    .about = "MmProbeAndLockPages raises STATUS_WORKING_SET_QUOTA.",
};
POINT(krn_fault_work_item, "workitem.fail", "IoAllocateWorkItem returns NULL.");
POINT(krn_fault_thread, "thread.fail", "PsCreateSystemThread fails.");
POINT(krn_fault_irp, "irp.fail", "IoAllocateIrp returns NULL.");
POINT(krn_fault_device, "device.fail", "IoCreateDevice fails.");
POINT(krn_fault_shared_memory, "sharedmemory.fail", "NdisMAllocateSharedMemory gives nothing.");
POINT(krn_fault_interrupt, "interrupt.fail", "NdisMRegisterInterruptEx fails.");
POINT(krn_fault_wsk_capture, "wsk.capture_fail", "WskCaptureProviderNPI finds no provider.");
POINT(krn_fault_ndk_open, "ndk.open_fail", "WskOpenNdkAdapter fails before the miniport is asked.");

static struct sim_fault_point *const points[] = {
    &krn_fault_lock,          &krn_fault_pool,      &krn_fault_mdl,         &krn_fault_map,
    &krn_fault_work_item,     &krn_fault_thread,    &krn_fault_irp,         &krn_fault_device,
    &krn_fault_shared_memory, &krn_fault_interrupt, &krn_fault_wsk_capture, &krn_fault_ndk_open,
};

void krn_fault_points_register(struct sim_world *world) {
    sim_fault_register(world, points, SIM_ARRAY_COUNT(points));
}
