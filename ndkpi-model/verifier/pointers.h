/* SPDX-License-Identifier: Apache-2.0 */
/* R-OWN-21: the pointers that a consumer gives to a call, looked at before the provider has them.
 */
#ifndef VRF_POINTERS_H
#define VRF_POINTERS_H

#include "call.h"

/*
 * While judging: call->args is filled, the provider is next. False when one of them was found to be
 * bad and the run goes on: what stands behind it cannot be read.
 */
bool vrf_pointers_hold(struct vrf_call *call);
/* The provider returned. */
void vrf_pointers_returned(struct vrf_call *call);
/*
 * The running task's call whose consumer said that it may write at `address`; NULL: none said so.
 * `what`: which of its pointers.
 */
const struct vrf_call *vrf_pointers_tell(const struct vrf_world *verifier, const void *address,
                                         const char **what);
/* A routine; NULL is let pass. */
void vrf_routine_judge(struct vrf_call *call, void (*routine)(void), const char *what);

#endif
