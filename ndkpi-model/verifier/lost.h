/* SPDX-License-Identifier: Apache-2.0 */
/* When the wire lost something: whoever waits for a peer's word then may never get it. */
#ifndef VRF_LOST_H
#define VRF_LOST_H

#include "world.h"

/* The watches on what networks tell of frames that do not arrive as they were sent. */
void vrf_lost_watch(struct vrf_world *verifier);
/* Whether a frame of any connection was lost at or after `time_ns`. */
bool vrf_lost_since(const struct vrf_world *verifier, uint64_t time_ns);

#endif
