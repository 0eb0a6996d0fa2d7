/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer that waits for what only it could do: it connects to its own listener and waits, the
 * connection waits for its accept, and no thread, DPC, timer or work item of it is left that could
 * accept. Named at once, long before the provider's time limit.
 */
#ifndef VRF_DEADLOCK_H
#define VRF_DEADLOCK_H

#include "world.h"

/*
 * `about` (may be NULL) is the object of a thread that is about to wait without a limit. Looks only
 * when the client has an unanswered connector and a pending connect.
 */
void vrf_deadlock_check(struct vrf_world *verifier, struct vrf_client *client,
                        const struct sim_object *about);
/* The watch on the kernel's waits. */
void vrf_deadlock_watch(struct vrf_world *verifier);

#endif
