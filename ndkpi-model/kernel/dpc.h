/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DPCs: the record of a KDPC holds the call that sits in a CPU's DPC layer. The kernel's own DPCs
 * (an adapter's interrupt) use it without a KDPC.
 */
#ifndef KRN_DPC_H
#define KRN_DPC_H

#include <ntddk.h>

#include "record.h"

struct krn_dpc {
    struct krn_duty duty; /* first */
    struct sim_call call;
    int32_t target; /* CPU of the node, -1: the one that queues */
    bool is_urgent;
};

/* Puts it in a CPU's queue; false when it is queued. Called in any context. */
bool krn_dpc_queue(struct krn_dpc *dpc, struct krn_cpu *cpu);
bool krn_dpc_is_queued(const struct krn_dpc *dpc);
struct krn_dpc *krn_dpc_of(const struct krn_record *record);

/* Waits until every DPC that is queued or runs on the node now has ended. PASSIVE. */
void krn_dpc_flush(const struct krn_call *call);

/*
 * Around a driver's routine on the DPC layer: names the driver, starts the watchdog.
 */
void krn_dpc_begin(struct krn_cpu *cpu, struct krn_driver *driver, struct krn_dpc *dpc);
void krn_dpc_end(struct krn_cpu *cpu);

#endif
