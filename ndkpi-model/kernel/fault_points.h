/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's fault points. */
#ifndef KRN_FAULT_POINTS_H
#define KRN_FAULT_POINTS_H

#include <sim/fault.h>

extern struct sim_fault_point krn_fault_pool;
extern struct sim_fault_point krn_fault_mdl;
extern struct sim_fault_point krn_fault_map;
extern struct sim_fault_point krn_fault_lock;
extern struct sim_fault_point krn_fault_work_item;
extern struct sim_fault_point krn_fault_thread;
extern struct sim_fault_point krn_fault_irp;
extern struct sim_fault_point krn_fault_device;
extern struct sim_fault_point krn_fault_shared_memory;
extern struct sim_fault_point krn_fault_interrupt;
extern struct sim_fault_point krn_fault_wsk_capture;
extern struct sim_fault_point krn_fault_ndk_open;

void krn_fault_points_register(struct sim_world *world);

#endif
