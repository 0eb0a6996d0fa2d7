/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The doors between drivers and the system, WSK and NDIS: rules that the kernel sees broken, and
 * waits at a door that only the waiter, or one guilty consumer, could end.
 */
#ifndef VRF_DOORS_H
#define VRF_DOORS_H

#include <krn/race.h>

#include "world.h"

/* The kernel's word (krn/ndk.h, `broken`). Nothing happens when the rule is off or unknown. */
void vrf_door_broken(struct sim_world *world, const char *rule, struct krn_driver *by,
                     struct sim_object *subject, const struct sim_kept_site *made,
                     const char *sentence);

/* The kernel's word (krn/ndk.h, `raced`). */
void vrf_door_raced(struct sim_world *world, const struct krn_race *race);

/*
 * Whether a driver waits in WskReleaseProviderNPI or WskDeregister for what it has itself left
 * open or captured; then the finding is made. Waits shorter than `patience_ns` are none.
 */
bool vrf_blame_release(struct vrf_world *verifier, uint64_t patience_ns);

/* The same for a disable, halt or loss of power that waits for a consumer's close. */
bool vrf_blame_awaited(struct vrf_world *verifier, uint64_t patience_ns);

/* "pd[0], cq[0], ..." of what the client has open; `left_out` objects did not fit. */
void vrf_list_open(const struct vrf_world *verifier, const struct vrf_client *client, char *text,
                   size_t size);

#endif
