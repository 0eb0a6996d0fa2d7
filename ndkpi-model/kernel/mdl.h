/* SPDX-License-Identifier: Apache-2.0 */
/* MDLs for the kernel's own use. */
#ifndef KRN_MDL_H
#define KRN_MDL_H

#include <ntddk.h>

#include "kernel.h"
#include "record.h"

struct krn_mdl_record {
    struct krn_duty duty; /* first: of an MDL whose pages are locked */
    uint32_t pages;
};

/* A KERNEL pool block of `driver` (NULL: the node) for [address, address + bytes); NULL: no memory.
 */
PMDL krn_mdl_make(const struct krn_call *call, struct krn_driver *driver, PVOID address,
                  ULONG bytes);
/* Fills in the page frames of memory that does not move. */
void krn_mdl_build(const struct krn_call *call, PMDL mdl);
#endif
