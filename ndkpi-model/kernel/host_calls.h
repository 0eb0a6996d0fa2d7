/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver may find in the host's C library and Windows' kernel does not have: functions that
 * end, split, stop or rearrange the process that all drivers share. Where the host can do so, a
 * driver's calls of them come here; in a task each one is a bugcheck at the line that called, and
 * outside of tasks (coverage that is written when the process ends) it is the host's own function.
 */
#ifndef KRN_HOST_CALLS_H
#define KRN_HOST_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* What a driver's call of `name` goes to instead of `real`; 0: nothing, it is free to call. */
uintptr_t krn_host_call_stub(const char *name, uintptr_t real);

#endif
