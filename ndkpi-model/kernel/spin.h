/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks for the kernel's own calls: the caller has raised to DISPATCH. */
#ifndef KRN_SPIN_H
#define KRN_SPIN_H

#include <ntddk.h>

#include "kernel.h"

/* `handle`: of an in-stack queued acquisition, else NULL; release must give the same. */
void krn_spin_acquire(const struct krn_call *call, PKSPIN_LOCK lock, const void *handle);
bool krn_spin_try(const struct krn_call *call, PKSPIN_LOCK lock);
void krn_spin_release(const struct krn_call *call, PKSPIN_LOCK lock, const void *handle);

#endif
