/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of the ledger: see sim/check.h. */
#include <stdio.h>

#include <sim/check.h>

#include "check.h"
#include "work.h"

static bool wrong(char *text, size_t size, const struct sim_object *object, const char *what) {
    char name[SIM_NAME_BYTES];

    (void)snprintf(text, size, "%s: %s", sim_object_name(object, name, sizeof(name)), what);
    return false;
}

static uint32_t requests_of(const struct vrf_world *verifier, const struct vrf_shadow *shadow) {
    uint32_t count = 0;

    for (const struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        count += request->is_counted && request->shadow == shadow;
    }
    return count;
}

static bool requests_hold(struct sim_world *world, char *text, size_t size) {
    const struct vrf_world *verifier = vrf_world_of(world);
    const struct vrf_request *previous = NULL;

    for (const struct vrf_request *request = verifier->request_first; request != NULL;
         previous = request, request = request->next) {
        if (request->previous != previous || !request->slot.is_live) {
            (void)snprintf(text, size, "request %u is in the list and not live", request->serial);
            return false;
        }
    }
    if (verifier->request_last != previous) {
        (void)snprintf(text, size, "the last request is not the list's last");
        return false;
    }
    for (const struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if (shadow->phase != VRF_UNBORN && shadow->request_count != requests_of(verifier, shadow)) {
            return wrong(text, size, &shadow->object, "pending requests are not as counted");
        }
    }
    return true;
}

static bool queue_holds(const struct vrf_queue *queue, char *text, size_t size) {
    const struct vrf_work *last = NULL;
    uint32_t count = 0, signalled = 0;

    if (queue == NULL) {
        return true;
    }
    for (const struct vrf_work *work = queue->first; work != NULL; work = work->next) {
        if (work->previous != last || work->queue != queue || !work->slot.is_live) {
            return wrong(text, size, &queue->owner->object, "a posted request is in no queue");
        }
        count++;
        signalled += !vrf_work_is_silent(work);
        last = work;
    }
    if (queue->last != last || queue->count != count || queue->signalled_count != signalled) {
        return wrong(text, size, &queue->owner->object, "posted requests are not as counted");
    }
    return true;
}

static bool cq_holds(const struct vrf_shadow *cq, char *text, size_t size) {
    uint32_t outstanding = 0, orphans = 0;

    for (const struct vrf_queue *queue = cq->part.cq.queues; queue != NULL;
         queue = queue->next_of_cq) {
        outstanding += queue->count;
        orphans += queue->owner->phase == VRF_CLOSED ? queue->signalled_count : 0;
    }
    if (cq->part.cq.outstanding_count != outstanding || cq->part.cq.orphan_count != orphans) {
        return wrong(text, size, &cq->object, "results to come are not as counted");
    }
    return true;
}

static bool shadow_holds(const struct vrf_shadow *shadow, char *text, size_t size) {
    switch (shadow->type) {
    case NdkObjectTypeQp:
        return queue_holds(shadow->part.qp.initiator, text, size) &&
               queue_holds(shadow->part.qp.receive, text, size);
    case NdkObjectTypeSrq:
        return queue_holds(shadow->part.srq.receive, text, size);
    case NdkObjectTypeCq:
        return cq_holds(shadow, text, size);
    default:
        return true;
    }
}

static bool works_hold(struct sim_world *world, char *text, size_t size) {
    for (const struct vrf_shadow *shadow = vrf_world_of(world)->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if (shadow->phase != VRF_UNBORN && !shadow_holds(shadow, text, size)) {
            return false;
        }
    }
    return true;
}

static bool shadows_hold(struct sim_world *world, char *text, size_t size) {
    const struct vrf_world *verifier = vrf_world_of(world);
    const struct vrf_shadow *live = verifier->live_first;
    const struct vrf_shadow *last = NULL;

    for (const struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if ((shadow == live) != (shadow->phase != VRF_CLOSED)) {
            return wrong(text, size, &shadow->object, "it is not among the live, or still is");
        }
        live = shadow == live ? live->live_next : live;
        if (shadow->phase != VRF_UNBORN && shadow->object.id == 0) {
            (void)snprintf(text, size, "an object was handed over and has no name");
            return false;
        }
        if (shadow->phase == VRF_CLOSED && shadow->closing != NULL &&
            shadow->closing->ending == VRF_OWED) {
            return wrong(text, size, &shadow->object, "it is closed, and its close is owed");
        }
        last = shadow;
    }
    if (verifier->shadow_last != last) {
        (void)snprintf(text, size, "the last object is not the list's last");
        return false;
    }
    return true;
}

static const struct sim_check checks[] = {
    {"verifier.requests", "Every object counts its pending requests.", requests_hold},
    {"verifier.works", "Every queue counts its posted requests, every CQ the results to come.",
     works_hold},
    {"verifier.objects", "Every object that was handed over has a name; a closed one owes nothing.",
     shadows_hold},
};

void vrf_checks_register(struct sim_world *world) {
    sim_check_register(world, checks, SIM_ARRAY_COUNT(checks));
}
