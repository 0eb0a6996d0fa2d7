/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier's place in the world: its state, and its ends of the kernel's door for adapters. */
#include <stdio.h>
#include <string.h>

#include <krn/ndk.h>
#include <vrf/verifier.h>

#include "check.h"
#include "accident.h"
#include "deadlock.h"
#include "doors.h"
#include "excuse.h"
#include "find.h"
#include "interpose.h"
#include "judge.h"
#include "lost.h"
#include "owned.h"
#include "watch_call.h"

enum { SLAB_SHADOWS = 1, SLAB_SUBSCRIPTIONS, SLAB_REQUESTS, SLAB_WORKS };

/* ---- Adapters ---- */

static void on_opened(struct krn_adapter *adapter, struct krn_driver *driver, void *ndk_adapter) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_shadow *shadow = vrf_shadow_expect(verifier, NULL, NdkObjectTypeAdapter);
    const NDK_ADAPTER *object = ndk_adapter;
    struct sim_object *owner =
        driver != NULL ? krn_driver_object(driver) : krn_adapter_object(adapter);

    shadow->client = vrf_client_of(verifier, driver, owner);
    shadow->client->node = krn_adapter_node(adapter);
    shadow->client->is_unloaded = false;
    shadow->part.adapter.adapter = adapter;
    shadow->part.adapter.version_major = object->Header.Version.Major;
    shadow->part.adapter.version_minor = object->Header.Version.Minor;
    vrf_shadow_bear(verifier, shadow, ndk_adapter);
    if (verifier->is_judging) {
        vrf_site_take(verifier, &shadow->made, VRF_FRAME, VRF_SITE_FRAMES);
    }
    sim_trace(verifier->world, VRF_TRACE_OPEN, SIM_ACCESS_CREATE, &shadow->object,
              krn_adapter_object(adapter), NULL, shadow->part.adapter.version_major,
              shadow->part.adapter.version_minor);
}

static void on_closing(struct krn_adapter *adapter, struct krn_driver *driver, void *ndk_adapter) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, ndk_adapter);

    (void)adapter;
    (void)driver;
    if (shadow == NULL || shadow->phase != VRF_OPEN) {
        return;
    }
    shadow->phase = VRF_CLOSING;
    shadow->object.state = "closing";
    if (verifier->is_judging) {
        vrf_site_take(verifier, &shadow->closed, VRF_FRAME, VRF_SITE_FRAMES);
        vrf_watch_adapter_closing(verifier, shadow);
    }
}

static void on_closed(struct krn_adapter *adapter, struct krn_driver *driver, void *ndk_adapter) {
    struct vrf_world *verifier = vrf_active();
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, ndk_adapter);

    (void)driver;
    if (shadow == NULL || shadow->phase != VRF_CLOSING) {
        return;
    }
    vrf_shadow_end(verifier, shadow);
    sim_trace(verifier->world, VRF_TRACE_CLOSED, SIM_ACCESS_CLOSE, &shadow->object,
              krn_adapter_object(adapter), NULL, 0, 0);
    if (verifier->is_judging) {
        vrf_judge_adapter_closed(verifier, shadow);
        vrf_watch_adapter_closed(verifier, shadow);
    }
}

static void on_unloaded(struct krn_driver *driver) {
    struct vrf_world *verifier = vrf_active();

    for (struct vrf_client *client = verifier->clients; client != NULL; client = client->next) {
        if (client->driver == driver) {
            client->is_unloaded = true;
            if (verifier->is_judging) {
                vrf_judge_unloaded(verifier, client);
                vrf_watch_unloaded(verifier, client);
            }
        }
    }
}

static struct sim_object *on_name(struct sim_world *world, const void *ndk_object) {
    struct vrf_shadow *shadow = vrf_shadow_find(vrf_world_of(world), ndk_object);

    return shadow != NULL ? &shadow->object : NULL;
}

static void on_freed(struct sim_world *world, void *start) {
    struct vrf_world *verifier = vrf_world_of(world);
    struct vrf_shadow *shadow = vrf_shadow_find(verifier, start);

    if (shadow != NULL && (shadow->phase == VRF_CLOSING || shadow->phase == VRF_CLOSED)) {
        vrf_shadow_bury(verifier, shadow);
    }
}

const struct krn_ndk_interposer vrf_interposer = {
    .opened = on_opened,
    .closing = on_closing,
    .closed = on_closed,
    .unloaded = on_unloaded,
    .name = on_name,
    .judge = vrf_accident_judge,
    .freed = on_freed,
    .explain = vrf_say_passed,
    .broken = vrf_door_broken,
    .raced = vrf_door_raced,
};

/* ---- The world ---- */

void vrf_start(struct sim_world *world) {
    struct vrf_world *verifier = sim_alloc(world, sizeof(*verifier));

    SIM_ASSERT(vrf_world_of(world) == NULL);
    verifier->world = world;
    verifier->is_judging = true;
    sim_world_slot_set(world, SIM_SLOT_VERIFIER, verifier);
    vrf_slab_init(&verifier->shadows, world, SLAB_SHADOWS, sizeof(struct vrf_shadow));
    vrf_slab_init(&verifier->subscriptions, world, SLAB_SUBSCRIPTIONS,
                  sizeof(struct vrf_subscription));
    vrf_slab_init(&verifier->requests, world, SLAB_REQUESTS, sizeof(struct vrf_request));
    vrf_slab_init(&verifier->works, world, SLAB_WORKS, sizeof(struct vrf_work));
    vrf_shadows_init(verifier);
    vrf_owned_start(verifier);
    vrf_rules_reset();
    vrf_watch_start();
    vrf_functions_register(world);
    vrf_deadlock_watch(verifier);
    vrf_lost_watch(verifier);
    krn_ndk_interposer_set(world, &vrf_interposer);
    vrf_checks_register(world);
}

void vrf_judge_set(struct sim_world *world, bool on) {
    vrf_world_of(world)->is_judging = on;
}
