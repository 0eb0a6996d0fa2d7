/* SPDX-License-Identifier: Apache-2.0 */
/* Bugchecks that a call itself raises. */
#ifndef KRN_CALL_ERROR_H
#define KRN_CALL_ERROR_H

#include "kernel.h"

SIM_NORETURN void krn_call_level_error(const struct krn_call *call, uint8_t level_max);
/* "<call>: <sentence>". */
SIM_NORETURN void krn_call_error(const struct krn_call *call, uint32_t code, uint64_t p1,
                                 uint64_t p2, const char *sentence);

#endif
