/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look into completion queues when nothing moves any more. Whether results lie in an armed queue
 * can only be asked of its provider, in a thread of the consumer's node. The world's run is over.
 */
#ifndef VRF_PROBE_H
#define VRF_PROBE_H

#include "world.h"

/* An arm that was not met: R-CQ-07. True when found. In the scheduler. */
bool vrf_probe_arms(struct vrf_world *verifier);

#endif
