/* SPDX-License-Identifier: Apache-2.0 */
/* From an accident to R-LIFE-15 or R-OWN-10; see accident.h. Runs on a signal's stack: only looks.
 */
#include "accident.h"

#include <stdio.h>

#include "find.h"
#include "pointers.h"

/* The closed object whose memory `address` is; NULL for none. */
static struct vrf_shadow *closed_at(const struct vrf_world *verifier, const void *address) {
    struct vrf_shadow *found = NULL;
    struct krn_place place;
    uintptr_t start;

    if (address == NULL) {
        return NULL;
    }
    krn_place_of(verifier->world, address, &place);
    if (place.kind != KRN_PLACE_POOL_FREED) {
        return NULL;
    }
    start = (uintptr_t)place.block.start;
    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        uintptr_t at = (uintptr_t)shadow->pointer;

        if (shadow->phase == VRF_CLOSED && at >= start && at < start + place.block.bytes) {
            found = shadow;
        }
    }
    return found;
}

/* A call of this task, still inside the provider, on an object that has been closed meanwhile. */
static struct vrf_request *call_on_closed(const struct vrf_world *verifier) {
    const struct sim_task *task = sim_task_current();
    uint32_t task_id = task != NULL ? sim_task_object((struct sim_task *)(uintptr_t)task)->id : 0;
    struct vrf_request *request = verifier->request_last;

    while (request != NULL && !(request->is_in_call && request->site.actor_id == task_id &&
                                request->shadow->phase == VRF_CLOSED)) {
        request = request->previous;
    }
    return request;
}

static bool is_provider_of(const struct vrf_shadow *shadow, const struct krn_driver *by) {
    const struct krn_adapter *adapter = shadow->adapter->part.adapter.adapter;

    return by == NULL || adapter == NULL || krn_ndk_provider(adapter) == by;
}

/* The rule takes the bugcheck's place; when rules do not end runs, it comes besides. */
static void replace(struct vrf_world *verifier, const struct sim_finding *made,
                    struct sim_finding *finding) {
    if (sim_world_config(verifier->world)->keep_going) {
        sim_find(verifier->world, made);
    } else {
        *finding = *made;
    }
}

static void add_seen(struct sim_finding *made, const struct sim_finding *finding) {
    sim_finding_detail(made, "seen as: %s %s: %s", finding->id, finding->name, finding->sentence);
    for (uint32_t i = 0; i < finding->object_count; i++) {
        sim_finding_object(made, finding->objects[i]);
    }
    for (uint32_t i = 0; i < finding->site_count && made->site_count < 3; i++) {
        made->sites[made->site_count++] = finding->sites[i];
    }
}

/* Somebody else's code read or wrote the object: a consumer's. */
static void judge_consumer(struct vrf_world *verifier, struct vrf_shadow *shadow,
                           const struct krn_driver *by, struct sim_finding *finding) {
    struct sim_finding made;
    char name[SIM_NAME_BYTES];

    if (krn_driver_is_provider(by) || !vrf_find_begin(verifier, &made, VRF_RULE_OWN_10, shadow) ||
        made.severity != SIM_SEVERITY_ERROR) {
        return;
    }
    sim_finding_say(&made, "%s used %s, whose close has completed", krn_driver_name(by),
                    vrf_name(shadow, name, sizeof(name)));
    vrf_find_site(verifier, &made, "closed", &shadow->closed);
    add_seen(&made, finding);
    replace(verifier, &made, finding);
}

/* The provider wrote where its caller said that it may, and there is no memory of the caller's. */
static void blame_told(struct vrf_world *verifier, const void *address, const struct krn_driver *by,
                       struct sim_finding *finding) {
    const char *what;
    const struct vrf_call *call = vrf_pointers_tell(verifier, address, &what);
    char provider[SIM_NAME_BYTES];

    if (call == NULL || !is_provider_of(call->shadow, by)) {
        return;
    }
    snprintf(provider, sizeof(provider), "%s", finding->guilty);
    vrf_guilty_consumer(call->shadow->client, finding->guilty, sizeof(finding->guilty));
    sim_finding_detail(finding, "by %s, within the %s of the length that %s was told of", provider,
                       what, vrf_functions[call->function].name);
}

void vrf_accident_judge(struct sim_world *world, const void *address, struct krn_driver *by,
                        struct sim_finding *finding) {
    struct vrf_world *verifier = vrf_world_of(world);
    struct vrf_shadow *shadow;
    struct vrf_request *call;
    struct sim_finding made;
    char name[SIM_NAME_BYTES];
    char text[VRF_TEXT_BYTES];

    if (verifier == NULL || !verifier->is_judging) {
        return;
    }
    blame_told(verifier, address, by, finding);
    call = call_on_closed(verifier);
    shadow = closed_at(verifier, address);
    if (shadow != NULL && !is_provider_of(shadow, by)) {
        judge_consumer(verifier, shadow, by, finding);
        return;
    }
    if (shadow == NULL && call != NULL) {
        struct krn_place place;

        krn_place_of(world, address, &place);
        if (place.kind == KRN_PLACE_NOWHERE || place.kind == KRN_PLACE_NULL) {
            shadow = call->shadow; /* a pointer read out of the freed object leads nowhere */
        }
    }
    if (shadow == NULL || !is_provider_of(shadow, by) ||
        !vrf_find_begin(verifier, &made, VRF_RULE_LIFE_15, shadow) ||
        made.severity != SIM_SEVERITY_ERROR) {
        return;
    }
    vrf_name(shadow, name, sizeof(name));
    if (call != NULL && call->shadow == shadow) {
        sim_finding_say(&made,
                        "the provider touched %s after starting its completion, inside %s; the "
                        "consumer had closed it",
                        name, vrf_request_text(call, text, sizeof(text)));
        vrf_find_site(verifier, &made, "accepted", &call->site);
    } else {
        sim_finding_say(&made, "the provider touched %s after the completion of its close", name);
    }
    add_seen(&made, finding);
    replace(verifier, &made, finding);
}
