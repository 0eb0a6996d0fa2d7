/* SPDX-License-Identifier: Apache-2.0 */
/* Shadows of NDK objects: birth, look-up, close. The machine is drawn in world.h. */
#ifndef VRF_SHADOW_H
#define VRF_SHADOW_H

#include "world.h"

void vrf_shadows_init(struct vrf_world *verifier);

/* The label of birth names: "qp", "shared_endpoint". */
const char *vrf_type_label(unsigned type);

/* A shadow for an object that a create call may bring; no name and no number before its birth. */
struct vrf_shadow *vrf_shadow_expect(struct vrf_world *verifier, struct vrf_shadow *parent,
                                     NDK_OBJECT_TYPE type);
/* The create failed: as if it had never been expected. */
void vrf_shadow_forget(struct vrf_world *verifier, struct vrf_shadow *shadow);
/* The provider hands `pointer` over: it gets its name, and its table is swapped for ours. */
void vrf_shadow_bear(struct vrf_world *verifier, struct vrf_shadow *shadow, void *pointer);
/* Its close completed. */
void vrf_shadow_end(struct vrf_world *verifier, struct vrf_shadow *shadow);

/*
 * The memory of a closed or closing object was freed: a consumer that still reads its table finds
 * ours there, so that its call is judged as any other.
 */
void vrf_shadow_bury(struct vrf_world *verifier, struct vrf_shadow *shadow);
/* No call may reach the provider: the object's memory is gone. */
bool vrf_shadow_is_buried(const struct vrf_world *verifier, const struct vrf_shadow *shadow);

/* NULL for a pointer that was never handed over. */
struct vrf_shadow *vrf_shadow_find(const struct vrf_world *verifier, const void *pointer);

/* `shadow` needs `antecedent`, from now on. */
void vrf_shadow_rely(struct vrf_shadow *shadow, struct vrf_shadow *antecedent);
bool vrf_shadow_relies_on(const struct vrf_shadow *shadow, const struct vrf_shadow *antecedent);

/* A subscription of `shadow`; its handle is what the provider gets as context. */
struct vrf_subscription *vrf_subscribe(struct vrf_world *verifier, struct vrf_shadow *shadow,
                                       void (*routine)(void), void *context, uintptr_t frame);

struct vrf_client *vrf_client_of(struct vrf_world *verifier, struct krn_driver *driver,
                                 struct sim_object *owner);
/* "init", or "the program". */
const char *vrf_client_name(const struct vrf_client *client);

#endif
