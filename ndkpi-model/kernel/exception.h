/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions that the kernel's own services and plain instructions of a driver raise. */
#ifndef KRN_EXCEPTION_H
#define KRN_EXCEPTION_H

#include "kernel.h"

/* As ExRaiseStatus: does not return. */
SIM_NORETURN void krn_raise(const struct krn_call *call, int32_t status);

#endif
