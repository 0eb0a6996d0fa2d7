/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel knows of an IRP. Every IRP has a record from its allocation to its free.
 *
 *   OWNED (by who made it, or completed) -IoCallDriver-> SENT -IoCompleteRequest-> OWNED
 */
#ifndef KRN_IRP_H
#define KRN_IRP_H

#include <ntddk.h>

#include "kernel.h"

struct krn_irp_record {
    struct krn_irp_record *next;
    struct krn_irp_record *previous;
    struct sim_object object;
    struct krn_node *node;
    struct krn_driver *maker;  /* NULL: the kernel */
    struct krn_driver *holder; /* the driver it was sent to, while it is SENT */
    PIRP irp;
    bool is_sent;
    bool was_pending; /* marked pending when it was completed */
    /* Called in the completing context when the last location is completed; NULL: nothing. */
    void (*completed)(struct krn_irp_record *record, void *context);
    void *context;
    struct krn_step *step; /* of an asker outside */
};

/* An IRP with its record; pool of `maker`, or of the node. NULL without memory. */
struct krn_irp_record *krn_irp_make(struct krn_node *node, struct krn_driver *maker,
                                    CCHAR stack_size);
void krn_irp_end(const struct krn_call *call, struct krn_irp_record *record);
/* The record of a live IRP, else a bugcheck. */
struct krn_irp_record *krn_irp_use(const struct krn_call *call, PIRP irp);
NTSTATUS krn_irp_send(const struct krn_call *call, PDEVICE_OBJECT device_object, PIRP irp);
/* Completes it at once for the one who was asked, with an error: no driver had it. */
void krn_irp_refuse(const struct krn_call *call, PIRP irp, NTSTATUS status);
void krn_irp_cancel(const struct krn_call *call, PIRP irp);

#endif
